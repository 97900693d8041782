"""Files that are no networks, or may mean two things: one line that says what they are and how to mend it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io import Note, read_network

PASSWD = "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
LOG = "2024-01-07 10:00:01 INFO started\n2024-01-07 10:00:02 WARN slow\n"
SOURCE = "import os\n\n\ndef main():\n    return os.getcwd()\n"
INI = "[section]\nkey = value\n"
PROSE = "Call me Ishmael. Some years ago, never mind how long precisely,\nI thought I would sail about a little.\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PASSWD, "line 1: expected `router: neighbours` with one `:` alone, found 'root:x:0:0:root:/root:/bin/bash'"),
        ("source,target,weight\n0,1,3\n1,2,4\n", "line 1: 'source,target,weight' looks like a row of a table (CSV)"),
        ("0,1\n1,2\n", "write each link as two names with a space between them, like `0 1`, without a header"),
        ("a; b\nb; c\n", "looks like a row of a table (CSV)"),
        ("source target\n0 1\n1 2\n", "line 1: 'source target' looks like the header of a table, not a link; leave"),
        ("From\tTo\tWeight\n0 1 3\n1 2 3\n", "looks like the header of a table"),
        ("node1 node2\na b\nb c\n", "looks like the header of a table"),
        (LOG, "line 1: expected `router: neighbours`, found '2024-01-07 10:00:01 INFO started'"),
        (SOURCE, "line 4: 'main():' is not the name of a router, in 'def main():'; write `0 1`, or `0: 1 2`"),
        (INI, "expected `object`, got `array` or a section of settings"),
        (PROSE, "line 1: expected a link such as `0 1` or `0 > 1`, found 'Call me Ishmael"),
        ("127.0.0.1 localhost\n::1 localhost ip6-loopback\n", "this is a table of addresses and names; if its lines"),
        (
            "include /etc/*.conf\n",
            "line 1: '/etc/*.conf' does not look like the name of a router; if it is one, add `form=",
        ),
        ("export A=1\n", "line 1: 'A=1' does not look like the name of a router"),
        (
            "host-1 localhost\nhost-2 myhost\n",
            "no name occurs in two of its lines, so this does not look like a network",
        ),
        ("d41d8cd9 a.txt\n9e107d9d b.txt\n", "if each line is a link, add `form=edge-list`"),
        (
            "name: thing\nversion: two\n",
            "no name behind a `:` has a line of its own, so this does not look like a neighbour",
        ),
        ("<!DOCTYPE html>\n<html></html>", "this is an HTML page, so not GraphML that can be read; save the file"),
        ("<?xml version='1.0'?>\n<html xmlns='x'/>", "this is an HTML page"),
        ("<rss><channel/></rss>", "not GraphML that can be read"),
        ('{"hello": "world"}', "this JSON says no format"),
        ('{"cells": [], "nbformat": 4}', "this JSON says no format"),
        ("[1, 2, 3]", 'a network in JSON is {"format": "pavane/network/1", ...}'),
        ("", "the file is empty"),
        (" \n\t\n", "no channels in it"),
        ("hello\n", "line 1: expected a link such as `0 1` or `0 > 1`, found 'hello'"),
        (b"PK\x03\x04abc", "this is a zip file; unpack it first"),
        (b"\x89PNG\r\n\x1a\n", "this is a picture; save the network itself"),
        (b"%PDF-1.7\n", "this is a PDF file"),
        (b"\x80\x04\x95\x00", "this is a pickle of Python; write the graph as GraphML or node-link JSON"),
        (bytes(range(256)), "line 1: this is not text, so not a network file that can be read"),
        ("0 1 2\n1 2 0\n3 0 1\n", "its lines could be links with weights, or routers with their neighbours; say which"),
        ("0 1 {}\n1 0 {}\n", "line 2: '1 0' makes this look like the edge list of a directed graph"),
        ("0 1 {}\n1 2 {}\n2 0 {}\n", "line 3: '2 0' makes this look like the edge list of a directed graph"),
        ("0 1 1.5\n1 0 2.5\n", "`form=directed-edge-list` reads each line as a channel, `form=edge-list` as a link"),
        ("0 1\n1 2\n2 0 3\n3\n", "this adjacency list does not say whether its edges go both ways"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_network_is_refused(content: str | bytes, said: str, tmp_path: Path) -> None:
    """One line that begins with the file, says what it is or what was expected, and how to mend it."""
    path = tmp_path / "f"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read_network(path)
    assert str(caught.value).startswith((f"{path}: ", f"{path}, line "))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "num_channels"),
    [
        ("a b\n", 2),
        ("hello world\n", 2),
        ("10.0.0.1 10.0.0.2\n10.0.0.2 10.0.0.3\n", 4),
        ("(0, 0) (0, 1)\n(0, 1) (1, 1)\n", 4),
        ("0 1\n2 3\n", 4),
        ("a b\nb c\n", 4),
        ("0,0 0,1\n0,1 1,1\n", 4),
        ("node1 node2\nnode2 node3\n", 4),
        ("u v\nv w\n", 4),
        ("a > b\nc > d\n", 2),
        ("0: 1 2\n", 2),
        ("hub: a b\na: hub\n", 3),
        ("a: b\nb: a\n", 2),
        ("a-1 b_2\nb_2 c.3\n", 4),
        ("import os\nimport sys\n", 4),
        ("0 1 3\n0 2 4\n1 2 5\n", 6),
        ("0 1 1.5\n1 2 2.5\n2 0 0.5\n", 6),
        ("2 1\n1 7\n", 4),
    ],
)
def test_lists_that_may_be_networks_stay_readable(text: str, num_channels: int, tmp_path: Path) -> None:
    """What an edge list or a neighbour list may look like, small or with odd names, is read."""
    path = tmp_path / "f"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Note)
        assert read_network(path).num_channels == num_channels


@pytest.mark.parametrize(
    ("text", "form", "num_channels"),
    [
        ("127.0.0.1 localhost\n127.0.1.1 myhost\n", "edge-list", 4),
        ("a='1' b='2'\nb='2' c\n", "edge-list", 4),
        ("root: left right\n", "neighbour-list", 2),
        ("source target\ntop down\n", "edge-list", 4),
        ("0 1 2\n1 2 0\n3 0 1\n", "edge-list", 6),
        ("0 1 2\n1 2 0\n3 0 1\n", "adjacency-list", 10),
        ("0 1 2\n1 2 0\n3 0 1\n", "directed-adjacency-list", 6),
    ],
)
def test_who_names_the_format_is_believed(text: str, form: str, num_channels: int, tmp_path: Path) -> None:
    """The way out that a refusal names is one."""
    path = tmp_path / "f"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Note)
        assert read_network(path, form).num_channels == num_channels
