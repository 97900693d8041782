"""Networks, problems and schedules from bytes, as from files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io import (
    parse_network,
    parse_network_or_problem,
    parse_problem,
    parse_schedule,
    read_network,
    read_problem,
    read_schedule,
    schedule_bytes,
    write_problem,
    write_schedule,
)
from pavane.io.readers import holds_schedule
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import ring
from pavane.search.synthesis import solve

PROBLEM = Problem(ring(4), alltoall(ring(4)))


def test_a_network_is_the_same_from_bytes(tmp_path: Path) -> None:
    """The name stands for the path, and its stem names the network."""
    path = tmp_path / "square.txt"
    path.write_bytes(b"0 1\n1 2\n2 3\n3 0\n")
    found = parse_network(path.read_bytes(), "square.txt")
    assert found == read_network(path)
    assert found.name == "square"
    assert parse_network(b"\xef\xbb\xbf0 1\n1 0\n", "two", "directed-edge-list").num_channels == 2


def test_problems_and_schedules_are_the_same_from_bytes(tmp_path: Path) -> None:
    """What is written to a file can be had as bytes, and read back from them; a schedule file has its problem."""
    path = tmp_path / "problem.json"
    write_problem(path, PROBLEM)
    assert parse_problem(path.read_bytes(), "p") == read_problem(path) == PROBLEM
    result = solve(PROBLEM)
    write_schedule(path, result)
    data = schedule_bytes(result)
    assert data == path.read_bytes()
    assert parse_network_or_problem(data, "s") == PROBLEM
    assert schedule_bytes(parse_schedule(data, "s").result()) == schedule_bytes(read_schedule(path).result()) == data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "mine: the file is empty"),
        (b"0 1\n0 1 2 3\n", "mine, line 2: expected a link such as `0 1` or `0 > 1`, found '0 1 2 3'"),
        (b'{"format": "other"}', "mine: this JSON says format 'other'; known are pavane/network/1"),
    ],
)
def test_errors_call_the_bytes_by_their_name(data: bytes, text: str) -> None:
    """One line that says what is wrong, and where."""
    with pytest.raises(InputError, match=rf"\A{re.escape(text)}") as caught:
        parse_network(data, "mine")
    assert "\n" not in str(caught.value)


def test_a_name_that_an_error_begins_with_by_chance_is_still_said() -> None:
    """`network` is the name here, and the first word of the error."""
    with pytest.raises(InputError, match=r"\Anetwork: network network: two routers are named"):
        parse_network(
            b'{"format": "pavane/network/1", "name": "network", "routers": ["a", "a"], '
            b'"channels": [], "processors": []}',
            "network",
        )


def test_schedules_are_told_from_other_files(tmp_path: Path) -> None:
    """By what they say, also where they are cut off."""
    path = tmp_path / "any"
    for data, is_schedule in (
        (schedule_bytes(solve(PROBLEM)), True),
        (b'{"format": "pavane/schedule/1", "problem": {', True),
        (b"<graphml/>", False),
        (b"{", False),
        (b"0 1\n", False),
    ):
        path.write_bytes(data)
        assert holds_schedule(path) is is_schedule
