"""Every registered argument: proven by the judge, never above the truth, and told in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from hypothesis import assume, given

from pavane.bounds import crossing, explain, lower_bounds
from pavane.bounds.counted_cut import cut_bounds
from pavane.bounds.registry import ARGUMENT_OF, ARGUMENTS, ARGUMENTS_OF_SLOTS, ARGUMENTS_OF_SUMS, TRANSLATED
from pavane.bounds.start_ups import start_up_bounds
from pavane.bounds.translated import is_symmetric, table_bounds
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import allgather, alltoall, broadcast, in_pieces, scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.symmetry.cayley import cayley_of
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems, tiny_problems_in_pieces, tiny_slots
from tests.optimum import optimum
from tests.problems import problem_of
from tests.tree_optimum import fewest_steps_of_trees

UNPROVEN = {"exhaustive"}
"""What rests on a search of all schedules and has no certificate."""

NARROW = Network("narrow", 2, [(0, 1), (1, 0)], [0, 0, 1, 1])
"""Two routers with two processors each, and one link between them."""

LOPSIDED = Network("lopsided", 8, [*permutations(range(5), 2), *permutations(range(5, 8), 2), (0, 5), (5, 0)])
"""Five routers and three, each complete, with one link between them."""

TREE = Network("tree", 7, [(0, 1), (0, 2), (1, 3), (3, 4), (3, 5), (3, 6)])
"""From a root of two channels to four routers behind a single one."""

TDM, LINEAR = Rules("tdm", 1), Rules("tdm", 1, wrap=False)

SMALL = [
    problem_of(spec, kind, rules)
    for spec in ("line:3", "ring:4", "star:4", "ring:4,oneway")
    for kind in ("OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR")
    for rules in (Rules(), Rules(ports=1, duplex="half"), Rules("store-and-forward", 1), Rules(combining=True))
]


def bounds_of(problem: Problem) -> Iterator[Bound]:
    """Yield the bounds of every argument that applies, those of solvers included."""
    yield from lower_bounds(problem)
    yield from cut_bounds(problem)
    if problem.rules.combining:
        yield from start_up_bounds(problem)
    if SOLVERS["flow"].supports(problem):
        yield from SOLVERS["flow"](problem, None, 0, Budget()).bounds
    cayley = cayley_of(problem.network)
    if cayley is not None and is_symmetric(problem):
        yield from table_bounds(problem, cayley)


def must_hold(problem: Problem, bound: Bound, most_tried: int) -> None:
    """Have the judge prove a bound as a file has it, and hold it against the true optimum where that can be found."""
    read = Bound(bound.figure, bound.argument, json.loads(json.dumps(bound.certificate)))
    if bound.argument not in UNPROVEN:
        assert proven(problem, read) == bound.figure, f"{bound} on {problem}"
    truth = fewest_steps_of_trees if problem.has_trees else optimum if problem.rules.has_slots else fewest_steps
    fewest = truth(problem, most_tried)
    assert fewest is None or bound.figure <= fewest, f"{bound} on {problem}"
    assert explain(problem, bound).isprintable()


def test_every_argument_is_made_proven_and_true() -> None:
    """On small problems every registered argument comes up, is proven by the judge and is at most the optimum."""
    more = [
        problem_of("mesh:2x3", "OAS", Rules(routing="dimension-order")),
        problem_of("mesh:2x3", "AAS", Rules(routing="west-first")),
        Problem(NARROW, alltoall(NARROW), Rules(ports=1, combining=True)),
        Problem(LOPSIDED, allgather(LOPSIDED)),
        Problem(TREE, scatter(TREE)),
        Problem(TREE, scatter(TREE, 0, [4, 5]), Rules("store-and-forward")),
        Problem(TREE, in_pieces(broadcast(TREE, 0, [6]), 3), Rules("store-and-forward")),
    ]
    more += [problem_of("ring:4", "AAS", TDM), problem_of("ring:4", "AAS", LINEAR), problem_of("star:4", "OAB", LINEAR)]
    more += [problem_of("ring:4", "AAS", replace(TDM, packet_slots=2))]
    more += [problem_of("ring:4", "AAS", Rules(ports=1)), problem_of("ring:3", "ALLREDUCE")]
    more += [problem_of("line:3", "ALLREDUCE"), problem_of("star:4", "ALLREDUCE", Rules("store-and-forward"))]
    more += [problem_of("complete:7", "ALLREDUCE", Rules(ports=4))]
    copying = Rules("store-and-forward", switches="copy")
    more += [problem_of("star:3", "ALLREDUCE", copying), problem_of("rails:2,2", "ALLREDUCE", copying)]
    ring = network("ring:4")
    more += [Problem(ring, in_pieces(broadcast(ring, 0), 4), Rules(multicast=True))]
    met = set()
    for problem in (*SMALL, *more):
        for bound in bounds_of(problem):
            must_hold(problem, bound, most_tried=2_000)
            met.add(bound.argument)
    assert met == set(ARGUMENT_OF)


@given(tiny_problems())
def test_every_argument_on_drawn_problems(problem: Problem) -> None:
    """On drawn problems, too, no argument claims more than the judge proves and the optimum allows."""
    assume(fewest_steps(problem, 2_000) is not None)
    for bound in bounds_of(problem):
        must_hold(problem, bound, most_tried=2_000)


@given(tiny_problems_in_pieces())
def test_every_argument_on_problems_in_pieces(problem: Problem) -> None:
    """Nor where messages are cut into pieces, differ in size, or channels carry several."""
    assume(optimum(problem, 2_000) is not None)
    for bound in lower_bounds(problem):
        assert bound.argument in UNPROVEN or proven(problem, bound) == bound.figure
        assert bound.figure <= (optimum(problem, 2_000) or bound.figure), f"{bound} on {problem}"


@given(tiny_slots())
def test_every_argument_on_problems_in_slots(problem: Problem) -> None:
    """Nor under tdm, with packets of several slots, delays, and with or without wrap."""
    assume(optimum(problem, 4_000) is not None)
    for bound in lower_bounds(problem):
        must_hold(problem, bound, most_tried=4_000)


def test_names_are_given_once() -> None:
    """An argument has one entry."""
    assert len({argument.name for argument in ARGUMENTS}) == len(ARGUMENTS)
    # What bounds an allreduce by its contributions is told as it is elsewhere.
    shared = {crossing.NAME, *(argument.name for argument in TRANSLATED)}
    others = [one.name for one in (*ARGUMENTS_OF_SUMS, *ARGUMENTS_OF_SLOTS) if one.name not in shared]
    assert len(ARGUMENT_OF) == len(ARGUMENTS) + len(others)


def test_makers_take_the_smallest_problem() -> None:
    """Every maker yields bounds of a problem of two processors, and none raises."""
    for kind in ("OAB", "OAS"):
        problem = problem_of("line:2", kind)
        for argument in ARGUMENTS:
            if argument.make is not None:
                assert all(bound.figure <= 1 for bound in argument.make(problem))
                assert all(bound.argument == argument.name for bound in argument.make(problem))
