"""SimGrid's own MPI algorithms on the network of a problem."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable

import pytest

from pavane.errors import PavaneError
from pavane.execution import baseline
from pavane.execution.baseline import best_algorithm, in_lanes, ordered_paths, spread_paths
from pavane.model.collectives import in_pieces, named, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.execution.small import need_smpirun, triangle


def test_the_best_algorithm_is_no_better_than_the_bound() -> None:
    """On a triangle with one port each, the two sends of a processor take two units, however channels are shared."""
    need_smpirun()
    ring = network("ring:3")
    best = best_algorithm(Problem(ring, named("aas", ring), Rules(ports=1)))
    assert (best.collective, best.units, best.ideal_units) == ("MPI_Alltoall", 2, 2)
    assert best.num_algorithms > 3


@pytest.mark.parametrize(
    ("kind", "pieces", "sizes", "name", "units"),
    [
        ("oas", 2, ((0, 1, 3),), "MPI_Scatterv", 8),
        ("aog", 1, ((1, 0, 3), (2, 0, 0)), "MPI_Gatherv", 3),
        ("aab", 1, ((0, 4), (1, 0), (2, 0)), "MPI_Allgatherv", 8),
    ],
)
def test_the_baseline_knows_pieces_and_sizes(
    kind: str, pieces: int, sizes: tuple[tuple[int, ...], ...], name: str, units: int
) -> None:
    """With one port, a message takes as many units as its units have pieces, and MPI's counts are the sizes."""
    need_smpirun()
    ring = network("ring:3")
    best = best_algorithm(Problem(ring, in_pieces(named(kind, ring), pieces, sizes), Rules(ports=1)))
    assert best.collective == name
    assert best.units >= (units if kind != "aab" else 4)
    assert best.ideal_units <= units


def test_the_baseline_of_an_allreduce_adds_the_whole_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a ring of four the logical ring takes 2 x 3 quarters of the vector; a part of two pieces is that much."""
    need_smpirun()
    monkeypatch.setattr(baseline, "_algorithms", lambda *_: ["lr", "rdb"])
    ring = network("ring:4")
    for kind, pieces, units in (("allreduce", 1, 6), ("reduce-broadcast", 2, 3)):
        best = best_algorithm(Problem(ring, in_pieces(named(kind, ring), pieces)))
        assert (best.collective, best.units, best.ideal_units) == ("MPI_Allreduce", units, units)


def test_a_wide_channel_carries_several_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A channel of capacity 3 carries three messages at a time, in lanes, or shared ideally thrice as much."""
    need_smpirun()
    monkeypatch.setattr(baseline, "_algorithms", lambda *_: ["pair", "ring"])
    links = [(0, 3), (1, 3), (2, 3), (3, 4), (4, 5), (4, 6), (4, 7)]
    ends = [end for a, b in links for end in ((a, b), (b, a))]
    pairs_of_ends = pairs([(0, 3), (1, 4), (2, 5)])
    for capacity, units in ((1, 3), (3, 1)):
        wide = Network("bridge", 8, ends, [0, 1, 2, 5, 6, 7], capacities=[1] * 6 + [capacity] * 2 + [1] * 6)
        best = best_algorithm(Problem(wide, pairs_of_ends))
        assert (best.units, best.ideal_units) == (units, units)


def test_lanes_are_taken_in_turn() -> None:
    """The paths over a channel use its parallel channels one after the other."""
    wide = Network("two", 2, [(0, 1), (1, 0)], [0, 0, 1, 1], capacities=[2, 1])
    problem = Problem(wide, named("aas", wide))
    lanes = in_lanes(problem, {(0, 2): [0], (0, 3): [0], (1, 2): [0], (2, 0): [1]})
    assert lanes == {(0, 2): [0], (0, 3): [1], (1, 2): [0], (2, 0): [2]}


@pytest.mark.parametrize("paths", [ordered_paths, spread_paths])
def test_fixed_paths_are_shortest(paths: Callable[[Problem, list[int]], dict[tuple[int, int], list[int]]]) -> None:
    """A path joins the routers of two members and has as many channels as they are apart."""
    fat = network("fat-octagon:2")
    made = paths(Problem(fat, named("aas", fat)), [1, 2, 3, 8, 15])
    assert len(made) == 20
    for (here, there), path in made.items():
        assert len(path) == fat.processor_distances[here, there]
        routers = [int(fat.router_of[here]), *(int(fat.heads[c]) for c in path)]
        assert [int(fat.tails[c]) for c in path] == routers[:-1]
        assert routers[-1] == fat.router_of[there]


def test_paths_are_spread() -> None:
    """In a fat tree ordered paths crowd into the first switches; spread ones use all."""
    tree = network("fat-tree:4")
    problem = Problem(tree, named("aas", tree))
    loads = []
    for paths in (ordered_paths, spread_paths):
        used = Counter(c for path in paths(problem, list(range(tree.num_processors))).values() for c in path)
        loads.append(max(used.values()))
    assert loads[1] * 2 < loads[0]


def test_without_smpirun_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names Debian's package."""
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(PavaneError, match="apt install libsimgrid-dev"):
        best_algorithm(triangle()[0])


@pytest.mark.parametrize(
    ("kind", "name", "units"),
    [
        ("oab", "MPI_Bcast", 1),
        ("aor", "MPI_Reduce", 1),
        ("oas", "MPI_Scatter", 1),
        ("aog", "MPI_Gather", 1),
        ("aar", "MPI_Reduce_scatter_block", 3),
    ],
)
def test_simgrid_carries_out_every_collective(
    kind: str, name: str, units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two processors a message takes one unit; reduce-scatter reduces both parts first, then scatters them."""
    need_smpirun()
    monkeypatch.setattr(baseline, "_algorithms", lambda *_: [baseline.ONLY])
    line = network("line:2")
    best = best_algorithm(Problem(line, named(kind, line)))
    assert (best.collective, best.units, best.ideal_units, best.num_algorithms) == (name, units, units, 1)


def test_algorithms_that_do_not_end_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none ends one line says so, and another where SimGrid does not even say which there are."""
    monkeypatch.setattr("shutil.which", lambda _: "smpirun")

    def asleep(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("smpirun", baseline.MOST_SECONDS)

    monkeypatch.setattr("subprocess.run", asleep)
    with pytest.raises(PavaneError, match="does not say which algorithms it has for alltoall"):
        best_algorithm(triangle()[0])
    monkeypatch.setattr(baseline, "_algorithms", lambda *_: ["pair"])
    with pytest.raises(PavaneError, match=r"none of SimGrid's algorithms for MPI_Alltoall came to an end"):
        best_algorithm(triangle()[0])
