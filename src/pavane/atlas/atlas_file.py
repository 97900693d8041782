"""The file of an atlas (SQLite): one row per problem, with the best schedule and the best bound, stored separately.

Several processes may write at a time. A file may come from an unknown source: it must have the table of an atlas and
nothing else, so that reading it runs no foreign code, and its rows are judged when they are read (known.py).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, Self, TypeVar

from pavane.atlas.blobs import MOST_PACKED_BYTES
from pavane.errors import InputError, printable
from pavane.io.files import refuse_unwritable

TIMEOUT = 30.0
"""Seconds to wait for other processes that write."""

APPLICATION = 0x7061766E
"""The application id in the header of the file."""

TABLE = (
    "CREATE TABLE problems ("
    "key TEXT PRIMARY KEY NOT NULL, canonical INTEGER NOT NULL, "
    "network TEXT NOT NULL, processors INTEGER NOT NULL, collective TEXT NOT NULL, rules TEXT NOT NULL, "
    "steps INTEGER, solver TEXT, seed INTEGER, version TEXT, "
    "bound INTEGER, argument TEXT, exhaustive INTEGER, "
    "seconds REAL NOT NULL, evaluations INTEGER NOT NULL, "
    "problem BLOB NOT NULL, schedule BLOB, certificate BLOB)"
)

FEWER = "excluded.steps IS NOT NULL AND (steps IS NULL OR excluded.steps < steps)"
HIGHER = "excluded.bound IS NOT NULL AND (bound IS NULL OR excluded.bound > bound)"

UPSERT = (
    f"INSERT INTO problems VALUES ({', '.join('?' * 18)}) ON CONFLICT(key) DO UPDATE SET "
    + ", ".join(f"{name} = IIF({FEWER}, excluded.{name}, {name})" for name in ("schedule", "solver", "seed", "version"))
    + ", "
    + ", ".join(f"{name} = IIF({HIGHER}, excluded.{name}, {name})" for name in ("certificate", "argument"))
    + f", steps = IIF({FEWER}, excluded.steps, steps), bound = IIF({HIGHER}, excluded.bound, bound), "
    "exhaustive = IIF(excluded.exhaustive > IFNULL(exhaustive, 0), excluded.exhaustive, exhaustive), "
    "seconds = MAX(seconds, excluded.seconds), evaluations = MAX(evaluations, excluded.evaluations)"
)

SHIPPED = "shipped"
"""The name under which the atlas that comes with the package is read."""

T = TypeVar("T")


@dataclass(frozen=True)
class Figures:
    """The figures of a row, without the proofs: claims until they are judged."""

    key: str
    canonical: int
    """Whether problems that differ only in their numbering share this row."""
    network: str
    processors: int
    collective: str
    rules: str
    steps: int | None = None
    solver: str | None = None
    seed: int | None = None
    version: str | None = None
    bound: int | None = None
    argument: str | None = None
    exhaustive: int | None = None
    """The bound that an exhaustive search claims, without a certificate."""
    seconds: float = 0.0
    """The longest time limit of a search."""
    evaluations: int = 0
    """The highest limit on evaluations of a search."""

    @property
    def is_closed(self) -> bool:
        """Whether its bound says that no schedule has fewer steps: proven if both were judged, otherwise a claim."""
        return self.steps is not None and self.bound is not None and self.steps <= self.bound


@dataclass(frozen=True)
class AtlasRow:
    """A row of the file."""

    figures: Figures
    problem: object
    schedule: object = None
    certificate: object = None


NAMES = tuple(one.name for one in fields(Figures))
TEXTS = ("key", "network", "collective", "rules", "solver", "version", "argument")
NUMBERS = ("canonical", "processors", "steps", "seed", "bound", "exhaustive", "evaluations")


def shipped_file() -> Path:
    """Return the file that comes with the package."""
    return Path(__file__).parent / "assets" / "shipped.sqlite"


class AtlasFile:
    """An open atlas; where it is only read, the file and its folder stay as they are."""

    def __init__(self, path: str | Path, *, is_written: bool = False) -> None:
        self.is_shipped = str(path) == SHIPPED
        self.path = str(path)
        self.is_written = is_written and not self.is_shipped
        where = shipped_file() if self.is_shipped else Path(path)
        if self.is_written:
            refuse_unwritable(where)
        elif not os.path.isfile(where):
            raise InputError(f"{self.path}: there is no such file; name an atlas that there is")
        self._file = self._tried(lambda: self._opened(where))

    def _opened(self, where: Path) -> sqlite3.Connection:
        mode = "rwc" if self.is_written else "ro&immutable=1" if self._is_at_rest(where) else "ro"
        opened = sqlite3.connect(
            f"{where.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=TIMEOUT,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            opened.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_PACKED_BYTES + 2**20)
            opened.text_factory = lambda text: printable(text.decode(errors="replace"))
            opened.execute("PRAGMA trusted_schema = OFF")
            opened.execute("PRAGMA cell_size_check = ON")
            if self.is_written:
                _make_table(opened)
            self._refuse_others(opened)
            if self.is_written:
                _admit_writers(opened)
        except BaseException:
            opened.close()
            raise
        return opened

    def _is_at_rest(self, where: Path) -> bool:
        """Return whether no process writes to the file: then it can be read in a read-only folder."""
        return self.is_shipped or not (os.access(where.parent, os.W_OK) or os.path.exists(f"{where}-wal"))

    def _refuse_others(self, opened: sqlite3.Connection) -> None:
        """Refuse a file that is not an atlas, or has more than an atlas: views and triggers would run."""
        found = opened.execute("SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchmany(2)
        (application,) = opened.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION or found != [("table", TABLE)]:
            raise InputError(f"{self.path}: it is not an atlas of this version; name another file")

    def _tried(self, call: Callable[[], T]) -> T:
        """Call until no other process blocks it; errors of the file are raised in one line."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return call()
            except sqlite3.OperationalError as error:
                # Some locks, as at the first opening of a file, are refused at once instead of being waited for.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise self._refusal(error) from None
                time.sleep(0.02)
            except (sqlite3.Error, OverflowError) as error:
                raise self._refusal(error) from None
            except UnicodeError:  # what SQLite itself says of a damaged file may be no text
                raise self._refusal("it is damaged") from None

    def _refusal(self, error: Exception | str) -> InputError:
        return InputError(f"{self.path}: the atlas cannot be used: {error}; name another file, or a copy of it")

    # -- reading

    def __len__(self) -> int:
        (count,) = self._tried(lambda: self._file.execute("SELECT COUNT(*) FROM problems").fetchone())
        return int(count)

    def figures(self) -> Iterator[Figures]:
        """Yield the figures of the rows, in the order of networks, collectives and rules."""
        query = f"SELECT {', '.join(NAMES)} FROM problems ORDER BY processors, network, collective, rules, key"
        for row in self._tried(lambda: self._file.execute(query).fetchall()):
            yield _figures(row)

    def row(self, key: str) -> AtlasRow | None:
        """Return the row of a problem by its key; None without a row."""
        query = f"SELECT {', '.join(NAMES)}, problem, schedule, certificate FROM problems WHERE key = ?"
        found = self._tried(lambda: self._file.execute(query, (key,)).fetchone())
        return None if found is None else AtlasRow(_figures(found[:-3]), *found[-3:])

    def key_beginning(self, start: str) -> str:
        """Return the only key with a prefix."""
        query = "SELECT key FROM problems WHERE substr(key, 1, ?) = ? LIMIT 2"
        found = self._tried(lambda: self._file.execute(query, (len(start), start)).fetchall())
        if len(found) != 1:
            what = "several keys begin" if found else "no key begins"
            raise InputError(f"{self.path}: {what} with {start}; give a key of this file, or more of it")
        return str(found[0][0])

    # -- writing

    def keep(self, rows: Iterable[AtlasRow]) -> None:
        """Store rows, all or none: of each problem the fewer steps and the higher bound, independently."""
        values = [(*astuple(row.figures), row.problem, row.schedule, row.certificate) for row in rows]
        self._written(lambda: self._file.executemany(UPSERT, values))

    def drop_schedule(self, row: AtlasRow) -> None:
        """Remove the schedule of a row, unless another process has replaced it."""
        self._drop(row.figures.key, ("steps", "solver", "seed", "version", "schedule"), "schedule", row.schedule)

    def drop_bound(self, row: AtlasRow) -> None:
        """Remove the bound of a row, unless another process has replaced it."""
        self._drop(row.figures.key, ("bound", "argument", "certificate"), "certificate", row.certificate)

    def _drop(self, key: str, names: tuple[str, ...], proof: str, blob: object) -> None:
        emptied = ", ".join(f"{name} = NULL" for name in names)
        query = f"UPDATE problems SET {emptied} WHERE key = ? AND {proof} IS ?"
        self._written(lambda: self._file.execute(query, (key, blob)))

    def remove(self, key: str) -> None:
        """Remove a row."""
        self._written(lambda: self._file.execute("DELETE FROM problems WHERE key = ?", (key,)))

    def _written(self, call: Callable[[], Any]) -> None:
        def at_once() -> None:
            self._file.execute("BEGIN IMMEDIATE")
            try:
                call()
                self._file.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._file.execute("ROLLBACK")
                raise

        self._tried(at_once)

    def close(self) -> None:
        """Close the file; the last writer leaves a single file without a journal."""
        with suppress(sqlite3.Error):
            if self.is_written:
                self._file.execute("PRAGMA busy_timeout = 0")  # if other processes are writing, they are the last
                self._file.execute("PRAGMA journal_mode = DELETE")
        with suppress(sqlite3.Error):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _make_table(opened: sqlite3.Connection) -> None:
    """Create the table in a new file; other files are not changed."""
    if opened.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() == (0,):
        opened.execute("BEGIN IMMEDIATE")
        if opened.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() == (0,):
            opened.execute(f"PRAGMA application_id = {APPLICATION}")
            opened.execute(TABLE)
        opened.execute("COMMIT")


def _admit_writers(opened: sqlite3.Connection) -> None:
    """Let several processes read and write at a time (WAL); a killed process loses only unfinished rows."""
    if opened.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        opened.execute("PRAGMA journal_mode = WAL")
    opened.execute("PRAGMA synchronous = NORMAL")


def _figures(row: tuple[Any, ...]) -> Figures:
    """Return the figures of a row; values of a wrong type are left out."""
    values = dict(zip(NAMES, row, strict=True))
    for name in TEXTS:
        values[name] = values[name] if isinstance(values[name], str) else None
    for name in NUMBERS:
        values[name] = values[name] if isinstance(values[name], int) else None
    is_number = isinstance(values["seconds"], int | float)
    values |= {
        "key": values["key"] or "",
        "canonical": values["canonical"] or 0,
        "network": values["network"] or "?",
        "processors": values["processors"] or 0,
        "collective": values["collective"] or "?",
        "rules": values["rules"] or "?",
        "seconds": float(values["seconds"]) if is_number else 0.0,
        "evaluations": values["evaluations"] or 0,
    }
    return Figures(**values)
