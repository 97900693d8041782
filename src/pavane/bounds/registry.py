"""All arguments for lower bounds on steps, by name: how each is made, and how it is told.

The judge (`pavane.judge.certificates`) checks what they claim, and shares nothing with this folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pavane.bounds import (
    busiest_channel,
    channel_prices,
    crossing,
    distance,
    ejection,
    exhaustive,
    flow_cuts,
    gathering,
    growth,
    halves,
    injection,
    relays,
    router,
    sum_of_distances,
    tail,
    volume,
)
from pavane.bounds.cuts import explain_leaving
from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem


@dataclass(frozen=True)
class Argument:
    """One kind of reason why no schedule has fewer steps."""

    name: str
    explain: Callable[[Problem, Bound, Unit], str]
    make: Callable[[Problem], Iterable[Bound]] | None = None
    """Yields the bounds of any problem at once, reductions excepted; None where a search or a solver finds them."""
    counts_units: bool = True
    """Whether it counts what each step can carry, so that it holds for units of occupancy as for steps."""


ARGUMENTS = (
    # By counting: for `lower_bounds`.
    Argument(injection.NAME, injection.explain, injection.make),
    Argument(ejection.NAME, ejection.explain, ejection.make),
    Argument(router.NAME, router.explain, router.make),
    Argument(sum_of_distances.NAME, sum_of_distances.explain, sum_of_distances.make),
    Argument(relays.NAME, relays.explain, relays.make),
    Argument(volume.NAME, volume.explain, volume.make),
    Argument(distance.NAME, distance.explain, distance.make, counts_units=False),
    Argument(halves.NAME, halves.explain, halves.make),
    Argument(busiest_channel.NAME, channel_prices.explain, busiest_channel.make),
    Argument(growth.NAME, growth.explain, growth.make, counts_units=False),
    Argument(gathering.NAME, gathering.explain, gathering.make, counts_units=False),
    # By a search: for `best_bounds`.
    Argument(channel_prices.NAME, channel_prices.explain),
    Argument(flow_cuts.NAME, explain_leaving),
    Argument(tail.NAME, tail.explain, counts_units=False),
    # Under combining: for `start_up_bounds`.
    Argument(crossing.NAME, crossing.explain, counts_units=False),
    # By solvers.
    Argument("flow-cut", channel_prices.explain),
    Argument(exhaustive.NAME, exhaustive.explain, counts_units=False),
)
"""In the order in which equal bounds are listed."""

ARGUMENT_OF = {argument.name: argument for argument in ARGUMENTS}
