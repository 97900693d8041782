"""An atlas to look at: its rows, and the schedule of each in the player, judged when it is opened.

Files are read and schedules judged in the processes for short tasks, not where requests are answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fastapi import FastAPI, HTTPException, Response

from pavane.atlas.atlas_file import AtlasFile, Figures
from pavane.atlas.known import known_by_key
from pavane.atlas.tables import AtlasFilter, as_objects, status_of
from pavane.errors import InputError
from pavane.io import schedule_bytes
from pavane.judge.result import Result
from pavane.ui.player import contents_of

MOST_ROWS = 500
"""Further rows are counted and not listed; filters narrow the list."""


UNJUDGED = ("claimed", "open")
"""What a list says of rows: they are judged when they are opened, and only then proven."""


class Missing(NamedTuple):
    """There is no schedule; why."""

    why: str


def add_atlas(app: FastAPI, atlas: str) -> None:
    """Add the routes of an atlas."""

    def of_row(work: Callable[[Result], Any], key: str) -> Any:
        found = app.state.short_tasks.do(made_of_row, atlas, key, work)
        if isinstance(found, Missing):
            raise HTTPException(404, found.why)
        return found

    @app.get("/api/atlas")
    def rows(
        network: str | None = None, collective: str | None = None, rules: str | None = None, status: str | None = None
    ) -> Any:
        """Return the rows of the atlas that match the filters."""
        if status not in (None, *UNJUDGED):
            raise InputError(f"status {status!r:.40} is not known of rows in a list; choose {' or '.join(UNJUDGED)}")
        choice = AtlasFilter(network, collective or None, rules, status)  # type: ignore[arg-type]
        return app.state.short_tasks.do(chosen_rows, atlas, choice)

    @app.get("/api/atlas/{key}/contents")
    def played(key: str) -> Any:
        """Return what the player shows of a row."""
        return of_row(contents_of, key)

    @app.get("/api/atlas/{key}/schedule.json")
    def as_json(key: str) -> Response:
        """Return the schedule file of a row."""
        return Response(
            of_row(schedule_bytes, key),
            media_type="application/json",
            headers={"Content-Disposition": 'attachment; filename="schedule.json"'},
        )


# -- short tasks


def chosen_rows(atlas: str, choice: AtlasFilter) -> dict[str, Any]:
    """Return the first rows that fit a choice, and how many there are."""
    with AtlasFile(atlas) as opened:
        chosen = sorted((row for row in opened.figures() if choice.takes(row)), key=_trivia_last)
    return {"total": len(chosen), "rows": as_objects(chosen[:MOST_ROWS])}


def _trivia_last(row: Figures) -> tuple[bool, bool, int]:
    """Return a sort key: problems whose optimum is open come first, and of others those of many steps."""
    return row.steps is None, status_of(row) != "open", -(row.steps or 0)


def made_of_row(atlas: str, key: str, work: Callable[[Result], Any]) -> Any:
    """Return what a function makes of the judged schedule of a row, in the numbering of the problem added first."""
    notes: list[str] = []
    with AtlasFile(atlas) as opened:
        found = known_by_key(opened, key, notes.append)
    if found is None or found.schedule is None:
        return Missing(notes[0] if notes else "there is no schedule of that problem")
    return work(found)
