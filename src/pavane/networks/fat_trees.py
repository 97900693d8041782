"""Fat trees: that of commodity switches (Al-Fares, Loukissas and Vahdat 2008), and k-ary n-trees (Petrini 1997)."""

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.layout import rows
from pavane.networks.limits import allow_size, at_least, power
from pavane.networks.links import two_way


def fat_tree(degree: int) -> Network:
    """Return the fat tree of three levels whose routers have K channels each way: K pods and K^3/4 processors.

    Numbered first are the K^2/2 edge routers, pod by pod, each with K/2 processors; then as many aggregation
    routers and K^2/4 core routers, which are pure switches. Core router a*K/2 + c is linked
    with aggregation router a of every pod.
    """
    name = f"fat-tree:{degree}"
    at_least(name, "K", degree, 2)
    if degree % 2:
        raise InputError(
            f"network {name}: K is {degree}, but half of a router's links go up and half down; "
            f"give an even number, for example {degree + 1}"
        )
    half = degree // 2
    allow_size(name, degree**3)
    num_edge = degree * half
    core = 2 * num_edge
    links = []
    for pod in range(0, num_edge, half):
        for a in range(half):
            aggregation = num_edge + pod + a
            links += [(pod + e, aggregation) for e in range(half)]
            links += [(aggregation, core + a * half + c) for c in range(half)]
    owners = np.repeat(np.arange(num_edge), half)
    positions = rows(num_edge, num_edge, half * half)
    return Network(name, core + half * half, two_way(links), owners, positions)


def kary_tree(degree: int, num_levels: int) -> Network:
    """Return the k-ary n-tree: K^N hosts and N levels of K^(N-1) pure switches.

    Numbered first are the hosts, then the switches level by level. In base K, host p is linked with the lowest switch
    p // K, and a switch with those of the next level whose digits are the same but for one: digit 0 of the lowest
    level, digit 1 of the next, and so on.
    """
    name = f"kary-tree:{degree},{num_levels}"
    at_least(name, "K", degree, 2)
    at_least(name, "N", num_levels, 2)
    num_hosts, width = power(degree, num_levels), power(degree, num_levels - 1)
    allow_size(name, 2 * num_levels * num_hosts)
    hosts, switches = np.arange(num_hosts), np.arange(width)
    links = [np.stack([hosts, num_hosts + hosts // degree], axis=1)]
    for level in range(num_levels - 1):
        place = degree**level
        first = num_hosts + level * width
        for digit in range(degree):
            above = switches - switches // place % degree * place + digit * place
            links.append(np.stack([first + switches, first + width + above], axis=1))
    positions = rows(num_hosts, *[width] * num_levels)
    channels = two_way(np.concatenate(links))
    return Network(name, num_hosts + num_levels * width, channels, hosts, positions)
