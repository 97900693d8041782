"""SimGrid's own MPI algorithms on the network of a problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from pavane.errors import PavaneError
from pavane.execute.baseline import best_algorithm, ordered_paths, spread_paths
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.execute.small import need_smpirun, triangle


def test_the_best_algorithm_is_no_better_than_the_bound() -> None:
    """On a triangle with one port each, the two sends of a processor take two units, however channels are shared."""
    need_smpirun()
    ring = network("ring:3")
    best = best_algorithm(Problem(ring, named("aas", ring), Rules(ports=1)))
    assert (best.collective, best.units, best.ideal_units) == ("MPI_Alltoall", 2, 2)
    assert best.num_algorithms > 3


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
