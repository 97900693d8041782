"""The linear program of the best prices on channels and ports.

Spread the messages over their admissible paths, in fractions if need be, so that the busiest unit carries as little as
possible: a channel, under half duplex a link, under store-and-forward a port as well. The dual of that linear program
is a price on every unit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.bounds.traffic import Traffic
from pavane.jit import clock
from pavane.model.arrays import Longs, Reals

MOST_FLOWS = 25_000
"""The largest linear program, in flows of one source over one channel, that takes about a second."""


class Entries(NamedTuple):
    """The entries of a sparse matrix."""

    rows: Longs
    columns: Longs
    values: Reals

    def joined(self, other: Entries) -> Entries:
        """Return these entries and others."""
        return Entries(*(np.concatenate(both) for both in zip(self, other, strict=True)))


def fits_a_program(traffic: Traffic) -> bool:
    """Return whether the pairs of a source and a channel that its messages may take are few enough."""
    # Every target needs a channel of its own to be entered by.
    if np.count_nonzero(traffic.demand) > MOST_FLOWS:
        return False
    return sum(int(admissible.sum()) for admissible in traffic.admissible()) <= MOST_FLOWS


def by_linear_program(traffic: Traffic, deadline: float | None) -> Reals | None:
    """Return the price of each unit: the dual values of "load <= the largest load", which is minimized.

    One commodity per source: its flows leave the source and end where its messages do. Along channels that lead away
    from the source every path is shortest. The largest load comes first among the variables, then the flows, then what
    stops at each processor on its way, where ports are narrow.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    rows, channels = np.nonzero(np.stack(list(traffic.admissible())))
    flows = np.arange(len(rows)) + 1
    kept, stays = _kept(traffic, rows, channels)
    num_kept = len(stays)
    loads = Entries(
        np.arange(traffic.num_units), np.zeros(traffic.num_units, dtype=np.int64), -traffic.capacity.astype(float)
    )
    drawn_on = traffic.drawn_on[channels]
    draws = drawn_on < traffic.num_links
    loads = loads.joined(Entries(drawn_on[draws], flows[draws], np.ones(int(draws.sum()))))
    own, num_variables = np.zeros(traffic.num_units), len(rows) + 1
    if traffic.stops is not None:
        more_kept, arrivals, more_loads = _stopping(traffic, channels, num_kept, num_variables)
        kept, loads, stays = kept.joined(more_kept), loads.joined(more_loads), np.concatenate((stays, arrivals))
        own[traffic.num_links :] = traffic.stops.own
        num_kept, num_variables = len(stays), num_variables + len(traffic.stops.router_of)
    costs = np.zeros(num_variables)
    costs[0] = 1.0
    solution = linprog(  # type: ignore[call-overload]  # the stubs do not know sparse matrices
        costs,
        A_ub=csr_array((loads.values, (loads.rows, loads.columns)), shape=(traffic.num_units, num_variables)),
        b_ub=-own,
        A_eq=csr_array((kept.values, (kept.rows, kept.columns)), shape=(num_kept, num_variables)),
        b_eq=stays,
        # The simplex method takes ten times as long on random networks with any routing.
        method="highs-ipm",
        options={} if deadline is None else {"time_limit": max(0.01, deadline - clock.now())},
    )
    if solution.status != 0:
        return None
    per_unit = np.maximum(-np.asarray(solution.ineqlin.marginals, dtype=np.float64), 0.0)
    return per_unit if per_unit.max() > 0 else None


def _kept(traffic: Traffic, rows: Longs, channels: Longs) -> tuple[Entries, Longs]:
    """Return that what enters a router less what leaves it stays there, for every source and router in its reach.

    At the source the rest follows.
    """
    network, flows = traffic.network, np.arange(len(rows)) + 1
    entering, leaving = (rows * network.num_routers + ends[channels] for ends in (network.heads, network.tails))
    is_reached = np.zeros(traffic.demand.size, dtype=bool)
    is_reached[entering] = True
    line_of = np.cumsum(is_reached) - 1
    leaves = is_reached[leaving]
    ones = np.ones(len(rows))
    kept = Entries(line_of[entering], flows, ones)
    return kept.joined(Entries(line_of[leaving[leaves]], flows[leaves], -ones[leaves])), traffic.demand.ravel()[
        is_reached
    ]


def _stopping(
    traffic: Traffic, channels: Longs, first_line: int, first_variable: int
) -> tuple[Entries, Longs, Entries]:
    """Return that what enters a router and does not end there stops at its processors, and what their ports carry."""
    network, stops = traffic.network, traffic.stops
    assert stops is not None
    homes, line_of_processor = np.unique(stops.router_of, return_inverse=True)
    line_of = np.full(network.num_routers, -1)
    line_of[homes] = np.arange(len(homes)) + first_line
    lines = line_of[network.heads[channels]]
    stopping = np.arange(len(stops.router_of)) + first_variable
    kept = Entries(lines[lines >= 0], np.flatnonzero(lines >= 0) + 1, np.ones(int((lines >= 0).sum())))
    kept = kept.joined(Entries(line_of_processor + first_line, stopping, np.full(len(stopping), -1.0)))
    ports = np.arange(stops.num_ports) + traffic.num_links
    return kept, traffic.arrivals[homes], Entries(ports, stopping[stops.processors], np.ones(stops.num_ports))
