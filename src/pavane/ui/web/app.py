"""The HTTP interface: a page, the scripts it needs, and a REST interface that the page itself uses.

Nothing of the server's disk can be reached: pages and scripts are served by name from a fixed list, uploads are
read as text, and results come from the store.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse

from pavane.errors import InputError, PavaneError
from pavane.model.collectives import MPI_NAMES
from pavane.model.messages import PATTERN_OF, kind_title
from pavane.networks import FAMILIES
from pavane.text import VERSION
from pavane.ui.player import MODULES, asset
from pavane.ui.web.access import AccessPolicy, Guard
from pavane.ui.web.choices import EXAMPLES, offered_groups
from pavane.ui.web.jobs import Job, Jobs
from pavane.ui.web.limits import Busy, ServerLimits
from pavane.ui.web.renderings import judged, previewed, refuse_job
from pavane.ui.web.requests import JobRequest, NetworkRequest, ScheduleRequest, in_words_of_the_page
from pavane.ui.web.results import add_exports, add_results, known_job
from pavane.ui.web.short_tasks import ShortTasks
from pavane.ui.web.store import Store

KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
OWN = (
    *("index.html", "page.css", "page.js", "chooser.js", "collective.js", "curve.js", "earlier.js", "results.js"),
    *("differences.js", "theme.js"),
)
MOST_LISTED = 100
FIRST_NETWORK = "kautz:3,2"
"""The network that the page opens with."""


def make_app(store_file: str | Path, limits: ServerLimits | None = None, door: AccessPolicy | None = None) -> FastAPI:
    """Return the application; it starts its workers with the server and ends them with it."""
    limits = limits or ServerLimits()

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        app.state.store = Store(store_file, limits.kept)
        app.state.short_tasks = short_tasks = ShortTasks(limits)
        refuse = partial(short_tasks.do, refuse_job)
        app.state.jobs = Jobs(app.state.store, limits, refuse)
        # The page opens with this network: it is ready when the page comes.
        Thread(target=_draw_first, args=(short_tasks, limits), daemon=True).start()
        try:
            yield
        finally:
            short_tasks.close()
            await run_in_threadpool(app.state.jobs.close)
            app.state.store.close()

    app = FastAPI(
        title="pavane",
        version=VERSION,
        description="Synthesizes conflict-free schedules of collective communications.",
        lifespan=living,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.is_ending = False
    too_large = f"the request is too large; at most {limits.upload:,} bytes of a file"
    app.add_middleware(Guard, door=door or AccessPolicy(), most=limits.request, most_said=too_large)
    app.exception_handler(RequestValidationError)(_malformed)
    app.exception_handler(InputError)(_refusal(400))
    app.exception_handler(Busy)(_refusal(503))
    app.exception_handler(PavaneError)(_refusal(400))
    _add_pages(app)
    _add_networks(app, limits)
    _add_jobs(app)
    add_results(app)
    add_exports(app)
    return app


def _malformed(_: Request, error: Exception) -> Response:
    """Describe the errors of a request without its values, which need not be printable."""
    assert isinstance(error, RequestValidationError)
    detail = [{"loc": list(one["loc"]), "msg": str(one["msg"]), "type": one["type"]} for one in error.errors()]
    return Response(json.dumps({"detail": detail}), 422, media_type="application/json")


def _refusal(status: int) -> Callable[[Request, Exception], Response]:
    return lambda _, error: JSONResponse({"error": in_words_of_the_page(str(error))}, status)


def _add_pages(app: FastAPI) -> None:
    def page_asset(name: str) -> str:
        if name in OWN:
            return (files("pavane.ui.web") / "assets" / name).read_text(encoding="utf-8")
        if name in (*MODULES, "player.css"):
            return asset(name)
        raise HTTPException(404, "there is no such file")

    @app.get("/assets/{name}", include_in_schema=False)
    def script(name: str) -> Response:
        return Response(page_asset(name), media_type=KINDS.get(Path(name).suffix, "text/plain"))

    def add_page(path: str, name: str) -> None:
        @app.get(path, include_in_schema=False)
        def page() -> Response:
            return Response(page_asset(name), media_type="text/html")

    add_page("/", "index.html")


def _add_networks(app: FastAPI, limits: ServerLimits) -> None:
    @app.get("/api/about")
    def about() -> dict[str, Any]:
        """Return the version, the limits, and what can be chosen."""
        from pavane.solvers import SOLVERS

        return {
            "version": VERSION,
            "limits": {
                "seconds": limits.seconds,
                "messages": limits.messages,
                "upload": limits.upload,
                "waiting": limits.waiting,
            },
            "collectives": [kind.lower() for kind in PATTERN_OF if kind != "PAIRS"],
            "titles": {kind: kind_title(kind) for kind in PATTERN_OF},
            "groups": offered_groups(),
            "examples": list(EXAMPLES),
            "mpi_names": sorted(MPI_NAMES),
            "codes": MPI_NAMES,
            "methods": ["auto", *SOLVERS],
            "families": [
                {"name": f.name, "usage": f.usage, "about": f.about, "example": f.example} for f in FAMILIES.values()
            ],
        }

    @app.post("/api/networks/preview")
    def preview(request: NetworkRequest) -> Any:
        """Return what it takes to draw a network."""
        return app.state.short_tasks.do(previewed, request, limits, key=_preview_key(request))

    @app.post("/api/schedules/judge")
    def judge(request: ScheduleRequest) -> Any:
        """Judge a schedule file; return what it takes to play it, with the rules that it breaks."""
        return app.state.short_tasks.do(judged, request.file.encode(), request.name)


def _draw_first(short_tasks: ShortTasks, limits: ServerLimits) -> None:
    """Prepare the preview that the page opens with; if that fails, the page requests it like any other."""
    first = NetworkRequest(network=FIRST_NETWORK)
    with suppress(Exception):
        short_tasks.do(previewed, first, limits, key=_preview_key(first))


def _preview_key(request: NetworkRequest) -> tuple[str, str]:
    return "preview", repr(request)


def _add_jobs(app: FastAPI) -> None:
    @app.post("/api/jobs", status_code=202)
    def submit(request: JobRequest) -> dict[str, Any]:
        """Put a search into the queue; 400 with one line says what is wrong, 503 that too many wait."""
        return {"id": app.state.jobs.submit(request).id}

    @app.get("/api/jobs")
    def listed() -> list[dict[str, Any]]:
        """Return the newest jobs; of equal requests with equal outcomes the newest one."""
        searches = app.state.store.jobs(MOST_LISTED)
        found = {_likeness(job): job for job in reversed(searches)}
        newest = sorted(found.values(), key=lambda job: job["made"], reverse=True)
        return [{**job, "trace": None, "curve": None, "asked": _short(job["asked"])} for job in newest]

    @app.get("/api/jobs/{number}")
    def job(number: str) -> dict[str, Any]:
        """Return how a job stands."""
        return known_job(app, number)

    @app.delete("/api/jobs/{number}")
    def cancel(number: str) -> dict[str, Any]:
        """Cancel a job; the best schedule of a running search is stored."""
        known_job(app, number)
        return {"cancelled": app.state.jobs.cancel(number)}

    @app.delete("/api/results/{number}")
    def forget(number: str) -> dict[str, Any]:
        """Delete a finished job, and those with the same request and outcome."""
        known = known_job(app, number)
        if number in app.state.jobs.now:
            raise HTTPException(409, "this search is not over; cancel it first")
        alike = [job["id"] for job in app.state.store.jobs(-1) if _likeness(job) == _likeness(known)]
        for one in alike:
            app.state.store.remove(one)
        return {"deleted": len(alike)}

    @app.get("/api/jobs/{number}/events")
    async def events(number: str) -> StreamingResponse:
        """Send the progress of a job as server-sent events, from its start to its end."""
        known_job(app, number)
        stream = _events(app, number, app.state.jobs.now.get(number))
        return StreamingResponse(stream, media_type="text/event-stream")


async def _events(app: FastAPI, number: str, running: Job | None) -> AsyncIterator[str]:
    """Yield the events of a job as they come; of one that runs elsewhere only the last."""
    details = 0
    while running is not None and not app.state.is_ending:
        while details < len(running.events):
            yield f"data: {json.dumps(running.events[details])}\n\n"
            details += 1
        if running.state not in ("waiting", "running"):
            return
        await asyncio.sleep(0.05)
        if details == len(running.events):
            yield ": still here\n\n"
    while not app.state.is_ending:
        known = await run_in_threadpool(known_job, app, number)
        if known["state"] not in ("waiting", "running"):
            last = {key: value for key, value in known.items() if key not in ("asked", "id", "made", "curve")}
            yield f"data: {json.dumps(last)}\n\n"
            return
        await asyncio.sleep(1.0)  # another server on the same store works on it
        yield ": still here\n\n"


def _likeness(job: dict[str, Any]) -> str:
    """Return the key that jobs with the same request and outcome share."""
    return json.dumps([job["asked"], job["state"], job.get("steps"), job.get("tco")], sort_keys=True)


def _short(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request without the texts that may be long."""
    return {**request, **{key: "..." for key in ("file", "sizes") if request.get(key) is not None}}
