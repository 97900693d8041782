"""Groups of symmetries for packing: they move everything, do no harm, and lift to schedules of the whole problem."""

import numpy as np
import pytest

from pavane.model.collectives import alltoall, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import PathFinder
from pavane.solvers.large_scatter.packing import Packing
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.symmetry.involutions import Symmetry, free_involutions
from pavane.symmetry.orbits import groups_for_filling, is_harmless, quotient
from tests.problems import problem_of

QUICK = Packing(symmetric=True, most_cells=20_000_000)


@pytest.mark.parametrize(
    ("text", "order"), [("torus:6x6", 4), ("torus:4x6", 8), ("ring:8", 2), ("torus:5x5", 1), ("mesh:4x4", 4)]
)
def test_the_order_of_the_group(text: str, order: int) -> None:
    """Half turns in every dimension of even size, reflections of rings of four and of meshes; nothing in odd tori."""
    assert len(quotient(problem_of(text))) + 1 == order


@pytest.mark.parametrize("text", ["torus:4x6", "mesh:4x4", "hypercube:4", "kautz:2,3", "ring:6"])
def test_harm_is_two_channels_of_an_orbit_on_a_shortest_path(text: str) -> None:
    """The distances tell the same as all shortest paths looked at one by one."""
    problem = problem_of(text)
    made = problem.network
    finder = PathFinder(problem, np.random.default_rng(0), 100_000, 0)
    pairs = [(a, b) for a in range(made.num_routers) for b in range(made.num_routers) if a != b]
    for symmetry in free_involutions(problem):
        harmed = any(
            set(symmetry.channels[list(path)].tolist()) & set(path)
            for source, target in pairs
            for path in finder.between(source, target)
        )
        assert is_harmless(problem, symmetry) == (not harmed)


def test_a_reversal_of_a_line_is_harmless_and_half_a_turn_of_a_directed_ring_is_not() -> None:
    """In a ring of one direction a path may go more than half the way round."""
    directed = Network("directed", 6, [(r, (r + 1) % 6) for r in range(6)])
    problem = Problem(directed, alltoall(directed), Rules())
    turned = Symmetry.of(problem, (np.arange(6) + 3) % 6)
    assert turned is not None
    assert turned.is_free
    assert not is_harmless(problem, turned)
    assert quotient(problem) == ()
    line = problem_of("line:6")
    reversed_ = Symmetry.of(line, np.arange(6)[::-1])
    assert reversed_ is not None
    assert is_harmless(line, reversed_)


@pytest.mark.parametrize(
    "rules", [Rules(ports=1), Rules(duplex="half"), Rules(routing="dimension-order")], ids=["port", "half", "turns"]
)
def test_other_rules_have_no_quotient_and_no_groups(rules: Rules) -> None:
    """Ports, links and turns are not counted by orbits."""
    assert quotient(problem_of("torus:4x4", "AAS", rules)) == ()
    assert groups_for_filling(problem_of("torus:4x4", "AAS", rules)) == ()


@pytest.mark.parametrize("text", ["torus:4x6", "torus:4x4x4", "mesh:6x6", "hypercube:5"])
def test_packed_orbits_are_schedules_of_the_whole(text: str) -> None:
    """Every message is delivered without conflict, and images share a step."""
    problem = problem_of(text)
    result = QUICK(problem, None, 0, Budget())
    assert result.schedule is not None
    step_of = np.empty(problem.num_messages, dtype=np.int64)
    step_of[result.schedule.messages] = result.schedule.starts
    for symmetry in quotient(problem):
        assert np.array_equal(step_of, step_of[symmetry.messages])


def test_there_is_no_answer_without_symmetry() -> None:
    """A random network has no group, and packing by orbits says so."""
    assert QUICK(problem_of("random-regular:24,3,1"), None, 0, Budget()).schedule is None


def test_columns_of_orbits_are_a_part_of_all() -> None:
    """As many times fewer messages and channels as the group has members."""
    problem = problem_of("torus:4x4")
    group = quotient(problem)
    columns = ScatterArrays.of(problem, group)
    assert columns.num_messages * (1 + len(group)) == problem.num_messages
    assert columns.num_units * (1 + len(group)) == problem.network.num_channels


def test_part_of_the_processors_may_leave_no_symmetry() -> None:
    """A symmetry must map messages to messages."""
    made = network("torus:4x4")
    assert quotient(Problem(made, named("MNS", made, senders=(0, 1), receivers=(2, 3)), Rules())) == ()


@pytest.mark.parametrize("text", ["torus:4x6", "torus:8x8", "hypercube:4", "hyperx:3x3", "mesh:4x4"])
def test_groups_for_filling_are_free(text: str) -> None:
    """Groups are closed, no member but the identity leaves a router, a channel or a message, and the largest lead."""
    problem = problem_of(text)
    groups = groups_for_filling(problem)
    assert [group.order for group in groups] == sorted((group.order for group in groups), reverse=True)
    assert groups
    for group in groups:
        members = group.symmetries(problem)
        assert len(members) == group.order - 1
        known = {member.routers.tobytes() for member in members} | {np.arange(problem.network.num_routers).tobytes()}
        for member in members:
            assert member.is_free
            assert (member.routers != np.arange(problem.network.num_routers)).all()
            assert all(member.then(other).routers.tobytes() in known for other in members)


def test_a_hypercube_has_all_of_its_translations() -> None:
    """The largest group for filling takes every router to every other one."""
    assert groups_for_filling(problem_of("hypercube:5"))[0].order == 32


def test_a_group_under_which_a_message_has_no_path_is_not_kept() -> None:
    """Turning a ring takes the first channel of some path to a later one, unless it is turned by half."""
    for group in groups_for_filling(problem_of("ring:8")):
        for routers in (member.routers for member in group.symmetries(problem_of("ring:8"))):
            assert (routers[1] - routers[0]) % 8 == 7 or routers[0] == 4
