"""Finished jobs in a file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pavane.ui.web.store import MOST_UNWRITTEN, Store


def test_old_results_give_way(tmp_path: Path) -> None:
    """The store keeps so many results and no more, the newest."""
    store = Store(tmp_path / "s.sqlite", kept=3)
    for number in range(6):
        store.add(str(number), float(number), {})
        store.change(str(number), "done", {}, b"x")
    assert [job["id"] for job in store.jobs()] == ["5", "4", "3"]
    store.close()


def test_jobs_belong_to_a_server_as_long_as_it_lives(tmp_path: Path) -> None:
    """A second server on the same file leaves the first one's jobs alone; when the first is gone, they are lost."""
    file = tmp_path / "s.sqlite"
    first, second = Store(file), Store(file)
    first.add("a", 1.0, {})
    second.add("b", 2.0, {})
    first.change("a", "running", {})
    assert [job["state"] for job in second.jobs()] == ["waiting", "running"]
    third = Store(file)
    assert [job["state"] for job in third.jobs()] == ["waiting", "running"]
    first._lease.close()  # as the system does for a process that was killed
    assert third.job("a")["state"] == "lost"  # type: ignore[index]
    assert [job["state"] for job in second.jobs()] == ["waiting", "lost"]
    second.close()
    assert [job["state"] for job in third.jobs()] == ["lost", "lost"]
    third.close()


def test_a_server_with_the_number_of_a_dead_one_does_not_inherit_its_jobs(tmp_path: Path) -> None:
    """Numbers are given again, jobs are not."""
    file = tmp_path / "s.sqlite"
    first = Store(file)
    first.add("a", 1.0, {})
    first._lease.close()
    second = Store(file)
    assert second._lease.number == first._lease.number
    assert second.job("a")["state"] == "lost"  # type: ignore[index]
    second.close()


def test_files_from_before_are_read(tmp_path: Path) -> None:
    """A file without owners of jobs keeps what it has; what was not over is lost."""
    file = tmp_path / "s.sqlite"
    with sqlite3.connect(file) as old:
        old.execute(
            "CREATE TABLE jobs (id TEXT PRIMARY KEY, made REAL NOT NULL, state TEXT NOT NULL, asked TEXT NOT NULL, "
            "told TEXT NOT NULL, schedule BLOB)"
        )
        old.execute("INSERT INTO jobs VALUES ('a', 1, 'done', '{}', '{}', NULL), ('b', 2, 'running', '{}', '{}', NULL)")
    store = Store(file)
    assert [(job["id"], job["state"]) for job in store.jobs()] == [("b", "lost"), ("a", "done")]
    store.add("c", 3.0, {})
    assert store.job("c")["state"] == "waiting"  # type: ignore[index]
    store.close()


@pytest.mark.parametrize("count", [1, MOST_UNWRITTEN + 5])
def test_what_is_remembered_has_a_limit(tmp_path: Path, count: int) -> None:
    """A disk that stays full does not fill the memory."""
    store = Store(tmp_path / "s.sqlite")
    for number in range(count):
        store.remember(str(number), "done", {}, b"x", [b"y"])
    assert store.schedule(str(count - 1)) == b"x"
    assert store.schedule(str(count - 1), 0) == b"y"
    assert (store.schedule("0") is None) == (count > MOST_UNWRITTEN)
    store.close()


def test_a_file_has_so_many_servers_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused while all of them live."""
    monkeypatch.setattr("pavane.ui.web.server_locks.MOST_SERVERS", 2)
    first, second = Store(tmp_path / "s.sqlite"), Store(tmp_path / "s.sqlite")
    with pytest.raises(OSError, match=r"2 servers work on .* already"):
        Store(tmp_path / "s.sqlite")
    second.close()
    third = Store(tmp_path / "s.sqlite")
    assert third._lease.number == 1
    third.close()
    first.close()
