"""Schedules as the papers print them: path notation and the destination table."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.io import parse_schedule
from pavane.io.notation import aligned, destination_table, path_lines, program_lines
from pavane.judge.result import Result
from pavane.model.collectives import allgather, broadcast, gather, named, reduce
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import kautz, network, octagon

OCTAGON_AAS = """\
073, 104, 156, 21, 23, 267, 340, 432, 45, 512, 654, 701, 762
012, 07, 10, 265, 321, 34, 451, 437, 54, 567, 623, 73, 704, 76
01, 12, 15, 107, 234, 26, 32, 40, 456, 543, 670, 621, 765
04, 015, 076, 123, 210, 345, 326, 37, 43, 540, 51, 56, 62, 65, 67, 70
"""
"""gecco07 Table 4: all-to-all scatter on the octagon in four steps."""


def test_the_octagon_schedule_of_the_paper_is_printed_as_the_paper_prints_it() -> None:
    """Digits denote source, via and destination of each path (gecco07 Table 4); the schedule is valid and complete."""
    lines = OCTAGON_AAS.splitlines()
    text = "\n".join(["collective alltoall", *(f"{step} {line}" for step, line in enumerate(lines, 1))])
    claim = parse_schedule(text.encode(), "paper.txt", octagon())
    assert claim.result().num_steps == 4
    for (step, printed), (number, line) in zip(
        path_lines(claim.problem, claim.schedule), enumerate(lines, 1), strict=True
    ):
        assert (step, sorted(printed.split(", "))) == (number, sorted(line.split(", ")))


def test_names_of_several_characters_are_joined_by_dashes() -> None:
    """A path of the Kautz network reads 01-12-20."""
    claim = parse_schedule(b"collective alltoall\n1 01-12-20\n2 12-20", "hand.txt", kautz(3, 2))
    assert list(path_lines(claim.problem, claim.schedule)) == [(1, "01-12-20"), (2, "12-20")]


LINE = Network("line:3", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])


PAIR = Network("pair", 2, [(0, 1), (1, 0)])
FAT = Network("fat", 2, [(0, 1), (1, 0)], [0, 0, 1, 1])
SWITCHED = Network("line", 3, [(0, 1), (1, 2)], [0, 2])
STORED = Rules("store-and-forward")
COMBINING = Rules("store-and-forward", combining=True)


@pytest.mark.parametrize(
    ("problem", "rows", "lines", "table"),
    [
        # Where the path alone does not say what is carried, the message follows in brackets, or several.
        (
            Problem(LINE, gather(LINE), STORED),
            [(0, 1, 0, (1,), (0,)), (0, 2, 1, (3,), (1,)), (1, 1, 0, (1,), (1,))],
            ["10, 21 [2>0]", "10 [2>0]"],
            [["src", "1", "2"], ["1", "0", ""], ["2", "", "0"]],
        ),
        (
            Problem(LINE, gather(LINE), COMBINING),
            [(0, 2, 1, (3,), (1,)), (1, 1, 0, (1,), (0, 1))],
            ["21 [2>0]", "10 [1>0 2>0]"],
            [["src", "1", "2"], ["1", "", "0"], ["2", "", "0"]],
        ),
        # The copies of a broadcast carry [origin]; each origin has a row.
        (
            Problem(LINE, broadcast(LINE, 1)),
            [(0, 1, 0, (1,), (0,)), (0, 1, 2, (2,), (0,))],
            ["10 [1], 12 [1]"],
            [["src", "1"], ["1", "0,2"]],
        ),
        (
            Problem(PAIR, allgather(PAIR)),
            [(0, 0, 1, (0,), (0,)), (1, 1, 0, (1,), (1,))],
            ["01 [0]", "10 [1]"],
            [["src", "1", "2"], ["0", "1", ""], ["1", "", "0"]],
        ),
        # Of a reduction a row belongs to a target, and names those that send towards it.
        (
            Problem(LINE, reduce(LINE), STORED),
            [(0, 2, 1, (3,), (0,)), (1, 1, 0, (1,), (0,))],
            ["21 [0]", "10 [0]"],
            [["dst", "1", "2"], ["0", "2", "1"]],
        ),
        # Where a router carries several processors or none, p3 and r1 say who sends and receives.
        (
            Problem(FAT, Collective("PAIRS", pairs=((0, 3), (1, 0)))),
            [(0, 0, 3, (0,), (0,)), (0, 1, 0, (), (1,))],
            ["p0:01:p3, p1:0:p0"],
            [["src", "1"], ["0", "3"], ["1", "0"]],
        ),
        # A message that rests on a pure switch is no delivery, so the table leaves it out.
        (
            Problem(SWITCHED, Collective("PAIRS", pairs=((0, 1),)), STORED),
            [(0, 0, ~1, (0,), (0,)), (1, ~1, 1, (1,), (0,))],
            ["p0:01:r1 [0>1]", "r1:12:p1 [0>1]"],
            [["src", "1", "2"], ["0", "", "1"]],
        ),
    ],
    ids=["relayed", "combined", "broadcast", "allgather", "reduction", "fat routers", "pure switch"],
)
def test_paths_and_destinations(problem: Problem, rows: list[Any], lines: list[str], table: list[list[str]]) -> None:
    """Paths are written step by step, and the table has a row a message and a column a step (gecco08 Table 3)."""
    result = Result(problem, Schedule.from_transfers([Transfer(*row) for row in rows]))
    assert result.schedule is not None
    assert list(path_lines(problem, result.schedule)) == list(enumerate(lines, 1))
    assert list(path_lines(problem, result.schedule, range(1, len(lines)))) == list(enumerate(lines, 1))[1:]
    assert destination_table(problem, result.schedule) == table


@pytest.mark.parametrize(
    ("table", "lines"),
    [
        ([["src", "1", "2"], ["0", "1,2,3", ""], ["10", "", "4"]], ["src  1      2", "0    1,2,3", "10          4"]),
        ([["one"]], ["one"]),
    ],
)
def test_columns_are_aligned(table: list[list[str]], lines: list[str]) -> None:
    """Columns are as wide as their widest cell, two spaces apart, without spaces at the end."""
    assert list(aligned(table)) == lines


def test_an_allreduce_says_what_is_added() -> None:
    """Programs tell sums that are added from those that take the place of what is there; rows are parts."""
    line = network("line:3")
    problem = Problem(line, named("reduce-broadcast", line, root=1))
    channel = {(int(a), int(b)): i for i, (a, b) in enumerate(line.channels)}
    hops = ((0, 0, 1), (0, 2, 1), (1, 1, 0), (1, 1, 2))
    schedule = Schedule.from_transfers([Transfer(step, a, b, (channel[a, b],), (0,)) for step, a, b in hops])
    assert list(program_lines(problem, schedule)) == [
        ("p0", ["step 1: send 1 to p1 by 01", "step 2: receive 1 from p1"]),
        (
            "p1",
            [
                "step 1: receive and add 1 from p0; receive and add 1 from p2",
                "step 2: send 1 to p0 by 10; send 1 to p2 by 12",
            ],
        ),
        ("p2", ["step 1: send 1 to p1 by 21", "step 2: receive 1 from p1"]),
    ]
    assert destination_table(problem, schedule) == [["part", "1", "2"], ["1", "+1,+1", "0,2"]]
