"""Cost and fault tolerance of a network, independent of what is communicated on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pavane.bounds.splits import bisection
from pavane.model.network import Network
from pavane.symmetry.cayley import CayleyNetwork, cayley_of
from pavane.symmetry.transitive_connectivity import channel_connectivity, router_connectivity


@dataclass(frozen=True)
class NetworkFigures:
    """The figures of a network that do not depend on collectives and rules."""

    processors: int
    routers: int
    degree: int
    """The most channels that leave, or enter, a router with processors, weighted by capacity."""
    switch_degree: int | None
    """The same of routers without processors, which are pure switches; None without any."""
    channels: int
    cost: int
    """The channels, weighted by capacity."""
    diameter: int
    mean_distance: float
    """Distance between two processors in channels, averaged over all pairs."""
    bisection: int
    """Channels between two halves of the processors, both ways, weighted by capacity."""
    bisection_is_exact: bool
    """Whether the bisection is minimal; otherwise it is an upper bound."""
    connectivity: int
    """The fewest channels, or links, whose loss disconnects two processors."""
    router_connectivity: int
    """The fewest routers whose loss disconnects two other processors."""

    @classmethod
    def of(cls, network: Network) -> NetworkFigures:
        """Count the figures of a network; those of large networks without translations take long."""
        size = network.num_processors
        cayley = cayley_of(network)
        switches = network.num_routers - len(set(network.router_of.tolist()))
        halves = bisection(network)
        return cls(
            processors=size,
            routers=network.num_routers,
            degree=degree_of(network),
            switch_degree=_switch_degree(network) if switches else None,
            channels=network.num_channels,
            cost=int(network.capacity.sum()),
            **(_by_distances(network) if cayley is None else _by_translations(cayley)),
            bisection=halves.num_channels,
            bisection_is_exact=halves.exact,
        )

    @property
    def bisection_text(self) -> str:
        """Return the bisection, with a mark where it is an upper bound."""
        return f"{'' if self.bisection_is_exact else '<='}{self.bisection}"

    @property
    def links_survived(self) -> int:
        """Return how many links, or one-way channels, may fail without disconnecting processors."""
        return max(0, self.connectivity - 1)

    @property
    def routers_survived(self) -> int:
        """Return how many routers may fail without disconnecting the other processors."""
        return max(0, self.router_connectivity - 1)


def _by_distances(network: Network) -> dict[str, Any]:
    """Count what takes the distances, and flows, between all processors."""
    size = network.num_processors
    return {
        "diameter": network.diameter,
        "mean_distance": network.sum_of_distances / (size * (size - 1)),
        "connectivity": network.connectivity(),
        "router_connectivity": network.router_connectivity(),
    }


def _by_translations(cayley: CayleyNetwork) -> dict[str, Any]:
    """Count the same where all routers look alike, by one search from router 0."""
    distances = cayley.kinds.shortest_paths[0]
    return {
        "diameter": int(distances.max()),
        "mean_distance": int(distances.sum()) / (len(distances) - 1),
        "connectivity": channel_connectivity(cayley),
        "router_connectivity": router_connectivity(cayley),
    }


def _switch_degree(network: Network) -> int:
    homes = set(network.router_of.tolist())
    return max(
        int(max(network.out_degrees[router], network.in_degrees[router]))
        for router in range(network.num_routers)
        if router not in homes
    )


def degree_of(network: Network) -> int:
    """Return the most channels that leave, or enter, a router with processors, by their capacities."""
    homes = network.router_of
    return int(max(network.out_degrees[homes].max(initial=0), network.in_degrees[homes].max(initial=0)))
