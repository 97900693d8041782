"""Lower bounds on occupancy and start-ups: never above what is reached, and proven again by their checker."""

from __future__ import annotations

from itertools import combinations, product
from typing import Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pavane.bounds import explain, lower_bounds
from pavane.bounds.occupancy import explain_occupancy, occupancy_bound, occupancy_bounds
from pavane.bounds.start_ups import start_up_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.judge.occupancy import proven_occupancy
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.collectives import alltoall, dual, named, pairs, reduce_scatter, scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import Action, State, TooMany, _Search, fewest_steps
from tests.bounds.tiny import BROADCAST, PRIVATE, tiny_problems

Ports = int | Literal["all"]


def combined(spec: str, kind: str, ports: Ports = 1) -> Problem:
    """Return a combining problem on a network of the catalogue."""
    where = network(spec)
    return Problem(where, named(kind, where), Rules(ports=ports, combining=True))


REACHED: list[tuple[str, str, Ports, int, int, int]] = [
    ("ring:8", "AAB", 1, 3, 7, 7),
    ("ring:8", "AAS", 1, 3, 12, 12),
    ("ring:8", "AAS", 1, 8, 8, 8),
    ("mesh:4x4", "OAB", 1, 4, 4, 4),
    ("mesh:4x4", "OAS", 1, 4, 15, 15),
    ("mesh:4x4", "AAB", 1, 4, 15, 15),
    ("mesh:4x4", "AAR", 1, 4, 15, 15),
    ("mesh:4x4", "AAS", 1, 4, 32, 32),
    ("mesh:4x4", "AAS", 1, 5, 29, 25),
    ("mesh:4x4", "AAS", 1, 8, 23, 22),
    ("mesh:4x4", "AAS", 1, 16, 16, 16),
    ("hypercube:4", "AAS", 1, 4, 32, 32),
    ("hypercube:4", "AAS", 1, 15, 15, 15),
    ("kautz:3,2", "AAS", 1, 4, 20, 19),
    ("kautz:3,2", "AAS", "all", 2, 7, 7),
    ("hypercube:4", "AAS", "all", 3, 8, 8),
    ("mesh:4x4", "AAS", "all", 3, 21, 16),
    ("mesh:4x4", "AAS", "all", 4, 16, 16),
    ("hierarchical-rings:4,4", "AAS", 1, 5, 32, 32),
    ("hierarchical-rings:4,4", "AAB", 1, 5, 15, 15),
]
"""Network, collective, ports, then start-ups and occupancy that schedules have reached, and the occupancy proven."""


@pytest.mark.parametrize(("spec", "kind", "ports", "steps", "reached", "proven"), REACHED)
def test_bounds_stay_below_what_is_reached(
    spec: str, kind: str, ports: Ports, steps: int, reached: int, proven: int
) -> None:
    """No bound exceeds the occupancy of a known schedule, for its own start-ups or for any number."""
    problem = combined(spec, kind, ports)
    assert start_up_bounds(problem)[0].steps <= steps
    best = occupancy_bound(problem, steps)
    assert best.tco == proven <= reached
    assert occupancy_bound(problem).tco <= best.tco


@pytest.mark.parametrize(("spec", "kind", "ports", "steps", "reached", "proven"), REACHED[::3])
def test_certificates_prove_the_figures(
    spec: str, kind: str, ports: Ports, steps: int, reached: int, proven: int
) -> None:
    """The checker proves every bound again from the problem and the certificate, and each has its words."""
    problem = combined(spec, kind, ports)
    for bound in (*occupancy_bounds(problem, steps), *occupancy_bounds(problem)):
        assert proven_occupancy(problem, bound) == bound.tco
        assert explain_occupancy(problem, bound)
    for start_up in start_up_bounds(problem):
        assert proven_steps(problem, start_up) == start_up.steps
        assert explain(problem, start_up)


@pytest.mark.parametrize("kind", ["AAB", "AAS"])
@pytest.mark.parametrize(("ports", "steps"), [(1, 4), (3, 2), ("all", 2)])
def test_start_ups_grow_with_the_logarithm(kind: str, ports: Ports, steps: int) -> None:
    """Under combining ceil(log P / log(k + 1)) start-ups are needed for private messages as for broadcasts."""
    assert start_up_bounds(combined("hypercube:4", kind, ports))[0].steps == steps


@pytest.mark.parametrize("kind", ["AAS", "AAB"])
def test_narrow_cuts_raise_the_start_ups(kind: str) -> None:
    """On hierarchical rings of 64 few channels leave a group of 16, so 1-port needs 8 start-ups, not log2 64 = 6."""
    problem = combined("hierarchical-rings:4,4,4", kind)
    assert lower_bounds(problem)[0].steps == 6
    best = start_up_bounds(problem)[0]
    assert (best.steps, best.argument) == (8, "crossing")
    assert proven_steps(problem, best) == 8
    assert explain(problem, best) == (
        "768 pairs of origin and target lie across a cut around 16 routers, where 2 transfers a step can cross; "
        "in 7 steps they can serve 704"
    )


def test_moves_in_words() -> None:
    """On a ring of 8 three steps reach 3 targets directly, 3 over one relay and 1 over two: 12 moves an origin."""
    problem = combined("ring:8", "AAS")
    best = occupancy_bound(problem, 3)
    assert best == OccupancyBound(12, 3, "moves", {"side": "origins", "moves": 96, "per-step": 8})
    assert explain_occupancy(problem, best) == (
        "in 3 steps too few targets are reached directly: messages must be moved 96 times in all, "
        "and a unit of occupancy moves 8"
    )


def test_words_speak_of_occupancy() -> None:
    """Bounds that come from steps without combining are told in units of occupancy."""
    problem = combined("kautz:3,2", "AAS", "all")
    assert explain_occupancy(problem, occupancy_bound(problem)) == (
        "the messages have 228 channels to cover in all, and a unit of occupancy has 36"
    )
    one = combined("ring:8", "AAB")
    assert explain_occupancy(one, occupancy_bound(one)) == (
        "processor 0 must receive 7 messages, 1 per unit of occupancy"
    )


def test_too_few_start_ups_are_refused() -> None:
    """No occupancy is bounded where no schedule can be."""
    with pytest.raises(InputError, match=r"no schedule has 3 start-ups; at least 4 are needed \(growth\)"):
        occupancy_bounds(combined("mesh:4x4", "AAS"), 3)


def test_without_combining_there_is_nothing_to_bound() -> None:
    """Occupancy and start-ups are the steps then, which have bounds of their own."""
    ring = network("ring:4")
    problem = Problem(ring, named("AAS", ring))
    for ask in (occupancy_bounds, start_up_bounds):
        with pytest.raises(InputError, match="combining"):
            ask(problem)
    for bound in (OccupancyBound(2, 2, "start-ups", {}),):
        with pytest.raises(InputError, match="combining"):
            proven_occupancy(problem, bound)


def test_reductions_are_bounded_as_their_duals() -> None:
    """A reduce-scatter has the bounds of the allgather that it is when read backwards."""
    where = Network("lopsided", 4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    problem = Problem(where, reduce_scatter(where), Rules(ports=1, combining=True))
    for steps in (None, 4):
        bounds = occupancy_bounds(problem, steps)
        assert bounds == occupancy_bounds(dual(problem), steps)
        assert [proven_occupancy(problem, bound) for bound in bounds] == [bound.tco for bound in bounds]
        assert explain_occupancy(problem, bounds[0]).startswith("read backwards: ")


@pytest.mark.parametrize(
    ("spec", "kind", "argument", "certificate", "text"),
    [
        ("ring:4", "AAS", "channel-prices", {"channels": [[1, 99]], "injection": [], "ejection": []}, "does not exist"),
        ("ring:4", "AAS", "channel-prices", {"channels": [[-1, 0]], "injection": [], "ejection": []}, "whole number"),
        (
            "ring:4",
            "AAS",
            "channel-prices",
            {"channels": [], "injection": [], "ejection": []},
            "prices nothing",
        ),
        ("ring:4", "AAB", "channel-prices", {"channels": [[1, 0]], "injection": [], "ejection": []}, "private"),
        ("ring:4", "AAS", "cut", {"routers": [0]}, "private messages are bounded by prices"),
        ("ring:4", "AAB", "cut", {"routers": [7]}, "do not exist"),
        ("ring:4", "AAB", "cut", {}, "no known kind"),
        ("ring:4", "AAS", "moves", {"side": "origins"}, "for a number of start-ups"),
        ("ring:4", "AAS", "start-ups", {}, "cannot be read"),
    ],
)
def test_spoilt_certificates_prove_nothing(
    spec: str, kind: str, argument: str, certificate: dict[str, object], text: str
) -> None:
    """A certificate that makes no sense is refused, with a line that says why."""
    with pytest.raises(InputError, match=text):
        proven_occupancy(combined(spec, kind), OccupancyBound(99, None, argument, certificate))


@pytest.mark.parametrize(
    ("argument", "certificate", "text"),
    [
        ("crossing", {"routers": []}, "nothing must cross"),
        ("crossing", {"routers": [9]}, "do not exist"),
        ("growth", {"origin": 9}, "processor 9 has no message"),
        ("distance", {"from": 0, "to": 1}, "store-and-forward"),
        ("wisdom", {}, "no known kind"),
    ],
)
def test_spoilt_certificates_of_start_ups_prove_nothing(
    argument: str, certificate: dict[str, object], text: str
) -> None:
    """The same for bounds on start-ups."""
    with pytest.raises(InputError, match=text):
        proven_steps(combined("ring:4", "AAS"), Bound(99, argument, certificate))


def test_a_certificate_is_not_believed_but_counted() -> None:
    """Figures that a certificate claims do not matter: the checker counts its own."""
    problem = combined("ring:8", "AAS")
    boast = OccupancyBound(99, 3, "moves", {"side": "origins", "moves": 10**6, "per-step": 1})
    assert proven_occupancy(problem, boast) == 12


def test_few_ports_count_as_much_as_many_targets() -> None:
    """Start-ups are bounded by whoever needs most, here the corner with 2 targets over one port."""
    where = Network("corner", 5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 1), (2, 1), (1, 3), (1, 4), (1, 0)])
    problem = Problem(where, pairs([(0, 2), (0, 3), (1, 2), (1, 3), (1, 4)]), Rules(combining=True))
    assert lower_bounds(problem)[-1].steps == 1
    growth = next(bound for bound in start_up_bounds(problem) if bound.argument == "growth")
    assert growth.steps == 2
    assert growth.certificate["origin"] == 0


def test_far_targets_are_counted_under_store_and_forward() -> None:
    """Two targets two hops away cannot both be reached in two steps over one port."""
    where = network("line:5")
    problem = Problem(where, scatter(where, 2, [0, 4]), Rules("store-and-forward", 1, combining=True))
    with pytest.raises(InputError, match="no schedule has 2 start-ups: too many targets are far away"):
        occupancy_bounds(problem, 2)
    assert occupancy_bound(problem, 3).tco == 3
    around = Network("around", 3, [(0, 1), (1, 2), (2, 0)])
    stored = Problem(around, alltoall(around), Rules("store-and-forward", 1, combining=True))
    (moves,) = (bound for bound in occupancy_bounds(stored, 2) if bound.argument == "moves")
    assert moves.certificate == {"side": "origins", "moves": 3 * (1 + 2), "per-step": 3}
    assert proven_occupancy(stored, moves) == moves.tco == 3


class _Occupancies(_Search):
    """Every schedule of a tiny problem, by start-ups and occupancy."""

    def least(self, num_steps: int) -> int | None:
        """Return the least occupancy of any schedule of so many steps; None where there is none."""
        labels = self.problem.labels.tolist()
        wanted = [0] * len(self.homes)
        for message, label in enumerate(labels):
            for target in label[1:] or [r for r in self.problem.collective.receivers if r != label[0]]:
                wanted[target] |= 1 << message
        first = tuple(sum(1 << m for m, label in enumerate(labels) if label[0] == p) for p in range(len(self.homes)))
        reached: dict[int, set[State]] = {0: {first}}
        for _ in range(num_steps):
            later: dict[int, set[State]] = {}
            for spent, states in reached.items():
                for state in states:
                    for width in range(1, len(labels) + 1):
                        later.setdefault(spent + width, set()).update(self.after(state, width))
            reached = {spent: self.largest(states) for spent, states in later.items() if states}
        done = [
            spent
            for spent, states in reached.items()
            if any(all(w & ~s == 0 for w, s in zip(wanted, state, strict=True)) for state in states)
        ]
        return min(done, default=None)

    def after(self, state: State, width: int) -> set[State]:
        """Return the states after a step in which every transfer carries at most `width` messages."""
        actions = [Action(move, 0) for move in self.moves if state[move.sender] & ~state[move.receiver]]
        found: set[State] = set()
        for chosen in self.fitting(actions, 0, 0, (0,) * (2 * len(self.homes))):
            payloads = []
            for move, _ in chosen:
                fresh = state[move.sender] & ~state[move.receiver]
                bits = [1 << m for m in range(fresh.bit_length()) if fresh >> m & 1]
                payloads.append([sum(some) for some in combinations(bits, min(width, len(bits)))])
            for carried in product(*payloads):
                self.tries_left -= 1
                if self.tries_left < 0:
                    raise TooMany
                rows = list(state)
                for (move, _), load in zip(chosen, carried, strict=True):
                    rows[move.receiver] |= load
                if chosen:
                    found.add(tuple(rows))
        return found


DUMBBELL = Network("dumbbell", 2, [(0, 1), (1, 0)], [0, 0, 1, 1])


@pytest.mark.parametrize("kind", ["AAS", "AAB", "OAS"])
@pytest.mark.parametrize("where", [network("line:3"), network("line:4"), network("star:4"), DUMBBELL], ids=str)
def test_no_small_schedule_has_fewer_start_ups(where: Network, kind: str) -> None:
    """On bottlenecks, too, the bounds stay below the fewest start-ups and, where all can be tried, the occupancy."""
    problem = Problem(where, named(kind, where), Rules(ports=1, combining=True))
    fewest = fewest_steps(problem, 60_000)
    assert fewest is not None
    assert start_up_bounds(problem)[0].steps <= fewest
    if kind == "OAS":
        least = _Occupancies(problem, 60_000).least(fewest)
        assert least is not None
        assert occupancy_bound(problem, fewest).tco <= least


@settings(max_examples=70)
@given(problem=tiny_problems(kinds=PRIVATE + BROADCAST, combining=(True,)), more=st.integers(0, 1))
def test_no_tiny_schedule_beats_a_bound(problem: Problem, more: int) -> None:
    """On networks so small that all schedules can be tried, none has fewer start-ups or a lower occupancy."""
    start_ups = start_up_bounds(problem)
    steps = start_ups[0].steps + more
    for start_up in start_ups:
        assert proven_steps(problem, start_up) == start_up.steps
    bounds = list(occupancy_bounds(problem))
    is_possible = True
    try:
        bounds += occupancy_bounds(problem, steps)
    except InputError:
        is_possible = False
    for bound in bounds:
        assert proven_occupancy(problem, bound) == bound.tco
    try:
        if more == 0 and steps > 1:
            assert _Occupancies(problem, 20_000).least(steps - 1) is None
        least = _Occupancies(problem, 20_000).least(steps)
    except TooMany:
        assume(False)
        raise
    if least is not None:
        assert is_possible
        assert max(bound.tco for bound in bounds) <= least
