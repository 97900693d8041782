"""What every registered solver keeps, whatever it does inside. A new solver is tested here by being registered."""

import dataclasses
import pickle
from collections.abc import Iterator, Sequence
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.bounds import counted_bounds, lower_bounds
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, many_to_many_broadcast, many_to_many_scatter, named, permutation
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS, Solver
from pavane.solvers.allreduce.exchange import Exchange
from pavane.solvers.allreduce.in_network_sums import InNetworkSums
from tests.bounds.tiny import (
    BROADCAST,
    restricted_problems,
    tiny_problems,
    tiny_problems_in_pieces,
    tiny_slots,
)
from tests.checker import judge
from tests.optimum import optimum
from tests.problems import problem_of
from tests.strategies import problems as drawn_problems
from tests.strategies import problems_in_pieces as drawn_in_pieces

FEW = Budget(evaluations=500)
"""Enough to try, little enough to wait for, and the same on every machine."""

BRIEF = {**SOLVERS, "in-network-sums": InNetworkSums(most_effort=2_000), "exchange": Exchange(most_tries=5)}
"""All solvers, those with less effort that restart for seconds on the smallest problems however few the evaluations."""


HUB = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])


def problems() -> Iterator[tuple[str, Problem]]:
    """Yield small problems of every collective, under both switchings and with every rule somewhere."""
    ring, kautz = network("ring:4"), network("kautz:2,2")
    fat = Network("fat", 2, [(0, 1), (0, 1), (1, 0)], [0, 0, 1])
    some: list[tuple[Network, Collective]] = [(ring, named(k, ring)) for k in ("OAB", "OAS", "AAB", "AOG", "AAR")]
    some += [(kautz, named(k, kautz)) for k in ("AAS", "AOR")]
    some += [(HUB, named(k, HUB)) for k in ("AAB", "AAS", "AOR")]
    some += [(fat, named(k, fat)) for k in ("AAB", "AAS", "AAR")]
    some += [
        (kautz, many_to_many_broadcast((0, 1), (1, 2, 3))),
        (kautz, many_to_many_scatter((0, 1), (1, 2, 3))),
        (ring, permutation([1, 2, 3, 0])),
    ]
    for spec in ("hypercube:3", "torus:3x3"):
        yield f"{spec} AAS plain", problem_of(spec)
    cube = network("hypercube:3")
    for kind in ("OAB", "AOR"):
        yield f"hypercube:3 {kind} plain", Problem(cube, named(kind, cube))
    for spec in ("mesh:2x3", "hierarchical-rings:3,2"):
        made = network(spec)
        for kind in ("OAS", "AAB", "AAS"):
            for combining in (False, True):
                yield (
                    f"{spec} {kind} {combining}",
                    Problem(made, named(kind, made), Rules(ports=1, combining=combining)),
                )
    for made, kind in ((ring, "AAB"), (kautz, "AAS"), (HUB, "AAR")):
        rules = Rules("store-and-forward", combining=True)
        yield f"{made.name} {kind} combining with all ports", Problem(made, named(kind, made), rules)
    torus = network("torus:3x3")
    yield "torus:3x3 AAS in slots", Problem(torus, named("AAS", torus), Rules("tdm"))
    yield "ring:4 AAB in slots", Problem(ring, named("AAB", ring), Rules("tdm", wrap=False))
    for number, (made, collective) in enumerate(some):
        for switching in ("wormhole", "store-and-forward"):
            rules = Rules(
                switching=switching,
                ports=(1, "all", 2)[number % 3],
                duplex=("full", "half")[number // 2 % 2],
                routing=("minimal", "any")[number // 3 % 2],
                combining=number % 4 == 3,
            )
            yield f"{made.name} {collective.kind} {switching}", Problem(made, collective, rules)


def problems_in_pieces() -> Iterator[tuple[str, Problem]]:
    """Yield small problems whose messages have pieces or sizes, and whose channels carry several messages."""
    ring = network("ring:4")
    wide = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 0, 1, 2], capacities=[2, 2, 3, 3])
    spokes = [(0, 3), (3, 0), (1, 3), (3, 1), (3, 2), (2, 3)]
    through = Network("through", 4, spokes, [0, 1, 2], capacities=[2, 1, 1, 2, 4, 1])
    sized: dict[str, Sequence[tuple[int, ...]]] = {
        "AAS": [(0, 1, 3), (1, 2, 0)],
        "AAB": [(0, 3), (1, 0)],
        "AAR": [(2, 2)],
    }
    cases: list[tuple[Network, str, int, Sequence[tuple[int, ...]]]] = [
        *[(ring, "AAB", 2, ()), (ring, "AAS", 2, ()), (ring, "OAS", 2, ()), (ring, "OAB", 3, ())],
        *[(ring, "AAS", 1, sized["AAS"]), (ring, "AAR", 2, sized["AAR"]), (wide, "AAB", 2, sized["AAB"])],
        *[(wide, "AOG", 2, ()), (wide, "AAS", 1, sized["AAS"]), (through, "AAS", 1, ()), (through, "AOR", 3, ())],
        (through, "OAB", 4, ()),
    ]
    for number, (made, kind, pieces, sizes) in enumerate(cases):
        rules = Rules(
            switching=("wormhole", "store-and-forward")[number % 2],
            ports=("all", 1)[number // 2 % 2],
            routing=("any", "minimal")[number % 3 == 0],
            combining=number in (6, 9),
        )
        yield (
            f"{made.name} {kind} in {pieces} pieces",
            Problem(made, in_pieces(named(kind, made), pieces, sizes), rules),
        )


def problems_over_switches() -> Iterator[tuple[str, Problem]]:
    """Yield small problems under store-and-forward whose switches pass: one, two in a row, cables beside."""
    links = [(0, 2), (2, 3), (3, 1), (0, 3)]
    both = Network("both", 4, [way for a, b in links for way in ((a, b), (b, a))], [0, 0, 1], capacities=[2] * 8)
    cabled = Network("cabled", 4, [(0, 3), (3, 1), (1, 3), (3, 0), (1, 2), (2, 0)], [0, 1, 2])
    kinds = ("AAS", "OAS", "AOG", "AAB", "AAR", "OAB", "AOR")
    for number, (made, kind) in enumerate((made, kind) for made in (HUB, both, cabled) for kind in kinds):
        rules = Rules(
            "store-and-forward",
            ports=("all", 1, 2)[number % 3],
            duplex=("full", "half")[number // 2 % 2],
            combining=number % 5 == 4,
            switches="pass",
        )
        collective = in_pieces(named(kind, made), 1 + number % 2)
        yield f"{made.name} {kind} over switches that pass", Problem(made, collective, rules)


def problems_with_trees() -> Iterator[tuple[str, Problem]]:
    """Yield small problems whose routers copy and add: switches under both switchings, and all routers."""
    for made, kind, pieces, rules in (
        (HUB, "AAB", 1, Rules(switches="copy", ports=1)),
        (HUB, "AOR", 2, Rules("store-and-forward", switches="copy")),
        (network("mesh:2x2"), "OAB", 2, Rules(multicast=True, routing="any")),
        (network("ring:4"), "AAR", 1, Rules(multicast=True, duplex="half")),
    ):
        collective = in_pieces(named(kind, made), pieces)
        yield f"{made.name} {kind} with trees", Problem(made, collective, rules)


def problems_in_slots() -> Iterator[tuple[str, Problem]]:
    """Yield small tdm problems: tables that repeat and such that do not, with delays, long packets and every rule."""
    fork = Network("fork", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 1, 2, 2])
    wide = Network("wide", 2, [(0, 1), (1, 0)], [0, 0, 1], capacities=[2, 2])
    alone = Network("alone", 1, [], [0, 0, 0])
    ring = network("ring:4")
    mesh = network("mesh:2x2")
    for made, kind, pieces, options in (
        (ring, "AAS", 1, {"ports": 1}),
        (mesh, "AAS", 1, {"routing": "dimension-order", "router_delay": 2}),
        (mesh.without(links=[(0, 1)]), "AAS", 1, {"ports": 1, "link_delay": 1}),
        (fork, "AAS", 1, {"duplex": "half"}),
        (fork, "OAS", 2, {"packet_slots": 2, "wrap": False}),
        (HUB, "AOG", 1, {"packet_slots": 3, "ports": 1}),
        (wide, "AAS", 2, {"packet_slots": 2}),
        (alone, "AAS", 1, {"ports": 1}),
        # By loads one slot would do, but a packet has three.
        (alone, "OAS", 1, {"ports": 6, "packet_slots": 3}),
        (ring, "OAB", 1, {"ports": 1, "wrap": False}),
        (HUB, "AAR", 1, {"ports": 1, "wrap": False}),
        (fork, "AAB", 1, {"link_delay": 1, "wrap": False}),
    ):
        about = ", ".join(f"{name} {value}" for name, value in options.items())
        collective = in_pieces(named(kind, made), pieces)
        yield f"{made.name} {kind} tdm, {about}", Problem(made, collective, Rules("tdm", **options))


def problems_of_sums() -> Iterator[tuple[str, Problem]]:
    """Yield small allreduces, in many parts and in one, for solvers that take them as a whole."""
    for spec, kind, pieces, rules in (
        ("line:3", "allreduce", 1, Rules("store-and-forward")),
        ("hypercube:2", "reduce-broadcast", 2, Rules("store-and-forward", ports=1)),
        ("rails:2,2", "allreduce", 1, Rules("store-and-forward", switches="pass")),
        ("rails:2,2", "allreduce", 1, Rules("store-and-forward", switches="copy")),
        ("ring:4", "allreduce", 1, Rules(multicast=True)),
        ("star:3", "allreduce", 1, Rules(duplex="half")),
    ):
        made = network(spec)
        about = f"{spec} {kind} in {pieces} pieces, switches {rules.switches}"
        yield about, Problem(made, in_pieces(named(kind, made), pieces), rules)


def larger_problems() -> Iterator[tuple[str, Problem]]:
    """Yield problems that are small for constructions and exchange only."""
    for spec in ("torus:4x4", "torus:7x7"):
        yield f"{spec} AAS", problem_of(spec)
    rails = network("rails:4,4")
    yield "rails:4,4 AAS", Problem(rails, named("AAS", rails), Rules("store-and-forward", switches="pass"))
    yield "hypercube:3 allreduce", problem_of("hypercube:3", "allreduce", Rules(combining=True))


PROBLEMS = [*problems(), *problems_in_pieces(), *problems_over_switches(), *problems_with_trees(), *problems_in_slots()]
LARGER = list(larger_problems())
SUMS = list(problems_of_sums())

each_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
SUPPORTED = [
    pytest.param(solver, problem, id=f"{solver.name}: {name}")
    for solver in BRIEF.values()
    for name, problem in ([*PROBLEMS, *SUMS] if "allreduce" in solver.supports.takes else PROBLEMS)
    if solver.supports(problem)
] + [
    pytest.param(solver, problem, id=f"{name}: {about}")
    for name, solver in BRIEF.items()
    if name == "exchange" or solver.supports.procedure == "construction"
    for about, problem in LARGER
    if solver.supports(problem)
]
each_supported = pytest.mark.parametrize(("solver", "problem"), SUPPORTED, scope="module")
"""A module's parameters: pytest has all tests of one case in a row, so that they can share an answer."""


@lru_cache(maxsize=4)
def answer(name: str, problem: Problem) -> Result:
    """Return what a solver finds if nobody asks for a number of steps."""
    return BRIEF[name](problem, None, 1, FEW)


def test_the_registry_is_by_name() -> None:
    """Each solver is registered under its own name, and first fit is there."""
    assert all(solver.name == name for name, solver in SOLVERS.items())
    assert "greedy" in SOLVERS


@each_solver
def test_a_solver_is_a_configuration(solver: Solver) -> None:
    """A solver is a frozen value: printable, comparable, hashable, picklable."""
    assert dataclasses.is_dataclass(type(solver))
    assert repr(solver).startswith(type(solver).__name__ + "(")
    twin = pickle.loads(pickle.dumps(solver))
    assert twin == solver
    assert hash(twin) == hash(solver)
    with pytest.raises(dataclasses.FrozenInstanceError):
        solver.name = "other"  # type: ignore[misc]


@each_solver
def test_every_solver_supports_something(solver: Solver) -> None:
    """Some of the problems below are for every solver, so that its tests are not all left out."""
    assert any(solver.supports(problem) for _, problem in PROBLEMS + SUMS + LARGER)


@each_supported
def test_same_seed_same_schedule(solver: Solver, problem: Problem) -> None:
    """The same seed gives the same answer, which both judges accept, and another seed a valid one, too."""
    first = answer(solver.name, problem)
    second, other = (solver(problem, None, seed, FEW) for seed in (1, 2))
    assert first.schedule == second.schedule
    for result, seed in ((first, 1), (other, 2)):
        assert result.problem == problem
        if result.schedule is not None:
            assert not verify(problem, result.schedule)
            assert not judge(problem, result.schedule)
            assert result.schedule.num_steps >= counted_bounds(problem)[0].figure
            assert (result.provenance.solver, result.provenance.seed) == (solver.name, seed)


@lru_cache(maxsize=16)
def shortest(problem: Problem) -> int | None:
    """Return the true optimum of a problem."""
    return optimum(problem)


IN_SLOTS = [
    pytest.param(solver, problem, id=f"{solver.name}: {name}")
    for solver in SOLVERS.values()
    for name, problem in problems_in_slots()
    if solver.supports(problem)
]


@pytest.mark.parametrize(("solver", "problem"), IN_SLOTS, scope="module")
def test_no_period_is_shorter_than_the_optimum(solver: Solver, problem: Problem) -> None:
    """The period of a tdm schedule is no shorter than what an exhaustive search finds, and no bound is higher."""
    best = shortest(problem)
    assert best is not None
    assert all(bound.figure <= best for bound in lower_bounds(problem))
    result = answer(solver.name, problem)
    assert all(bound.figure <= best for bound in result.bounds)
    assert result.num_steps is None or result.num_steps >= best
    assert solver(problem, best - 1, 1, FEW).schedule is None


ANSWERING = {"greedy", "first-fit", "informed-sets", "rarest-first", "time-ejection", "planned"}
"""The solvers that have a schedule for every problem that they support."""


@settings(max_examples=150)
@given(
    st.one_of(
        tiny_problems(),
        tiny_problems_in_pieces(),
        tiny_slots(),
        restricted_problems((*BROADCAST, "MNS")),
        drawn_problems(),
        drawn_in_pieces(),
    )
)
def test_drawn_problems(problem: Problem) -> None:
    """On problems of every sort the second judge accepts what solvers find, and nothing is below the true optimum."""
    best = optimum(problem, 2_000)
    for name, solver in BRIEF.items():
        if not solver.supports(problem):
            continue
        schedule = solver(problem, None, 1, FEW).schedule
        assert schedule is not None or name not in ANSWERING, name
        assert schedule is None or not judge(problem, schedule), name
        assert schedule is None or best is None or schedule.num_steps >= best, name


@each_supported
def test_the_number_of_steps_is_respected(solver: Solver, problem: Problem) -> None:
    """Asked for a number of steps a solver gives no longer schedule, and remembers what was asked."""
    best = answer(solver.name, problem).num_steps or counted_bounds(problem)[0].figure
    for asked in (best, best + 3):
        result = solver(problem, asked, 1, FEW)
        assert result.requested_steps == asked
        assert result.num_steps is None or result.num_steps <= asked


@each_supported
def test_an_impossible_number_of_steps_gives_no_schedule(solver: Solver, problem: Problem) -> None:
    """Asked for fewer steps than a bound allows a solver has no schedule, and raises nothing."""
    bound = counted_bounds(problem)[0].figure
    for impossible in sorted({1, bound // 2, bound - 1} & set(range(1, bound))):
        result = solver(problem, impossible, 0, FEW)
        assert (result.schedule, result.requested_steps) == (None, impossible)


@each_supported
def test_a_spent_budget_is_no_error(solver: Solver, problem: Problem) -> None:
    """With a deadline long past, or one evaluation, a solver still returns: nothing, or something valid."""
    for budget in (Budget(deadline=0.0), Budget(evaluations=1)):
        result = solver(problem, None, 0, budget)
        assert result.schedule is None or not judge(problem, result.schedule)
