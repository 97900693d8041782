"""What can be taken away of a finished job: its schedule file, pictures, pages, and formats of others.

Of a front `point` names one of its schedules, counted from 0; without it, it is the one that the job shows.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, HTTPException, Response
from fastapi.responses import PlainTextResponse

from pavane.ui.web import renderings
from pavane.ui.web.renderings import Download, Rendering


def known_job(app: FastAPI, number: str) -> dict[str, Any]:
    """Return what is known of a job."""
    found: dict[str, Any] | None = app.state.store.job(number)
    if found is None:
        raise HTTPException(404, "there is no such job; newer ones may have replaced it")
    return found


def add_results(app: FastAPI) -> None:
    """Add the routes that play and download results."""

    @app.get("/api/jobs/{number}/contents")
    def played(number: str, point: int | None = None, router: str = "", step: int = 1) -> Any:
        """Return what the player shows; of a large table, what is around a router and from a step on."""
        return _rendered(app, number, point, renderings.contents, router, step)

    @app.get("/api/jobs/{number}/schedule.json")
    def as_json(number: str, point: int | None = None) -> Response:
        """Return the schedule file."""
        return _download(Download(_schedule_file(app, number, point), "application/json", "schedule.json"))

    @app.get("/api/jobs/{number}/player.html")
    def as_page(number: str, point: int | None = None) -> Response:
        """Return the page that plays the schedule without a server."""
        return _download(_rendered(app, number, point, renderings.page))

    @app.get("/api/jobs/{number}/schedule.svg")
    def as_picture(number: str, point: int | None = None) -> Response:
        """Return a picture of every step."""
        return _download(_rendered(app, number, point, renderings.picture))

    @app.get("/api/jobs/{number}/paths.txt")
    def as_text(number: str, point: int | None = None) -> PlainTextResponse:
        """Return the schedule in path notation."""
        return PlainTextResponse(_rendered(app, number, point, renderings.paths))


def add_exports(app: FastAPI) -> None:
    """Add the routes that export results."""

    @app.get("/api/jobs/{number}/transfers.csv")
    def as_table(number: str, point: int | None = None) -> Response:
        """Return a row per transfer."""
        return _download(_rendered(app, number, point, renderings.exported, "csv", "transfers"))

    @app.get("/api/jobs/{number}/exports")
    def exports(number: str, point: int | None = None) -> Any:
        """Return the formats that can carry the schedule."""
        return _rendered(app, number, point, renderings.offered_exports)

    @app.get("/api/jobs/{number}/exports/{name}")
    def as_export(number: str, name: str, point: int | None = None) -> Response:
        """Return the schedule in the format of another program; several files come as a zip archive."""
        return _download(_rendered(app, number, point, renderings.exported, name[:40], "schedule"))


def _schedule_file(app: FastAPI, number: str, point: int | None) -> bytes:
    known_job(app, number)
    found: bytes | None = app.state.store.schedule(number, point)
    if found is None:
        raise HTTPException(404, "this job has no schedule")
    return found


def _rendered(app: FastAPI, number: str, point: int | None, work: Rendering, *arguments: Any) -> Any:
    """Return the result of a short task on a schedule; schedules of a job do not change, so it is computed once."""
    schedule, key = _schedule_file(app, number, point), (number, point, work.__name__, *arguments)
    return app.state.short_tasks.do(work, schedule, *arguments, key=key)


def _download(file: Download) -> Response:
    named = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(file.body, media_type=file.kind, headers=named)
