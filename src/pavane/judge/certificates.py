"""Checks the certificates of lower bounds, as they stand in a schedule file, against the problem alone.

The checkers share nothing with the makers of bounds. A certificate is not believed but counted again: what it claims
does not matter, only what it shows. A kind of certificates is a function with its name beside it (`checkers`).

A step of tdm or of combining schedules carries loads as a step without these does. So a certificate that counts loads
bounds slots, too (`slot_loads`), and the occupancy: a step whose largest payload is w can be written as w steps that
move one message in each transfer, where private messages may be relayed along any way.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil
from textwrap import shorten

from pavane.errors import InputError
from pavane.judge import (  # noqa: F401 - each registers its checkers
    cut_certificates,
    growth_certificates,
    move_certificates,
    over_time_certificates,
    price_certificates,
    slot_certificates,
    sum_certificates,
    tail_certificates,
    timed_certificates,
    translated_certificates,
    tree_certificates,
)
from pavane.judge.checkers import CHECKERS, SEVERAL, TRANSFERS, Checker, Figure, checks
from pavane.judge.facts import whole
from pavane.judge.slot_loads import slots_of_load
from pavane.model.allreduce import contributions
from pavane.model.bound import ALONE, UNITED, Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem, Rules
from pavane.model.several import as_one

UNREADABLE = (KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError)
"""What reading a certificate raises where it is not as it should be."""

MOST_REPEATED = 200
"""Characters that are repeated of what is wrong with a certificate."""

PATTERN_WORDS = {
    "private": "private messages",
    "broadcast": "broadcasts",
    "reduction": "reductions",
    "allreduce": "an allreduce",
    "several": "several collectives",
}


def proven(problem: Problem, bound: Bound) -> int:
    """Return the figure that the certificate of a bound proves; InputError where it proves nothing."""
    return ceil(proven_exactly(problem, bound))


def proven_exactly(problem: Problem, bound: Bound) -> Fraction:
    """Return the same before it is rounded up."""
    if problem.pattern == "reduction" and not problem.has_times:
        return proven_exactly(dual(problem), bound)
    try:
        checker = checker_of(problem, bound)
        if checker.of_contributions and problem.pattern == "allreduce":
            return proven_exactly(contributions(problem), bound)
        if problem.rules.has_slots and "slots" not in checker.bounds:
            return Fraction(slots_of_load(problem, bound, _steps_of_loads(problem, bound)))
        return Fraction(checker.check(problem, bound))
    except UNREADABLE as error:
        text = shorten(str(error), MOST_REPEATED, placeholder=" ...")
        raise InputError(f"the certificate of bound {bound.argument!r} cannot be read: {text}") from None


def checker_of(problem: Problem, bound: Bound) -> Checker:
    """Return the kind of a bound's certificate; InputError if none bounds what it claims to."""
    possible = [checker for checker in CHECKERS if checker.is_of(bound)]
    # An argument that has a kind of its own has no other.
    possible = [checker for checker in possible if checker.arguments] or possible
    if not possible:
        raise InputError(f"bound {bound.argument!r} is of no known kind, so it cannot be checked")
    pattern, figure = problem.pattern, _figure(problem, bound)
    fitting = [checker for checker in possible if checker.fits(pattern, figure)]
    if not fitting:
        first = possible[0]
        patterns = " or ".join(PATTERN_WORDS[one] for one in first.patterns)
        raise InputError(
            f"bound {bound.argument!r}: {first.name} bound {' or '.join(first.all_bounds)} of {patterns}, not {figure} "
            f"of {PATTERN_WORDS[pattern]}"
        )
    if problem.has_trees and not fitting[0].holds_for_trees:
        raise InputError(f"bound {bound.argument!r} counts single transfers, and routers copy and add here")
    return fitting[0]


def proven_message_times(problem: Problem, bound: Bound) -> Fraction:
    """Return the message times that a certificate proves for any number of pieces; InputError where it proves nothing.

    What counts loads proves of messages in one piece what no number of pieces goes below. Under combining message times
    are times of occupancy.
    """
    ahead = dual(problem) if problem.pattern == "reduction" else problem
    one_piece = replace(ahead, collectives=(replace(ahead.collective, pieces=1),))
    of_loads = replace(bound, objective="tco" if problem.rules.combining else "steps", num_steps=None)
    proven = _steps_of_loads(one_piece, bound) if problem.rules.has_slots else proven_exactly(one_piece, of_loads)
    if not checker_of(one_piece, of_loads).counts_loads:
        raise InputError(f"bound {bound.argument!r} does not hold for any number of pieces; give a cut or prices")
    return problem.rules.packet_slots * proven


def _figure(problem: Problem, bound: Bound) -> Figure:
    """Return what a bound claims to bound."""
    if problem.has_times != (bound.objective == "finish"):
        wanted = "finish" if problem.has_times else "steps"
        raise InputError(f"bound {bound.argument!r} is on the {bound.objective}; expected one on the {wanted}")
    if problem.has_times:
        return "end"
    if bound.objective == "tco":
        if not problem.rules.combining:
            raise InputError("bounds on the occupancy are about combining")
        return "TCO"
    if problem.rules.has_slots:
        return "slots"
    return "start-ups" if problem.rules.combining else "steps"


def _steps_of_loads(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps that a certificate proves of the loads of tdm, where a packet takes a step."""
    usual = Rules("wormhole", problem.rules.ports, problem.rules.duplex, problem.rules.routing)
    return proven_exactly(Problem(problem.network, problem.collective, usual), bound)


# -- certificates with others inside


@checks("bounds of one collective", SEVERAL, ALONE, bounds=("steps", "start-ups"), holds_for_trees=True)
def by_one(problem: Problem, bound: Bound) -> Fraction:
    """Return what is proven of one of several collectives, which holds for all together."""
    number = whole(bound.certificate["collective"])
    if not 0 <= number < len(problem.parts):
        raise ValueError(f"there is no collective {number}")
    return proven_exactly(problem.parts[number], bound.inner)


@checks("bounds of united collectives", SEVERAL, UNITED, bounds=("steps", "start-ups"), holds_for_trees=True)
def by_united(problem: Problem, bound: Bound) -> Fraction:
    """Return what is proven of several collectives of one kind as one problem."""
    numbers = [whole(number) for number in bound.certificate["collectives"]]
    if not numbers or not 0 <= min(numbers) <= max(numbers) < len(problem.parts):
        raise ValueError(f"there are no collectives {numbers}")
    return proven_exactly(as_one(problem, numbers)[0], bound.inner)


@checks("start-ups", (*TRANSFERS, "allreduce"), "start-ups", bounds=("TCO",), holds_for_trees=True)
def by_start_ups(problem: Problem, bound: Bound) -> int:
    """Return the occupancy of start-ups that move one message each: of as many as are named, or of the fewest."""
    if bound.num_steps is not None:
        return bound.num_steps
    inner = bound.certificate["start-ups"]
    return proven(problem, Bound(inner["steps"], inner["argument"], inner["certificate"]))
