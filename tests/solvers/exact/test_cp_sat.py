"""CP-SAT finds what there is and refutes what there is not."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.bounds import counted_bounds
from pavane.judge.result import Result
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces, many_to_many_broadcast, many_to_many_scatter, named, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.exact import cp_sat
from pavane.solvers.exact.cp_sat import CpSat
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import BROADCAST, PRIVATE, restricted_problems, tiny_problems, tiny_problems_in_pieces
from tests.checker import judge
from tests.problems import problem_of

STORED: dict[str, Any] = {"switching": "store-and-forward"}
ENOUGH = Budget(evaluations=200_000)
"""More than any test here needs; it ends what would go on for ever, the same on every machine."""


def optimum(problem: Problem, budget: Budget = ENOUGH) -> int:
    """Return the number of steps of an answer that is proven optimal and has no transfer in vain."""
    result = CpSat()(problem, None, 0, budget)
    assert result.status == "optimal"
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    if problem.pattern != "reduction":
        assert not in_vain(problem, result)
    return result.schedule.num_steps


def in_vain(problem: Problem, result: Result) -> set[tuple[int, int]]:
    """Return the messages and places that got them though they neither wanted them nor sent them on."""
    assert result.schedule is not None
    got, sent = set(), set()
    for transfer in result.schedule:
        (message,) = transfer.messages
        got.add((message, transfer.receiver))
        sent.add((message, transfer.sender))
    for message, (origin, *targets) in enumerate(problem.labels.tolist()):
        sent |= {(message, target) for target in targets or problem.collective.receivers if target != origin}
    return got - sent


# -- the specification


BY_SCATTER_BROADCAST_ALLGATHER = {
    "ring:8": (8, 2, 4),
    "octagon": (4, 2, 3),
    "petersen": (5, 2, 3),
    "kautz:3,2": (7, 2, 4),
}


@pytest.mark.parametrize("name", BY_SCATTER_BROADCAST_ALLGATHER)
def test_optima_of_the_papers_networks(name: str) -> None:
    """The networks of the papers' tables are solved at the bound."""
    found = tuple(optimum(problem_of(name, kind)) for kind in ("AAS", "OAB", "AAB"))
    assert found == BY_SCATTER_BROADCAST_ALLGATHER[name]


@pytest.mark.parametrize(
    ("name", "kind", "rules", "steps"),
    [
        *[("heawood", "AAS", {}, 9), ("heawood", "OAB", {}, 2), ("hierarchical-rings:4,4", "AAB", {}, 8)],
        *[("kautz:3,2", "AAR", {}, 4), ("kautz:3,2", "AOR", {}, 2), ("kautz:3,2", "AOG", {}, 4)],
        *[("ring:8", "AAS", {"duplex": "half"}, 16), ("ring:8", "AAB", {"ports": 1}, 7)],
        *[("kautz:3,2", "AAS", {"duplex": "half"}, 10), ("kautz:3,2", "AAB", {"ports": 1}, 11)],
        *[("octagon", "AAB", {"duplex": "half"}, 5), ("petersen", "OAB", {"ports": 1}, 4)],
        *[("octagon", "AAS", {"routing": "any"}, 4), ("octagon", "AAB", {"routing": "any"}, 3)],
        *[("ring:8", "OAB", STORED, 4), ("kautz:3,2", "AAB", STORED, 4), ("octagon", "AAS", STORED, 4)],
        *[("petersen", "AAS", STORED, 5), ("ring:4", "AAR", STORED, 2)],
        # A broadcast on a mesh takes as many steps as the degrees near its root allow: corner, rim and middle.
        *[("mesh:4x4", "OAB", {"root": root, "routing": "minimal"}, 3 - (root > 0)) for root in (0, 1, 5)],
        *[("mesh:4x4", "OAB", {"root": root, "routing": "any"}, 3 - (root > 0)) for root in (0, 1)],
        ("mesh:4x4", "OAB", {"routing": "north-last"}, 3),
        ("mesh:4x4", "OAB", {"routing": "dimension-order", "ports": 1}, 4),
        ("torus:3x3", "OAB", {"routing": "dimension-order"}, 2),
        ("mesh:3x3", "AAB", {"routing": "west-first", "duplex": "half"}, 6),
        ("mesh:3x3", "AAR", {"routing": "west-first"}, 4),
        ("mesh:2x3", "AAS", {"routing": "north-last"}, 4),
    ],
)
def test_optima_under_other_rules(name: str, kind: str, rules: dict[str, Any], steps: int) -> None:
    """Roots, ports, duplex, routing with its turns and switching are all in the program."""
    assert optimum(problem_of(name, kind, **rules)) == steps


@pytest.mark.parametrize(("receivers", "steps"), [(range(0, 16, 2), 7), (range(1, 16, 2), 8), (range(16), 8)])
def test_broadcast_among_one_processor_of_each_fat_router(receivers: range, steps: int) -> None:
    """On the fat octagon with one port 8 processors inform themselves in 7 steps, the others or all in 8."""
    collective = many_to_many_broadcast(range(0, 16, 2), receivers)
    assert optimum(Problem(network("fat-octagon:2"), collective, Rules(ports=1))) == steps


@pytest.mark.parametrize(("routing", "steps"), [("minimal", 10), ("any", 7)])
def test_scatter_among_neighbours_on_fat_routers(routing: Any, steps: int) -> None:
    """Eight neighbours on the fat octagon need 10 steps on shortest paths, on any paths 7 (gecco07 Table 5)."""
    collective = many_to_many_scatter(range(3, 11), range(3, 11))
    problem = Problem(network("fat-octagon:2"), collective, Rules(ports=1, routing=routing))
    assert optimum(problem) == steps


def test_detours_are_found_where_shortest_paths_are_not_enough() -> None:
    """Without one channel shortest paths need 9 steps for all-to-all; any paths need 8, by their prices."""
    broken = network("kautz:3,2").without(channels=[0])
    assert optimum(Problem(broken, named("AAS", broken))) == 9
    # Without a number of evaluations each list of paths has its own effort, and the first one does not use up all.
    assert optimum(Problem(broken, named("AAS", broken), Rules(routing="any")), Budget()) == 8


# -- refutations


def test_a_refuted_number_of_steps_is_a_bound() -> None:
    """If no schedule has so many steps, the result says so by a bound of one more."""
    problem = problem_of("hierarchical-rings:4,4", "OAB")
    assert counted_bounds(problem)[0].figure == 2
    result = CpSat()(problem, 2, 0, ENOUGH)
    assert result.bounds == (Bound(3, "exhaustive", {"method": "cp-sat", "steps": 2}),)
    assert (result.status, result.requested_steps, result.schedule) == ("impossible", 2, None)
    assert optimum(problem) == 3


def test_fewer_steps_than_counting_allows_need_no_search() -> None:
    """Where a counting bound refutes, it is the answer: its certificate can be checked."""
    result = CpSat()(problem_of("ring:8", "AAS"), 7, 0, Budget())
    assert result.status == "impossible"
    assert [bound.argument for bound in result.bounds] == ["sum-of-distances"]


def test_more_steps_than_needed_are_no_reason_for_empty_ones() -> None:
    """Asked for more steps than messages it leaves none empty."""
    problem = Problem(network("ring:4"), pairs([(0, 1), (1, 2)]))
    result = CpSat()(problem, 5, 0, ENOUGH)
    assert result.num_steps is not None
    assert result.num_steps <= 2


# -- everything tried


def agree(problem: Problem) -> None:
    """The walk ends at the true optimum, and one step less is refuted."""
    true = fewest_steps(problem, most_tried=5_000)
    assume(true is not None)
    assert true is not None
    assert optimum(problem) == true
    if true > 1:
        assert CpSat()(problem, true - 1, 0, ENOUGH).status == "impossible"


@pytest.mark.parametrize("kinds", [PRIVATE, BROADCAST, ("AOR", "AAR")])
@given(st.data())
def test_all_kinds_agree_with_exhaustive_search(kinds: tuple[str, ...], data: st.DataObject) -> None:
    """Private messages, broadcasts and, read backwards, reductions take what trying everything takes."""
    agree(data.draw(tiny_problems(kinds, combining=(False,))))


@given(tiny_problems((*PRIVATE, *BROADCAST, "AOR", "AAR"), combining=(False,)), st.booleans())
def test_switches_that_pass_agree_with_exhaustive_search(drawn: Problem, are_wide: bool) -> None:
    """Where switches pass, messages of every kind take what trying everything takes, over wide channels, too."""
    made = drawn.network
    if are_wide:
        made = Network(made.name, made.routers, made.channels, made.router_of, capacities=[2] * made.num_channels)
    rules = replace(drawn.rules, switching="store-and-forward", switches="pass")
    problem = replace(drawn, network=made, rules=rules)
    assume(problem.passes_switches and CpSat().supports(problem))
    agree(problem)


@given(restricted_problems((*BROADCAST, "MNS")))
def test_restricted_routing_agrees_with_exhaustive_search(problem: Problem) -> None:
    """Under an order of turns broadcasts and scatters take what trying all admissible paths takes."""
    agree(problem)


def test_a_path_with_an_admissible_turn_saves_a_step() -> None:
    """A broadcast on a square that lost a side takes two steps, by a path that turns as north-last routing allows."""
    torn = network("torus:2x2").without(links=[(1, 3)])
    rules = Rules(ports=1, duplex="half", routing="north-last")
    assert optimum(Problem(torn, named("OAB", torn, root=1), rules)) == 2


# -- the way it works


def test_the_deadline_is_respected() -> None:
    """A search that has not ended by its deadline ends, and claims nothing."""
    problem = problem_of("kautz:3,2", "AAS", **STORED)
    result = CpSat()(problem, 7, 0, Budget.of(seconds=0.2))
    assert (result.status, result.bounds) == ("unknown", ())
    assert CpSat()(problem, None, 0, Budget.of(seconds=0)).status == "unknown"


def test_evaluations_are_counted_over_the_whole_walk() -> None:
    """A budget of few evaluations ends the walk without an answer."""
    result = CpSat()(problem_of("octagon", "AAS", **STORED), None, 0, Budget(evaluations=5))
    assert (result.status, result.schedule) == ("unknown", None)


def test_no_answer_within_the_effort_is_no_proof() -> None:
    """What the effort was too small to decide is neither found nor refuted."""
    result = CpSat(effort=0.001)(problem_of("ring:8", "AAS", **STORED), 8, 0, Budget())
    assert (result.status, result.bounds) == ("unknown", ())


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in the way of POSIX")
def test_an_interrupt_comes_through() -> None:
    """Ctrl-C during the search ends it and is not swallowed by CP-SAT, whose limit here is ten minutes."""
    script = """
import os, signal, threading
from pavane import Problem, Rules, alltoall, network
from pavane.solvers import SOLVERS
from pavane.solvers.exact import cp_sat
from pavane.parallel.budget import Budget
kautz = network("kautz:3,2")
problem = Problem(kautz, alltoall(kautz), Rules(switching="store-and-forward"))
run_beside = cp_sat.run_beside
def run_and_interrupt(*args):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    return run_beside(*args)
cp_sat.run_beside = run_and_interrupt
try:
    SOLVERS["cp-sat"](problem, 7, 0, Budget.of(seconds=600))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "interrupted\n"


@pytest.mark.parametrize(
    "problem",
    [
        problem_of("hypercube:7", "AAS"),
        problem_of("mesh:16x16", "OAB"),
        problem_of("hypercube:8", "AAR"),
        problem_of("hypercube:5", "AAS", routing="any"),
        Problem(network("mesh:16x16"), pairs([(0, 255)])),
        problem_of("ring:4", "AAS", combining=True),
    ],
    ids=str,
)
def test_the_large_and_the_combined_are_refused_at_once(problem: Problem) -> None:
    """Problems with too many paths, and those with combining, are not supported."""
    assert not CpSat().supports(problem)


# -- pieces and capacities


@pytest.mark.parametrize(
    ("name", "kind", "pieces", "steps", "rules"),
    [
        ("dgx-1", "OAB", 7, 3, STORED),
        ("dgx-1", "OAB", 13, 4, STORED),
        ("dgx-1", "AOR", 7, 3, STORED),
        ("octagon", "OAB", 7, 4, STORED),
        ("ring:8", "OAB", 4, 5, STORED),
        ("ring:8", "AAB", 2, 7, STORED),
        ("dgx-1", "AAB", 3, 4, STORED),
        ("ring:4", "AAS", 3, 6, {}),
        ("ring:4", "AAS", 3, 6, STORED),
        ("ring:4", "AAS", 3, 6, {"routing": "any"}),
        ("fat-octagon:2", "OAB", 2, 3, {}),
        ("rails:2,2", "AAS", 2, 4, {**STORED, "switches": "pass"}),
        ("rails:2,2", "AAB", 2, 3, {**STORED, "switches": "pass"}),
    ],
)
def test_pieces(name: str, kind: str, pieces: int, steps: int, rules: dict[str, Any]) -> None:
    """Pieces of one message are not told apart in vain: schedules of the fewest steps are found."""
    whole = problem_of(name, kind, **rules)
    problem = Problem(whole.network, in_pieces(whole.collective, pieces), whole.rules)
    assert CpSat()(problem, steps, 0, ENOUGH).num_steps == steps


@pytest.mark.parametrize(("name", "pieces", "too_few"), [("dgx-1", 8, 3), ("dgx-1", 14, 4), ("octagon", 8, 4)])
def test_one_piece_too_many(name: str, pieces: int, too_few: int) -> None:
    """One piece more than flows in time is refuted, though the pieces could change places in many ways."""
    whole = problem_of(name, "OAB", **STORED)
    problem = Problem(whole.network, in_pieces(whole.collective, pieces), whole.rules)
    result = CpSat()(problem, too_few, 0, ENOUGH)
    assert result.status == "impossible"
    assert result.bound is not None
    assert result.bound.figure == too_few + 1


@given(tiny_problems_in_pieces())
def test_drawn_problems_in_pieces(problem: Problem) -> None:
    """With pieces, sizes and capacities it finds the true optimum and refutes what is below, under any rules."""
    best = fewest_steps(problem, 2_000)
    assume(best is not None and CpSat().supports(problem))
    result = CpSat()(problem, None, 0, Budget(evaluations=20_000))
    assert result.bound is None or result.bound.figure <= (best or 0)
    assume(result.schedule is not None)
    assert result.num_steps == best


def test_more_steps_than_fit_are_not_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of many steps would take gigabytes; a schedule of as many as fit is as good."""
    problem, written = problem_of("ring:4"), []
    usual = cp_sat._written

    def noted(attempt: Any, num_steps: int, budget: Budget) -> Any:
        written.append(num_steps)
        return usual(attempt, num_steps, budget)

    monkeypatch.setattr(cp_sat, "_written", noted)
    size = cp_sat._complete(problem, ()).size
    result = CpSat(most_variables=int(5 * size))(problem, 1_000, 0, Budget())
    assert result.schedule is not None
    assert written == [5]
