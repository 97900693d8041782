"""Networks that differ only in their names and numbering: hypercube:2 and ring:4 are one network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pavane.atlas.forms import form_of
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules

Problems = tuple[Problem, ...]


def merged(rules_of: Mapping[Network, Rules], collectives: Sequence[str]) -> list[tuple[list[str], Problems]]:
    """Return the different networks, with all names of each, shortest first, and the problems on it by its rules.

    If a collective has a root, or depends on the rows and columns of a grid, networks are the same only if these are,
    too. Networks whose canonical form takes too much work are not merged.
    """
    alike: dict[str, list[Network]] = {}
    for network, rules in rules_of.items():
        alike.setdefault(form_of(Problem(network, "AAS", rules)).key, []).append(network)
    groups: dict[tuple[str, ...], list[Network]] = {}
    for key, some in alike.items():
        for network in some:
            apart = () if len(some) == 1 else _rooted_keys(network, collectives, rules_of[network])
            groups.setdefault((key, *apart), []).append(network)
    return [_named(group, collectives, rules_of[group[0]]) for group in groups.values()]


def _named(group: Sequence[Network], collectives: Sequence[str], rules: Rules) -> tuple[list[str], Problems]:
    by_name = {network.name: network for network in reversed(group)}
    names = sorted(dict.fromkeys(network.name for network in group), key=len)
    return names, tuple(Problem(by_name[names[0]], each, rules) for each in collectives)


def _rooted_keys(network: Network, collectives: Sequence[str], rules: Rules) -> tuple[str, ...]:
    """Return the keys of the problems in which processors have different roles."""
    problems = (Problem(network, each, rules) for each in collectives)
    everyone = tuple(range(network.num_processors))
    return tuple(
        form_of(problem).key
        for problem in problems
        if problem.collective.senders != everyone or problem.collective.receivers != everyone
    )
