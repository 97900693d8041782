"""What can be taken away of a finished job: its schedule file, pictures, pages, and formats of others.

Of a front `point` names one of its schedules, counted from 0; without it, it is the one that the job tells.
"""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Response
from fastapi.responses import PlainTextResponse

from pavane.errors import InputError
from pavane.exports import DEFAULT_BYTES, EXPORTS, Options
from pavane.formats import parse_schedule
from pavane.judge.result import Result
from pavane.player import contents_of, player_page

DRAWING = threading.Lock()
"""One picture is drawn at a time: matplotlib's settings are those of the whole process."""

TYPES = {".csv": "text/csv", ".json": "application/json", ".xml": "application/xml"}


def known_job(app: FastAPI, number: str) -> dict[str, Any]:
    """Return what is known of a job."""
    found: dict[str, Any] | None = app.state.store.job(number)
    if found is None:
        raise HTTPException(404, "there is no such job; it may have given way to newer ones")
    return found


def add_results(app: FastAPI) -> None:
    """Let results be played and taken away."""

    @app.get("/api/jobs/{number}/contents")
    def played(number: str, point: int | None = None) -> dict[str, Any]:
        """Return what the player shows."""
        return contents_of(_result(app, number, point))

    @app.get("/api/jobs/{number}/schedule.json")
    def as_json(number: str, point: int | None = None) -> Response:
        """Return the schedule file."""
        return _download(_schedule_file(app, number, point), "application/json", "schedule.json")

    @app.get("/api/jobs/{number}/player.html")
    def as_page(number: str, point: int | None = None) -> Response:
        """Return the page that plays the schedule without a server."""
        return _download(player_page(_result(app, number, point)), "text/html", "player.html")

    @app.get("/api/jobs/{number}/schedule.svg")
    def as_picture(number: str, point: int | None = None) -> Response:
        """Return a picture of every step."""
        from pavane.plot.figures import figure_bytes
        from pavane.plot.networks import plot_schedule

        found = _result(app, number, point)
        with DRAWING:
            drawn = figure_bytes(plot_schedule(found), "svg")
        return _download(drawn, "image/svg+xml", "schedule.svg")

    @app.get("/api/jobs/{number}/paths.txt")
    def as_text(number: str, point: int | None = None) -> PlainTextResponse:
        """Return the schedule in path notation."""
        from pavane.formats.notation import path_lines

        found = _result(app, number, point)
        assert found.schedule is not None
        lines = path_lines(found.problem, found.schedule)
        return PlainTextResponse("".join(f"{step}  {text}\n" for step, text in lines))


def add_exports(app: FastAPI) -> None:
    """Let results be taken away in formats of others."""

    @app.get("/api/jobs/{number}/transfers.csv")
    def as_table(number: str, point: int | None = None) -> Response:
        """Return a row per transfer."""
        return _exported(_result(app, number, point), "csv", "transfers")

    @app.get("/api/jobs/{number}/exports")
    def exports(number: str, point: int | None = None) -> list[dict[str, str]]:
        """Return the formats that can carry the schedule."""
        found = _result(app, number, point)
        return [{"name": e.name, "about": e.about} for e in EXPORTS.values() if e.refusal(found) is None]

    @app.get("/api/jobs/{number}/exports/{name}")
    def as_export(number: str, name: str, point: int | None = None) -> Response:
        """Return the schedule in a format of others; several files come as a zip archive."""
        if name not in EXPORTS:
            raise InputError(f"there is no format {name!r}; choose {', '.join(EXPORTS)}")
        return _exported(_result(app, number, point), name, "schedule")


def _schedule_file(app: FastAPI, number: str, point: int | None) -> bytes:
    known_job(app, number)
    found: bytes | None = app.state.store.schedule(number, point)
    if found is None:
        raise HTTPException(404, "this job has no schedule")
    return found


def _result(app: FastAPI, number: str, point: int | None) -> Result:
    return parse_schedule(_schedule_file(app, number, point), "schedule.json").result(is_own=True)


def _exported(found: Result, name: str, stem: str) -> Response:
    export = EXPORTS[name]
    refusal = export.refusal(found)
    if refusal is not None:
        raise InputError(f"{name} cannot carry this schedule: {refusal}")
    made = export.write(found, Options(stem, max(DEFAULT_BYTES, found.problem.collective.pieces)))
    if len(made) == 1:
        file, body = next(iter(made.items()))
        return _download(body, TYPES.get(Path(file).suffix, "text/plain"), file)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, body in made.items():
            archive.writestr(file, body)
    return _download(packed.getvalue(), "application/zip", f"{stem}.{name}.zip")


def _download(body: bytes | str, kind: str, name: str) -> Response:
    return Response(body, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
