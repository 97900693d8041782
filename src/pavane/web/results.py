"""What can be taken away of a finished job: its schedule file, pictures, pages, and formats of others."""

from __future__ import annotations

import io
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
    def played(number: str) -> dict[str, Any]:
        """Return what the player shows."""
        return contents_of(_result(app, number))

    @app.get("/api/jobs/{number}/schedule.json")
    def as_json(number: str) -> Response:
        """Return the schedule file."""
        return _download(_schedule_file(app, number), "application/json", "schedule.json")

    @app.get("/api/jobs/{number}/player.html")
    def as_page(number: str) -> Response:
        """Return the page that plays the schedule without a server."""
        return _download(player_page(_result(app, number)), "text/html", "player.html")

    @app.get("/api/jobs/{number}/schedule.svg")
    def as_picture(number: str) -> Response:
        """Return a picture of every step."""
        from pavane.plot.figures import figure_bytes
        from pavane.plot.networks import plot_schedule

        return _download(figure_bytes(plot_schedule(_result(app, number)), "svg"), "image/svg+xml", "schedule.svg")

    @app.get("/api/jobs/{number}/paths.txt")
    def as_text(number: str) -> PlainTextResponse:
        """Return the schedule in path notation."""
        from pavane.formats.notation import path_lines

        found = _result(app, number)
        assert found.schedule is not None
        lines = path_lines(found.problem, found.schedule)
        return PlainTextResponse("".join(f"{step}  {text}\n" for step, text in lines))


def add_exports(app: FastAPI) -> None:
    """Let results be taken away in formats of others."""

    @app.get("/api/jobs/{number}/transfers.csv")
    def as_table(number: str) -> Response:
        """Return a row per transfer."""
        return _exported(_result(app, number), "csv", "transfers")

    @app.get("/api/jobs/{number}/exports")
    def exports(number: str) -> list[dict[str, str]]:
        """Return the formats that can carry the schedule."""
        found = _result(app, number)
        return [{"name": e.name, "about": e.about} for e in EXPORTS.values() if e.refusal(found) is None]

    @app.get("/api/jobs/{number}/exports/{name}")
    def as_export(number: str, name: str) -> Response:
        """Return the schedule in a format of others; several files come as a zip archive."""
        if name not in EXPORTS:
            raise InputError(f"there is no format {name!r}; choose {', '.join(EXPORTS)}")
        return _exported(_result(app, number), name, "schedule")


def _schedule_file(app: FastAPI, number: str) -> bytes:
    known_job(app, number)
    found: bytes | None = app.state.store.schedule(number)
    if found is None:
        raise HTTPException(404, "this job has no schedule")
    return found


def _result(app: FastAPI, number: str) -> Result:
    return parse_schedule(_schedule_file(app, number), "schedule.json").result(is_own=True)


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
