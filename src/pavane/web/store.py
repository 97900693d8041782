"""Finished jobs in a file (SQLite), so that a restart of the server loses none."""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Store:
    """The jobs of one server: what was asked, how it went, and the schedule file of those that have one."""

    def __init__(self, path: str | Path, kept: int = 500) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._not_written: dict[str, tuple[str, dict[str, Any]]] = {}
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, made REAL NOT NULL, state TEXT NOT NULL, "
            "asked TEXT NOT NULL, told TEXT NOT NULL, schedule BLOB)"
        )
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS points (job TEXT NOT NULL, point INTEGER NOT NULL, schedule BLOB NOT NULL, "
            "PRIMARY KEY (job, point))"
        )
        # Nobody works on these any more: they belonged to a server that has stopped.
        self._file.execute("UPDATE jobs SET state = 'lost' WHERE state IN ('waiting', 'running')")

    @contextmanager
    def _at_once(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            yield self._file

    def add(self, job: str, made: float, asked: dict[str, Any]) -> None:
        """Keep a new job, and let the oldest finished ones go."""
        with self._at_once() as file:
            file.execute("INSERT INTO jobs VALUES (?, ?, 'waiting', ?, '{}', NULL)", (job, made, json.dumps(asked)))
            file.execute(
                "DELETE FROM jobs WHERE state NOT IN ('waiting', 'running') AND id NOT IN "
                "(SELECT id FROM jobs ORDER BY made DESC LIMIT ?)",
                (self._kept,),
            )
            file.execute("DELETE FROM points WHERE job NOT IN (SELECT id FROM jobs)")

    def change(self, job: str, state: str, told: dict[str, Any], schedule: bytes | None = None) -> None:
        """Keep how a job stands."""
        packed = None if schedule is None else zlib.compress(schedule, 3)
        with self._at_once() as file:
            file.execute(
                "UPDATE jobs SET state = ?, told = ?, schedule = COALESCE(?, schedule) WHERE id = ?",
                (state, json.dumps(told), packed, job),
            )

    def remember(self, job: str, state: str, told: dict[str, Any]) -> None:
        """Know how a job stands as long as this server runs; for what cannot be written into the file."""
        self._not_written[job] = state, told

    def add_points(self, job: str, schedules: Sequence[bytes]) -> None:
        """Keep the schedule files of the points of a front."""
        rows = [(job, point, zlib.compress(schedule, 3)) for point, schedule in enumerate(schedules)]
        with self._at_once() as file:
            file.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?)", rows)

    def remove(self, job: str) -> None:
        """Forget a job."""
        with self._at_once() as file:
            file.execute("DELETE FROM jobs WHERE id = ?", (job,))
            file.execute("DELETE FROM points WHERE job = ?", (job,))
        self._not_written.pop(job, None)

    def job(self, job: str) -> dict[str, Any] | None:
        """Return what is known of a job."""
        with self._at_once() as file:
            row = file.execute("SELECT id, made, state, asked, told FROM jobs WHERE id = ?", (job,)).fetchone()
        return None if row is None else self._told(row)

    def jobs(self, most: int = 50) -> list[dict[str, Any]]:
        """Return the newest jobs, newest first."""
        with self._at_once() as file:
            rows = file.execute(
                "SELECT id, made, state, asked, told FROM jobs ORDER BY made DESC LIMIT ?", (most,)
            ).fetchall()
        return [self._told(row) for row in rows]

    def schedule(self, job: str, point: int | None = None) -> bytes | None:
        """Return the schedule file of a job, or of one point of its front."""
        with self._at_once() as file:
            if point is None:
                row = file.execute("SELECT schedule FROM jobs WHERE id = ?", (job,)).fetchone()
            else:
                found = file.execute("SELECT schedule FROM points WHERE job = ? AND point = ?", (job, point))
                row = found.fetchone()
        return None if row is None or row[0] is None else zlib.decompress(row[0])

    def close(self) -> None:
        """Let go of the file."""
        with self._at_once() as file:
            file.close()

    def _told(self, row: tuple[Any, ...]) -> dict[str, Any]:
        number, made, state, asked, told = row
        state, told = self._not_written.get(number, (state, json.loads(told)))
        return {"id": number, "made": made, "state": state, "asked": json.loads(asked), **told}
