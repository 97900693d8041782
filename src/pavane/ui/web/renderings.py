"""Renderings of a request or of a finished job, made outside the server: functions that short tasks call.

They take and return plain values, because these go from process to process.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.io import parse_schedule
from pavane.io.exports import EXPORTS
from pavane.io.files import File, collect_notes
from pavane.io.timed_file import is_timed, parse_timed
from pavane.model.problem import Problem
from pavane.networks.positions import positions_of
from pavane.ui.notebook import exporting
from pavane.ui.player.contents import MOST_TRANSFERS
from pavane.ui.web.comparison import ComparisonRequest
from pavane.ui.web.limits import ServerLimits
from pavane.ui.web.requests import JobRequest, NetworkRequest, in_words_of_the_page

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.judge.timed_result import TimedResult

MOST_ROUTERS_DRAWN = 2_000
TYPES = {".csv": "text/csv", ".json": "application/json", ".xml": "application/xml"}


def previewed(request: NetworkRequest, limits: ServerLimits) -> dict[str, Any]:
    """Return what it takes to draw a network."""
    with collect_notes() as notes:
        found = request.found(limits)
    network = found.network if isinstance(found, Problem) else found
    if network.num_routers > MOST_ROUTERS_DRAWN:
        notes.append(f"{network.name} is not drawn: {MOST_ROUTERS_DRAWN:,} routers at most are")
        drawn = {}
    else:
        drawn = {
            "routers": list(network.routers),
            "places": positions_of(network).tolist(),
            "processors": network.router_of.tolist(),
            "channels": network.channels.tolist(),
            **({} if network.capacities is None else {"capacities": network.capacities.tolist()}),
        }
    return {
        "name": network.name,
        "figures": [network.num_routers, network.num_channels, network.num_processors],
        **drawn,
        "collective": str(found.collective) if isinstance(found, Problem) else None,
        "notes": [in_words_of_the_page(text) for text in notes],
    }


def refuse_job(request: JobRequest | ComparisonRequest, limits: ServerLimits) -> None:
    """Refuse what is wrong or too large, and a method that cannot work on the problem, before it waits in the queue."""
    if isinstance(request, ComparisonRequest):
        request.within(limits)
        return
    problem = request.within(limits)
    if request.method == "auto":
        if request.settings:
            raise InputError("settings belong to a method; choose one, for example umda")
        return
    from pavane.search.fewest_steps import solver_named
    from pavane.search.settings import configured

    solver = configured(solver_named(request.method), request.settings)
    if not solver.supports(problem):
        raise InputError(f"method {request.method} cannot work on {problem}; choose auto")


@dataclass(frozen=True)
class Download:
    """Something to take away."""

    body: bytes | str
    kind: str
    """Its media type."""
    name: str


def contents(schedule: bytes, router: str = "", step: int = 1) -> dict[str, Any]:
    """Return what the player shows; of a large table, what is around a router and from a step on."""
    from pavane.io.router_rows import router_named
    from pavane.ui.player import contents_of, contents_of_times

    if is_timed(File.of(schedule, "schedule.json")):
        return contents_of_times(_timed_result(schedule))
    result = _result(schedule)
    middle = router_named(result.problem.network, router) if router else 0
    if middle is None:
        raise InputError(f"there is no router {router!r:.40}")
    if not 1 <= step <= max(result.num_steps or 0, 1):
        raise InputError(f"there is no {result.problem.rules.step_word} {step:,}; there are {result.num_steps:,}")
    return contents_of(result, router=middle, first_step=step - 1)


def page(schedule: bytes) -> Download:
    """Return the page that plays the schedule without a server."""
    from pavane.ui.player import player_page

    timed = is_timed(File.of(schedule, "schedule.json"))
    return Download(player_page(_timed_result(schedule) if timed else _result(schedule)), "text/html", "player.html")


def picture(schedule: bytes) -> Download:
    """Return a picture of every step, or a Gantt chart of start times."""
    from pavane.ui.plot.figures import figure_bytes
    from pavane.ui.plot.gantt import plot_time_line
    from pavane.ui.plot.networks import plot_schedule

    timed = is_timed(File.of(schedule, "schedule.json"))
    drawn = plot_time_line(_timed_result(schedule)) if timed else plot_schedule(_result(schedule).expanded())
    return Download(figure_bytes(drawn, "svg"), "image/svg+xml", "schedule.svg")


def paths(schedule: bytes) -> str:
    """Return the schedule in path notation."""
    from pavane.io.notation import path_lines

    found = _result(schedule).expanded()
    assert found.schedule is not None
    return "".join(f"{step}  {text}\n" for step, text in path_lines(found.problem, found.schedule))


def offered_exports(schedule: bytes) -> list[dict[str, str]]:
    """Return the formats that can carry the schedule."""
    if is_timed(File.of(schedule, "schedule.json")):
        return []
    found = _result(schedule)
    of_table = {e.name for e in EXPORTS.values() if found.table is not None and e.of_table(found) is not None}
    is_whole = found.table is None or found.table.num_transfers(found.problem) <= MOST_TRANSFERS
    whole = found.expanded() if is_whole else None
    return [
        {"name": e.name, "about": e.about}
        for e in EXPORTS.values()
        if e.name in of_table or (whole is not None and e.refusal(whole) is None)
    ]


def exported(schedule: bytes, name: str, stem: str) -> Download:
    """Return the schedule in a format of others; several files come as a zip archive."""
    chosen = exporting.export_named(name)
    contents = exporting.exported(_result(schedule), chosen, None, stem)
    if len(contents) == 1:
        ((file, body),) = contents.items()
        return Download(body, TYPES.get(Path(file).suffix, "text/plain"), file)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, body in contents.items():
            archive.writestr(file, body)
    return Download(packed.getvalue(), "application/zip", f"{stem}.{name}.zip")


Rendering = Callable[..., Any]
"""A function of this module that takes a schedule file."""


def _timed_result(schedule: bytes) -> TimedResult:
    claim = parse_timed(File.of(schedule, "schedule.json"))
    return replace(claim.result(), provenance=claim.provenance)  # this server has made it


def _result(schedule: bytes) -> Result:
    return parse_schedule(schedule, "schedule.json").result(is_own=True)
