"""The file of an atlas: both ends kept apart, several writers, and files of others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pavane.atlas.atlas_file import AtlasFile, AtlasRow, Figures
from pavane.errors import InputError

BASE = Figures("k" * 64, 1, "ring:8", 8, "AAS", "rules")


def row(key: str = BASE.key, *, steps: int | None = None, bound: int | None = None, seconds: float = 0.0) -> AtlasRow:
    """Return a row whose blobs say which call has brought them."""
    figures = replace(
        BASE,
        key=key,
        steps=steps,
        solver=None if steps is None else f"solver {steps}",
        seed=steps,
        version=None if steps is None else "0.1.0",
        bound=bound,
        argument=None if bound is None else f"argument {bound}",
        seconds=seconds,
    )
    schedule = None if steps is None else b"s%d" % steps
    return AtlasRow(figures, b"problem", schedule, None if bound is None else b"b%d" % bound)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the name of a new file."""
    return tmp_path / "atlas.sqlite"


def test_both_ends_are_kept_apart(path: Path) -> None:
    """The fewer steps and the higher bound stay, each with its own proof, whoever brings them and in what order."""
    with AtlasFile(path, is_written=True) as atlas:
        for steps, bound in ((20, 5), (25, 9), (None, 8), (12, None), (15, 7), (None, None)):
            atlas.keep([row(steps=steps, bound=bound)])
        kept = atlas.row(BASE.key)
    assert kept is not None
    said = kept.figures
    assert (said.steps, said.solver, said.seed, kept.schedule) == (12, "solver 12", 12, b"s12")
    assert (said.bound, said.argument, kept.certificate) == (9, "argument 9", b"b9")
    assert not said.is_closed


def test_the_most_effort_stays(path: Path) -> None:
    """Time, evaluations and what a search through all schedules says only grow."""
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([row(seconds=5.0), row(seconds=2.0)])
        atlas.keep([replace(row(), figures=replace(BASE, evaluations=7, exhaustive=4))])
        atlas.keep([replace(row(), figures=replace(BASE, evaluations=3, exhaustive=3))])
        (said,) = atlas.figures()
    assert (said.seconds, said.evaluations, said.exhaustive) == (5.0, 7, 4)


def test_rows_are_found_by_how_their_key_begins(path: Path) -> None:
    """A beginning that fits one key names it; none, or several, is one clear line."""
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([row("ab" * 32), row("ac" * 32)])
        assert atlas.key_beginning("ab") == "ab" * 32
        with pytest.raises(InputError, match="several keys begin with a;"):
            atlas.key_beginning("a")
        with pytest.raises(InputError, match="no key begins with b%;"):
            atlas.key_beginning("b%")


def test_what_is_dropped_is_what_was_read(path: Path) -> None:
    """A schedule that failed is taken out alone, and not if another has taken its place meanwhile."""
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([row(steps=3, bound=2)])
        bad = atlas.row(BASE.key)
        assert bad is not None
        atlas.keep([row(steps=2)])
        atlas.drop_schedule(bad)
        assert [said.steps for said in atlas.figures()] == [2]
        now = atlas.row(BASE.key)
        assert now is not None
        atlas.drop_schedule(now)
        assert [(said.steps, said.bound) for said in atlas.figures()] == [(None, 2)]
        atlas.drop_bound(now)
        assert [(said.steps, said.bound, said.argument) for said in atlas.figures()] == [(None, None, None)]
        atlas.remove(BASE.key)
        assert len(atlas) == 0


def test_a_file_that_is_only_read_stays_as_it_is(path: Path) -> None:
    """Reading leaves no file behind and cannot write; there must be a file, and at rest an atlas is one file."""
    with pytest.raises(InputError, match="there is no such file"):
        AtlasFile(path)
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([row(steps=3)])
        with AtlasFile(path) as reader:
            assert len(reader) == 1
    before = path.read_bytes()
    with AtlasFile(path) as atlas:
        assert len(atlas) == 1
        with pytest.raises(InputError, match="attempt to write a readonly database"):
            atlas.keep([row(steps=2)])
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


# -- several writers


def write_many(path: Path, writer: int, count: int) -> None:
    """Keep many rows, some of which all writers write."""
    with AtlasFile(path, is_written=True) as atlas:
        for number in range(count):
            key = f"{number % 40:064d}"
            atlas.keep([row(key, steps=100 + (number * 7 + writer) % 50, bound=(number * 3 + writer) % 50)])


def test_four_writers_one_killed(path: Path) -> None:
    """Four processes write at once, one is killed -9: no lock error, the file is whole, and every row has the best."""
    counts = (10**9, 300, 300, 300)  # the first is killed before it ends
    processes = [multiprocessing.Process(target=write_many, args=(path, *task)) for task in enumerate(counts)]
    for process in processes:
        process.start()
    victim = processes[0]
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
    assert victim.pid is not None
    os.kill(victim.pid, signal.SIGKILL)
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes[1:]] == [0, 0, 0]
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with AtlasFile(path) as atlas:
        rows = {said.key: said for said in atlas.figures()}
        assert len(rows) == 40
        for key, said in rows.items():
            mine = [n for n in range(300) if n % 40 == int(key)]
            assert said.steps is not None
            assert said.bound is not None
            assert said.steps <= min(100 + (n * 7 + w) % 50 for n in mine for w in (1, 2, 3))
            assert said.bound >= max((n * 3 + w) % 50 for n in mine for w in (1, 2, 3))
            kept = atlas.row(key)
            assert kept is not None
            assert (kept.schedule, kept.certificate) == (b"s%d" % said.steps, b"b%d" % said.bound)


# -- files of others


def refused(path: Path, text: str, *, is_written: bool) -> None:
    """Check that a file is refused in one line, and stays what it is."""
    before = path.read_bytes()
    with pytest.raises(InputError) as error:
        AtlasFile(path, is_written=is_written)
    assert text in str(error.value)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("is_written", [False, True])
def test_files_that_are_no_atlas_are_refused(path: Path, is_written: bool) -> None:
    """Text, another database, and an atlas with a trigger or a view are refused, and not touched."""
    path.write_bytes(b"no database at all, but longer than a header of one hundred bytes " * 3)
    refused(path, "file is not a database", is_written=is_written)
    for number, more in enumerate(
        (
            "CREATE TABLE problems (key TEXT)",
            None,
            "CREATE TRIGGER t AFTER UPDATE ON problems BEGIN DELETE FROM problems; END",
            "CREATE VIEW v AS SELECT * FROM problems",
        )
    ):
        other = path.with_name(f"other{number}.sqlite")
        if number:
            AtlasFile(other, is_written=True).close()
        with closing(sqlite3.connect(other)) as file:
            file.execute(more or "PRAGMA application_id = 7")
            file.commit()
            file.execute("PRAGMA journal_mode = DELETE")
        refused(other, "it is not an atlas of this version", is_written=is_written)


def test_a_torn_file_is_refused(path: Path) -> None:
    """A file that was cut off, or overwritten inside, gives one line when that is read."""
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep(row(f"{number:064d}", steps=5) for number in range(2_000))
    whole = path.read_bytes()
    for torn in (whole[: len(whole) // 2], whole[:4096] + bytes(range(256)) * 16 + whole[8192:], whole[:100]):
        path.write_bytes(torn)
        with pytest.raises(InputError) as error, AtlasFile(path) as atlas:
            list(atlas.figures())
        assert "\n" not in str(error.value)
        assert str(path) in str(error.value)


def test_figures_of_other_types_are_left_out(path: Path) -> None:
    """SQLite keeps any type in any column; what is no number is none, and text keeps to its line."""
    AtlasFile(path, is_written=True).close()
    with closing(sqlite3.connect(path)) as file:
        file.execute(
            "INSERT INTO problems VALUES ('k', x'00', 'a' || char(10) || char(27) || 'b', 'eight', 1.5, x'ff', "
            "'many', x'01', 'x', 3, 1e300, x'02', 'all', 'long', x'03', 'p', 7, 8)"
        )
        file.commit()
    with AtlasFile(path) as atlas:
        (said,) = atlas.figures()
    assert said.network == "a\\n\\x1bb"
    assert (said.steps, said.bound, said.processors, said.seconds) == (None, None, 0, 0.0)
    assert not said.is_closed


def test_a_large_blob_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blob beyond the limit is refused by the database itself, before it is in memory."""
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([replace(row(steps=3), schedule=b"x" * 3_000_000)])
    monkeypatch.setattr("pavane.atlas.atlas_file.MOST_PACKED_BYTES", 10_000)
    with AtlasFile(path) as atlas, pytest.raises(InputError, match="too big"):
        atlas.row(BASE.key)


def test_who_finds_the_file_locked_tries_again(path: Path) -> None:
    """Some locks are refused at once instead of being waited for; what SQLite cannot say in text is told in words."""
    answers: Iterator[Exception | int] = iter(
        [sqlite3.OperationalError("database is locked"), sqlite3.OperationalError("database is locked"), 7]
    )

    def call() -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def garbled() -> None:
        b"\xff".decode()

    with AtlasFile(path, is_written=True) as atlas:
        assert atlas._tried(call) == 7
        with pytest.raises(InputError, match="the atlas cannot be used: it is damaged; name another file"):
            atlas._tried(garbled)
