"""The HTTP interface: the page with its scripts, and the requests of these scripts.

Nothing of the disk can be reached: scripts are served by name from a fixed list, uploads are text, results are in
memory.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse

from pavane.errors import PavaneError
from pavane.networks import FAMILIES
from pavane.solvers import SOLVERS
from pavane.text import VERSION
from pavane.ui.player import MODULES, asset
from pavane.ui.web import renderings
from pavane.ui.web.access import Guard, error_response
from pavane.ui.web.choices import offered_groups
from pavane.ui.web.requests import (
    MOST_BYTES,
    NetworkRequest,
    ScheduleRequest,
    SearchRequest,
    field_of,
    in_words_of_the_page,
)
from pavane.ui.web.searches import Searches

TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
OWN = ("index.html", "page.css", "page.js", "chooser.js", "collective.js", "results.js")


def make_app(port: int) -> FastAPI:
    """Return the application for a port of this machine; `app.state.searches` has its searches."""
    searches = Searches()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        searches.prepare()
        yield
        await searches.close()

    app = FastAPI(title="pavane", version=VERSION, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.searches = searches
    app.add_middleware(Guard, port=port, most_bytes=2 * MOST_BYTES)
    _add_errors(app)
    _add_page(app, searches)
    _add_searches(app, searches)
    return app


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(PavaneError)
    def refused(_: Request, error: PavaneError) -> Response:
        return error_response(400, in_words_of_the_page(str(error)), field_of(str(error)))

    @app.exception_handler(HTTPException)
    def failed(_: Request, error: HTTPException) -> Response:
        return error_response(error.status_code, error.detail)

    @app.exception_handler(RequestValidationError)
    def malformed(_: Request, error: RequestValidationError) -> Response:
        wrong = error.errors()
        named = [str(each["loc"][-1]) for each in wrong]
        text = "; ".join(f"{name}: {each['msg']}" for name, each in zip(named, wrong, strict=True))
        return error_response(422, text, named[0])


def _add_page(app: FastAPI, searches: Searches) -> None:
    @app.get("/")
    @app.get("/assets/{name}")
    def page_or_asset(name: str = "index.html") -> Response:
        if name in OWN:
            text = (files("pavane.ui.web") / "assets" / name).read_text(encoding="utf-8")
        elif name in (*MODULES, "player.css"):
            text = asset(name)
        else:
            raise HTTPException(404, "there is no such file")
        return Response(text, media_type=TYPES[Path(name).suffix])

    @app.get("/api/about")
    async def about() -> dict[str, Any]:
        """Return what can be chosen, and the search that is running."""
        return {
            "groups": offered_groups(),
            "methods": ["auto", *SOLVERS],
            "families": [{"usage": f.usage, "about": f.about, "example": f.example} for f in FAMILIES.values()],
            "most_bytes": MOST_BYTES,
            "running": searches.running and searches.running.id,
        }

    @app.post("/api/networks/preview")
    def preview(request: NetworkRequest) -> dict[str, Any]:
        """Return the drawing of a network."""
        return renderings.previewed(request)

    @app.post("/api/schedules/judge")
    def judge(request: ScheduleRequest) -> dict[str, Any]:
        """Judge a schedule file; return what the player shows of it, with the rules that it breaks."""
        return renderings.judged(request)


def _add_searches(app: FastAPI, searches: Searches) -> None:
    def schedule_of(number: str) -> bytes:
        schedule = searches.find(number).schedule
        if schedule is None:
            raise HTTPException(404, "this search has no schedule")
        return schedule

    @app.post("/api/searches")
    async def start(request: SearchRequest) -> dict[str, str]:
        """Start a search; 409: another one is running."""
        await run_in_threadpool(renderings.check, request)
        return {"id": (await searches.start(request)).id}

    @app.get("/api/searches/{number}/events")
    async def events(number: str) -> StreamingResponse:
        """Send the progress and the outcome of a search as server-sent events."""
        states = searches.find(number).states()
        lines = (f"data: {json.dumps(state)}\n\n" async for state in states)
        return StreamingResponse(lines, media_type="text/event-stream")

    @app.post("/api/searches/{number}/stop")
    async def stop(number: str) -> None:
        """Stop a search; its best schedule so far is the result."""
        await searches.find(number).stop()

    @app.get("/api/searches/{number}/contents")
    def contents(number: str) -> dict[str, Any]:
        """Return what the player shows."""
        return renderings.contents(schedule_of(number))

    @app.get("/api/searches/{number}/files")
    def formats(number: str) -> list[dict[str, str]]:
        """Return the files and formats that can carry the schedule."""
        return renderings.formats(schedule_of(number))

    @app.get("/api/searches/{number}/files/{name}")
    def download(number: str, name: str) -> Response:
        """Return the schedule as a file, or in the format of another program."""
        file, content = renderings.download(schedule_of(number), name)
        headers = {"content-disposition": f'attachment; filename="{file}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)
