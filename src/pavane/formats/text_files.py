"""Networks from plain text: edge lists and neighbour lists.

Edge list: a line `0 1` is a link, `0 > 1` one channel; a line that repeats a link makes parallel channels. Neighbour
list: a line `0: 1 7 4` gives the channels that leave router 0 (gecco08 section 4.1), so a link stands in two lines.
`#` starts a comment. Every router carries one processor. Routers whose names are all whole numbers are ordered by them,
others as they appear.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pavane.errors import InputError
from pavane.formats.files import stem
from pavane.model.network import Network

LONGEST_LINE = 1 << 16
MOST_CHANNELS = 4_000_000


def read_text(path: Path, view: memoryview, by_neighbours: bool | None = None) -> Network:
    """Read a network from an edge list or a neighbour list; if nobody says which, the first line does."""
    names: dict[str, int] = {}
    channels: list[tuple[int, int]] = []
    listed_by_neighbours = by_neighbours

    def number(name: str) -> int:
        return names.setdefault(name, len(names))

    for place, line in _lines(path, view):
        if listed_by_neighbours is None:
            listed_by_neighbours = ":" in line
        if listed_by_neighbours:
            router, colon, neighbours = line.partition(":")
            if not colon or len(router.split()) != 1:
                raise InputError(f"{path}, line {place}: expected `router: neighbours`, found {_shown(line)}")
            tail = number(router.strip())
            channels += [(tail, number(name)) for name in neighbours.split()]
        else:
            one_way = ">" in line
            ends = line.replace(">", " > ").split()
            if len(ends) != 2 + one_way or (one_way and ends[1] != ">"):
                raise InputError(f"{path}, line {place}: expected `0 1` or `0 > 1`, found {_shown(line)}")
            tail, head = number(ends[0]), number(ends[-1])
            channels.append((tail, head))
            if not one_way:
                channels.append((head, tail))
        if len(channels) > MOST_CHANNELS:
            raise InputError(f"{path}, line {place}: more than {MOST_CHANNELS:,} channels; that is too large a network")
    if not channels:
        raise InputError(f"{path}: no channels in it; an edge list has a line `0 1` for each link")
    whole = all(name.isdecimal() and len(name) < 19 for name in names)
    order = sorted(names, key=int) if whole else list(names)
    place_of = {names[name]: place for place, name in enumerate(order)}
    return Network(stem(path), order, [(place_of[a], place_of[b]) for a, b in channels])


def _lines(path: Path, view: memoryview) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers; stops at the first that cannot be text."""
    start, place = 0, 0
    block, offset = b"", 0
    size = len(view)
    while start < size:
        place += 1
        end = block.find(b"\n", start - offset)
        if end < 0:
            block, offset = bytes(view[start : start + LONGEST_LINE]), start
            end = block.find(b"\n")
        if end < 0 and len(block) == LONGEST_LINE:
            raise InputError(
                f"{path}, line {place}: the line is longer than {LONGEST_LINE} bytes; this is no network file"
            )
        raw = block[start - offset : len(block) if end < 0 else end]
        start += len(raw) + 1
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            raise InputError(
                f"{path}, line {place}: this is not text, so not a network file that can be read"
            ) from None
        if "\0" in line:
            raise InputError(f"{path}, line {place}: this is not text, so not a network file that can be read")
        line = line.partition("#")[0].strip()
        if line:
            yield place, line


def _shown(line: str) -> str:
    return repr(line if len(line) <= 40 else line[:40] + "...")
