"""Lines of a text file that say what a router carries: `cpu x2` puts two processors on cpu, `switch hub` none on hub.

Such a line could as well be a link. It says what a router carries only where other lines link that router, where one
line alone speaks of it, and where no link has a router called `x2` or `switch`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

LINE = re.compile(r"(switch)\s+([^\s:>]+)|([^\s:>]+)\s+(x\d{1,7})", re.ASCII)
MAY_DECLARE = re.compile(rb"(?m)^[ \t]*(?:switch[ \t]|[^\s:>]{1,65536}+[ \t]+x\d{1,7}[ \t]*(?:#[^\n]*)?\r?$)")
"""Files without such a line are read once. A name is no longer than a line may be; none is read twice."""

TIMES = re.compile(r"(.+)x([+-]?[\d.]+)", re.ASCII)
"""A neighbour and what the channel to it carries: `1x2`."""


class Declarations(NamedTuple):
    """What a file says of its routers."""

    processors: dict[str, int]
    """The processors of the routers that it speaks of."""
    lines: frozenset[int]
    """The lines that say so, by their numbers."""


def declarations(lines: Iterable[tuple[int, str]]) -> Declarations:
    """Return what the lines of a file say of its routers."""
    possible: list[tuple[int, str, str]] = []
    linked: set[str] = set()
    for number, line in lines:
        found = LINE.fullmatch(line)
        if found:
            possible.append((number, found[2] or found[3], found[1] or found[4]))
        else:
            linked |= _ends(line)
    is_name = any(re.fullmatch(r"x\d+", name, re.ASCII) for name in linked)
    times = Counter(name for _, name, _ in possible)
    chosen = [
        (number, name, mark)
        for number, name, mark in possible
        if name in linked and times[name] == 1 and mark not in linked and (mark == "switch" or not is_name)
    ]
    processors = {name: 0 if mark == "switch" else int(mark[1:]) for _, name, mark in chosen}
    return Declarations(processors, frozenset(number for number, _, _ in chosen))


def _ends(line: str) -> set[str]:
    """Return the routers that a line links: the first two words of an edge, or all of a list of neighbours."""
    words = re.split(r"\s*-?[:>]\s*|\s+", line)
    if ":" not in line:
        return set(words[:2])
    return {each for word in words for each in (word, TIMES.sub(r"\1", word))}
