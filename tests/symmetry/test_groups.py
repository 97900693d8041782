"""Groups of symmetries: closed, and no member but the identity leaves a processor or a channel in its place."""

import numpy as np
import pytest

from pavane.model.collectives import named
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.symmetry.groups import free_groups
from tests.problems import problem_of

RULES = Rules(ports=1, routing="any", combining=True)


@pytest.mark.parametrize("spec", ["ring:8", "mesh:4x4", "hierarchical-rings:4,4", "kautz:3,2", "petersen", "torus:4x4"])
@pytest.mark.parametrize("kind", ["AAS", "AAB"])
def test_groups_are_free_and_closed(spec: str, kind: str) -> None:
    """Each member moves everything, keeps the network, and one after another is a third or none."""
    made = network(spec)
    groups = free_groups(Problem(made, named(kind, made), RULES))
    assert len(groups) > 1
    assert groups[-1] == ()
    for group in groups:
        members = {s.processors.tobytes() for s in group} | {np.arange(made.num_processors).tobytes()}
        for one in group:
            assert (one.processors != np.arange(made.num_processors)).all()
            assert (one.channels != np.arange(made.num_channels)).all()
            assert np.array_equal(one.routers[made.channels], made.channels[one.channels])
            assert all(one.processors[other.processors].tobytes() in members for other in group)


def test_a_ring_turns_and_a_root_stays() -> None:
    """A ring of 8 has groups of order 8; a scatter from one root has no symmetry that moves everyone."""
    ring = network("ring:8")
    assert len(free_groups(Problem(ring, named("AAS", ring), RULES))[0]) == 7
    assert free_groups(Problem(ring, named("OAS", ring), RULES)) == ((),)


def test_who_cannot_send_has_no_symmetries() -> None:
    """Where a processor has no way to send, there are no groups, and nothing is raised."""
    star = network("star:3").without(channels=[0])
    problem = Problem(star, reduce_to(star), Rules(switching="store-and-forward", combining=True))
    assert free_groups(problem) == ((),)


def reduce_to(star: Network) -> Collective:
    """Return a reduction to those that can be reached."""
    return Collective("AAR", tuple(range(star.num_processors)), (0, 2))


def test_large_networks_have_no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for symmetries takes too long there; the group without a member is left."""
    monkeypatch.setattr("pavane.symmetry.groups.MOST_ROUTERS", 4)
    problem = problem_of("ring:7", "AAB", combining=True)
    free_groups.cache_clear()
    assert free_groups(problem) == ((),)
    free_groups.cache_clear()
