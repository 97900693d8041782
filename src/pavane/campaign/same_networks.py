"""Networks that differ only in their names and numbering: hypercube:2 and ring:4 are one network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.symmetry.canonical_form import MOST_WORK
from pavane.symmetry.equivalence import Equivalence

Problems = tuple[Problem, ...]


def merged(rules_of: Mapping[Network, Rules], collectives: Sequence[str]) -> list[tuple[list[str], Problems]]:
    """Return the different networks, with all names of each, shortest first, and the problems on it by its rules.

    If a collective has a root, or depends on the rows and columns of a grid, networks are the same only if these are,
    too. Networks whose canonical form takes too much work are not merged.
    """
    equivalence = Equivalence(MOST_WORK)
    alike: dict[tuple[int, ...], list[Network]] = {}
    for number, (network, rules) in enumerate(rules_of.items()):
        first = equivalence.first_like(Problem(network, "AAS", rules), number)
        alike.setdefault((first, network.num_channels), []).append(network)
    groups: dict[tuple[int, ...], list[Network]] = {}
    for key, some in alike.items():
        for number, network in enumerate(some):
            rooted = () if len(some) == 1 else _rooted(network, collectives, rules_of[network])
            apart = (equivalence.first_like(problem, number) for problem in rooted)
            groups.setdefault((*key, *apart), []).append(network)
    return [_named(group, collectives, rules_of[group[0]]) for group in groups.values()]


def _named(group: Sequence[Network], collectives: Sequence[str], rules: Rules) -> tuple[list[str], Problems]:
    by_name = {network.name: network for network in reversed(group)}
    names = sorted(dict.fromkeys(network.name for network in group), key=len)
    return names, tuple(Problem(by_name[names[0]], each, rules) for each in collectives)


def _rooted(network: Network, collectives: Sequence[str], rules: Rules) -> Problems:
    """Return the problems in which processors have different roles."""
    problems = (Problem(network, each, rules) for each in collectives)
    return tuple(problem for problem in problems if not problem.is_total)
