"""Networks from plain text: edge lists and neighbour lists.

Edge list: a line `0 1` is a link, `0 > 1` one channel; a line that repeats a link makes parallel channels. Neighbour
list: a line `0: 1 7 4` gives the channels that leave router 0 (gecco08 section 4.1), so a link stands in two lines.
`#` starts a comment. Every router carries one processor. Routers whose names are all whole numbers are ordered by them,
others as they appear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pavane.errors import InputError
from pavane.formats.files import File
from pavane.formats.format import Format
from pavane.model.network import Network

MOST_LINE_BYTES = 1 << 16
MOST_CHANNELS = 4_000_000

Channels = list[tuple[int, int]]
Numbering = Callable[[str], int]
"""Gives a router's name its number, a new one where the name is new."""


def begins_with_neighbours(file: File) -> bool:
    """Tell a neighbour list by the first line that says something."""
    try:
        return ":" in next(_lines(file), (0, ""))[1]
    except InputError:
        return False  # no text: the edge list says so


def read_neighbour_list(file: File) -> Network:
    """Read a network from lines like `0: 1 7 4`."""
    return _network(file, _neighbours)


def read_edge_list(file: File) -> Network:
    """Read a network from lines like `0 1` and `0 > 1`."""
    return _network(file, _edge)


def _network(file: File, channels_of: Callable[[str, Numbering], Channels]) -> Network:
    """Make a network of the channels that each line gives."""
    number_of: dict[str, int] = {}
    channels: Channels = []

    def number(name: str) -> int:
        return number_of.setdefault(name, len(number_of))

    for line_number, line in _lines(file):
        try:
            channels += channels_of(line, number)
        except InputError as error:
            raise InputError(f"{file}, line {line_number}: {error}") from None
        if len(channels) > MOST_CHANNELS:
            raise InputError(
                f"{file}, line {line_number}: more than {MOST_CHANNELS:,} channels; that is too large a network"
            )
    if not channels:
        raise InputError(f"{file}: no channels in it; an edge list has a line `0 1` for each link")
    whole = all(name.isdecimal() and len(name) < 19 for name in number_of)
    order = sorted(number_of, key=int) if whole else list(number_of)
    index_of = {number_of[name]: index for index, name in enumerate(order)}
    return Network(file.stem, order, [(index_of[a], index_of[b]) for a, b in channels])


def _neighbours(line: str, number: Numbering) -> Channels:
    before, colon, after = line.partition(":")
    if not colon or len(before.split()) != 1:
        raise InputError(f"expected `router: neighbours`, found {_shown(line)}")
    tail = number(before.strip())
    return [(tail, number(name)) for name in after.split()]


def _edge(line: str, number: Numbering) -> Channels:
    one_way = ">" in line
    words = line.replace(">", " > ").split()
    if len(words) != 2 + one_way or (one_way and words[1] != ">"):
        raise InputError(f"expected `0 1` or `0 > 1`, found {_shown(line)}")
    tail, head = number(words[0]), number(words[-1])
    return [(tail, head)] if one_way else [(tail, head), (head, tail)]


def _lines(file: File) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers; stops at the first that cannot be text."""
    start, number = 0, 0
    block, offset = b"", 0
    size = len(file.data)
    while start < size:
        number += 1
        end = block.find(b"\n", start - offset)
        if end < 0:
            block, offset = bytes(file.data[start : start + MOST_LINE_BYTES]), start
            end = block.find(b"\n")
        if end < 0 and len(block) == MOST_LINE_BYTES:
            raise InputError(
                f"{file}, line {number}: the line is longer than {MOST_LINE_BYTES} bytes; this is no network file"
            )
        raw = block[start - offset : len(block) if end < 0 else end]
        start += len(raw) + 1
        line = _text(raw)
        if line is None:
            raise InputError(f"{file}, line {number}: this is not text, so not a network file that can be read")
        line = line.partition("#")[0].strip()
        if line:
            yield number, line


def _text(raw: bytes) -> str | None:
    try:
        line = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in line else line


def _shown(line: str) -> str:
    return repr(line if len(line) <= 40 else line[:40] + "...")


NEIGHBOUR_LIST = Format(
    "neighbour-list",
    "neighbour list: a line `0: 1 3` gives the channels from router 0",
    begins_with_neighbours,
    read_neighbour_list,
)
EDGE_LIST = Format(
    "edge-list",
    "edge list: a line `0 1` is a link, `0 > 1` a channel",
    lambda file: True,  # whatever nothing else recognizes
    read_edge_list,
)
