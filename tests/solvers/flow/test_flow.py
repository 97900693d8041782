"""Scatter and gather by maximum flows: exact, proven, for any rules."""

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import assume, given

from pavane.bounds import counted_bounds, explain
from pavane.judge.certificates import proven
from pavane.judge.result import Result
from pavane.model.collectives import gather, in_pieces, scatter
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
from pavane.networks import dgx_a100, mi250, ndv2, network
from pavane.parallel.budget import Budget
from pavane.solvers.flow.flow import Flow
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import PRIVATE, tiny_problems, tiny_problems_in_pieces
from tests.problems import examples

SMALL = sorted(made.name for made in examples() if made.num_processors <= 72)
STORED = Rules(switching="store-and-forward")


def solved(problem: Problem, num_steps: int | None = None) -> Result:
    """Solve without a limit of time."""
    return Flow()(problem, num_steps, 0, Budget())


def oas(made: Network, root: int = 0, rules: Rules | None = None) -> Problem:
    """Return the scatter from one processor to all."""
    return Problem(made, scatter(made, root), rules or Rules())


def assert_proven(result: Result) -> None:
    """The schedule is as short as the bound says, and the certificate says so as well, where it can be checked."""
    assert result.status == "optimal"
    assert result.bound is not None
    assert result.bound.figure == result.num_steps
    if result.bound.argument != "exhaustive":
        assert proven(result.problem, result.bound) == result.num_steps


# -- figures of the specification


@pytest.mark.parametrize(
    ("text", "root", "routing", "num_steps"),
    [
        *[("kautz:3,3", 0, "any", 12), ("kautz:3,3", 0, "minimal", 13), ("mesh:4x4", 1, "any", 5)],
        *[("mesh:4x4", 1, "minimal", 6), ("ring:8", 0, "minimal", 4), ("ring:8,oneway", 0, "minimal", 7)],
        *[("hypercube:5", 0, "minimal", 7), ("heawood", 0, "minimal", 5), ("star:9", 0, "minimal", 1)],
        ("star:9", 1, "minimal", 8),
    ],
)
def test_scatter_takes_as_many_steps_as_is_known(text: str, root: int, routing: Routing, num_steps: int) -> None:
    """Scatter from one processor takes the proven least number of steps."""
    result = solved(oas(network(text), root, Rules(routing=routing)))
    assert result.num_steps == num_steps
    assert_proven(result)


@pytest.mark.parametrize("text", SMALL)
def test_scatter_is_proven_on_the_catalogue(text: str) -> None:
    """On every small network, for all ports, routings and both duplexes, scatter meets a bound that can be checked."""
    made = network(text)
    all_ports: tuple[int | Literal["all"], ...] = ("all", 1, 2)
    for ports in all_ports:
        for routing in ("minimal", "any"):
            full, half = (
                solved(oas(made, made.num_processors // 2, Rules(ports=ports, routing=routing, duplex=duplex)))
                for duplex in ("full", "half")
            )
            assert_proven(full)
            assert_proven(half)
            assert full.num_steps == half.num_steps
            assert full.num_steps is not None
            assert full.num_steps >= counted_bounds(full.problem)[0].figure


# -- against trying everything


@given(tiny_problems(kinds=PRIVATE, combining=(False,)))
def test_no_schedule_is_shorter(problem: Problem) -> None:
    """On tiny networks of every sort and under all rules, the answer is what trying everything finds."""
    assume(Flow().supports(problem))
    result = solved(problem)
    assert_proven(result)
    optimum = fewest_steps(problem, most_tried=10_000)
    assume(optimum is not None)
    assert result.num_steps == optimum


@given(tiny_problems(kinds=PRIVATE, combining=(False,)))
def test_no_schedule_over_switches_that_pass_is_shorter(drawn: Problem) -> None:
    """Where switches pass, too, the answer is what trying everything finds; flows of too long paths are a bound."""
    problem = replace(drawn, rules=replace(drawn.rules, switching="store-and-forward", switches="pass"))
    assume(problem.passes_switches and Flow().supports(problem))
    result = solved(problem)
    optimum = fewest_steps(problem, most_tried=10_000)
    assume(optimum is not None)
    assert optimum is not None
    if result.schedule is None:
        assert problem.takes_shortest_hops
        assert max(bound.figure for bound in result.bounds) <= optimum
    else:
        assert_proven(result)
        assert result.num_steps == optimum


@given(tiny_problems(kinds=("OAS", "AOG"), combining=(False,)))
def test_gather_equals_scatter_on_the_reversed_network(problem: Problem) -> None:
    """A problem and its dual take the same number of steps, and each has its own proof."""
    result, turned = solved(problem), solved(dual(problem))
    assert_proven(turned)
    assert result.num_steps == turned.num_steps


# -- proofs


def test_a_cut_away_from_the_port_is_priced() -> None:
    """Where a channel beyond the root is the bottleneck, the proof is a price on it, in words."""
    bottle = Network("bottle", 7, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (3, 4), (4, 5), (5, 6)])
    result = solved(oas(bottle, 0, Rules(routing="any")))
    assert result.num_steps == 3
    assert_proven(result)
    assert result.bound is not None
    assert (result.bound.argument, result.bound.certificate["channels"]) == ("flow-cut", [[1, 5]])
    assert "channel 3>4 must carry 3 messages" in explain(result.problem, result.bound)


@pytest.mark.parametrize("rules", [Rules(), Rules(routing="any"), STORED, Rules(ports=1)])
@pytest.mark.parametrize("collective", ["scatter", "gather"])
def test_too_few_steps_are_refused_with_a_proof(rules: Rules, collective: str) -> None:
    """One step less than the least gives no schedule and a bound; the least itself and more give the least."""
    made = network("kautz:3,3")
    problem = Problem(made, scatter(made, 3) if collective == "scatter" else gather(made, 3), rules)
    least = solved(problem).num_steps
    assert least is not None
    for few in (0, 1, least - 1):
        refused = solved(problem, few)
        assert (refused.schedule, refused.status, refused.requested_steps) == (None, "impossible", few)
    for enough in (least, least + 1, 10 * least):
        result = solved(problem, enough)
        assert (result.num_steps, result.status, result.requested_steps) == (least, "optimal", enough)


@pytest.mark.parametrize(
    ("text", "pieces", "num_steps"), [("dgx-a100:2", 1, 2), ("dgx-a100:2", 2, 3), ("nvl:72", 1, 4)]
)
def test_scatter_over_switches_that_pass(text: str, pieces: int, num_steps: int) -> None:
    """In a step a flow runs on over switches, so that machines of GPUs scatter at the bound, with half duplex, too."""
    made = network(text)
    for collective in (scatter(made, 0), gather(made, 0)):
        for duplex in ("full", "half"):
            rules = Rules("store-and-forward", duplex=duplex, switches="pass")
            result = solved(Problem(made, in_pieces(collective, pieces), rules))
            assert result.num_steps == num_steps
            assert_proven(result)


def test_hops_that_meet_at_a_switch_exchange_their_ends() -> None:
    """Neighbours that share a switch send nothing over it under minimal routing; the gather takes no more steps."""
    made = mi250(6)
    for routing in ("minimal", "any"):
        rules = Rules("store-and-forward", switches="pass", routing=routing)
        result = solved(Problem(made, in_pieces(gather(made, 0), 2), rules))
        assert (result.num_steps, result.status) == (4, "optimal")


def test_a_tree_over_switches_has_shortest_hops() -> None:
    """One message at a time goes over the shorter of two ways over switches, whichever channel is listed first."""
    made = Network("detour", 5, [(0, 2), (2, 3), (3, 4), (2, 4), (4, 1)], [0, 1])
    result = solved(oas(made, 0, Rules("store-and-forward", switches="pass")))
    assert result.schedule is not None
    assert [transfer.path for transfer in result.schedule] == [(0, 3, 4)]


def test_one_message_at_a_time_over_switches_that_pass() -> None:
    """Where one message leaves in a step, the farthest goes first, over two switches in the first of its two steps."""
    links = [(0, 3), (3, 4), (4, 1), (1, 5), (5, 2)]
    made = Network("line", 6, [way for a, b in links for way in ((a, b), (b, a))], [0, 1, 2])
    result = solved(oas(made, 0, Rules("store-and-forward", ports=1, switches="pass")))
    assert (result.num_steps, result.status) == (2, "optimal")
    assert result.schedule is not None
    assert [transfer.path for transfer in result.schedule] == [(0, 2, 4), (0, 2, 4), (6, 8)]


def test_a_flow_over_time_is_found_far_above_the_first_guess() -> None:
    """Store-and-forward through a distant bottleneck: many steps more than ports and distances tell."""
    leaves = 40
    channels = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (4, 5), *((5, 6 + leaf) for leaf in range(leaves))]
    made = Network("funnel", 6 + leaves, channels)
    problem = Problem(made, scatter(made, 0, range(6, 6 + leaves)), STORED)
    result = solved(problem)
    assert result.num_steps == leaves + 3
    assert result.bound is not None
    assert (result.bound.argument, result.bound.certificate) == ("exhaustive", {"method": "flow over time"})
    assert solved(problem, leaves + 2).status == "impossible"


# -- members and networks of every sort


def test_any_routing_prefers_shortest_paths() -> None:
    """Where shortest paths reach the bound, any routing takes no detours."""
    made = network("torus:8x8")
    minimal, free = (solved(oas(made, 0, Rules(routing=routing))) for routing in ("minimal", "any"))
    assert minimal.schedule == free.schedule


# -- the contract of solvers


# -- pieces and capacities


@pytest.mark.parametrize(
    ("machine", "rules", "num_steps"),
    [
        (mi250(), Rules(), 11),
        (mi250(), Rules(routing="any"), 10),
        (mi250(), Rules(duplex="half"), 11),
        (mi250(), STORED, 10),
        (ndv2(2), Rules(), 32),
        (ndv2(2), STORED, 33),
        (dgx_a100(2), Rules(routing="any"), 5),
        (dgx_a100(2), Rules("store-and-forward", 1), 61),
    ],
)
def test_machines(machine: Network, rules: Rules, num_steps: int) -> None:
    """Four pieces for each of 15 others take the steps that the narrowest cut, or the flow over time, asks for."""
    result = solved(Problem(machine, in_pieces(scatter(machine), 4), rules))
    assert_proven(result)
    assert result.num_steps == num_steps


def test_cuts_name_channels_of_the_network() -> None:
    """Prices are on channels as they are, however much each carries: 32 pieces over a cable."""
    problem = Problem(ndv2(2), in_pieces(gather(ndv2(2)), 4), Rules())
    result = solved(problem)
    assert result.bound is not None
    assert result.bound.argument == "flow-cut"
    assert result.bound.exact == 32
    assert explain(problem, result.bound) == "channel 1.1>0.0 must carry 32 pieces in all, 1 a step"


@given(tiny_problems_in_pieces(kinds=PRIVATE))
def test_drawn_problems_in_pieces(problem: Problem) -> None:
    """With pieces, sizes and capacities the steps are the true optimum, under any rules, and ports are respected."""
    assume(Flow().supports(problem))
    result = solved(problem)
    assert_proven(result)
    best = fewest_steps(problem, 3_000)
    assert best is None or best == result.num_steps


@pytest.mark.parametrize("spec", ["torus:5x6", "hypercube:5", "star-graph:4", "kautz:3,2", "dgx-1"])
def test_flows_of_many_steps_are_halved(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Halving a flow again and again gives as many steps as peeling them off one by one, also for pieces."""
    made = network(spec)
    for collective in (scatter(made, 1), in_pieces(scatter(made, 0), 3), gather(made, 0)):
        problem = Problem(made, collective, Rules())
        peeled = solved(problem).num_steps
        with monkeypatch.context() as patch:
            patch.setattr("pavane.solvers.flow.wormhole.MOST_PEELED", 0)
            halved = solved(problem)
        assert_proven(halved)
        assert halved.num_steps == peeled
