"""The fractional bound: message times that no number of pieces goes below.

A message time is the step of a message that is not cut: S steps with k pieces a message are S / k message times. An
argument that counts what each step can carry, as prices, cuts, ports and volume do, requires k times as much of k
pieces as of one. So what it gives for one piece, before it is rounded up, holds for any number of them. Growth,
distance, tails, flows over time and exhaustive searches are about one number of pieces and no other (see
`Argument.counts_units`).

The best cut of a broadcast and the best prices on channels are exact here, where bounds on steps are content with what
is rounded up to the same step. Schedules may meet the bound with no number of pieces: what comes late must still
spread, and under wormhole switching paths that share channels in pairs may stand in each other's way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from pavane.bounds.channel_prices import tightest_prices
from pavane.bounds.cut import MOST_ROUTERS, tightest_cut
from pavane.bounds.occupancy import unrolled
from pavane.bounds.registry import ARGUMENT_OF, Work
from pavane.bounds.slots import in_packet_times, in_slots
from pavane.bounds.steps import BY_COUNTING, tried_arguments
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem


class FractionalBound(NamedTuple):
    """No schedule has fewer message times, whatever the number of pieces; under combining, times of occupancy."""

    per_message: Fraction
    """The message times."""
    bound: Bound
    """Why: a bound on the same problem with messages in one piece."""


def fractional_bound(problem: Problem, deadline: float | None = None) -> FractionalBound | None:
    """Return the highest fractional bound that is found before a moment of clock.now(); None where there is none.

    How many pieces the problem has does not matter; sizes do: one unit takes a message time.
    """
    if problem.pattern == "reduction":
        return fractional_bound(dual(problem), deadline)
    whole = replace(problem, collectives=(replace(problem.collective, pieces=1),))
    if problem.rules.has_slots:
        loads = fractional_bound(in_packet_times(whole), deadline)
        slots = problem.rules.packet_slots
        return loads and FractionalBound(loads.per_message * slots, in_slots(whole, loads.bound))
    best: FractionalBound | None = None
    for bound in _scaling_bounds(unrolled(whole) if problem.rules.combining else whole, deadline):
        if bound.exact is not None and bound.exact > (best.per_message if best else 0):
            best = FractionalBound(bound.exact, bound)
    return best


def _scaling_bounds(problem: Problem, deadline: float | None) -> Iterator[Bound]:
    """Yield bounds by arguments that scale with the pieces: by counting, then by the best cut and the best prices."""
    highest = Fraction(0)
    if problem.pattern == "allreduce":
        for tried in tried_arguments(problem, deadline):
            yield from (bound for bound in tried.bounds if tried.argument.counts_units)
        return
    # A split in halves is one of the cuts of which the best is looked for.
    has_best_cut = problem.pattern == "broadcast" and problem.network.num_routers <= MOST_ROUTERS
    for work in BY_COUNTING:
        if work == Work.SPLIT and has_best_cut:
            continue
        for tried in tried_arguments(problem, deadline, work):
            for bound in tried.bounds:
                if ARGUMENT_OF[bound.argument].counts_units and bound.exact is not None:
                    highest = max(highest, bound.exact)
                    yield bound
    for searched in (tightest_cut(problem, highest, deadline), tightest_prices(problem, deadline)):
        if searched is not None:
            yield searched
