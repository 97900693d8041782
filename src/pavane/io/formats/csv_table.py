"""csv: a row per transfer, or of a network a row per channel, for spreadsheets and data frames."""

from __future__ import annotations

from collections.abc import Iterator

from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.notation import csv_text
from pavane.io.objects import location_name
from pavane.judge.result import Result
from pavane.model.network import Network

COLUMNS = ("step", "from", "to", "route", "carries", "ends")


def _render(result: Result, options: Options) -> str:
    return csv_text(COLUMNS, transfer_rows(result))


def transfer_rows(result: Result) -> Iterator[tuple[int | str, ...]]:
    """Yield a row for each transfer; steps count from 1, as in reports."""
    problem, schedule = problem_and_schedule(result)
    routers = problem.network.routers
    # As a fault is written: 0>1.
    ends = [f"{routers[tail]}>{routers[head]}" for tail, head in problem.network.channels.tolist()]
    for transfer in schedule:
        yield (
            transfer.step + 1,
            location_name(transfer.sender),
            location_name(transfer.receiver),
            " ".join(map(str, transfer.path)),
            " ".join(map(problem.message_name, transfer.messages)),
            " ".join(ends[channel] for channel in transfer.path),
        )


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
