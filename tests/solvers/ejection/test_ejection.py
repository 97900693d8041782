"""Ejection search reaches proven optima, for all messages, one per orbit, or along paths of an integer program."""

import numpy as np
import pytest

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.ejection import Ejection, symmetries_of
from pavane.symmetry.involutions import free_involutions
from tests.problems import problem_of

MIRRORED = Ejection(paths="mirrored")

PLANNED = Ejection(paths="planned", most_paths=16, detour=1)


@pytest.mark.parametrize(
    ("spec", "steps", "rules"),
    [
        *[("heawood", 9, Rules()), ("spidergon:16", 16, Rules()), ("mesh:4x4", 16, Rules())],
        *[("mesh:4x4", 16, Rules(ports=1)), ("coated-mesh:4x4", 16, Rules(ports=1))],
        *[("fat-octagon:2", 16, Rules(ports=1)), ("kautz:3,3", 34, Rules()), ("ring:8", 16, Rules(duplex="half"))],
        ("hierarchical-rings:4,4", 32, Rules(ports=1)),
    ],
)
def test_ejection_reaches_the_optimum(spec: str, steps: int, rules: Rules) -> None:
    """The proven optima that the papers missed are found."""
    assert Ejection()(problem_of(spec, "AAS", rules), steps, 0, Budget()).num_steps == steps


def test_the_quotient_lifts_to_a_valid_schedule() -> None:
    """Half the messages scheduled give all of them, also on networks with parallel channels and fat routers."""
    for spec, steps in (("hypercube:4", 8), ("dgx-1", 4), ("fat-octagon:2", 17), ("kautz:3,2", 8)):
        result = MIRRORED(problem_of(spec), steps, 0, Budget())
        assert result.num_steps == steps, spec


@pytest.mark.parametrize(
    ("spec", "period", "rules"),
    [
        ("mesh:4x4", 19, Rules("tdm", ports=1, wrap=False)),
        ("ring:16", 35, Rules("tdm", ports=1, wrap=False)),
        ("levi", 30, Rules("tdm", ports=1)),
    ],
)
def test_one_packet_of_each_orbit_meets_the_bound_in_slots(spec: str, period: int, rules: Rules) -> None:
    """Groups of several symmetries find tables without slack that one of order two misses."""
    assert MIRRORED(problem_of(spec, "AAS", rules), period, 0, Budget()).num_steps == period


@pytest.mark.parametrize(
    ("spec", "wrap", "period"), [("mesh:3x3", False, 12), ("mesh:3x3", True, 12), ("star:5", True, 5)]
)
def test_a_table_may_read_the_same_backwards(spec: str, wrap: bool, period: int) -> None:
    """Without another symmetry every packet has its way back at the mirrored time."""
    problem = problem_of(spec, "AAS", Rules("tdm", ports=1, wrap=wrap))
    (way,) = symmetries_of(problem)
    assert way.reversal is not None
    schedule = MIRRORED(problem, period, 0, Budget()).schedule
    assert schedule is not None
    starts = {(transfer.sender, transfer.receiver): transfer for transfer in schedule}
    for (sender, receiver), there in starts.items():
        back = starts[receiver, sender]
        assert [problem.network.opposite[channel] for channel in reversed(there.path)] == list(back.path)
        assert (there.start + back.start + len(there.path) + 2) % period == 0


def test_without_a_symmetry_there_is_no_answer() -> None:
    """A network without a symmetry of order two ends the walk at once, whatever the number of steps."""
    star = problem_of("star:5")
    assert not list(free_involutions(star))
    for num_steps in (None, 100):
        assert MIRRORED(star, num_steps, 0, Budget()).schedule is None


def test_a_message_that_meets_its_image_leaves_no_schedule() -> None:
    """Half a turn of a directed ring takes a path of three channels to one that meets it, in any step."""
    problem = problem_of("ring:4,oneway", "AAS")
    assert MIRRORED(problem, None, 0, Budget()).schedule is None


def test_route_then_colour_beats_shortest_paths() -> None:
    """With detours Kautz 36 needs 32 steps; shortest paths need 34."""
    assert PLANNED(problem_of("kautz:3,3", routing="any"), 32, 0, Budget()).num_steps == 32


def test_pieces_share_out_their_paths() -> None:
    """The pieces of a message take the paths that the integer program gives them: Kautz 12 in 30 pieces, 198 steps."""
    made = network("kautz:3,2")
    problem = Problem(made, named("AAS", made, pieces=30), Rules(routing="any"))
    result = PLANNED(problem, 198, 0, Budget())
    assert result.schedule is not None


def test_capacities_leave_more_room() -> None:
    """A ring whose channels carry two messages takes half the steps, paths picked or not."""
    ring = network("ring:8")
    wide = Network("wide", ring.routers, ring.channels, capacities=np.full(ring.num_channels, 2))
    assert PLANNED(Problem(wide, named("AAS", wide), Rules(routing="any")), 4, 0, Budget()).num_steps == 4
