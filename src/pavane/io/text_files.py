"""Networks from plain text: edge lists.

A line `0 1` is a link, `0 > 1` or `0 -> 1` one channel, `0 1 x12` a link of capacity 12; a line that repeats a link
makes parallel channels. What NetworkX writes is read, too: `0 1 {'capacity': 3}`. `#` starts a comment. Every router
carries one processor, unless a line says otherwise: `cpu x2`, or `switch hub` for none. Routers whose names are all
whole numbers are ordered by them, others as they appear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from pavane.errors import InputError
from pavane.io.capacities import EdgeCapacities, fraction_of, note_unread
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import NetworkBuilder, allow_count
from pavane.io.parsing import shown
from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.network_checks import MOST_CAPACITY
from pavane.networks.limits import MOST_CHANNELS

MOST_LINE_BYTES = 1 << 16

Channels = list[tuple[int, int]]
Numbering = Callable[[str], int]
"""Gives a router's name its number, a new one where the name is new."""

PLAIN = re.compile(r"([^\s:,;{}>]+)(?:\s*(>)\s*|\s+)([^\s:,;{}>]+)")
"""A line that names two routers and nothing else; the others are looked at more closely."""

CAPACITY = re.compile(r"x([+-]?[\d.][\w./+-]*)", re.ASCII)
"""A word that says what a link carries: `x12`."""

DECLARATION = re.compile(r"(switch)\s+([^\s:>]+)|([^\s:>]+)\s+(x[+-]?\d[\w./+-]*)", re.ASCII)
"""A line that says what a router carries: `cpu x2` puts two processors on cpu, `switch hub` none on hub."""

ROUTER_LINE = "; `cpu x2` puts two processors on router cpu, `switch hub` none on hub"

NAME = re.compile(r"(?!//|[%!])\W*\w")
"""How names begin: they have a letter or a digit, and are no comments of other languages."""

TUPLE = re.compile(r"\([^()]*\)")
"""How NetworkX calls the nodes of its grids: `(0, 1)`."""

ATTRIBUTE = re.compile(r"""(['"])([^'"]{1,80})\1\s*:\s*([^,}]{0,80})""")


def _read_edges(file: File, directed: bool) -> Network:
    network = _read_at_once(file, directed) or _read_lines(file, directed)
    if not directed and _is_doubled(network):
        file.note(
            "every link is listed both ways, so each is two parallel links; `form=directed-edge-list` reads each line "
            "as one channel",
        )
    return network


def _read_at_once(file: File, directed: bool) -> Network | None:
    """Read a large file of plain links; None where it is another, or must be read to say what is wrong with it."""
    links = links_in(file.data)
    if links is None or len(links[1]) * (1 if directed else 2) > MOST_CHANNELS:
        return None
    names, ends = links
    if (ends[:, 0] == ends[:, 1]).any():
        return None
    return Network(file.stem, names, ends if directed else both_ways(ends))


def both_ways(links: Longs) -> Longs:
    """Return the channels of some links, one each way."""
    return np.stack((links, links[:, ::-1]), axis=1).reshape(-1, 2)


def _read_lines(file: File, directed: bool) -> Network:
    """Read a network line by line."""
    builder, edges = NetworkBuilder(file), EdgeLines(file, directed)
    declared: dict[str, tuple[int, str]] = {}
    """By router the line that says what it carries, and the word that does."""

    def number(name: str) -> int:
        if name not in builder.number and not NAME.match(name):
            raise InputError(f"{shown(name)} is not the name of a router; a comment begins with #")
        return builder.router(name)

    for line_number, line in content_lines(file):
        try:
            declaration = DECLARATION.fullmatch(line)
            if declaration is not None:
                name, mark = declaration[2] or declaration[3], declaration[1] or declaration[4]
                if name in declared:
                    raise InputError(f"a second line says what router {shown(name)} carries; keep one of the two")
                declared[name] = line_number, mark
                continue
            found = edges.channels(line, number)
            if any(tail == head for tail, head in found):
                raise InputError(f"{shown(line)} links a router with itself; leave that link out")
            builder.channels += found
        except InputError as error:
            raise InputError(f"{file}, line {line_number}: {error}") from None
        allow_count(f"{file}, line {line_number}", len(builder.channels))
    for name, (line_number, mark) in declared.items():
        where = f"{file}, line {line_number}"
        if name not in builder.number or mark in builder.number:
            why = "no line links that router" if name not in builder.number else f"{shown(mark)} is a router, too"
            raise InputError(
                f"{where}: it says what router {shown(name)} carries, and {why}; add its links, or rename {mark} if "
                "that is a router"
            )
        builder.carried[builder.number[name]] = _num_processors(where, mark)
    if not builder.channels:
        raise InputError(f"{file}: no channels in it; an edge list has a line `0 1` for each link")
    builder.capacities = edges.capacities()
    note_unread(file, {"edges": edges.attributes.unread})
    return builder.network(in_order=True)


def _num_processors(where: str, mark: str) -> int:
    """Return the number of processors that `x2` or `switch` says."""
    if mark != "switch" and not re.fullmatch(r"x\d{1,9}", mark):
        raise InputError(f"{where}: {shown(mark)} is not a number of processors; write a whole number, like x2")
    return 0 if mark == "switch" else int(mark[1:])


class EdgeLines:
    """Reads the lines of an edge list, and collects what they say about capacities."""

    def __init__(self, file: File, directed: bool) -> None:
        self.directed = directed
        self.attributes = EdgeCapacities(file)
        self.num_lines = 0
        self.arrows: list[int] = []
        """The lines that are one channel, by their numbers among those that say something."""
        self.written: dict[int, Fraction] = {}
        """The capacities that stand behind links, by the numbers of their lines."""

    def channels(self, line: str, number: Numbering) -> Channels:
        """Return the channels of a line."""
        if "{" not in line:
            line = line.replace("->", ">")
        found = PLAIN.fullmatch(line)
        tail_name, arrow, head_name = self._looked_at(line) if found is None else found.groups()
        if arrow:
            self.arrows.append(self.num_lines)
        self.num_lines += 1
        tail, head = number(tail_name), number(head_name)
        return [(tail, head)] if arrow or self.directed else [(tail, head), (head, tail)]

    def capacities(self) -> list[Fraction | int]:
        """Return the capacity of each channel."""
        of_lines = self.attributes.capacities(self.num_lines)
        if self.written:
            of_lines = [self.written.get(edge, 1) for edge in range(self.num_lines)]
        ways = np.full(self.num_lines, 1 if self.directed else 2)
        ways[self.arrows] = 1
        return [capacity for capacity, count in zip(of_lines, ways, strict=True) for _ in range(count)]

    def _looked_at(self, line: str) -> tuple[str, str, str]:
        """Return the first name of a line, its arrow if it has one, and the other name; refuse anything else."""
        ends, data = _data_of(line)
        one_way = ">" in ends
        words = ends.replace(">", " > ").split()
        written = CAPACITY.fullmatch(words[-1]) if len(words) == 3 + one_way and not data else None
        if written is not None:
            self.written[self.num_lines] = _capacity(written[1], line)
            words.pop()
        if len(words) != 2 + one_way or (one_way and words[1] != ">"):
            hint = "; put a space, not a comma, between two names" if "," in line or ";" in line else ROUTER_LINE
            raise InputError(f"expected a link such as `0 1` or `0 > 1`, found {shown(line)}{hint}")
        if data:
            self.attributes.see(self.num_lines, attributes_of(data))
        return _name(words[0], line), ">" * one_way, _name(words[-1], line)


def _data_of(line: str) -> tuple[str, str]:
    """Return the ends of an edge, and the attributes that NetworkX writes behind them: `{'capacity': 3}`."""
    words = line.split(None, 2)
    if len(words) == 3 and words[2].startswith("{"):
        if not words[2].endswith("}"):
            raise InputError(f"expected attributes in braces, like `0 1 {{'capacity': 3}}`, found {shown(line)}")
        return f"{words[0]} {words[1]}", words[2]
    return line, ""


def attributes_of(data: str) -> dict[str, str]:
    """Return the attributes that NetworkX writes in braces, their values as they stand; refuse keys without quotes."""
    unquoted = re.search(r"[{,]\s*(\w+)\s*[:=]", re.sub(r"""(['"]).*?\1""", "''", data))
    if unquoted:
        raise InputError(f"the attribute {unquoted[1]} stands without quotes in {shown(data)}; write {{'capacity': 3}}")
    return {key: value.strip().strip("'\"") for _, key, value in ATTRIBUTE.findall(data)}


def _capacity(text: str, line: str) -> Fraction:
    """Return a capacity; refuse anything but a number above 0."""
    number = fraction_of(text)
    if number and number <= MOST_CAPACITY:
        return number
    advice = "leave out what carries nothing" if number == 0 else "write a number like x12, x0.5 or x1/2"
    raise InputError(
        f"{shown('x' + text)} is not a capacity, a number above 0 up to {MOST_CAPACITY:,}, in {shown(line)}; {advice}"
    )


def _name(word: str, line: str) -> str:
    """Return a name; refuse words that only look like one."""
    name = word.strip()
    if name.startswith("{") or name.endswith((",", ";")) or ":" in name:
        raise InputError(f"{shown(name)} is not the name of a router, in {shown(line)}; write `0 1`")
    return name


def _is_doubled(network: Network) -> bool:
    """Return whether every line of an edge list has a line that is the same backwards, as of a directed graph."""
    ways = network.channels.astype(np.int64)
    there, back = ways[::2] @ (network.num_routers, 1), ways[::2] @ (1, network.num_routers)
    if len(ways) % 2 or not (there == back[0]).any() or not (ways[::2] == ways[1::2, ::-1]).all():
        return False
    return bool(np.isin(back, there).all())


def content_lines(file: File) -> Iterator[tuple[int, str]]:
    """Yield the lines with content, with their numbers; refuses the first that is not text."""
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
                f"{file}, line {number}: the line is longer than {MOST_LINE_BYTES} bytes; this is not a network file"
            )
        raw = block[start - offset : len(block) if end < 0 else end]
        start += len(raw) + 1
        line = _text(raw)
        if line is None:
            raise InputError(f"{file}, line {number}: this is not text, so not a network file that can be read")
        if "#" in line:
            line = _without_comment(line)
        if "(" in line:
            line = join_tuples(line)
        line = line.strip()
        if line:
            yield number, line


def join_tuples(line: str) -> str:
    """Make one word of each name in parentheses."""
    return TUPLE.sub(lambda found: re.sub(r"\s", "", found[0]), line)


def _without_comment(line: str) -> str:
    """Leave out a comment; text in braces is not a comment, for example a colour."""
    before, brace, _ = line.partition("{")
    return line if brace and "#" not in before and line.rstrip().endswith("}") else line.partition("#")[0]


def _text(raw: bytes) -> str | None:
    try:
        line = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in line else line


EDGE_LIST = Format(
    "edge-list",
    "edge list: a line `0 1` is a link, `0 > 1` a channel, `0 1 x2` a link of capacity 2; `cpu x2` has 2 processors",
    lambda file: True,  # whatever nothing else recognizes
    partial(_read_edges, directed=False),
)
DIRECTED_EDGE_LIST = Format(
    "directed-edge-list",
    "edge list of a directed graph: a line `0 1` is a channel",
    lambda file: False,  # looks like any edge list
    partial(_read_edges, directed=True),
)


LEAST_BYTES = 100_000
"""Smaller files are read line by line, in no time."""

LONGEST_LINE = 1 << 16
PIECE = 1 << 20
MOST_DIGITS = 18
ZERO, NINE, NEW_LINE = b"09\n"


def _has_plain_lines(data: memoryview, start: int) -> bool:
    """Return whether a file has lines, and nothing but digits and blanks in them; a file of nonsense is not copied."""
    if b"\n" not in bytes(data[start : start + LONGEST_LINE]):
        return False
    pieces = (bytes(data[at : at + PIECE]) for at in range(start, len(data), PIECE))
    return not any(piece.translate(None, b"0123456789 \t\r\n") for piece in pieces)


def links_in(data: bytes | memoryview) -> tuple[list[str], Longs] | None:
    """Return the links of a file that is large and has no line but `0 1` after its first comments; else None.

    They are the names of routers, ordered by number, and for each link the indices of its two routers.
    """
    if len(data) < LEAST_BYTES:
        return None
    data, start = memoryview(data), 0
    while bytes(data[start : start + 1]) == b"#":
        end = bytes(data[start : start + LONGEST_LINE]).find(b"\n")
        if end < 0:
            return None
        start += end + 1
    if not _has_plain_lines(data, start):
        return None
    text = bytes(data[start:])
    letters = np.frombuffer(b" " + text + b" ", dtype=np.uint8)
    is_digit = (letters >= ZERO) & (letters <= NINE)
    begins = np.flatnonzero(is_digit[1:] & ~is_digit[:-1]) + 1
    lengths = np.flatnonzero(~is_digit[1:] & is_digit[:-1]) + 1 - begins
    line_of = np.searchsorted(np.flatnonzero(letters == NEW_LINE), begins)
    if len(begins) % 2 or not len(begins) or (line_of[::2] != line_of[1::2]).any() or not np.diff(line_of[::2]).all():
        return None  # not two numbers in each line that has any
    if lengths.max() > MOST_DIGITS or ((letters[begins] == ZERO) & (lengths > 1)).any():
        return None  # names that are more than numbers
    numbers, ends = np.unique(np.fromstring(text, dtype=np.int64, sep=" "), return_inverse=True)
    return [str(number) for number in numbers.tolist()], ends.reshape(-1, 2)
