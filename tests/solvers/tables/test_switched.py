"""All-to-all on networks with switches: clusters with rails and trees at the bound."""

from typing import Any

import numpy as np
import pytest

from pavane.bounds import lower_bounds
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.tables import solve_by_table
from pavane.solvers.constructions.open_shop.translated import Translated
from pavane.solvers.tables.switched import switched_paths
from tests.checker import judge
from tests.model.test_symmetric_schedule import PASSING
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "rules", "steps"),
    [
        *[("rails:128,8", PASSING, 1_016), ("rails:128,8", {}, 1_016), ("rails:128,8", {"ports": 1}, 1_023)],
        *[("rails:3,7", PASSING, 18), ("rails:3,7", {}, 18), ("rails:1250,8", PASSING, 9_992)],
        *[("dgx-h100:4", PASSING, 24), ("nvl:72", {}, 4), ("kary-tree:10,3", {}, 999)],
        *[("kary-tree:10,3", PASSING, 999), ("kary-tree:2,5", {"ports": 1}, 31), ("fat-tree:8", {}, 124)],
        ("fat-tree:8", {"ports": 1}, 127),
    ],
)
def test_at_the_bound(spec: str, rules: dict[str, Any], steps: int) -> None:
    """Tables have as many steps as rails, links of hosts or ports must carry, and are proven optimal."""
    result = solve_by_table(problem_of(spec, "AAS", **rules))
    assert result is not None
    assert (result.num_steps, result.status) == (steps, "optimal")


@pytest.mark.parametrize(
    ("spec", "kind", "rules"),
    [
        ("rails:4,3", "AAB", {}),
        ("rails:4,3", "AAS", {"switching": "store-and-forward"}),
        ("rails:4,3", "AAS", {"switching": "tdm"}),
        ("rails:4,3", "AAS", {"duplex": "half"}),
        ("torus:4x4", "AAS", {}),
        ("dgx-2:2", "AAS", {}),
    ],
)
def test_what_it_is_not_for(spec: str, kind: str, rules: dict[str, Any]) -> None:
    """Other networks, collectives and rules have no such table."""
    assert switched_paths(problem_of(spec, kind, **rules)) is None


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
def test_on_rails_steps_are_what_a_link_must_carry(name: str, pieces: int, steps: int) -> None:
    """A NIC sends to all GPUs of other boxes, a link inside to or for all others of its box: the slower decides."""
    machine = network(name)
    problem = Problem(machine, named("AAS", machine, pieces=pieces), Rules(**PASSING))
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
    problem = Problem(shuffled, "alltoall", Rules(**PASSING))
    result = Translated()(problem, None, 0, Budget())
    assert result.schedule is not None
    assert (result.num_steps, judge(problem, result.schedule)) == (9, set())


@pytest.mark.parametrize("name", ["nvl:8", "mesh:3x3", "fat-tree:2", "dgx-2:2", "rails:2,2"])
def test_without_rails_nothing_is_written_out(name: str) -> None:
    """One switch, no switches, other links, and switches where messages rest."""
    rules = Rules("store-and-forward") if name == "rails:2,2" else Rules(**PASSING)
    assert not Translated().supports(Problem(network(name), "alltoall", rules))


def test_links_of_different_width_have_no_table() -> None:
    """All links inside are alike, and all NICs."""
    machine = network("rails:3,3")
    widths = np.ones(machine.num_channels, dtype=np.int64)
    widths[:2] = 2
    uneven = Network("uneven", machine.num_routers, machine.channels, machine.router_of, capacities=widths)
    assert not Translated().supports(Problem(uneven, "alltoall", Rules(**PASSING)))
