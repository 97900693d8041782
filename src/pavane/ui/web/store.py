"""Finished jobs in a file (SQLite), so that a restart of the server loses none.

Several servers may share one file. A job that is not finished belongs to the server that accepted it, and is lost when
that server ends. What a full disk prevents from being written is held in memory, and written when there is room.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pavane.ui.web.server_locks import ServerLock

MOST_UNWRITTEN = 100
"""Maximum number of jobs held in memory until they can be written; the oldest are dropped."""


@dataclass(frozen=True)
class _Unwritten:
    """The state of a job that cannot be written yet."""

    state: str
    details: dict[str, Any]
    schedule: bytes | None
    points: Sequence[bytes]


class Store:
    """The jobs of servers: requests, outcomes, and the schedule files of those that have one."""

    def __init__(self, path: str | Path, kept: int = 500) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._unwritten: dict[str, _Unwritten] = {}
        self._lease, self._server = ServerLock(path), secrets.token_hex(8)
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._make_tables()
        # The server that had this number before has ended.
        self._file.execute("DELETE FROM servers WHERE number = ?", (self._lease.number,))
        self._file.execute("INSERT INTO servers VALUES (?, ?)", (self._server, self._lease.number))
        self._lose()

    def _make_tables(self) -> None:
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, made REAL NOT NULL, state TEXT NOT NULL, "
            "asked TEXT NOT NULL, told TEXT NOT NULL, schedule BLOB, server TEXT)"
        )
        with suppress(sqlite3.OperationalError):  # it has one, unless a version before leases made the file
            self._file.execute("ALTER TABLE jobs ADD COLUMN server TEXT")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS points (job TEXT NOT NULL, point INTEGER NOT NULL, schedule BLOB NOT NULL, "
            "PRIMARY KEY (job, point))"
        )
        self._file.execute("CREATE TABLE IF NOT EXISTS servers (id TEXT PRIMARY KEY, number INTEGER NOT NULL)")

    def _lose(self) -> None:
        """Mark jobs as lost whose server has ended."""
        for server, number in self._file.execute("SELECT id, number FROM servers").fetchall():
            if not self._lease.is_held(number):
                self._file.execute("DELETE FROM servers WHERE id = ?", (server,))
        self._file.execute(
            "UPDATE jobs SET state = 'lost' WHERE state IN ('waiting', 'running') "
            "AND (server IS NULL OR server NOT IN (SELECT id FROM servers))"
        )

    def add(self, job: str, made: float, request: dict[str, Any]) -> None:
        """Add a new job, and delete the oldest finished ones."""
        self.write_remembered()
        with self._lock:
            self._file.execute(
                "INSERT INTO jobs VALUES (?, ?, 'waiting', ?, '{}', NULL, ?)",
                (job, made, json.dumps(request), self._server),
            )
            self._file.execute(
                "DELETE FROM jobs WHERE state NOT IN ('waiting', 'running') AND id NOT IN "
                "(SELECT id FROM jobs ORDER BY made DESC LIMIT ?)",
                (self._kept,),
            )
            self._file.execute("DELETE FROM points WHERE job NOT IN (SELECT id FROM jobs)")

    def change(self, job: str, state: str, details: dict[str, Any], schedule: bytes | None = None) -> None:
        """Store the state of a job."""
        packed = None if schedule is None else zlib.compress(schedule, 3)
        with self._lock:
            self._file.execute(
                "UPDATE jobs SET state = ?, told = ?, schedule = COALESCE(?, schedule) WHERE id = ?",
                (state, json.dumps(details), packed, job),
            )

    def add_points(self, job: str, schedules: Sequence[bytes]) -> None:
        """Store the schedule files of the points of a front."""
        rows = [(job, point, zlib.compress(schedule, 3)) for point, schedule in enumerate(schedules)]
        with self._lock:
            self._file.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?)", rows)

    def remember(
        self,
        job: str,
        state: str,
        details: dict[str, Any],
        schedule: bytes | None = None,
        points: Sequence[bytes] = (),
    ) -> None:
        """Hold the state of a job in memory, because it cannot be written to the file now."""
        self._unwritten[job] = _Unwritten(state, details, schedule, points)
        while len(self._unwritten) > MOST_UNWRITTEN:
            del self._unwritten[next(iter(self._unwritten))]

    def write_remembered(self) -> bool:
        """Write the jobs held in memory, if there is room by now; return whether none is left."""
        for job, left in list(self._unwritten.items()):
            try:
                if left.points:
                    self.add_points(job, left.points)
                self.change(job, left.state, left.details, left.schedule)
            except sqlite3.Error:
                return False
            self._unwritten.pop(job, None)
        return True

    def remove(self, job: str) -> None:
        """Delete a job."""
        with self._lock:
            self._file.execute("DELETE FROM jobs WHERE id = ?", (job,))
            self._file.execute("DELETE FROM points WHERE job = ?", (job,))
        self._unwritten.pop(job, None)

    def job(self, job: str) -> dict[str, Any] | None:
        """Return what is known of a job."""
        return next(iter(self._selected("WHERE id = ?", job)), None)

    def jobs(self, most: int = 50) -> list[dict[str, Any]]:
        """Return the newest jobs, newest first."""
        return self._selected("ORDER BY made DESC LIMIT ?", most)

    def _selected(self, which: str, value: str | int) -> list[dict[str, Any]]:
        """Return what is known of some jobs, after a look whether other servers still work on theirs."""
        question = f"SELECT id, made, state, asked, told, server FROM jobs {which}"
        with self._lock:
            rows = self._file.execute(question, (value,)).fetchall()
            if any(map(self._is_foreign, rows)):
                self._lose()
                rows = self._file.execute(question, (value,)).fetchall()
        return [self._told(row) for row in rows]

    def schedule(self, job: str, point: int | None = None) -> bytes | None:
        """Return the schedule file of a job, or of one point of its front."""
        left = self._unwritten.get(job)
        if left is not None and (point is None or point < len(left.points)):
            return left.schedule if point is None else left.points[point]
        with self._lock:
            if point is None:
                row = self._file.execute("SELECT schedule FROM jobs WHERE id = ?", (job,)).fetchone()
            else:
                found = self._file.execute("SELECT schedule FROM points WHERE job = ? AND point = ?", (job, point))
                row = found.fetchone()
        return None if row is None or row[0] is None else zlib.decompress(row[0])

    def close(self) -> None:
        """Close the file, after writing what is held in memory if possible."""
        with suppress(sqlite3.Error):
            self.write_remembered()
        with self._lock, suppress(sqlite3.Error):
            self._file.execute("DELETE FROM servers WHERE id = ?", (self._server,))
        self._file.close()
        self._lease.close()

    def _is_foreign(self, row: tuple[Any, ...]) -> bool:
        """Return whether an unfinished job belongs to another server."""
        return row[2] in ("waiting", "running") and row[5] != self._server

    def _told(self, row: tuple[Any, ...]) -> dict[str, Any]:
        number, made, state, request, details, _ = row
        left = self._unwritten.get(number)
        state, details = (state, json.loads(details)) if left is None else (left.state, left.details)
        return {"id": number, "made": made, "state": state, "asked": json.loads(request), **details}
