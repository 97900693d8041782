"""The best prices on channels: how loaded the busiest channel must be, however the messages are routed.

For private messages that go in one wormhole transfer each. Spread the messages over their admissible paths, in
fractions if need be, so that the busiest channel (under half duplex: link) carries as little as possible; a channel
carries one message a step, so no schedule has fewer steps. The dual of that linear program is a price on every channel,
and a price list proves its bound by itself (see `prices`): whatever found the prices, the bound is exact.

Under restricted routing the states of `routing` stand for the routers: shortest paths between them are the admissible
ones.

Ports get no price here. Every message pays the same for its two ports on whatever path, so a list that prices both
proves (A + B) / (a + b), where channels alone prove A / a and ports alone B / b; and that lies between the two.

The sums of distances over channels of gecco08 section 3 are the case of equal prices, the bisection that of a cut.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.bounds.counting import priced
from pavane.bounds.prices import Prices
from pavane.kernels import compiled
from pavane.kernels.priced_loads import priced_loads
from pavane.model.bound import Bound
from pavane.model.distances import UNREACHABLE
from pavane.model.problem import Problem

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

ARGUMENT = "channel-prices"

MOST_FLOWS = 25_000
"""The largest linear program, in flows of one source over one channel, that takes about a second."""

MOST_UNCOMPILED = 100_000
"""Up to so many pairs of source and channel, over all rounds, take less time than loading machine code."""

MOST_PAIRS = 50_000_000
"""Above so many pairs of source and channel a round takes too long for what it is worth."""

PAIRS_IN_ALL_ROUNDS = 120_000_000
"""How many pairs of source and channel all rounds together may look at: about ten seconds."""

LARGEST_PRICE = 10**6
SCALES = (1, 2, 3, 4, 6, 12, 60, 1000, LARGEST_PRICE)
"""Largest prices to try when prices become whole numbers; the first that loses nothing makes the plainest list."""

CHEAPEST = 1e-7
"""No price falls below this share of the largest, so that it can rise again."""


def congestion(problem: Problem, deadline: float | None = None) -> Bound | None:
    """Return the best bound by prices on channels, found before a moment of time.monotonic(); None where none applies.

    A few rounds of multiplicative weights often settle small networks; else the linear program does, or on large ones
    more rounds.
    """
    traffic = _Traffic.of(problem)
    if traffic is None or traffic.num_pairs > MOST_PAIRS or _is_over(deadline):
        return None
    if not traffic.fits_a_program:
        most_rounds = min(200, max(10, PAIRS_IN_ALL_ROUNDS // traffic.num_pairs))
        weighted = _weighted(traffic, most_rounds, deadline)
        return priced(problem, _rounded(traffic, weighted.per_unit, deadline), ARGUMENT)
    # Where all channels are alike, the first round says so.
    weighted = _weighted(traffic, 12 if traffic.num_pairs <= 5000 else 2, deadline)
    candidates = [weighted.per_unit]
    if not weighted.is_settled and not _is_over(deadline):
        best = _linear_program(traffic, deadline)
        candidates += [] if best is None else [best]
    bounds = [priced(problem, _rounded(traffic, per_unit, deadline), ARGUMENT) for per_unit in candidates]
    return max(bounds, key=lambda bound: bound.steps)


def load_prices(problem: Problem, deadline: float | None = None) -> Prices | None:
    """Return the best prices by linear programming; None where none apply or the program would be too large."""
    traffic = _Traffic.of(problem)
    if traffic is None or not traffic.fits_a_program:
        return None
    per_unit = _linear_program(traffic, deadline)
    return None if per_unit is None else _rounded(traffic, per_unit, deadline)


def weighted_prices(problem: Problem, most_rounds: int = 200, deadline: float | None = None) -> Prices | None:
    """Return nearly the best prices by multiplicative weights; None where none apply."""
    traffic = _Traffic.of(problem)
    if traffic is None:
        return None
    return _rounded(traffic, _weighted(traffic, most_rounds, deadline).per_unit, deadline)


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


class _Traffic:
    """The messages of a problem as flows between routers."""

    def __init__(self, problem: Problem, sources: npt.NDArray[np.int32], demand: Longs) -> None:
        network, restriction = problem.network, problem.restriction
        self.minimal = problem.rules.routing != "any"
        used, unit_of = np.unique(problem.units, return_inverse=True)
        self.num_units, self.unit_of = len(used), unit_of.astype(np.int64)
        self.num_processors = network.num_processors
        # What each channel here draws on: a unit of the problem, or at the end of unfolded paths nothing.
        self.drawn_on = self.unit_of
        if restriction is not None:
            network, channel_of = restriction.unfolded()
            # Every path begins in a router's first state.
            sources = (sources * restriction.num_ranks).astype(np.int32)
            demand = np.pad(demand, ((0, 0), (network.num_routers - demand.shape[1], 0)))
            self.drawn_on = np.where(channel_of >= 0, self.unit_of[channel_of], self.num_units)
        self.network, self.sources, self.demand = network, sources, demand
        self.num_pairs = len(sources) * network.num_channels
        self.kernel: Callable[..., int] = priced_loads
        wiring: list[npt.NDArray[np.int32]] = []
        for ends in (network.tails, network.heads):
            order = np.argsort(ends, kind="stable")
            wiring.append(np.searchsorted(ends[order], np.arange(network.num_routers + 1)).astype(np.int32))
            wiring.append(order.astype(np.int32))
        wiring += [np.ascontiguousarray(network.tails), np.ascontiguousarray(network.heads)]
        self.wiring = tuple(wiring)

    @classmethod
    def of(cls, problem: Problem) -> _Traffic | None:
        """Return the traffic of a problem; None where messages do not go in one transfer each or take no channel."""
        if problem.pattern != "private" or problem.rules.switching != "wormhole" or problem.rules.combining:
            return None
        starts, ends = (problem.network.router_of[problem.labels[:, side]] for side in (0, 1))
        moving = starts != ends
        if not moving.any():
            return None
        sources, rows = np.unique(starts[moving], return_inverse=True)
        demand = np.zeros((len(sources), problem.network.num_routers), dtype=np.int64)
        np.add.at(demand, (rows, ends[moving]), 1)
        return cls(problem, sources, demand)

    @property
    def fits_a_program(self) -> bool:
        """Whether the pairs of a source and a channel that its messages may take are few enough."""
        # Every target needs a channel of its own to be entered by.
        if np.count_nonzero(self.demand) > MOST_FLOWS:
            return False
        return sum(int(admissible.sum()) for admissible in self.admissible()) <= MOST_FLOWS

    def admissible(self) -> Iterator[npt.NDArray[np.bool_]]:
        """Yield for each source the channels that its messages may take."""
        tails, heads = self.network.tails, self.network.heads
        for source in self.sources.tolist():
            away = self.network.distances_from(source)
            reached = away[tails] != UNREACHABLE
            yield reached & (away[heads] == away[tails] + 1 if self.minimal else heads != source)

    def buy(self, per_unit: Longs) -> tuple[int, Floats]:
        """Return what all cheapest paths cost together, and the loads of the units where all take them."""
        prices = np.append(per_unit, 0)[self.drawn_on]
        surcharge = int(prices.max()) * self.network.num_routers + 1 if self.minimal else 0
        loads = np.zeros(len(prices))
        paid = self.kernel(self.sources, self.demand, *self.wiring, prices, surcharge, loads)
        per_unit_loads = np.bincount(self.drawn_on, weights=loads, minlength=self.num_units)
        return int(paid), per_unit_loads[: self.num_units].astype(np.float64)


# -- multiplicative weights


@dataclass(frozen=True)
class _Weights:
    per_unit: Floats
    is_settled: bool
    """Whether no other prices can prove more steps."""


def _weighted(traffic: _Traffic, most_rounds: int, deadline: float | None) -> _Weights:
    """Make loaded channels dearer and idle ones cheaper, again and again.

    The paths taken over all rounds, in equal shares, are one routing; its largest load bounds what any prices can prove
    (Plotkin, Shmoys and Tardos 1995). Where that is reached the search is over.
    """
    if most_rounds * traffic.num_pairs > MOST_UNCOMPILED:
        traffic.kernel = compiled(priced_loads)
    prices = np.ones(traffic.num_units)
    best, best_prices = 0.0, prices
    routed = np.zeros(traffic.num_units)
    mean_prices = np.zeros(traffic.num_units)

    def consider(candidate: Floats) -> tuple[float, Floats]:
        nonlocal best, best_prices
        # The kernel wants whole numbers from 1 on.
        whole = np.maximum(np.rint(candidate * LARGEST_PRICE), 1).astype(np.int64)
        paid, loads = traffic.buy(whole)
        proven = paid / int(whole.sum())
        if proven > best:
            best, best_prices = proven, whole.astype(np.float64)
        return proven, loads

    for turn in range(most_rounds):
        proven, loads = consider(prices)
        # Later rounds count more: the first ones know little.
        routed += 2 / (turn + 2) * (loads - routed)
        if np.ceil(best - 1e-9) >= np.ceil(routed.max() - 1e-9):
            return _Weights(best_prices, True)
        if _is_over(deadline):
            break
        prices = prices * np.exp(np.clip((loads / proven - 1) / np.sqrt(turn + 1), -2, 2))
        prices = np.maximum(prices / prices.max(), CHEAPEST)
        mean_prices += 2 / (turn + 2) * (prices / prices.sum() - mean_prices)
        if turn % 10 == 9:
            # What a list proves is concave in its prices, so the mean of many lists is no worse than they are.
            consider(mean_prices / mean_prices.max())
    return _Weights(best_prices, False)


# -- linear programming


def _linear_program(traffic: _Traffic, deadline: float | None) -> Floats | None:
    """Return the price of each unit: the dual values of "load <= the largest load", which is minimized.

    One commodity per source: its flows leave the source and end where its messages do. Along channels that lead away
    from the source every path is shortest.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    network, num_units = traffic.network, traffic.num_units
    rows, channels = np.nonzero(np.stack(list(traffic.admissible())))
    num_flows, num_routers = len(rows), network.num_routers
    flows = np.arange(num_flows)
    entering, leaving = rows * num_routers + network.heads[channels], rows * num_routers + network.tails[channels]
    ones = np.ones(num_flows)
    kept = csr_array(
        (np.concatenate((ones, -ones)), (np.concatenate((entering, leaving)), np.concatenate((flows, flows)))),
        shape=(len(traffic.sources) * num_routers, num_flows + 1),
    )
    # What enters a router less what leaves it is what stays; at the source the rest follows. Routers out of reach
    # have no flows.
    stays = np.zeros(len(traffic.sources) * num_routers, dtype=bool)
    stays[entering] = True
    largest = np.full(num_units, num_flows)
    drawn_on = traffic.drawn_on[channels]
    draws = drawn_on < num_units
    load = csr_array(
        (
            np.concatenate((ones[draws], -np.ones(num_units))),
            (np.concatenate((drawn_on[draws], np.arange(num_units))), np.concatenate((flows[draws], largest))),
        ),
        shape=(num_units, num_flows + 1),
    )
    options = {} if deadline is None else {"time_limit": max(0.01, deadline - time.monotonic())}
    solution = linprog(  # type: ignore[call-overload]  # the stubs do not know sparse matrices
        np.append(np.zeros(num_flows), 1.0),
        A_ub=load,
        b_ub=np.zeros(num_units),
        A_eq=kept[stays],
        b_eq=traffic.demand.ravel()[stays],
        # The simplex method takes ten times as long on random networks with any routing.
        method="highs-ipm",
        options=options,
    )
    if solution.status != 0:
        return None
    per_unit = np.maximum(-np.asarray(solution.ineqlin.marginals, dtype=np.float64), 0.0)
    return per_unit if per_unit.max() > 0 else None


# -- whole numbers


def _rounded(traffic: _Traffic, per_unit: Floats, deadline: float | None) -> Prices:
    """Return whole prices that prove as many steps as rounding can keep, in the plainest numbers if there is time."""
    shares = per_unit / per_unit.max()
    best_prices = np.rint(shares * SCALES[-1]).astype(np.int64)
    best = 0 if _is_over(deadline) else _proven_steps(traffic, best_prices)
    for scale in SCALES[:-1]:
        if _is_over(deadline):
            break
        prices = np.rint(shares * scale).astype(np.int64)
        steps = _proven_steps(traffic, prices)
        # Coarser prices may prove more by chance, and are better to read where they prove as much.
        if steps >= best:
            best, best_prices = steps, prices
            break
    zeros = np.zeros(traffic.num_processors, dtype=np.int64)
    return Prices(best_prices[traffic.unit_of], zeros, zeros)


def _proven_steps(traffic: _Traffic, per_unit: Longs) -> int:
    paid, _ = traffic.buy(per_unit)
    return -(-paid // int(per_unit.sum()))
