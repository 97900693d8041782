"""What the player knows of a table: the rows of routers, and steps written out around one of them.

A schedule that is small enough is written out whole. Of a large one a *window* is drawn: the routers nearest to one
router, and some steps from a first one on. What happens elsewhere is counted and not drawn, and a path that leaves the
window is drawn as far as it runs inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.io.result_texts import symmetry_text, table_text
from pavane.io.router_rows import rows_of_router
from pavane.judge.result import Result
from pavane.model.any_table import AnyTable
from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.slots import channel_uses
from pavane.model.table_schedule import TableSchedule
from pavane.networks.layout import grid as grid_positions
from pavane.networks.positions import positions_of
from pavane.ui.player.contents import MOST_CHOSEN, MOST_TRANSFERS, about_result, channel_loads, contents_of_schedule

MOST_CHANNELS = 400_000
"""Tables of networks with more channels are not put into a page: to write out a single step takes seconds."""

MOST_ROUTERS_DRAWN = 120
"""Routers of a window: more are too small to be clicked."""

LEAST_ROUTERS_DRAWN = 12
"""A window smaller than this has some of the routers of the next distance; larger ones have all of a distance."""

MOST_STEPS_DRAWN = 24
"""Steps of a window, each of which is written out for all routers."""

MOST_ROWS_LISTED = 6_000
"""Rows of all routers of a page together, some 60 bytes each."""


def contents_of_table(result: Result, router: int = 0, first_step: int = 0) -> dict[str, Any]:
    """Return a table as the player reads it: rows of routers, and the schedule, or a window of it."""
    problem, table = result.problem, result.table
    assert table is not None
    network = problem.network
    if network.num_channels > MOST_CHANNELS:
        raise InputError(
            f"{network.name} has {network.num_channels:,} channels, and a page shows tables of networks of at most "
            f"{MOST_CHANNELS:,}; `pavane show` prints the rows of any router, and any step"
        )
    if table.num_transfers(problem) <= MOST_TRANSFERS:
        whole = result.expanded()
        assert whole.schedule is not None
        contents, written = contents_of_schedule(whole), whole.schedule
        drawn, first_step = list(range(network.num_routers)), 0
    else:
        window = NetworkWindow.around(network, router)
        steps = range(first_step, min(first_step + MOST_STEPS_DRAWN, table.num_steps))
        written, counts = _written_out(problem, table, steps)
        contents = about_result(result) | _window_contents(problem, window, written, steps)
        contents |= {"perStep": counts, "numTransfers": table.num_transfers(problem)}
        drawn = window.routers
    rows = (
        _rows(problem, table, drawn, first_step)
        if isinstance(table, TableSchedule)
        else _moves(problem, written, drawn)
    )
    contents["proof"].insert(0, f"Proven {symmetry_text(result)}.")
    about = table_text(result)
    return {**contents, "table": {**rows, "about": about}}


def _rows(problem: Problem, table: TableSchedule, routers: list[int], first_step: int) -> dict[str, Any]:
    """Return rows of drawn routers from a step on, how many each router has, and where kinds of channels lead."""
    network, most = problem.network, _most_rows(routers)
    listed = {}
    for number, router in enumerate(routers):
        rows = rows_of_router(problem, table, router, first_step=first_step, most=most)
        ends = ([network.routers[network.router_of[end]] for end in (row.sender, row.receiver)] for row in rows)
        listed[number] = [[row.step, *both, row.message, row.path] for row, both in zip(rows, ends, strict=True)]
    heads = table.kinds(network).heads[routers].tolist()
    names = [[network.routers[head] for head in row] for row in heads]
    return {"rows": listed, "numRows": len(table), "heads": names}


def _moves(problem: Problem, written: Schedule, routers: list[int]) -> dict[str, Any]:
    """Return the transfers of drawn routers in the steps that are written out, where a table has no rows of kinds."""
    network, most = problem.network, _most_rows(routers)
    labels = problem.labels_among_all(written.messages)
    owners, num_ends = network.router_of[labels[:, 0]], 2 if problem.pattern == "private" else 1
    listed = {}
    for number, router in enumerate(routers):
        rows = []
        for at in np.flatnonzero(owners == router)[:most].tolist():
            transfer, label = written.transfer(at), labels[at].tolist()
            start = network.router_of[transfer.sender] if transfer.sender >= 0 else ~transfer.sender
            path = [network.routers[place] for place in (start, *network.heads[list(transfer.path)].tolist())]
            message = ">".join(map(str, label[:num_ends])) + "".join(f".{number}" for number in label[num_ends:])
            rows.append([transfer.step, path[0], path[-1], message, "-".join(path)])
        listed[number] = rows
    return {"rows": listed}


def _most_rows(routers: list[int]) -> int:
    """Return how many rows are listed of each of some routers."""
    return max(20, MOST_ROWS_LISTED // len(routers))


# -- windows


@dataclass(frozen=True)
class NetworkWindow:
    """Some routers of a network, the one in the middle first, and the channels between them."""

    network: Network
    routers: list[int]

    @classmethod
    def around(cls, network: Network, router: int) -> NetworkWindow:
        """Return the routers nearest to one: all of a distance, unless that would leave very few."""
        reached, front = {router: None}, [router]
        while front:
            heads = (int(network.heads[c]) for here in front for c in network.out_channels[here])
            front = [head for head in dict.fromkeys(heads) if head not in reached]
            if len(reached) >= LEAST_ROUTERS_DRAWN and len(reached) + len(front) > MOST_ROUTERS_DRAWN:
                break
            front = front[: MOST_ROUTERS_DRAWN - len(reached)]
            reached |= dict.fromkeys(front)
        return cls(network, list(reached))

    @cached_property
    def place_of(self) -> Longs:
        """The place of each router among those drawn; -1 where it is not."""
        places = np.full(self.network.num_routers, -1, dtype=np.int64)
        places[self.routers] = np.arange(len(self.routers))
        return places

    @cached_property
    def channels(self) -> Longs:
        """The channels between drawn routers."""
        tails, heads = self.place_of[self.network.tails], self.place_of[self.network.heads]
        return np.flatnonzero((tails >= 0) & (heads >= 0))

    @cached_property
    def ends(self) -> Longs:
        """The places of the ends of each drawn channel."""
        ends: Longs = self.place_of[self.network.channels[self.channels]]
        return ends

    @cached_property
    def processors(self) -> list[int]:
        """The processors on drawn routers."""
        return [processor for router in self.routers for processor in self.network.processors_on[router]]

    def positions(self) -> list[list[float]]:
        """Return where to draw the routers: as the grid has them around the first one, or by force."""
        network, grid = self.network, self.network.grid
        names = [network.routers[router] for router in self.routers]
        at = None
        if grid is not None and len(grid.sizes) <= 3:
            places = np.stack(np.unravel_index(self.routers, grid.sizes), axis=1).astype(np.int64)
            halves = np.array(grid.sizes) // 2
            turned = (places - places[0] + halves) % np.array(grid.sizes)
            places = np.where(grid.wraps, turned, places)
            places -= places.min(axis=0)
            box = tuple((places.max(axis=0) + 1).tolist())
            at = grid_positions(box)[np.ravel_multi_index(tuple(places.T), box)]
        positions: list[list[float]] = positions_of(Network(network.name, names, self.ends, positions=at)).tolist()
        return positions


def _window_contents(problem: Problem, window: NetworkWindow, written: Schedule, shown: range) -> dict[str, Any]:
    """Return what is drawn of a large table: routers of the window, and what their channels carry in some steps."""
    network, num_steps, word = problem.network, written.num_steps, problem.rules.step_word
    uses = channel_uses(problem, written)
    place_of_channel = np.full(network.num_channels, -1, dtype=np.int64)
    place_of_channel[window.channels] = np.arange(len(window.channels))
    steps, channels = (uses.steps - shown.start) % num_steps, place_of_channel[uses.channels]
    is_drawn = (steps < len(shown)) & (channels >= 0)
    shape, has_capacities = (len(shown), len(window.channels)), network.capacities is not None
    return {
        "numSteps": len(shown),
        "firstStep": shown.start,
        "allSteps": num_steps,
        "routers": [network.routers[router] for router in window.routers],
        "places": window.positions(),
        "processors": window.place_of[network.router_of[window.processors]].tolist(),
        "channels": window.ends.tolist(),
        **({} if network.capacities is None else {"capacities": network.capacities[window.channels].tolist()}),
        **channel_loads(steps[is_drawn], channels[is_drawn], shape, has_capacities=has_capacities),
        "window": f"Drawn are the {len(window.routers)} routers nearest to {network.routers[window.routers[0]]}, of "
        f"{network.num_routers:,}, with {len(window.channels):,} of {network.num_channels:,} channels, and "
        f"{word}s {shown.start + 1:,} to {shown.stop:,} of {num_steps:,}. Paths are drawn inside; what happens "
        "elsewhere is counted and not drawn.",
        **_followed(problem, written, window, place_of_channel, shown),
    }


def _written_out(problem: Problem, table: AnyTable, steps: range) -> tuple[Schedule, list[int]]:
    """Return the transfers of all routers that take part in some steps, and how many begin in each of them."""
    rules, before = problem.rules, 0
    if rules.has_slots and isinstance(table, TableSchedule):
        # Packets that were injected before the first slot are still under way.
        before = int(rules.flight(table.row_lengths.max())) + rules.packet_slots
        before = min(before, table.num_steps - len(steps) if rules.repeats else steps.start)
    parts = [table.expand_step(problem, step % table.num_steps) for step in range(steps.start - before, steps.stop)]
    joined = Schedule.join(parts, table.num_steps, [part.steps for part in parts])
    return joined, [len(part) for part in parts[before:]]


def _followed(
    problem: Problem, written: Schedule, window: NetworkWindow, place_of_channel: Longs, steps: range
) -> dict[str, Any]:
    """Return the transfers of messages that belong to drawn processors, the nearest first, as far as they are drawn."""
    network = problem.network
    labels = problem.labels_among_all(written.messages)
    number_of = np.full(network.num_processors, len(window.processors), dtype=np.int64)
    number_of[window.processors] = np.arange(len(window.processors))
    owners = number_of[labels[:, 0]]
    order = np.argsort(owners, kind="stable")
    order = order[owners[order] < len(window.processors)][:MOST_CHOSEN]
    names: dict[int, int] = {processor: number for number, processor in enumerate(window.processors)}
    carried: dict[tuple[int, ...], int] = {}
    transfers = []
    num_ends = 2 if problem.pattern == "private" else 1
    for at in order.tolist():
        label = labels[at].tolist()
        ends = [names.setdefault(end, len(names)) for end in label[:num_ends]]
        for part in _parts(problem, written.transfer(at), window, place_of_channel, names):
            message = carried.setdefault((*ends, *label[num_ends:]), len(carried))
            step = (part[0] - steps.start) % written.num_steps
            transfers.append([step if step < len(steps) else step - written.num_steps, *part[1:], message])
    return {
        "chosen": {"labels": [list(label) for label in carried], "transfers": transfers},
        "processorNames": [_processor_name(network, processor) for processor in names],
    }


def _parts(
    problem: Problem, transfer: Transfer, window: NetworkWindow, place_of_channel: Longs, names: dict[int, int]
) -> Iterator[list[Any]]:
    """Yield the parts of a transfer's path that are drawn: step, ends and channels."""
    places = place_of_channel[list(transfer.path)]
    inside = np.flatnonzero(places >= 0)
    for part in np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1):
        if not len(part):
            continue
        channels = places[part].tolist()
        ends = [~int(window.ends[channels[0], 0]), ~int(window.ends[channels[-1], 1])]
        for end, location, is_end in (
            (0, transfer.sender, part[0] == 0),
            (1, transfer.receiver, part[-1] == len(places) - 1),
        ):
            if is_end and location >= 0:
                ends[end] = names[location]
        later = int(part[0]) * problem.rules.hop_slots if problem.rules.has_slots else 0
        yield [transfer.step + later, *ends, channels]


def _processor_name(network: Network, processor: int) -> str:
    """Return what a processor is called: as its router, where each router has one."""
    is_slim = network.num_processors == network.num_routers and int(network.router_of[processor]) == processor
    return network.routers[processor] if is_slim else f"p{processor}"
