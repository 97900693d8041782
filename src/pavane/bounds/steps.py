"""Lower bounds on the number of steps, by every argument that applies.

A reduction is bounded as the broadcast that it is when read backwards. An allreduce has arguments of its own, and those
on the start-ups of what its contributions must do. The slots of a tdm problem are bounded by the arguments that
count loads, as the steps of a wormhole problem with the same loads, and by arguments on when packets are where.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np

from pavane.bounds import exhaustive
from pavane.bounds.counted_cut import cut_bounds
from pavane.bounds.phrases import STEP, Unit, every
from pavane.bounds.registry import ARGUMENT_OF, ARGUMENTS, ARGUMENTS_OF_SLOTS, ARGUMENTS_OF_SUMS, Argument, Work
from pavane.bounds.several import bounds_of_several, explain_several
from pavane.bounds.slots import explain_slots, in_packet_times, in_slots
from pavane.errors import expect
from pavane.jit import clock
from pavane.model.allreduce import contributions
from pavane.model.bound import Bound
from pavane.model.distances import breadth_first
from pavane.model.duals import dual
from pavane.model.messages import MOST_MESSAGES
from pavane.model.network import MOST_ROUTERS_TABLED, Network
from pavane.model.problem import Problem

EXPLAINED_AS = {
    "channels": "channel-prices",
    "processor": "ejection",
    "routers": "cut",
    "classes": "partition",
    "blocks": "tail",
    "joining": "flow-over-time",
}
"""Fallback explanation by certificate key, for unknown arguments."""


OF_CONTRIBUTIONS = ("distance", "growth", "gathering", "crossing")
"""Arguments that bound an allreduce by what its contributions must do."""

OF_SLOTS = (exhaustive.NAME, *(argument.name for argument in ARGUMENTS_OF_SLOTS))
"""Arguments that bound a tdm problem itself, and not the loads of its steps."""

BY_COUNTING = (Work.COUNT, Work.DISTANCES, Work.SPLIT)


class Tried(NamedTuple):
    """What came of an argument."""

    argument: Argument
    bounds: tuple[Bound, ...]
    is_tried: bool = True
    """Whether there was time to try it."""


@lru_cache(maxsize=4)
def counted_bounds(problem: Problem, most: Work = Work.SPLIT) -> tuple[Bound, ...]:
    """Return the best bound of each argument by counting that takes at most some work, the highest first."""
    if problem.has_several or problem.has_times:
        return lower_bounds(problem)
    tried = (one for work in BY_COUNTING if work <= most for one in tried_arguments(problem, work=work))
    return listed(bound for one in tried for bound in one.bounds)


def lower_bounds(problem: Problem, deadline: float | None = None) -> tuple[Bound, ...]:
    """Return the best bound of each argument, the highest first: by counting, by the best prices or the best cut.

    Args:
        problem: The problem.
        deadline: A moment of clock.now(), at which what is proven until then is returned.

    Returns:
        The bounds, each with a certificate that the judge can check.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.lower_bounds(problem)[0]
        <Bound: 4 steps (sum-of-distances)>
        >>> links = pavane.Links.uniform(problem.network, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> pavane.lower_bounds(pavane.Problem(problem.network, "alltoall", links=links, num_bytes=1_000_000))[0]
        <Bound: 160,700,000 ps (timed-prices)>
    """
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    if problem.has_several:
        return bounds_of_several(problem, counted_bounds)
    if problem.has_times:
        from pavane.bounds.finish_bounds import bounds_on_finish

        return best_of_each(bounds_on_finish(problem))
    return listed(bound for one in tried_arguments(problem, deadline) for bound in one.bounds)


def bounds_at_any_size(problem: Problem) -> tuple[Bound, ...]:
    """Return bounds that are counted, whatever the network looks like."""
    return cut_bounds(problem) if problem.pattern == "private" else counted_bounds(problem, Work.COUNT)


def listed(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """Return the best bound of each argument, the highest first, equal ones in the order of the registry."""
    index_of = {name: index for index, name in enumerate(ARGUMENT_OF)}
    return best_of_each(sorted(bounds, key=lambda bound: index_of.get(bound.argument, len(index_of))))


def best_of_each(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """Return the best bound of each argument, the highest first; of equal ones the first."""
    best: dict[str, Bound] = {}
    for bound in bounds:
        if bound.argument not in best or bound.figure > best[bound.argument].figure:
            best[bound.argument] = bound
    return tuple(sorted(best.values(), key=lambda bound: bound.figure, reverse=True))


def tried_arguments(
    problem: Problem, deadline: float | None = None, work: Work | None = None, lowest: int = 0
) -> Iterator[Tried]:
    """Yield what each argument that takes some work, or any, proves; searches look for more than `lowest`."""
    if problem.pattern == "reduction":
        yield from tried_arguments(dual(problem), deadline, work, lowest)
        return
    # Too many private messages are not listed, and their loads in slots would be.
    is_listed = problem.pattern != "private" or problem.num_messages <= MOST_MESSAGES
    if problem.rules.has_slots and is_listed:
        for tried in tried_arguments(in_packet_times(problem), deadline, work):
            if tried.argument.counts_units:
                yield tried._replace(bounds=tuple(in_slots(problem, bound) for bound in tried.bounds))
    arguments: tuple[Argument, ...] = ARGUMENTS_OF_SLOTS if problem.rules.has_slots else ARGUMENTS
    if problem.pattern == "allreduce":
        arguments = ARGUMENTS_OF_SUMS
        for tried in tried_arguments(contributions(problem), deadline, work, lowest):
            is_allowed = tried.argument.holds_for_trees or not problem.has_trees
            if is_allowed and tried.argument.name in OF_CONTRIBUTIONS and tried.argument.make is not None:
                yield tried
    for argument in sorted(arguments, key=lambda argument: argument.takes):
        if work not in (None, argument.takes) or (argument.make is None and argument.search is None):
            continue
        if problem.has_trees and not argument.holds_for_trees:
            continue
        if not is_listed and (argument.lists_messages or _lists_relays(argument, problem)):
            continue
        if not _is_time_for(argument.takes, problem, deadline):
            yield Tried(argument, (), is_tried=False)
            continue
        if argument.search is None:
            assert argument.make is not None
            found = best_of_each(_until(deadline, argument.make(problem)))
        else:
            search = _found_once if deadline is None else _found
            bound = search(argument, problem, lowest, deadline)
            found = () if bound is None else (bound,)
        if argument.search is None:
            lowest = max((lowest, *(bound.figure for bound in found)))
        yield Tried(argument, found)


def _until(deadline: float | None, bounds: Iterable[Bound]) -> Iterator[Bound]:
    """Yield bounds as they are made, until a moment of clock.now()."""
    for bound in bounds:
        yield bound
        if deadline is not None and clock.now() >= deadline:
            return


def _lists_relays(argument: Argument, problem: Problem) -> bool:
    """Return whether an argument on ports follows each message: under store-and-forward relays use them, too."""
    return argument.name in ("injection", "ejection") and not problem.rules.runs_whole_paths


def _found(argument: Argument, problem: Problem, lowest: int, deadline: float | None) -> Bound | None:
    assert argument.search is not None
    return argument.search(problem, lowest, deadline)


_found_once = lru_cache(maxsize=16)(_found)
"""Cached, because a study searches one problem many times."""


def _is_time_for(work: Work, problem: Problem, deadline: float | None) -> bool:
    """Return whether there is time left, for all distances too where they are needed."""
    # Counting takes no time, so there is always a bound.
    return work == Work.COUNT or is_time_for_distances(problem.network, deadline)


def is_time_for_distances(network: Network, deadline: float | None) -> bool:
    """Return whether all distances of a network can be known before a moment of clock.now(): one row is measured."""
    if deadline is None:
        return True
    begun = clock.now()
    if begun >= deadline or "distances" in vars(network):
        return begun < deadline
    # All levels at once, as in the table; where ways are long, one row is quicker otherwise.
    breadth_first(network.outgoing, network.heads, np.array([0]), most_narrow_levels=inf)
    row, num_routers = clock.now() - begun, network.num_routers
    # The table of all distances takes so many rows' time, as measured on networks of 100 to 4,000 routers.
    rows = 1 + num_routers**2 / 60_000 if num_routers <= MOST_ROUTERS_TABLED else num_routers
    return begun + rows * row < deadline


def explain(problem: Problem, bound: Bound) -> str:
    """Return the argument of a bound in words, with its figures.

    Args:
        problem: The problem that the bound is about.
        bound: A bound, as `lower_bounds` returns them.

    Returns:
        One line.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.explain(problem, pavane.lower_bounds(problem)[0])
        'the messages need 88 channel uses in all, and a step offers 24'
    """
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    expect(bound, Bound, "bound", "`pavane.lower_bounds` returns some")
    if problem.has_several:
        return explain_several(problem, bound, explain)
    if problem.has_times:
        from pavane.bounds.finish_bounds import EXPLANATIONS

        return EXPLANATIONS.get(bound.argument, f"by {bound.argument}")
    return explained(problem, bound, STEP)


def explained(problem: Problem, bound: Bound, unit: Unit) -> str:
    """Return the argument of a bound in words that speak of steps, or of another unit."""
    if problem.pattern == "reduction":
        return f"read backwards: {explained(dual(problem), bound, unit)}"
    name = bound.argument
    if problem.rules.has_slots and name not in OF_SLOTS:
        return _explained_in_slots(problem, bound)
    if problem.pattern == "allreduce" and name in OF_CONTRIBUTIONS:
        return explained(contributions(problem), bound, unit)
    if name not in ARGUMENT_OF:
        name = next((argument for key, argument in EXPLAINED_AS.items() if key in bound.certificate), name)
    try:
        return ARGUMENT_OF[name].explain(problem, bound, unit)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # A file may claim anything: of an unknown argument, or an empty certificate, only the name remains. The judge
        # reports what is wrong with it.
        return f"by {bound.argument}"


def _explained_in_slots(problem: Problem, bound: Bound) -> str:
    """Return what a bound by loads says in slots, with those at the ends of a schedule that are of no use."""
    slots = problem.rules.packet_slots
    unit = Unit("a slot" if slots == 1 else f"a packet's time of {slots:,} slots", every(slots))
    text = explained(in_packet_times(problem), bound, unit)
    try:
        return text + explain_slots(problem, bound)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return text  # as for a certificate of a file that shows nothing
