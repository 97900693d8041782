"""An atlas to look at: its rows, and the schedule of each in the player, judged when it is opened. Nothing is kept."""

from __future__ import annotations

from typing import Any, get_args

from fastapi import FastAPI, HTTPException, Response

from pavane.atlas.atlas_file import AtlasFile
from pavane.atlas.known import known_by_key
from pavane.atlas.tables import Choice, Status, as_objects
from pavane.errors import InputError
from pavane.formats import schedule_bytes
from pavane.judge.result import Result
from pavane.player import contents_of

MOST_ROWS = 500
"""More of them are counted and not listed; who looks for one filters."""


def add_atlas(app: FastAPI, atlas: str) -> None:
    """Let an atlas be looked at."""

    @app.get("/api/atlas")
    def rows(
        network: str | None = None, collective: str | None = None, rules: str | None = None, status: str | None = None
    ) -> dict[str, Any]:
        """Return what the rows of the atlas say, as far as they fit what is asked for."""
        if status not in (None, *get_args(Status)):
            raise InputError(f"status {status!r:.40} is not known; choose {' or '.join(get_args(Status))}")
        choice = Choice(network, collective or None, rules, status)  # type: ignore[arg-type]
        with AtlasFile(atlas) as opened:
            chosen = [row for row in opened.figures() if choice.takes(row)]
        return {"total": len(chosen), "rows": as_objects(chosen[:MOST_ROWS])}

    @app.get("/api/atlas/{key}/contents")
    def played(key: str) -> dict[str, Any]:
        """Return what the player shows of a row."""
        return contents_of(_judged(atlas, key))

    @app.get("/api/atlas/{key}/schedule.json")
    def as_json(key: str) -> Response:
        """Return the schedule file of a row."""
        return Response(
            schedule_bytes(_judged(atlas, key)),
            media_type="application/json",
            headers={"Content-Disposition": 'attachment; filename="schedule.json"'},
        )


def _judged(atlas: str, key: str) -> Result:
    """Return the schedule of a row, in the numbers of whoever kept it first."""
    notes: list[str] = []
    with AtlasFile(atlas) as opened:
        found = known_by_key(opened, key, notes.append)
    if found is None or found.schedule is None:
        raise HTTPException(404, notes[0] if notes else "there is no schedule of that problem")
    return found
