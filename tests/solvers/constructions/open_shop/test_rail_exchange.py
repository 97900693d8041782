"""All-to-all scatter on boxes joined by rails: at the bound, whatever the numbers of boxes, GPUs and rails."""

import numpy as np
import pytest

from pavane.bounds import lower_bounds
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.open_shop.translated import Translated
from tests.checker import judge

PASSING = Rules("store-and-forward", switches="pass")


@pytest.mark.parametrize(
    ("name", "pieces", "steps"),
    [
        ("rails:2,2", 1, 2),
        ("rails:3,4", 1, 9),  # inside: 3 other GPUs of each of 3 boxes
        ("rails:4,3", 1, 9),  # rails: 3 GPUs of each of 3 other boxes
        ("rails:3,3", 2, 12),
        ("rails:3,4,2,1", 1, 8),
        ("rails:4,3,1,2", 1, 8),
        ("dgx-a100:2", 1, 8),  # two rails: GPUs of one parity reach each other
        ("dgx-h100:3", 1, 16),
        ("rails:4,1", 1, 3),
    ],
)
def test_steps_are_what_a_link_must_carry(name: str, pieces: int, steps: int) -> None:
    """A NIC sends to all GPUs of other boxes, a link inside to or for all others of its box: the slower decides."""
    machine = network(name)
    problem = Problem(machine, named("AAS", machine, pieces=pieces), PASSING)
    result = Translated()(problem, None, 0, Budget())
    assert result.schedule is not None
    assert result.num_steps == steps
    assert judge(problem, result.schedule) == set()
    assert max(bound.figure for bound in lower_bounds(problem)) == steps
    assert Translated()(problem, steps - 1, 0, Budget()).schedule is None


def test_numbers_of_routers_and_processors_do_not_matter() -> None:
    """Boxes and rails are recognized by their links, in any order."""
    machine = network("rails:3,4")
    rng = np.random.default_rng(0)
    place, order = rng.permutation(machine.num_routers), rng.permutation(machine.num_processors)
    channels = rng.permutation(place[machine.channels])
    shuffled = Network("shuffled", machine.num_routers, channels, place[machine.router_of][order])
    problem = Problem(shuffled, "alltoall", PASSING)
    result = Translated()(problem, None, 0, Budget())
    assert result.schedule is not None
    assert (result.num_steps, judge(problem, result.schedule)) == (9, set())


@pytest.mark.parametrize("name", ["nvl:8", "mesh:3x3", "fat-tree:2", "dgx-2:2", "rails:2,2"])
def test_other_networks_and_rules_are_not_supported(name: str) -> None:
    """One switch, no switches, other links, and switches where messages rest."""
    rules = Rules("store-and-forward") if name == "rails:2,2" else PASSING
    assert not Translated().supports(Problem(network(name), "alltoall", rules))


def test_links_of_different_width_are_not_supported() -> None:
    """All links inside are alike, and all NICs."""
    machine = network("rails:3,3")
    widths = np.ones(machine.num_channels, dtype=np.int64)
    widths[:2] = 2
    uneven = Network("uneven", machine.num_routers, machine.channels, machine.router_of, capacities=widths)
    assert not Translated().supports(Problem(uneven, "alltoall", PASSING))
