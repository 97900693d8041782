"""Renderings of a request or of a finished job, made outside the server: functions that short tasks call.

They take and return plain values, because these go from process to process.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pavane.errors import InputError
from pavane.io import parse_schedule
from pavane.io.exports import EXPORTS
from pavane.io.files import File, collect_notes
from pavane.io.joint_file import is_joint, parse_joint
from pavane.io.levels import TimedLevels
from pavane.io.notation import path_lines
from pavane.io.router_rows import router_named
from pavane.io.timed_file import is_timed, parse_timed
from pavane.judge.joint_result import JointResult
from pavane.judge.refusal import Refusal
from pavane.judge.result import Result
from pavane.judge.timed_result import TimedResult
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.ui.notebook import exporting
from pavane.ui.player import contents_of, contents_of_joint, contents_of_times, player_page
from pavane.ui.player.contents import MOST_TRANSFERS, contents_of_refusal, drawn_network
from pavane.ui.web.limits import ServerLimits
from pavane.ui.web.requests import JobRequest, NetworkRequest, in_words_of_the_page

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
        drawn = drawn_network(network)
    return {
        "name": network.name,
        "figures": [network.num_routers, network.num_channels, network.num_processors],
        **drawn,
        "collective": str(found.collective) if isinstance(found, Problem) else None,
        "notes": [in_words_of_the_page(text) for text in notes],
    }


def refuse_job(request: JobRequest, limits: ServerLimits) -> None:
    """Refuse what is wrong or too large, and a method that cannot work on the problem, before it waits in the queue."""
    if request.is_joint:
        request.joint(limits)
        return
    if request.goal:
        raise InputError("a goal goes with several collectives; give groups or more collectives, or leave it out")
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
    result = _result(schedule)
    if isinstance(result, TimedResult):
        return contents_of_times(result)
    if isinstance(result, JointResult):
        return contents_of_joint(result)
    middle = router_named(result.problem.network, router) if router else 0
    if middle is None:
        raise InputError(f"there is no router {router!r:.40}")
    if not 1 <= step <= max(result.num_steps or 0, 1):
        raise InputError(f"there is no {result.problem.rules.step_word} {step:,}; there are {result.num_steps:,}")
    return contents_of(result, router=middle, first_step=step - 1)


def judged(data: bytes, name: str) -> dict[str, Any]:
    """Return what the player shows of a schedule file: one that breaks rules is shown with its conflicts."""
    file = File.of(data, name)
    if is_timed(file):
        return contents_of_times(parse_timed(file).result())
    if is_joint(file):
        return contents_of_joint(parse_joint(file).result())
    claim = parse_schedule(data, name)
    if isinstance(claim.content, Schedule):
        refusal = Refusal(claim.problem, claim.content, replace(claim.provenance, is_claimed=True))
        if refusal.violations:
            return contents_of_refusal(refusal)
    return contents_of(claim.result())


def page(schedule: bytes) -> Download:
    """Return the page that plays the schedule without a server."""
    return Download(player_page(_result(schedule)), "text/html", "player.html")


def picture(schedule: bytes) -> Download:
    """Return a picture of every step, or a Gantt chart of start times."""
    from pavane.ui.plot.figures import figure_bytes
    from pavane.ui.plot.gantt import plot_time_line
    from pavane.ui.plot.networks import plot_schedule

    result = _result(schedule)
    whole = result.expanded() if isinstance(result, Result) else result
    drawn = plot_time_line(whole) if isinstance(whole, TimedResult) else plot_schedule(whole)
    return Download(figure_bytes(drawn, "svg"), "image/svg+xml", "schedule.svg")


def paths(schedule: bytes) -> str:
    """Return the schedule in path notation."""
    result = _result(schedule)
    if not isinstance(result, Result):
        raise InputError("only the steps of one collective are written as paths; take the JSON file")
    found = result.expanded()
    assert found.schedule is not None
    return "".join(f"{step}  {text}\n" for step, text in path_lines(found.problem, found.schedule))


def offered_exports(schedule: bytes) -> list[dict[str, str]]:
    """Return the formats that can carry the schedule."""
    found = _result(schedule)
    if isinstance(found, JointResult):
        return []
    if isinstance(found, TimedResult):
        levels, timed = TimedLevels(found), [e for e in EXPORTS.values() if e.render_timed is not None]
        return [{"name": e.name, "about": e.about} for e in timed if e.refuses_timed(levels) is None]
    of_table = {e.name for e in EXPORTS.values() if found.table is not None and e.of_table(found) is not None}
    is_whole = found.table is None or found.table.num_transfers(found.problem) <= MOST_TRANSFERS
    whole = found.expanded() if is_whole else None
    return [
        {"name": e.name, "about": e.about}
        for e in EXPORTS.values()
        if e.name in of_table or (whole is not None and e.refusal(whole) is None)
    ]


def exported(schedule: bytes, name: str, stem: str) -> Download:
    """Return the schedule in the format of another program; several files come as a zip archive."""
    chosen, result = exporting.export_named(name), _result(schedule)
    if isinstance(result, JointResult):
        raise InputError(f"{chosen.name} carries one collective, and there are several; take the JSON file")
    contents = exporting.exported(result, chosen, None, stem)
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


def _result(schedule: bytes) -> Result | TimedResult | JointResult:
    """Return what a schedule file of this server has: steps, start times, or several collectives."""
    file = File.of(schedule, "schedule.json")
    if is_timed(file):
        timed = parse_timed(file)
        return replace(timed.result(), provenance=timed.provenance)
    if is_joint(file):
        several = parse_joint(file)
        return replace(several.result(), provenance=several.provenance)
    return parse_schedule(schedule, "schedule.json").result(is_own=True)
