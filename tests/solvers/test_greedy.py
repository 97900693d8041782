"""First fit answers everything, and some problems as well as can be."""

import pytest

from pavane.bounds import counted_bounds
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.greedy import MOST_HOLDERS_TRIED, Greedy
from tests.checker import judge
from tests.problems import problem_of

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
    problem = problem_of(text, kind, rules)
    assert steps(problem) == counted_bounds(problem)[0].figure == optimum


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
    assert steps(problem) >= counted_bounds(problem)[0].figure


def test_an_allreduce_has_no_more_steps_than_were_asked_for() -> None:
    """Both phases one after the other count."""
    problem = problem_of("ring:5", "allreduce")
    needed = steps(problem)
    assert GREEDY(problem, needed, 0, Budget()).num_steps == needed
    assert GREEDY(problem, needed - 1, 0, Budget()).schedule is None


@pytest.mark.parametrize("kind", ["AAS", "AAB"])
def test_time_that_is_over_ends_it_and_tells_how_much_it_needs(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large problem is given up when the time is over; a note says how long it would take."""
    monkeypatch.setattr("pavane.solvers.greedy.LEAST_TRANSFERS", {"private": 0, "broadcast": 0})
    found = GREEDY(problem_of("torus:4x4", kind), None, 0, Budget.of(seconds=0))
    assert found.schedule is None
    assert len(found.notes) == 1
    assert "greedy takes about" in found.notes[0]


def test_broadcasts_in_slots_take_what_arrives_first() -> None:
    """In slots the holder counts whose packet arrives first: one that only starts first made 21 slots of these."""
    problem = problem_of("mesh:4x4", "AAB", switching="tdm", wrap=False)
    assert (Greedy()(problem, None, 0, Budget()).num_steps or 99) <= 15
