"""Lower bounds on the total channel occupancy of combining schedules (noc section 3).

The occupancy, TCO, adds up the largest payload of each step, so a channel carries at most TCO messages in all, and a
port as many per unit of its capacity. Write a step whose largest payload is w as w steps that move one message in each
transfer: a schedule of occupancy X is one of X steps without combining, in which private messages may be relayed. So
the bounds on steps that allow relays hold for the occupancy: cuts for broadcasts; for private messages prices, where a
message must buy the cheapest route of any kind. With few start-ups `moves` says more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pavane.bounds.exhaustive import NAME as EXHAUSTIVE
from pavane.bounds.moves import NAME as MOVES
from pavane.bounds.moves import bounds_by_moves, explain_moves
from pavane.bounds.phrases import OCCUPANCY
from pavane.bounds.registry import ARGUMENT_OF
from pavane.bounds.start_ups import start_up_bounds
from pavane.bounds.steps import best_of_each, explain, explained, lower_bounds
from pavane.errors import InputError
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.text import counted

START_UPS = "start-ups"


def occupancy_bound(problem: Problem, num_steps: int | None = None, deadline: float | None = None) -> Bound:
    """Return the highest lower bound on the occupancy, for schedules of `num_steps` start-ups or of any number."""
    return occupancy_bounds(problem, num_steps, deadline)[0]


def occupancy_bounds(
    problem: Problem, num_steps: int | None = None, deadline: float | None = None
) -> tuple[Bound, ...]:
    """Return the best lower bound on the occupancy of each argument, the highest first.

    Raises InputError where no schedule has as few start-ups as `num_steps`. Prices are improved until the deadline, a
    moment of clock.now().
    """
    if not problem.rules.combining:
        raise InputError("without combining the occupancy is the number of steps; bound those, or request combining")
    if problem.pattern == "reduction":
        return occupancy_bounds(dual(problem), num_steps, deadline)
    fewest = start_up_bounds(problem)[0]
    if num_steps is not None and num_steps < fewest.figure:
        raise InputError(
            f"no schedule has {counted(num_steps, 'start-up')}; at least {fewest.figure} are needed "
            f"({fewest.argument}), so request {fewest.figure} or more"
        )
    of_moves = () if num_steps is None else bounds_by_moves(problem, num_steps)
    of_start_ups = _fewest_messages(fewest) if num_steps is None else one_message_a_step(num_steps)
    return best_of_each((*_unrolled_bounds(problem, deadline), *of_moves, of_start_ups))


def explain_occupancy(problem: Problem, bound: Bound) -> str:
    """Return the argument of a bound in words, with its figures."""
    if problem.pattern == "reduction":
        return f"read backwards: {explain_occupancy(dual(problem), bound)}"
    if bound.argument == MOVES:
        return explain_moves(problem, bound)
    if bound.argument == EXHAUSTIVE:
        start_ups = "any number of start-ups" if bound.num_steps is None else counted(bound.num_steps, "start-up")
        return f"a search through all schedules of {start_ups} and a TCO of {bound.figure - 1:,} found none"
    if bound.argument == START_UPS:
        if bound.num_steps is not None:
            return f"each of {counted(bound.num_steps, 'step')} moves at least one message"
        inner = bound.certificate[START_UPS]
        known = Bound(inner["steps"], inner["argument"], inner["certificate"])
        return f"each of at least {counted(bound.figure, 'step')} moves a message: {explain(problem, known)}"
    return explained(unrolled(problem), Bound(bound.figure, bound.argument, bound.certificate), OCCUPANCY)


def unrolled(problem: Problem) -> Problem:
    """Return the problem without combining whose price and cut bounds hold for the occupancy.

    Under wormhole switching relays may bring a private message along any route.
    """
    relayed = problem.rules.switching == "wormhole" and problem.pattern == "private"
    routing = "any" if relayed else problem.rules.routing
    return Problem(problem.network, problem.collective, replace(problem.rules, combining=False, routing=routing))


def _unrolled_bounds(problem: Problem, deadline: float | None) -> Iterator[Bound]:
    for bound in lower_bounds(unrolled(problem), deadline):
        if ARGUMENT_OF[bound.argument].counts_units:
            yield Bound(bound.figure, bound.argument, bound.certificate, objective="tco")


def one_message_a_step(num_steps: int) -> Bound:
    """Return the occupancy of `num_steps` steps with one message in each transfer."""
    return Bound(num_steps, START_UPS, {}, objective="tco", num_steps=num_steps)


def _fewest_messages(fewest: Bound) -> Bound:
    """Return the occupancy of the fewest start-ups with one message in each transfer."""
    inner = {"steps": fewest.figure, "argument": fewest.argument, "certificate": fewest.certificate}
    return Bound(fewest.figure, START_UPS, {START_UPS: inner}, objective="tco")
