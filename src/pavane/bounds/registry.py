"""All arguments for lower bounds on steps, by name: how each is made, and how it is explained.

The judge (`pavane.judge.certificates`) checks what they claim, and shares nothing with this folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

from pavane.bounds import (
    bisection,
    channel_prices,
    counted_cut,
    crossing,
    cut,
    distance,
    even_prices,
    exhaustive,
    first_step,
    flight,
    flow_over_time,
    growth,
    last_arrival,
    modular,
    packet,
    partition,
    ports,
    postal,
    router,
    separation,
    sum_of_flights,
    sum_prices,
    tail,
    translated,
    volume,
)
from pavane.bounds.cut_loads import explain_leaving
from pavane.bounds.phrases import Unit
from pavane.model.allreduce import contributions
from pavane.model.bound import Bound
from pavane.model.problem import Problem


class Work(IntEnum):
    """What it takes to make a bound; arguments are tried in this order."""

    COUNT = 0
    """Counting messages and ports."""
    DISTANCES = 1
    """All distances."""
    SPLIT = 2
    """A good split of the network."""
    SEARCH = 3
    """A search of its own."""


@dataclass(frozen=True)
class Argument:
    """One kind of reason why no schedule has fewer steps."""

    name: str
    explain: Callable[[Problem, Bound, Unit], str]
    make: Callable[[Problem], Iterable[Bound]] | None = None
    """Yields the bounds of any problem at once, reductions excepted; None where a search or a solver finds them."""
    make_takes: Work = Work.COUNT
    search: Callable[[Problem, int, float | None], Bound | None] | None = None
    """Looks for a bound above a figure until a moment of clock.now()."""
    counts_units: bool = True
    """Whether it counts what each step can carry, so that it holds for units of occupancy as for steps. Then k pieces a
    message take k times what one takes, before rounding up, so that it bounds message times, too."""
    lists_messages: bool = False
    """Whether it looks at private messages one by one, so that it is not for problems that have too many."""
    holds_for_trees: bool = False
    """Whether it holds where routers copy and add: it counts a message once over a cut, and no single transfers."""

    @property
    def takes(self) -> Work:
        """Return what it takes to make its bounds."""
        return self.make_takes if self.search is None else Work.SEARCH


def _best_prices(problem: Problem, lowest: int, deadline: float | None) -> Bound | None:
    return channel_prices.priced_by_load(problem, deadline)


TRANSLATED = (
    Argument(translated.NAME, translated.explain, translated.make, counts_units=False),
    Argument(translated.PORTS, translated.explain),
    Argument(translated.TRANSFERS, translated.explain),
)
"""Those of networks with translations, which are made together."""

ARGUMENTS = (
    # By counting: for `counted_bounds`.
    Argument(ports.INJECTION, ports.explain, ports.by_injection),
    Argument(ports.EJECTION, ports.explain, ports.by_ejection, holds_for_trees=True),
    Argument(router.NAME, router.explain, router.make, lists_messages=True, holds_for_trees=True),
    Argument(even_prices.DISTANCES, even_prices.explain, even_prices.by_distances, Work.DISTANCES, lists_messages=True),
    Argument(even_prices.RELAYS, even_prices.explain, even_prices.by_relays, Work.DISTANCES, lists_messages=True),
    Argument(volume.NAME, volume.explain, volume.make, holds_for_trees=True),
    Argument(
        distance.NAME,
        distance.explain,
        distance.make,
        Work.DISTANCES,
        counts_units=False,
        lists_messages=True,
        holds_for_trees=True,
    ),
    Argument(bisection.NAME, bisection.explain, bisection.make, Work.SPLIT, lists_messages=True, holds_for_trees=True),
    Argument(growth.NAME, growth.explain, growth.make, counts_units=False),
    Argument(growth.GATHERING, growth.explain, growth.by_gathering, counts_units=False),
    *TRANSLATED,
    Argument(counted_cut.NAME, counted_cut.explain, counted_cut.make),
    # By a search: for `lower_bounds`, too.
    Argument(channel_prices.NAME, channel_prices.explain, search=_best_prices, lists_messages=True),
    Argument(cut.NAME, explain_leaving, search=cut.best_cut, holds_for_trees=True),
    Argument(tail.NAME, tail.explain, search=tail.best_tail, counts_units=False),
    Argument(
        flow_over_time.NAME,
        flow_over_time.explain,
        search=flow_over_time.best_flow,
        counts_units=False,
    ),
    # Under combining: for `start_up_bounds`.
    Argument(crossing.NAME, crossing.explain, counts_units=False),
    # By solvers.
    Argument("flow-cut", channel_prices.explain),
    Argument(exhaustive.NAME, exhaustive.explain, counts_units=False),
)
"""In the order in which equal bounds are listed."""


def _crossing_of_contributions(problem: Problem) -> Iterable[Bound]:
    return crossing.cuts_of_start_ups(contributions(problem))


ARGUMENTS_OF_SUMS = (
    *TRANSLATED,
    Argument(ports.OWN_PART, ports.explain, ports.by_own_part, holds_for_trees=True),
    Argument(first_step.NAME, first_step.explain, first_step.make, counts_units=False),
    Argument(partition.TRANSFERS, partition.explain, partition.make),
    Argument(crossing.NAME, crossing.explain, _crossing_of_contributions, Work.SPLIT, counts_units=False),
    Argument(separation.NAME, separation.explain, search=separation.narrowest, holds_for_trees=True),
    Argument(
        sum_prices.NAME,
        sum_prices.explain,
        search=sum_prices.best_prices,
        counts_units=False,
        holds_for_trees=True,
    ),
    Argument(partition.NAME, partition.explain, search=partition.best_classes),
    Argument(last_arrival.NAME, last_arrival.explain, last_arrival.make, Work.DISTANCES, counts_units=False),
)
"""Those of an allreduce; what its contributions must do bounds it, too (`pavane.bounds.steps`)."""

ARGUMENTS_OF_SLOTS = (
    *TRANSLATED,
    Argument(packet.NAME, packet.explain, packet.make, counts_units=False),
    Argument(modular.NAME, modular.explain, modular.make, Work.DISTANCES, counts_units=False),
    Argument(flight.NAME, flight.explain, flight.make, Work.DISTANCES, counts_units=False, lists_messages=True),
    Argument(
        sum_of_flights.NAME,
        sum_of_flights.explain,
        sum_of_flights.make,
        Work.DISTANCES,
        counts_units=False,
        lists_messages=True,
    ),
    Argument(postal.NAME, postal.explain, postal.make, counts_units=False),
)
"""Those of tdm, on when packets are where; loads bound it, too (`pavane.bounds.slots`)."""

ARGUMENT_OF = {argument.name: argument for argument in (*ARGUMENTS, *ARGUMENTS_OF_SUMS, *ARGUMENTS_OF_SLOTS)}
