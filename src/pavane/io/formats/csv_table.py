"""csv: a row per transfer, or of a network a row per channel, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io

from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.objects import location_name
from pavane.judge.result import Result
from pavane.model.network import Network


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("step", "from", "to", "route", "carries", "ends"))
    ends = _ends(problem.network)
    for transfer in schedule:
        rows.writerow(
            (
                transfer.step + 1,
                location_name(transfer.sender),
                location_name(transfer.receiver),
                " ".join(map(str, transfer.path)),
                " ".join(map(problem.message_name, transfer.messages)),
                " ".join(ends[channel] for channel in transfer.path),
            )
        )
    return text.getvalue()


def _render_network(network: Network) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("channel", "tail", "head", "capacity"))
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        rows.writerow((channel, network.routers[tail], network.routers[head], int(network.capacity[channel])))
    return text.getvalue()


def _ends(network: Network) -> list[str]:
    """Return for each channel the routers at its ends, as a fault is written: 0>1."""
    return [f"{network.routers[tail]}>{network.routers[head]}" for tail, head in network.channels.tolist()]


CSV = Export(
    "csv",
    "A table, a row per transfer: step, from, to, route, carries, ends of the channels.",
    ".csv",
    _render,
    render_network=_render_network,
)
