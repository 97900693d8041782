"""What each process is told to do."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.execution.jobs import job, library, locations
from pavane.model.collectives import alltoall, in_pieces, many_to_many_broadcast, many_to_many_scatter, named, pairs
from pavane.model.messages import Collective
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.networks import network
from tests.execution.small import combined, over_a_switch, partial_sums, triangle
from tests.io.formats.allreduces import replaced


def test_switches_get_a_process_where_messages_rest() -> None:
    """A process for every processor, and one more for each pure switch that messages rest at."""
    assert locations(*over_a_switch()) == [0, 1, ~1]
    assert locations(*triangle()) == [0, 1, 2]


def test_a_program_lists_sends_and_receives() -> None:
    """Combined messages are one send; what a relay gets it can send on."""
    made = job(*combined(), size=8, repeat=1)
    assert made["programs"][0]["steps"] == [[[[1, 0, [0, 1]]], []], [[], []]]
    assert made["programs"][1]["steps"] == [[[], [[0, 0, [0, 1]]]], [[[2, 0, [1]]], []]]
    assert made["programs"][2]["expects"] == [1, 2]
    assert made["programs"][0]["starts"] == [[0, 0, 1], [1, 0, 2]]


def test_partial_sums_are_known() -> None:
    """For every partial result that arrives it is known whose contributions it has."""
    made = job(*partial_sums(), size=8, repeat=1)
    assert made["programs"][1]["sums"] == [[[2]], []]
    assert made["programs"][0]["sums"] == [[], [[1, 2]]]
    assert made["senders"] == [0, 1, 2]


def test_running_sums_are_known() -> None:
    """For every running sum that arrives it is known whose contributions it has, and whether it is added."""
    result = replaced()
    assert result.schedule is not None
    made = job(result.problem, result.schedule, size=16, repeat=1)
    assert made["programs"][1]["sums"] == [[[0], [2]], [[0], [2]], [], []]
    assert made["programs"][1]["added"] == [[True, True], [True, True], [], []]
    assert made["programs"][2]["sums"] == [[[1]], [[1]], [[0, 1, 2]], [[0, 1, 2]]]
    assert made["programs"][2]["added"] == [[True], [True], [False], [False]]
    assert [program["expects"] for program in made["programs"]] == [[0, 1]] * 3
    assert made["programs"][2]["starts"] == [[0, 2, 0], [1, 2, 0]]


def test_the_librarys_allreduce_has_the_whole_vector() -> None:
    """All parts together, with their sizes, are one vector of MPI's."""
    ring = network("ring:4")
    for kind, sizes, units in (("allreduce", (), 4), ("allreduce", ((1, 3), (2, 0)), 5), ("reduce-broadcast", (), 1)):
        about = library(Problem(ring, in_pieces(named(kind, ring), 2, sizes)))
        assert (about["name"], about["members"], about["units"]) == ("Allreduce", [0, 1, 2, 3], [units])


@pytest.mark.parametrize(
    ("kind", "name", "root"),
    [
        ("OAB", "Bcast", 0),
        ("OAS", "Scatter", 0),
        ("AOG", "Gather", 0),
        ("AOR", "Reduce", 0),
        ("AAB", "Allgather", None),
        ("AAS", "Alltoall", None),
        ("AAR", "Reduce_scatter_block", None),
    ],
)
def test_the_librarys_collective_is_the_same(kind: str, name: str, root: int | None) -> None:
    """Every kind has its collective of MPI, on all processors."""
    ring = network("ring:4")
    about = library(Problem(ring, named(kind, ring)))
    assert (about["name"], about["root"], about["members"]) == (name, root, [0, 1, 2, 3])


def test_the_librarys_collective_on_some_processors() -> None:
    """Members alone take part; unequal sets and pairs take the collectives with counts."""
    ring = network("ring:6")
    about = library(Problem(ring, many_to_many_scatter([1, 4], [1, 4])))
    assert (about["name"], about["members"]) == ("Alltoall", [1, 4])
    about = library(Problem(ring, many_to_many_scatter([1, 4], [4, 5])))
    assert (about["name"], about["members"]) == ("Alltoallv", [1, 4, 5])
    assert about["pairs"] == [[0, 1], [0, 2], [1, 2]]
    about = library(Problem(ring, many_to_many_broadcast([1], [4, 5])))
    assert (about["name"], about["senders"], about["receivers"]) == ("Allgatherv", [0], [1, 2])
    about = library(Problem(ring, pairs([(5, 2), (2, 3)])))
    assert (about["name"], about["members"], about["pairs"]) == ("Alltoallv", [2, 3, 5], [[2, 0], [0, 1]])
    assert library(Problem(ring, Collective("AAR", (0, 1), (2, 3))))["name"] == "Reduce_scatter"


@pytest.mark.parametrize(
    ("kind", "sizes", "name", "units"),
    [
        ("OAB", ((0, 3),), "Bcast", [3, 3, 3, 3]),
        ("OAS", ((0, 1, 3), (0, 2, 0)), "Scatterv", [0, 3, 0, 1]),
        ("AOG", ((1, 0, 3), (2, 0, 0)), "Gatherv", [0, 3, 0, 1]),
        ("AOR", ((0, 2),), "Reduce", [2, 2, 2, 2]),
        ("AAB", ((1, 4), (2, 0)), "Allgatherv", [1, 4, 0, 1]),
        ("AAR", ((3, 2), (0, 0)), "Reduce_scatter", [0, 1, 1, 2]),
        ("AAS", ((0, 1, 5), (3, 2, 0)), "Alltoallv", [5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]),
    ],
)
def test_sizes_take_the_collectives_with_counts(
    kind: str, sizes: tuple[tuple[int, ...], ...], name: str, units: list[int]
) -> None:
    """Messages of different sizes have MPI's collective with counts, and the units of each; pieces alone do not."""
    ring = network("ring:4")
    about = library(Problem(ring, in_pieces(named(kind, ring), 2, sizes)))
    assert (about["name"], about["units"]) == (name, units)
    assert library(Problem(ring, in_pieces(named(kind, ring), 2))) == library(Problem(ring, named(kind, ring)))


def test_pieces_are_numbered() -> None:
    """A job has the ends of every piece and its number, and pieces of reductions are cut between integers."""
    ring = network("ring:3")
    whole = triangle()[0]
    cut = Problem(ring, in_pieces(whole.collective, 2))
    made = job(cut, Schedule.from_transfers([]), size=2, repeat=1)
    assert (made["pieces"], made["width"], made["numbers"]) == (2, 1, [0, 1] * 6)
    assert made["labels"][:3] == [[0, 1], [0, 1], [0, 2]]
    assert made["programs"][0]["expects"] == [4, 5, 8, 9]
    assert job(*triangle(), size=2, repeat=1)["numbers"] is None
    with pytest.raises(InputError, match=r"messages of 1 bytes cannot be cut into 2 pieces .* at least 2"):
        job(cut, Schedule.from_transfers([]), size=1, repeat=1)
    adding = Problem(ring, in_pieces(named("aar", ring), 3))
    with pytest.raises(InputError, match="give at least 24"):
        job(adding, Schedule.from_transfers([]), size=16, repeat=1)


def test_sizes_that_cannot_be() -> None:
    """A message has a byte at least, and integers for reductions."""
    ring = network("ring:3")
    assert Problem(ring, alltoall(ring)).num_messages == 6
    with pytest.raises(InputError, match="messages of 0 bytes carry nothing"):
        job(*triangle(), size=0, repeat=1)
    with pytest.raises(InputError, match="AOR adds integers of 8 bytes; give a multiple of 8, not 12"):
        job(*partial_sums(), size=12, repeat=1)
    with pytest.raises(InputError, match="0 repeats execute nothing"):
        job(*triangle(), size=1, repeat=0)
