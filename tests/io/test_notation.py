"""Schedules as the papers print them: path notation and the destination table."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pavane.io.notation import aligned, destination_table, path_lines, program_lines
from pavane.judge.result import Result
from pavane.model.collectives import allgather, alltoall, broadcast, gather, named, reduce
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import kautz, network, octagon, ring

OCTAGON_AAS = """\
073, 104, 156, 21, 23, 267, 340, 432, 45, 512, 654, 701, 762
012, 07, 10, 265, 321, 34, 451, 437, 54, 567, 623, 73, 704, 76
01, 12, 15, 107, 234, 26, 32, 40, 456, 543, 670, 621, 765
04, 015, 076, 123, 210, 345, 326, 37, 43, 540, 51, 56, 62, 65, 67, 70
"""
"""gecco07 Table 4: all-to-all scatter on the octagon in four steps."""

KAUTZ_AAS = """\
src 1 2 3 4 5 6 7
0 9 2,4,5 3,7,A 6,B 1 - 8
1 7,9 2,A 0,5,8 3 6 4,B -
"""
"""gecco08 Table 3, its first rows, in the layout that is compared here."""


def channel(network: Network, tail: int, head: int) -> int:
    """Return the first channel from one router to another."""
    return int(network.channels.tolist().index([tail, head]))


def along(network: Network, routers: list[int]) -> tuple[int, ...]:
    """Return the path over some routers."""
    return tuple(channel(network, tail, head) for tail, head in pairwise(routers))


def test_the_octagon_schedule_of_the_paper_is_printed_as_the_paper_prints_it() -> None:
    """Digits denote source, via and destination of each path (gecco07 Table 4); the schedule is valid and complete."""
    network = octagon()
    problem = Problem(network, alltoall(network))
    transfers = []
    for step, line in enumerate(OCTAGON_AAS.splitlines()):
        for text in line.split(", "):
            routers = [int(digit) for digit in text]
            ends = routers[0], routers[-1]
            message = problem.labels.tolist().index(list(ends))
            transfers.append(Transfer(step, *ends, along(network, routers), (message,)))
    schedule = Schedule.from_transfers(transfers)
    assert Result(problem, schedule).num_steps == 4
    printed = list(path_lines(problem, schedule))
    assert [number for number, _ in printed] == [1, 2, 3, 4]
    for (_, text), line in zip(printed, OCTAGON_AAS.splitlines(), strict=True):
        assert sorted(text.split(", ")) == sorted(line.split(", "))


def test_names_of_several_characters_are_joined_by_dashes() -> None:
    """A path of the Kautz network reads 01-12-20."""
    network = kautz(3, 2)
    a, b, c = (network.router(name) for name in ("01", "12", "20"))
    problem = Problem(network, Collective("PAIRS", pairs=((a, c), (b, c))))
    schedule = Schedule.from_transfers(
        [Transfer(0, a, c, along(network, [a, b, c]), (0,)), Transfer(1, b, c, along(network, [b, c]), (1,))]
    )
    numbers = {tuple(label): number for number, label in enumerate(problem.labels.tolist())}
    assert numbers == {(a, c): 0, (b, c): 1}
    assert Result(problem, schedule)
    assert list(path_lines(problem, schedule)) == [(1, "01-12-20"), (2, "12-20")]


def test_some_steps_only_are_printed() -> None:
    """Steps keep their numbers."""
    network = ring(4)
    problem = Problem(network, Collective("PAIRS", pairs=((0, 1), (1, 2))))
    schedule = Schedule.from_transfers(
        [
            Transfer(0, 0, 1, along(network, [0, 1]), (0,)),
            Transfer(1, 1, 2, along(network, [1, 2]), (1,)),
        ]
    )
    assert list(path_lines(problem, schedule, range(1, 2))) == [(2, "12")]


LINE = Network("line:3", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])


def test_a_relayed_message_stands_behind_the_path() -> None:
    """Where the path alone does not say what is carried, the message follows in brackets."""
    problem = Problem(LINE, gather(LINE), Rules("store-and-forward"))
    schedule = Schedule.from_transfers(
        [Transfer(0, 1, 0, (1,), (0,)), Transfer(0, 2, 1, (3,), (1,)), Transfer(1, 1, 0, (1,), (1,))]
    )
    assert Result(problem, schedule)
    assert list(path_lines(problem, schedule)) == [(1, "10, 21 [2>0]"), (2, "10 [2>0]")]
    assert destination_table(problem, schedule) == [["src", "1", "2"], ["1", "0", ""], ["2", "", "0"]]


def test_combined_messages_stand_in_one_bracket() -> None:
    """A transfer that carries several messages lists them all."""
    problem = Problem(LINE, gather(LINE), Rules("store-and-forward", combining=True))
    schedule = Schedule.from_transfers([Transfer(0, 2, 1, (3,), (1,)), Transfer(1, 1, 0, (1,), (0, 1))])
    assert Result(problem, schedule)
    assert list(path_lines(problem, schedule)) == [(1, "21 [2>0]"), (2, "10 [1>0 2>0]")]
    assert destination_table(problem, schedule) == [["src", "1", "2"], ["1", "", "0"], ["2", "", "0"]]


def test_a_broadcast_names_its_origin() -> None:
    """The copies of a broadcast carry [origin]; the table shows who gets them in each step."""
    problem = Problem(LINE, broadcast(LINE, 1))
    schedule = Schedule.from_transfers([Transfer(0, 1, 0, (1,), (0,)), Transfer(0, 1, 2, (2,), (0,))])
    assert Result(problem, schedule)
    assert list(path_lines(problem, schedule)) == [(1, "10 [1], 12 [1]")]
    assert destination_table(problem, schedule) == [["src", "1"], ["1", "0,2"]]


def test_all_to_all_broadcast_has_a_row_for_each_origin() -> None:
    """Each row of the table belongs to one message."""
    pair = Network("pair", 2, [(0, 1), (1, 0)])
    problem = Problem(pair, allgather(pair))
    schedule = Schedule.from_transfers([Transfer(0, 0, 1, (0,), (0,)), Transfer(1, 1, 0, (1,), (1,))])
    assert destination_table(problem, schedule) == [["src", "1", "2"], ["0", "1", ""], ["1", "", "0"]]


def test_a_reduction_has_a_row_for_each_target() -> None:
    """For reductions a row belongs to a target, and names those that send towards it."""
    problem = Problem(LINE, reduce(LINE), Rules("store-and-forward"))
    schedule = Schedule.from_transfers([Transfer(0, 2, 1, (3,), (0,)), Transfer(1, 1, 0, (1,), (0,))])
    assert Result(problem, schedule)
    assert list(path_lines(problem, schedule)) == [(1, "21 [0]"), (2, "10 [0]")]
    assert destination_table(problem, schedule) == [["dst", "1", "2"], ["0", "2", "1"]]


def test_processors_stand_at_the_ends_on_fat_routers() -> None:
    """Where a router carries several processors or none, p3 and r1 say who sends and receives."""
    fat = Network("fat", 2, [(0, 1), (1, 0)], [0, 0, 1, 1])
    problem = Problem(fat, Collective("PAIRS", pairs=((0, 3), (1, 0))))
    schedule = Schedule.from_transfers([Transfer(0, 0, 3, (0,), (0,)), Transfer(0, 1, 0, (), (1,))])
    assert Result(problem, schedule)
    assert list(path_lines(problem, schedule)) == [(1, "p0:01:p3, p1:0:p0")]
    assert destination_table(problem, schedule) == [["src", "1"], ["0", "3"], ["1", "0"]]


def test_pure_switches_are_written_with_an_r() -> None:
    """A message that rests on pure switch 1 is no delivery, so the table leaves it out."""
    line = Network("line", 3, [(0, 1), (1, 2)], [0, 2])
    problem = Problem(line, Collective("PAIRS", pairs=((0, 1),)), Rules("store-and-forward"))
    schedule = Schedule.from_transfers([Transfer(0, 0, ~1, (0,), (0,)), Transfer(1, ~1, 1, (1,), (0,))])
    assert Result(problem, schedule)
    assert list(path_lines(problem, schedule)) == [(1, "p0:01:r1 [0>1]"), (2, "r1:12:p1 [0>1]")]
    assert destination_table(problem, schedule) == [["src", "1", "2"], ["0", "", "1"]]


def test_the_destination_table_reads_as_the_one_of_the_paper() -> None:
    """A row per source, a column per step, commas between destinations, nothing where none (gecco08 Table 3)."""
    network = kautz(3, 2)
    paper = [row.replace("-", "").split(" ") for row in KAUTZ_AAS.splitlines()]
    digits = "0123456789AB"
    rows = [[[digits.index(d) for d in cell.split(",") if d] for cell in row[1:]] for row in paper[1:]]
    pairs = tuple((source, d) for source, row in enumerate(rows) for cell in row for d in cell)
    problem = Problem(network, Collective("PAIRS", pairs=pairs))
    assert problem.num_messages == 22
    # The table says nothing of paths, so the steps stand for themselves here.
    transfers = [
        Transfer(step, source, d, (), (problem.labels.tolist().index([source, d]),))
        for source, row in enumerate(rows)
        for step, cell in enumerate(row)
        for d in cell
    ]
    table = destination_table(problem, Schedule.from_transfers(transfers, 7))
    assert table == [
        ["src", "1", "2", "3", "4", "5", "6", "7"],
        ["0", "9", "2,4,5", "3,7,10", "6,11", "1", "", "8"],
        ["1", "7,9", "2,10", "0,5,8", "3", "6", "4,11", ""],
    ]


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
