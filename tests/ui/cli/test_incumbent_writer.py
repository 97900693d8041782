"""Better results are written while a search goes on, one writing at a time; what cannot be written is noted once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.ui.cli import incumbent_writer as keeping
from pavane.ui.cli.incumbent_writer import write_incumbents
from tests.problems import problem_of

SECONDS = 30
"""No thread here takes so long, on the slowest machine."""


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are short."""
    monkeypatch.setattr(keeping, "FIRST_AFTER", 0.01)
    monkeypatch.setattr(keeping, "BETWEEN", 0.01)


def results(number: int) -> list[Result]:
    """Return some results; what they are does not matter here."""
    return [Result(problem_of("ring:4"), None) for _ in range(number)]


def test_each_result_is_written_soon() -> None:
    """All come, in their order, though several may come at a time."""
    told, written, came = results(3), [], threading.Semaphore(0)

    def write(some: list[Result]) -> None:
        written.extend(some)
        for _ in some:
            came.release()

    with write_incumbents(write) as better:
        assert better is not None
        for result in told:
            better(result)
            assert came.acquire(timeout=SECONDS)
    assert [id(one) for one in written] == [id(one) for one in told]


def test_nothing_is_written_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is still waiting when the search is over is not written: the answer is."""
    monkeypatch.setattr(keeping, "FIRST_AFTER", SECONDS)
    written: list[Result] = []
    with write_incumbents(written.extend) as better:
        assert better is not None
        better(*results(1))
    assert written == []


def test_what_cannot_be_written_is_noted_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A full disk is no reason to end a search."""
    tried = threading.Semaphore(0)

    def write(_: list[Result]) -> None:
        tried.release()
        raise InputError("s.json: cannot be written: no space left on device")

    with write_incumbents(write) as better:
        assert better is not None
        for result in results(2):
            better(result)
            assert tried.acquire(timeout=SECONDS)
    assert capsys.readouterr().err == (
        "pavane: note: s.json: cannot be written: no space left on device; "
        "the search continues, and the best schedule is written at its end\n"
    )
