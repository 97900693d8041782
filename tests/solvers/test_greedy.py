"""First fit answers everything, and some problems as well as can be."""

from __future__ import annotations

from itertools import product
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.bounds import counted_bounds
from pavane.judge.result import Provenance
from pavane.judge.rules import verify
from pavane.model.collectives import many_to_many_broadcast, many_to_many_scatter, named, pairs
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.solvers.greedy import MOST_HOLDERS_TRIED, Greedy
from tests.checker import judge
from tests.problems import problem_of
from tests.strategies import problems, problems_in_pieces

GREEDY = Greedy()


def steps(problem: Problem, seed: int = 0) -> int:
    """Return the number of steps that first fit takes, its schedule judged by the second judge."""
    result = GREEDY(problem, None, seed, Budget())
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    return result.schedule.num_steps


@pytest.mark.parametrize(
    ("text", "kind", "rules", "optimum"),
    [
        ("ring:4,oneway", "AAS", Rules(), 6),
        ("ring:8,oneway", "AAS", Rules(), 28),
        ("ring:8,oneway", "AAS", Rules(ports=1), 28),
        ("complete:8", "AAS", Rules(), 1),
        ("complete:8", "AAB", Rules(), 1),
        ("star:8", "OAB", Rules(), 1),
        ("star:8", "OAS", Rules(ports=1), 7),
        ("star:8", "AOG", Rules(), 1),
        ("star:8", "AOR", Rules(), 1),
        ("complete:8", "OAB", Rules(ports=1), 3),
        ("line:8", "OAB", Rules(switching="store-and-forward"), 7),
        ("line:8", "AOR", Rules(switching="store-and-forward"), 7),
        ("ring:8", "AAB", Rules(switching="store-and-forward"), 4),
        ("line:2", "AAS", Rules(duplex="half"), 2),
        ("line:2", "AAS", Rules(), 1),
    ],
)
def test_easy_optima(text: str, kind: str, rules: Rules, optimum: int) -> None:
    """Where first fit cannot go wrong it meets the bound."""
    made = network(text)
    problem = Problem(made, named(kind, made), rules)
    assert steps(problem) == counted_bounds(problem)[0].steps == optimum


def shapes() -> dict[str, Network]:
    """Return networks of all sorts: one-way, parallel, fat, with switches, of one router."""
    return {
        "one-way": network("kautz:2,2"),
        "parallel": Network("parallel", 3, [(0, 1), (0, 1), (1, 0), (1, 2), (2, 1), (2, 0)]),
        "fat": Network("fat", 2, [(0, 1), (1, 0)], [0, 0, 1, 1]),
        "switches": Network("hub", 5, [(0, r) for r in range(1, 5)] + [(r, 0) for r in range(1, 5)], [1, 2, 3, 4]),
        "one router": Network("one router", 1, [], [0, 0, 0]),
    }


@pytest.mark.parametrize("made", shapes().values(), ids=shapes())
def test_every_combination_is_answered(made: Network) -> None:
    """Every collective under every rule has an answer, and it is never shorter than a bound."""
    collectives: list[Collective] = [named(k, made) for k in ("OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR")]
    collectives += [many_to_many_broadcast((0, 1), (1, 2)), many_to_many_scatter((0, 1), (1, 2)), pairs([(0, 2)])]
    ports: tuple[int | Literal["all"], ...] = (1, "all") if made.num_channels else (1, 2)
    for collective, switching, port, duplex, (routing, combining) in product(
        collectives,
        ("wormhole", "store-and-forward"),
        ports,
        ("full", "half"),
        (("minimal", False), ("any", True)),
    ):
        problem = Problem(made, collective, Rules(switching, port, duplex, routing, combining))  # type: ignore[arg-type]
        assert GREEDY.supports(problem)
        assert steps(problem) >= counted_bounds(problem)[0].steps


@given(problems(), st.integers(0, 1000))
def test_drawn_problems_are_answered(problem: Problem, seed: int) -> None:
    """First fit answers every problem, for every seed."""
    # A processor without ports is the subject of the next test.
    assert steps(problem, seed) >= counted_bounds(problem)[0].steps


@given(problems_in_pieces(), st.integers(0, 1000))
def test_drawn_problems_in_pieces_are_answered(problem: Problem, seed: int) -> None:
    """Pieces, sizes and capacities are no obstacle, under any rules."""
    result = GREEDY(problem, None, seed, Budget())
    assert result.schedule is not None
    assert not verify(problem, result.schedule)
    assert result.schedule.num_steps >= counted_bounds(problem)[0].steps


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("kind", ["OAB", "AOR"])
def test_a_processor_without_ports_never_relays(kind: str, switching: str) -> None:
    """Where no channel leaves a router its processors, all-port, have no injection and pass nothing on."""
    ends = [(0, 1)] if kind == "OAB" else [(1, 0)]
    sink = Network("sink", 2, ends, [0, 1, 1, 1])
    problem = Problem(sink, named(kind, sink), Rules(switching=switching))  # type: ignore[arg-type]
    assert [steps(problem, seed) for seed in range(5)] == [3] * 5


def test_larger_networks_ask_the_nearest_holders() -> None:
    """Beyond 64 processors a broadcast asks the nearest holders only, and is valid all the same."""
    mesh = network("mesh:9x8")
    assert mesh.num_processors > MOST_HOLDERS_TRIED
    problem = Problem(mesh, named("OAB", mesh))
    assert steps(problem) >= counted_bounds(problem)[0].steps


@settings(max_examples=10)
@given(st.integers(0, 2**31))
def test_seeds_change_the_order_only(seed: int) -> None:
    """Any seed gives a valid schedule, the same one every time, and says where it came from."""
    problem = Problem(network("octagon"), named("AAS", network("octagon")))
    result = GREEDY(problem, None, seed, Budget())
    assert result.schedule == GREEDY(problem, None, seed, Budget()).schedule
    assert result.provenance == Provenance("greedy", seed)


def test_too_few_steps_give_no_schedule() -> None:
    """If first fit takes more steps than were asked for there is no schedule, and the status is not its to say."""
    problem = Problem(network("heawood"), named("AAS", network("heawood")))
    needed = steps(problem)
    assert GREEDY(problem, needed, 0, Budget()).num_steps == needed
    short = GREEDY(problem, needed - 1, 0, Budget())
    assert (short.schedule, short.requested_steps, short.status) == (None, needed - 1, "unknown")


def test_it_is_registered() -> None:
    """First fit is the trivial member of the registry."""
    assert SOLVERS["greedy"] == GREEDY
    assert repr(GREEDY) == "Greedy(name='greedy')"


def test_an_allreduce_has_no_more_steps_than_were_asked_for() -> None:
    """Both phases one after the other count."""
    problem = Problem(network("ring:5"), named("allreduce", network("ring:5")))
    needed = steps(problem)
    assert GREEDY(problem, needed, 0, Budget()).num_steps == needed
    assert GREEDY(problem, needed - 1, 0, Budget()).schedule is None


@pytest.mark.parametrize("kind", ["AAS", "AAB"])
def test_time_that_is_over_ends_it_and_tells_how_much_it_needs(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large problem is given up when the time is over; a note says how long it would take."""
    monkeypatch.setattr("pavane.solvers.greedy.LEAST_TRANSFERS", {"private": 0, "broadcast": 0})
    made = network("torus:4x4")
    found = GREEDY(Problem(made, named(kind, made)), None, 0, Budget.of(seconds=0))
    assert found.schedule is None
    assert len(found.notes) == 1
    assert "greedy takes about" in found.notes[0]


def test_broadcasts_in_slots_take_what_arrives_first() -> None:
    """In slots the holder counts whose packet arrives first: one that only starts first made 21 slots of these."""
    problem = problem_of("mesh:4x4", "AAB", switching="tdm", wrap=False)
    assert (Greedy()(problem, None, 0, Budget()).num_steps or 99) <= 15
