"""csv: a row per transfer, or of a network a row per channel, for spreadsheets and data frames."""

from __future__ import annotations

from collections.abc import Iterator

from pavane.io.formats.export import Export, Options
from pavane.io.levels import OrderedResult
from pavane.io.notation import csv_text
from pavane.io.objects import location_name
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

COLUMNS = ("step", "from", "to", "route", "carries", "ends")


def _render(ordered: OrderedResult, options: Options) -> str:
    return csv_text(COLUMNS, transfer_rows(ordered.schedule, ordered.problem))


def transfer_rows(schedule: Schedule, problem: Problem | None) -> Iterator[tuple[int | str, ...]]:
    """Yield a row for each transfer; steps count from 1, as in reports. Without a problem rows have no ends."""
    message_name = str if problem is None else problem.message_name
    ends = None if problem is None else _channel_names(problem.network)
    for transfer in schedule:
        row = (
            transfer.start + (not schedule.has_times),
            location_name(transfer.sender),
            location_name(transfer.receiver),
            " ".join(map(str, transfer.path)),
            " ".join(map(message_name, transfer.messages)),
        )
        yield row if ends is None else (*row, " ".join(ends[channel] for channel in transfer.path))


def _channel_names(network: Network) -> list[str]:
    """Return channels as faults are written: 0>1."""
    routers = network.routers
    return [f"{routers[tail]}>{routers[head]}" for tail, head in network.channels.tolist()]


def _render_network(network: Network) -> str:
    rows = (
        (channel, network.routers[tail], network.routers[head], int(network.capacity[channel]))
        for channel, (tail, head) in enumerate(network.channels.tolist())
    )
    return csv_text(("channel", "tail", "head", "capacity"), rows)


CSV = Export(
    "csv",
    "A table, a row per transfer: step, from, to, route, carries, ends of the channels.",
    ".csv",
    _render,
    render_network=_render_network,
)
