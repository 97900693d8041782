"""SimGrid's own MPI algorithms on the network of a problem."""

from __future__ import annotations

import pytest

from execute.small import need_smpirun, triangle
from pavane.collectives import named
from pavane.errors import PavaneError
from pavane.execute.baseline import baseline, shortest_path
from pavane.networks import network
from pavane.problem import Problem, Rules


def test_the_best_algorithm_is_no_better_than_the_bound() -> None:
    """On a triangle with one port each, the two sends of a processor take two units, however channels are shared."""
    need_smpirun()
    ring = network("ring:3")
    best = baseline(Problem(ring, named("aas", ring), Rules(ports=1)))
    assert (best.collective, best.units, best.ideal_units) == ("MPI_Alltoall", 2, 2)
    assert best.num_algorithms > 3


def test_fixed_paths_are_shortest() -> None:
    """A path joins the routers of two processors and has as many channels as they are apart."""
    fat = network("fat-octagon:2")
    problem = Problem(fat, named("aas", fat))
    for here in range(fat.num_processors):
        for there in range(fat.num_processors):
            path = shortest_path(problem, here, there)
            assert len(path) == fat.processor_distances[here, there]
            routers = [int(fat.router_of[here]), *(int(fat.heads[c]) for c in path)]
            assert [int(fat.tails[c]) for c in path] == routers[:-1]
            assert routers[-1] == fat.router_of[there]


def test_without_smpirun_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names Debian's package."""
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(PavaneError, match="apt install libsimgrid-dev"):
        baseline(triangle()[0])
