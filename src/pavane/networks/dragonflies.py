"""The dragonfly (Kim, Dally, Scott and Abts 2008)."""

from pavane.model.network import Network
from pavane.networks.layout import circle_of_circles
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way


def dragonfly(group_size: int, num_global: int) -> Network:
    """Return the largest dragonfly: A*H + 1 groups of A routers, H global links a router, one between each two groups.

    Groups are complete inside. Counted from group g, the group k + 1 further on is reached from router k // H, so
    turning the circle of groups is a symmetry. Each router carries one processor.
    """
    name = f"dragonfly:{group_size},{num_global}"
    at_least(name, "A", group_size, 1)
    at_least(name, "H", num_global, 1)
    ports = group_size * num_global
    num_groups = ports + 1
    allow_size(name, num_groups * group_size * (group_size - 1 + num_global))
    links = [
        (group * group_size + a, group * group_size + b)
        for group in range(num_groups)
        for a in range(group_size)
        for b in range(a + 1, group_size)
    ]
    for group in range(num_groups):
        for port in range(ports):
            other = (group + port + 1) % num_groups
            if group < other:
                # Seen from the other group, this one is num_groups - port - 1 groups further on.
                links.append(
                    (
                        group * group_size + port // num_global,
                        other * group_size + (ports - 1 - port) // num_global,
                    )
                )
    positions = circle_of_circles(num_groups, group_size)
    return Network(name, num_groups * group_size, two_way(links), positions=positions)
