"""csv: a row per transfer, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io

from pavane.exports.export import Export, Options
from pavane.exports.reasons import carried, nothing_to_write
from pavane.formats.objects import location_name
from pavane.judge.result import Result


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("step", "from", "to", "route", "carries"))
    for transfer in schedule:
        rows.writerow(
            (
                transfer.step + 1,
                location_name(transfer.sender),
                location_name(transfer.receiver),
                " ".join(map(str, transfer.path)),
                " ".join(map(problem.message_name, transfer.messages)),
            )
        )
    return {f"{options.stem}.csv": text.getvalue().encode()}


CSV = Export("csv", "A table, a row per transfer: step, from, to, route, carries.", ".csv", nothing_to_write, _write)
