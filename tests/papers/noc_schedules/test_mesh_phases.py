"""Rotation in rows, then in columns, on meshes: noc Tables 2 and 3."""

import pytest
from papers.noc_schedules.mesh_phases import mesh_phases

from pavane.model.problem import Rules
from pavane.networks import network
from tests.papers.noc_schedules.judged import PLAIN, declines, figures, problem, renamed, with_link
from tests.solvers.constructions.judged import shuffled

SHAPES = [(h, w) for h in range(2, 7) for w in range(2, 6)] + [(1, 7), (8, 2)]
ROTATION = mesh_phases


@pytest.mark.parametrize(("height", "width"), SHAPES)
def test_rotation(height: int, width: int) -> None:
    """AAB takes w + h - 2 start-ups, TCO P - 1; AAS as many, TCO P(w + h - 2)/2; AAB without combining P - 1."""
    mesh, size, startups = f"mesh:{height}x{width}", height * width, height + width - 2
    assert figures(ROTATION, problem(mesh, "AAB")) == (startups, size - 1)
    assert figures(ROTATION, problem(mesh, "AAS")) == (startups, size * startups // 2)
    assert figures(ROTATION, problem(mesh, "AAB", PLAIN)) == (size - 1, size - 1)


def test_a_mesh_is_known_by_its_channels() -> None:
    """Numbers and names of routers do not matter; a ring of 4 and a line are meshes."""
    for seed in range(5):
        for text in ("mesh:3x5", "mesh:5x3"):
            assert figures(ROTATION, problem(shuffled(network(text), seed), "AAS")) == (6, 45)
    assert figures(ROTATION, problem("ring:4", "AAB")) == (2, 3)
    assert figures(ROTATION, problem(shuffled(network("line:6"), 1), "AAS")) == (5, 15)


@pytest.mark.parametrize("routing", ["minimal", "any", "dimension-order", "west-first", "north-last"])
def test_straight_paths_are_for_every_routing(routing: str) -> None:
    """Within a row or a column no path turns, forwards and backwards; more ports do no harm."""
    for ports in (1, "all"):
        rules = Rules(ports=ports, routing=routing, combining=True)  # type: ignore[arg-type]
        assert figures(ROTATION, problem("mesh:3x4", "AAS", rules)) == (5, 30)


def test_declines() -> None:
    """Near misses of meshes, whatever their name, and rules that the construction would break are not for it."""
    mesh = network("mesh:4x4")
    for made in (
        mesh.without(links=[(5, 6)]),
        mesh.without(links=[(0, 1)]),
        mesh.without(channels=[7]),
        mesh.without(processors=[3]),
        mesh.with_processors(2),
        with_link(mesh, 0, 5),
        with_link(mesh, 0, 1),
        renamed(network("torus:4x4"), "mesh:4x4"),
        network("hierarchical-rings:4,4"),
        network("mesh:2x2x3"),
    ):
        assert declines(ROTATION, problem(made, "AAB"))
    for rules in (
        Rules(ports=1, duplex="half", combining=True),
        Rules(ports=1, switching="store-and-forward", combining=True),
    ):
        assert declines(ROTATION, problem(mesh, "AAB", rules))
    assert declines(ROTATION, problem(mesh, "AAS", PLAIN))


def test_a_row_that_turns_is_not_straight() -> None:
    """A mesh cut to one winding line has paths that turn: rotation is declined under dimension-order routing."""
    snake = network("mesh:2x3").without(links=[(0, 3), (1, 4)])
    rules = Rules(ports=1, routing="dimension-order", combining=True)
    assert declines(ROTATION, problem(snake, "AAB", rules))
    assert figures(ROTATION, problem(snake, "AAB")) == (5, 5)
