"""Drawings of networks, contents of the player, and files of a schedule in all formats."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from pavane.io import parse_schedule
from pavane.io.exports import EXPORTS
from pavane.io.files import collect_notes
from pavane.judge.refusal import Refusal
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.ui.notebook import exporting
from pavane.ui.player import contents_of, player_page
from pavane.ui.player.contents import MOST_TRANSFERS, drawn_network
from pavane.ui.web.requests import NetworkRequest, ScheduleRequest, SearchRequest, in_words_of_the_page

MOST_ROUTERS_DRAWN = 2_000

OF_TABLES = ("schedule.json",)
OF_SCHEDULES = (*OF_TABLES, "player.html", "schedule.svg")
"""The files that the page offers besides the formats of other programs; the first ones also of large tables."""


def previewed(request: NetworkRequest) -> dict[str, Any]:
    """Return the drawing of a network."""
    with collect_notes() as notes:
        found = request.network_or_problem()
    network = found.network if isinstance(found, Problem) else found
    drawn: dict[str, Any] = {}
    if network.num_routers <= MOST_ROUTERS_DRAWN:
        drawn = drawn_network(network)
    else:
        notes.append(f"{network.name} is not drawn: {MOST_ROUTERS_DRAWN:,} routers at most are")
    return {
        "name": network.name,
        "figures": [network.num_routers, network.num_channels, network.num_processors],
        **drawn,
        "collective": str(found.collective) if isinstance(found, Problem) else None,
        "notes": [in_words_of_the_page(text) for text in notes],
    }


def check(request: SearchRequest) -> None:
    """Refuse an invalid problem; what there is to note is noted by the search."""
    with collect_notes():
        request.checked_problem()


def judged(request: ScheduleRequest) -> dict[str, Any]:
    """Return what the player shows of a schedule file; if it breaks rules, its conflicts are shown."""
    with collect_notes():  # the drawing of the network comes with them
        return _judged(request.file.encode(), Path(request.name).name or "schedule")


def _judged(data: bytes, name: str) -> dict[str, Any]:
    claim = parse_schedule(data, name)
    if isinstance(claim.content, Schedule):
        refusal = Refusal(claim.problem, claim.content, replace(claim.provenance, is_claimed=True))
        if refusal.violations:
            return contents_of(refusal)
    return contents_of(claim.result())


def contents(schedule: bytes) -> dict[str, Any]:
    """Return what the player shows."""
    return contents_of(_result(schedule))


def formats(schedule: bytes) -> list[dict[str, str]]:
    """Return the files and formats that can carry the schedule, each with a description."""
    found = _result(schedule)
    of_table = {e.name for e in EXPORTS.values() if found.table is not None and e.of_table(found) is not None}
    is_whole = found.table is None or found.table.num_transfers(found.problem) <= MOST_TRANSFERS
    whole = found.expanded() if is_whole else None
    own = [{"name": name, "about": ""} for name in (OF_SCHEDULES if is_whole else OF_TABLES)]
    return own + [
        {"name": export.name, "about": export.about}
        for export in EXPORTS.values()
        if export.name in of_table or (whole is not None and export.refusal(whole) is None)
    ]


def download(schedule: bytes, name: str) -> tuple[str, bytes | str]:
    """Return the name and the content of a file: of the page's own, or in another format; several files as a zip."""
    if name == "schedule.json":
        return name, schedule
    result = _result(schedule)
    if name == "player.html":
        return name, player_page(result)
    if name == "schedule.svg":
        from pavane.ui.plot.figures import figure_bytes
        from pavane.ui.plot.networks import plot_schedule

        return name, figure_bytes(plot_schedule(result.expanded()), "svg")
    files = exporting.exported(result, exporting.export_named(name), None, "schedule")
    if len(files) == 1:
        return next(iter(files.items()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, body in files.items():
            archive.writestr(file, body)
    return f"schedule.{name}.zip", packed.getvalue()


def _result(schedule: bytes) -> Result:
    return parse_schedule(schedule, "schedule.json").result(is_own=True)
