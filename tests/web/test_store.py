"""Finished jobs in a file."""

from __future__ import annotations

from pathlib import Path

from pavane.web.store import Store


def test_old_results_give_way(tmp_path: Path) -> None:
    """The store keeps so many results and no more, the newest."""
    store = Store(tmp_path / "s.sqlite", kept=3)
    for number in range(6):
        store.add(str(number), float(number), {})
        store.change(str(number), "done", {}, b"x")
    assert [job["id"] for job in store.jobs()] == ["5", "4", "3"]
    store.close()
