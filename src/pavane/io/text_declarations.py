"""Lines of a text file that say what a router carries: `cpu x2` puts two processors on cpu, `switch hub` none on hub.

Such a line could as well be a link. It is one where other lines link a router called like `x2`, or `switch`, and where
all lines of the file are such lines. Otherwise it says what a router carries, which other lines must link, and of which
no second line may speak.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pavane.errors import InputError

MARK = r"x[+-]?(?:\d[\d.]*|\.\d+)(?:[eE/][+-]?\d+)?"
"""A word that says how many processors a router has, or that should."""

LINE = re.compile(rf"(switch)\s+([^\s:>]+)|([^\s:>]+)\s+({MARK})", re.ASCII)
MAY_DECLARE = re.compile(rb"(?m)^[ \t]*(?:switch[ \t]|[^\s:>]{1,65536}+[ \t]+x[\d.+-])")
"""Files without such a line are read once. A name is no longer than a line may be; none is read twice."""


class Declarations(NamedTuple):
    """What a file says of its routers."""

    processors: dict[str, int]
    """The processors of the routers that it speaks of."""
    lines: frozenset[int]
    """The lines that say so, by their numbers."""


def declarations(where: object, lines: Iterable[tuple[int, str]]) -> Declarations:
    """Return what the lines of a file say of its routers; refuse lines that may mean something else."""
    possible: list[tuple[int, str, str]] = []
    linked: set[str] = set()
    for number, line in lines:
        found = LINE.fullmatch(line)
        if found:
            possible.append((number, found[2] or found[3], found[1] or found[4]))
        else:
            linked.update(re.split(r"\s*-?>\s*|\s+", line)[:2])
    is_router = any(re.fullmatch(MARK, name, re.ASCII) for name in linked)
    chosen = [
        (number, name, mark)
        for number, name, mark in possible
        if linked and ("switch" not in linked if mark == "switch" else not is_router)
    ]
    processors: dict[str, int] = {}
    for number, name, mark in chosen:
        place = f"{where}, line {number}"
        if name in processors:
            raise InputError(f"{place}: a second line says what router {name!r:.42} carries; keep one of the two")
        if name not in linked:
            raise InputError(
                f"{place}: it says what router {name!r:.42} carries, and no line links that router; add its links, or "
                f"rename {mark} if that is a router"
            )
        processors[name] = 0 if mark == "switch" else _count(place, mark)
    return Declarations(processors, frozenset(number for number, _, _ in chosen))


def _count(where: str, mark: str) -> int:
    """Return a number of processors."""
    if not re.fullmatch(r"x\d{1,9}", mark, re.ASCII):
        raise InputError(f"{where}: {mark!r:.42} is not a number of processors; write a whole number, like x2")
    return int(mark[1:])
