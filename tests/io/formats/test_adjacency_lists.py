"""Adjacency lists of NetworkX: links where that is clear, and a question where it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io import read_network
from pavane.model.network import Network


def channels(network: Network) -> list[tuple[str, str]]:
    """List the channels of a network between the names of routers."""
    return sorted((network.routers[tail], network.routers[head]) for tail, head in network.channels.tolist())


def both(*pairs: str) -> list[tuple[str, str]]:
    """Return a channel each way for each pair of letters."""
    return sorted(way for pair in pairs for way in ((pair[0], pair[1]), (pair[1], pair[0])))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c\nb c\nc\n", both("ab", "ac", "bc")),
        ("# made by hand\na b c  # two\nb\nc\n", both("ab", "ac")),
        ("a b b\nb\n", both("ab", "ab")),
        ("a b c\nb a c\nc a b\n", both("ab", "ac", "bc")),
        ("a b b\nb a a\n", both("ab", "ab")),
        ("a 2\nb {}\nc {'x': 1}\nb 0\nc 0\n", both("ab", "ac")),
        ("a 0\nb 1\nc {}\nc 0\n", both("bc")),
    ],
)
def test_links_are_listed_once_or_at_both_ends(text: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    """An edge to a line that comes later is a link, and so is one that both ends list."""
    path = tmp_path / "f"
    path.write_text(text)
    assert channels(read_network(path)) == expected


@pytest.mark.parametrize(
    ("text", "links", "as_channels"),
    [
        ("a b\nb c\nc a\nd\n", both("ab", "bc", "ca"), ["ab", "bc", "ca"]),
        ("a b c\nb a\nc b\n", both("ab", "ac", "cb"), ["ab", "ac", "ba", "cb"]),
        ("a 1\nb {}\nb 1\na {}\nc 1\na {}\n", both("ab", "ca"), ["ab", "ba", "ca"]),
    ],
)
def test_what_may_be_directed_is_asked_about(
    text: str, links: list[tuple[str, str]], as_channels: list[str], tmp_path: Path
) -> None:
    """An edge back to an earlier line alone may be a channel; who names the format decides."""
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(
        InputError, match=re.escape("`form=adjacency-list` reads links, `form=directed-adjacency-list`")
    ):
        read_network(path)
    assert channels(read_network(path, "adjacency-list")) == links
    assert channels(read_network(path, "directed-adjacency-list")) == sorted((pair[0], pair[1]) for pair in as_channels)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b\na c\n", "line 2: router 'a' begins two lines; list all its neighbours in one"),
        ("a\nb\n", "no channels in it; an adjacency list has lines like `0 1 2`"),
        ("a: b\n", "line 1: expected a router and its neighbours, like `0 1 2`, found 'a: b'"),
        ("a 2\nb {}\n", "1 neighbours of router 'a' are missing; it may be cut off"),
        ("a\nb {}\n", "line 1: expected a router and its number of neighbours, found 'a'"),
        ("a x\nb {}\n", "line 1: the number of neighbours is 'x', where a whole number was expected"),
        ("a 2\nb {}\nc d\n", "line 3: expected a neighbour and its attributes in braces, found 'c d'"),
        ("a a b\nb\n", "channel 0 runs from router a to itself; leave it out"),
    ],
)
def test_what_is_no_adjacency_list_is_refused(text: str, said: str, tmp_path: Path) -> None:
    """Where it is named, the text says what is wrong with it, and where."""
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read_network(path, "adjacency-list")
    assert str(caught.value).startswith(str(path))


def test_a_long_path_is_an_adjacency_list(tmp_path: Path) -> None:
    """All lines but the last name two routers, and that one is far from the beginning."""
    path = tmp_path / "f"
    path.write_text("".join(f"{i} {i + 1}\n" for i in range(3000)) + "3000\n")
    assert read_network(path).num_channels == 6000
