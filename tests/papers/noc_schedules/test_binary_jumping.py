"""Binary jumping on rings and meshes: noc Tables 2 and 3."""

import pytest
from papers.noc_schedules.binary_jumping import binary_jumping

from pavane.model.problem import Rules
from pavane.networks import network
from tests.papers.noc_schedules.judged import PLAIN, declines, figures, log2, problem, with_link
from tests.solvers.constructions.judged import shuffled

SOLVER = binary_jumping


@pytest.mark.parametrize("size", [*range(2, 10), 15, 16, 17])
def test_rings(size: int) -> None:
    """From every root of a ring OAB takes ceil(log2 P) start-ups and TCO, OAS as many and TCO P - 1."""
    startups = log2(size)
    for suffix in ("", ",oneway"):
        ring = f"ring:{size}{suffix}"
        for root in range(size) if size < 6 else (0, size // 2, size - 1):
            assert figures(SOLVER, problem(ring, "OAB", PLAIN, root)) == (startups, startups)
            assert figures(SOLVER, problem(ring, "OAS", root=root)) == (startups, size - 1)


@pytest.mark.parametrize(("height", "width"), [(1, 5), (2, 2), (2, 3), (3, 3), (5, 2), (4, 4), (3, 5), (6, 5), (8, 8)])
def test_meshes(height: int, width: int) -> None:
    """From every kind of root of a mesh OAB takes ceil(log2 w) + ceil(log2 h) start-ups, OAS has TCO P - 1."""
    size, startups = height * width, log2(height) + log2(width)
    mesh = network(f"mesh:{height}x{width}")
    for root in range(size) if size <= 9 else (0, 7, size // 2, size - 2):
        assert figures(SOLVER, problem(mesh, "OAB", PLAIN, root)) == (startups, startups)
        assert figures(SOLVER, problem(mesh, "OAS", root=root)) == (startups, size - 1)


@pytest.mark.parametrize("routing", ["minimal", "any", "dimension-order", "west-first", "north-last"])
def test_every_routing_and_half_duplex(routing: str) -> None:
    """Paths run straight and one way only."""
    rules = Rules(duplex="half", routing=routing, combining=True)  # type: ignore[arg-type]
    for mesh in ("mesh:2x2", "mesh:3x4", "torus:1x7", "torus:2x2"):
        size = network(mesh).num_routers
        for root in (0, size // 2, size - 1):
            assert figures(SOLVER, problem(mesh, "OAS", rules, root))[1] == size - 1


def test_known_by_channels() -> None:
    """Numbers and names of routers do not matter."""
    for seed in range(5):
        assert figures(SOLVER, problem(shuffled(network("ring:11"), seed), "OAS")) == (4, 10)
        assert figures(SOLVER, problem(shuffled(network("ring:11,oneway"), seed), "OAS")) == (4, 10)
        assert figures(SOLVER, problem(shuffled(network("mesh:3x4"), seed), "OAS")) == (4, 11)


def test_declines() -> None:
    """Other networks, missing receivers, OAS without combining and store-and-forward are not for it."""
    ring, mesh = network("ring:8"), network("mesh:3x4")
    for made in (
        with_link(ring, 0, 4),
        ring.without(channels=[0]),
        mesh.without(links=[(1, 5)]),
        with_link(mesh, 0, 5),
        mesh.without(processors=[2]),
        network("torus:3x4"),
    ):
        assert declines(SOLVER, problem(made, "OAB"))
    assert declines(SOLVER, problem(ring, "OAS", PLAIN))
    assert declines(SOLVER, problem(ring, "OAB", Rules(switching="store-and-forward")))
    assert declines(SOLVER, problem(ring, "AAB"))
    bent = network("mesh:2x3").without(links=[(1, 4)])
    assert declines(SOLVER, problem(bent, "OAB", Rules(routing="dimension-order")))
    assert figures(SOLVER, problem(bent, "OAB", Rules())) == (3, 3)
