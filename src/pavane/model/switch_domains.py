"""Domains: routers that copy and add, joined by channels, and the processors beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.model.problem import Problem


@dataclass(frozen=True)
class Domain:
    """Routers that copy and add, joined by channels, and the processors beside them."""

    routers: tuple[int, ...]
    processors: tuple[int, ...]


def domains_of(problem: Problem) -> tuple[Domain, ...]:
    """Return the domains of a network, in the order of their first routers."""
    network, copies = problem.network, problem.is_copying
    ends = network.channels[copies[network.tails] & copies[network.heads]].tolist()
    number = list(range(network.num_routers))
    for tail, head in ends:
        one, other = sorted((_first(number, tail), _first(number, head)))
        number[other] = one
    routers: dict[int, list[int]] = {}
    for router in np.flatnonzero(copies).tolist():
        routers.setdefault(_first(number, router), []).append(router)
    beside: dict[int, set[int]] = {router: set() for router in range(network.num_routers)}
    for tail, head in network.channels.tolist():
        beside[tail].add(_first(number, head))
        beside[head].add(_first(number, tail))
    domains = []
    for first, joined in routers.items():
        at = [first == _first(number, home) or first in beside[home] for home in network.router_of.tolist()]
        domains.append(Domain(tuple(joined), tuple(np.flatnonzero(at).tolist())))
    return tuple(domains)


def _first(number: list[int], router: int) -> int:
    """Return the first router of the set that a router has been joined to."""
    while number[router] != router:
        router = number[router]
    return router
