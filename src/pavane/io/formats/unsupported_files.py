"""Recognition of files that are not networks, or are ambiguous, so that the refusal can say what they are.

Anything of two words a line could be meant as an edge list, and any `name: words` as a neighbour list. What is clearly
something else is refused here, before such a reader takes it; naming the format overrides this.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.parsing import shown
from pavane.io.text_declarations import TIMES
from pavane.io.text_files import ROUTER_LINE, WEIGHT, content_lines, join_tuples
from pavane.model.network import Network

MAGIC = {
    b"PK\x03\x04": "a zip file; unpack it first",
    b"BZh": "a bzip2 file; unpack it first",
    b"\xfd7zXZ": "an xz file; unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it first",
    b"\x89PNG": "a picture; save the network itself",
    b"\xff\xd8\xff": "a picture; save the network itself",
    b"GIF8": "a picture; save the network itself",
    b"%PDF": "a PDF file; save the network itself",
    b"\x7fELF": "a program; name a network file",
    b"SQLite format 3": "a database; name a network file",
    b"\x93NUMPY": "an array of NumPy; write an edge list of it",
    b"\x80\x04\x95": "a pickle of Python; write the graph as GraphML or node-link JSON",
    b"\x80\x05\x95": "a pickle of Python; write the graph as GraphML or node-link JSON",
}

ODD = re.compile(r"""["'=$*\\|&`]""")
ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]*(?::[0-9a-fA-F]*){2,7}", re.ASCII)
WHOLE = re.compile(r"\d+", re.ASCII)
OTHER_LISTS = re.compile(r"[:>{}]")

HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.DOTALL)

HEADERS = frozenset(
    {"a", "b", "dest", "destination", "dst", "edge", "end", "from", "head", "id", "link", "node", "router", "source"}
    | {"sender", "receiver", "src", "start", "tail", "target", "to", "u", "v", "vertex", "weight"}
)
"""Words that stand over the columns of a table of edges, perhaps with a number behind."""


def _packed(file: File) -> str | None:
    """Return the reason to refuse a file that is known by its first bytes."""
    begin = bytes(file.data[:16])
    return next((f"this is {what}" for magic, what in MAGIC.items() if begin.startswith(magic)), None)


def _page(file: File) -> str | None:
    """Return the reason to refuse a web page."""
    return (
        "this is an HTML page, so not GraphML that can be read; save the file that it shows or links to"
        if HTML.match(file.head)
        else None
    )


def _table(file: File) -> str | None:
    """Return the reason to refuse a table with commas or semicolons, or the header of a table."""
    lines = [(number, line) for number, line in enumerate(file.head_lines, 1) if line.strip() and line[0] != "#"]
    if len(lines) < 2:
        return None
    number, first = lines[0]
    for mark in ",;":
        counts = {line.count(mark) for _, line in lines}
        if min(counts) > 0 and len(counts) == 1 and all(_is_row(line, mark) for _, line in lines):
            return (
                f"line {number}: {shown(first)} looks like a row of a table (CSV); write each link as two names with a "
                "space between them, like `0 1`, without a header"
            )
    words = [word.rstrip("0123456789_").lower() for word in first.split()]
    later_words = {word for _, line in lines[1:] for word in line.split()}
    if len(words) in (2, 3) and set(words) <= HEADERS - {"a", "b", "u", "v"} and not later_words & set(first.split()):
        return f"line {number}: {shown(first)} looks like the header of a table, not a link; leave that line out"
    return None


def _is_row(line: str, mark: str) -> bool:
    """Return whether a line is a row of a table and not names with commas in them, as a grid has: `0,0 0,1`."""
    words = line.split()
    return len(words) == 1 or all(word.endswith(mark) for word in words[:-1])


def _odd_names(file: File) -> str | None:
    """Return the reason to refuse settings, commands and code, by characters that are rare in names."""
    for number, line in enumerate(file.head_lines, 1):
        words = join_tuples(line.partition("#")[0].partition("{")[0]).split()
        odd = next((word for word in words if ODD.search(word)), None)
        if odd is not None and len(words) == 2:
            return (
                f"line {number}: {shown(odd)} does not look like the name of a router; if it is one, add "
                f"`form=edge-list`{ROUTER_LINE * ('*' in odd)}"
            )
    return None


def _hosts(file: File) -> str | None:
    """Return the reason to refuse a table of addresses and names, like /etc/hosts."""
    count = 0
    for _, line in content_lines(file):
        address, *names = line.split()
        if not ADDRESS.fullmatch(address) or not names or any(ADDRESS.fullmatch(name) for name in names):
            return None
        count += 1
    return "this is a table of addresses and names; if its lines are links, say `form=edge-list`" if count else None


def _loose_pairs(file: File) -> str | None:
    """Return the reason to refuse unrelated pairs of words: in a network some router has two links."""
    seen: set[str] = set()
    count = 0
    for _, line in content_lines(file):
        words = line.split()
        if len(words) != 2 or ":" in line or ">" in line or seen & set(words) or "".join(words).isdecimal():
            return None
        seen |= set(words)
        count += 1
    if count < 2:
        return None
    return (
        "no name occurs in two of its lines, so this does not look like a network; if each line is a link, add "
        "`form=edge-list`"
    )


def _loose_keys(file: File) -> str | None:
    """Return the reason to refuse lines of `key: value`: in a network some neighbour has neighbours of its own."""
    keys: set[str] = set()
    values: set[str] = set()
    for _, line in content_lines(file):
        key, colon, after = line.partition(":")
        if not colon or ":" in after or len(key.split()) != 1:
            return None  # the reader says what is wrong with that line
        keys.add(key.strip())
        words = {each for word in after.split() for each in (word, TIMES.sub(r"\1", word))}
        values |= words
        if key.strip() in values or not keys.isdisjoint(words):
            return None
    if not values or all(word.isdecimal() for word in keys | values):
        return None
    return (
        "no name behind a `:` has a line of its own, so this does not look like a neighbour list; if it is one, add "
        "`form=neighbour-list`"
    )


def _either_list(file: File) -> str | None:
    """Return the reason to refuse three whole numbers a line: links with weights, or routers with two neighbours."""
    begun: set[str] = set()
    for _, line in content_lines(file):
        words = line.split()
        if len(words) != 3 or words[0] in begun or OTHER_LISTS.search(line) or not WHOLE.fullmatch(words[2]):
            return None
        begun.add(words[0])
    if not begun:
        return None
    return (
        "its lines could be links with weights, or routers with their neighbours; say which with `form=edge-list` or "
        "`form=adjacency-list`"
    )


def _directed_list(file: File) -> str | None:
    """Return the reason to refuse an edge list with weights or attributes that may be of a directed graph.

    Of an undirected graph NetworkX lists all edges of one node, then those of the next to nodes that were not yet
    listed so, each once.
    """
    done: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    node = ""
    for number, line in content_lines(file):
        words = line.split(None, 2)
        if len(words) != 3 or ">" in words[0] + words[1]:
            return None
        a, b, rest = words
        with_attributes = rest.startswith("{")
        if not with_attributes and not WEIGHT.fullmatch(rest):
            return None
        if a != node:
            done.add(node)
            node = a
        if (b, a) in pairs or (with_attributes and (a in done or b in done)):
            return (
                f"line {number}: {shown(f'{a} {b}')} makes this look like the edge list of a directed graph; "
                "`form=directed-edge-list` reads each line as a channel, `form=edge-list` as a link"
            )
        pairs.add((a, b))
    return None


OF_BYTES: tuple[Callable[[File], str | None], ...] = (_packed, _page)
OF_LINES = (_hosts, _table, _odd_names, _loose_keys, _loose_pairs, _either_list, _directed_list)


def _reason(file: File, tests: tuple[Callable[[File], str | None], ...]) -> str | None:
    """Return why a file is not taken for a network; None for whatever may be one."""
    try:
        return next((reason for test in tests if (reason := test(file)) is not None), None)
    except InputError:
        return None  # no text: the edge list says so, and where


def _refused_format(name: str, about: str, tests: tuple[Callable[[File], str | None], ...]) -> Format:
    def refuse(file: File) -> Network:
        reason = _reason(file, tests)
        raise InputError(f"{file}, {reason}" if (reason or "").startswith("line ") else f"{file}: {reason}")

    return Format(name, about, lambda file: _reason(file, tests) is not None, refuse)


NO_TEXT = _refused_format("no-text", "a packed file, a picture, a page", OF_BYTES)
NO_LIST = _refused_format("no-list", "a table, a list of something else, or a list that may mean two things", OF_LINES)
