"""Large edge lists of numbers are read at once, with what reading line by line gives."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.io.plain_links import LEAST_BYTES, links_in
from pavane.io.readers import parse_network
from pavane.io.text_files import MOST_CHANNELS
from pavane.model.network import Network


def large(lines: list[str]) -> bytes:
    """Return a ring of many routers, and some lines more."""
    ring = [f"{number} {number + 1}" for number in range(100, 20_100)]
    return "\n".join([*ring, "20100 100", *lines, ""]).encode()


def slowly(data: bytes, form: str) -> Network:
    """Read a file line by line: at its end stands a comment, which says nothing."""
    assert links_in(data + b"# no more\n") is None
    return parse_network(data + b"# no more\n", "large.txt", form)


@pytest.mark.parametrize("form", ["edge-list", "directed-edge-list"])
def test_it_is_the_same_network(form: str) -> None:
    """Names, their order and the channels are the same, with parallel links, odd spaces and comments at the head."""
    data = b"# nodes\n#\n" + large(["7 100", "100 7", "  5\t7  ", "", "0 5\r"])
    assert links_in(data) is not None
    assert parse_network(data, "large.txt", form) == slowly(data, form)


@pytest.mark.parametrize("line", ["1 2 3", "1", "01 2", "1 > 2", "a 1", "1 2 x3", "1" * 19 + " 2", "1 2 # why", "-1 2"])
def test_other_lines_are_read_one_by_one(line: str) -> None:
    """Whatever is more than two numbers in a line is left to the reader of lines."""
    assert links_in(large([])) is not None
    assert links_in(large([line])) is None


def test_small_files_are_read_line_by_line() -> None:
    """A file below the limit, or without a link, is no matter of speed."""
    assert links_in(b"0 1\n1 2\n") is None
    assert links_in(b" \n" * LEAST_BYTES) is None
    assert links_in(b"#" * LEAST_BYTES) is None


def test_errors_are_those_of_the_reader_of_lines() -> None:
    """A link from a router to itself, and more channels than a network may have."""
    with pytest.raises(InputError, match="7"):
        parse_network(large(["7 7"]), "large.txt")
    many = b"1 2\n" * (MOST_CHANNELS // 2 + 1)
    with pytest.raises(InputError, match=f"line {MOST_CHANNELS // 2 + 1}: more than 4,000,000 channels"):
        parse_network(many, "large.txt", "edge-list")
