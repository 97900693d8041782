"""The broadcast encoding."""

import numpy as np

from pavane.model.collectives import many_to_many_broadcast
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.evolutionary import broadcast
from pavane.solvers.evolutionary.encoding import Coding
from tests.problems import problem_of


def test_sources_lie_within_the_radius() -> None:
    """A possible source is the origin or a receiver, and no farther from its target than the radius."""
    asked = problem_of("hypercube:4", "AAB")
    for radius in (1, 2):
        code = broadcast.encoded(asked, 5, Coding(radius=radius), np.random.default_rng(0))
        targets = np.repeat(code.genome.target_of, np.diff(code.genome.first_source))
        apart = asked.network.distances[code.genome.source_of, targets]
        assert (apart.min(), apart.max()) == (1, radius)


def test_the_radius_suits_the_problem() -> None:
    """AAB floods; OAB reaches half the diameter, or all of it where every port counts; floods end in time."""
    assert broadcast.chosen_radius(problem_of("heawood", "AAB"), 5) == 1
    assert broadcast.chosen_radius(problem_of("levi", "OAB"), 3) == 2
    assert broadcast.chosen_radius(problem_of("ring:8", "OAB"), 2) == 4
    assert broadcast.chosen_radius(problem_of("spidergon:16", "OAB"), 2) == 4
    assert broadcast.chosen_radius(problem_of("line:9", "AAB"), 4) == 2


def test_the_radius_reaches_everyone() -> None:
    """However small a radius is asked for, receivers that lie farther apart can be informed."""
    hub = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])
    every = tuple(range(3))
    assert broadcast.least_radius(Problem(hub, Collective("AAB", every, every))) == 2
    far = Problem(network("ring:8"), many_to_many_broadcast((0,), (3, 5)))
    assert broadcast.least_radius(far) == 3
    code = broadcast.encoded(far, 2, Coding(radius=1), np.random.default_rng(0))
    assert (np.diff(code.genome.first_source) > 0).all()


def test_what_is_supported() -> None:
    """Broadcasts and reductions, not combined; under store-and-forward where receivers are neighbours."""
    stored = Rules(switching="store-and-forward")
    hub = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])
    every = tuple(range(3))
    assert broadcast.SUPPORTS(problem_of("ring:4", "AAR"))
    assert broadcast.SUPPORTS(problem_of("ring:4", "OAB", stored))
    assert not broadcast.SUPPORTS(problem_of("ring:4", "AAB", Rules(combining=True)))
    assert not broadcast.SUPPORTS(problem_of("ring:4", "AAS"))
    assert not broadcast.SUPPORTS(Problem(hub, Collective("AAB", every, every), stored))


def test_an_allreduce_is_supported_where_both_its_phases_are() -> None:
    """Two processors that need a relay under store-and-forward are no case for an encoding without relays."""
    allreduce = Collective("ALLREDUCE", (7, 4), (4,))
    for rules, is_supported in ((Rules("wormhole"), True), (Rules("store-and-forward"), False)):
        assert broadcast.SUPPORTS(Problem(network("mesh:2x4"), allreduce, rules)) == is_supported


def test_where_switches_pass_sources_are_one_step_away() -> None:
    """The radius counts steps, and paths lead over switches from processor to processor."""
    asked = problem_of("dgx-a100:2", "OAB", Rules(switching="store-and-forward", switches="pass"))
    assert broadcast.SUPPORTS(asked)
    code = broadcast.encoded(asked, 2, Coding(), np.random.default_rng(0))
    targets = np.repeat(code.genome.target_of, np.diff(code.genome.first_source))
    # In the other machine a GPU reaches those on its rail: numbers of the same parity.
    across = (code.genome.source_of < 8) != (targets < 8)
    assert across.any()
    assert (code.genome.source_of[across] % 2 == targets[across] % 2).all()
