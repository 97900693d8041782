"""Several collectives in words: the name of each, and the groups that share a colour in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pavane.model.messages import Collective
from pavane.model.problem import Problem

MOST_COLOURS = 14
"""Up to this many collectives each has a colour; of more, neighbours of one kind and size share one."""

MOST_LISTED = 6
"""Members that are listed one by one."""


def collective_name(collective: Collective) -> str:
    """Return the kind of a collective and its members, as in `AAB of 0-3`."""
    ends = {end for pair in collective.pairs for end in pair}
    root = ""
    if collective.kind in ("OAB", "OAS", "AOG", "AOR"):
        root = f", root {(collective.senders if collective.kind.startswith('O') else collective.receivers)[0]}"
    members = sorted(ends | set(collective.senders) | set(collective.receivers))
    return f"{collective.title} of {members_text(members)}{root}"


def members_text(members: Sequence[int]) -> str:
    """Return sorted processors in short: `0-3`, `0, 4, ... 12`, or a list."""
    first, last, size = members[0], members[-1], len(members)
    if size > 2 and last - first == size - 1:
        return f"{first}-{last}"
    if size > 3 and list(members) == list(range(first, last + 1, members[1] - first)):
        return f"{first}, {members[1]}, ... {last}"
    shown = ", ".join(map(str, members[:MOST_LISTED]))
    return shown if size <= MOST_LISTED else f"{shown} and {size - MOST_LISTED} more"


def colour_groups(problem: Problem) -> tuple[list[str], list[int]]:
    """Return the names of the groups of collectives that share a colour, and the group of each collective."""
    collectives = problem.collectives
    if len(collectives) <= MOST_COLOURS:
        return [f"{number}: {collective_name(each)}" for number, each in enumerate(collectives)], list(
            range(len(collectives))
        )
    names: list[str] = []
    group_of: list[int] = []
    for text, alike in groupby(map(str, collectives)):
        first, count = len(group_of), len(list(alike))
        names.append(f"{first}-{first + count - 1}: {text}" if count > 1 else f"{first}: {text}")
        group_of += [len(names) - 1] * count
    return names, group_of
