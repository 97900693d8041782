"""`--checkpoint` and `--resume`: killed searches go on, others are refused in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import pavane.parallel.checkpoint as journals
from pavane.parallel.checkpoint import Checkpoint
from pavane.solvers import SOLVERS
from pavane.ui.cli.checkpoints import OpenCheckpoint
from tests.ui.cli.calls import Call

PROGRAM = [
    sys.executable,
    "-c",
    "import pavane.parallel.checkpoint as journals; journals.SECONDS_BETWEEN_WRITES = 0.0; "
    "from pavane.ui.cli import main; main()",
]
"""The command, with a checkpoint whenever there could be one."""

UMDA = ("hypercube:4", "aas", "--method", "umda", "--steps", "8", "--evaluations", "30000")
"""Some seconds of evolution, without an answer."""

FIRST_FIT = ("random-regular:16,3,1", "aas", "--switching", "store-and-forward", "--pieces", "2")
"""Many attempts, and an answer."""


def stamp(path: Path) -> int:
    """Return when a file was written; 0: it is not there."""
    return path.stat().st_mtime_ns if path.exists() else 0


def killed(words: list[str], part: Path) -> bool:
    """Start a search and kill it when it has written its checkpoint twice; say whether it was in time."""
    before, writes = stamp(part), 0
    search = subprocess.Popen([*PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while search.poll() is None and writes < 2:
        now = stamp(part)
        before, writes = now, writes + (now != before)
        time.sleep(0.002)
    search.send_signal(signal.SIGKILL)
    search.wait()
    return search.returncode == -signal.SIGKILL


def figures(text: str) -> dict[str, Any]:
    """Return what `--json` says, without times and names of files."""
    return {key: value for key, value in json.loads(text).items() if key not in ("seconds", "file")}


def schedule(path: Path) -> dict[str, Any]:
    """Return a schedule file without its time."""
    found: dict[str, Any] = json.loads(path.read_text())
    found["provenance"].pop("seconds")
    return found


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("words", [UMDA, FIRST_FIT], ids=["umda", "auto"])
def test_a_search_that_was_killed_twice_ends_as_one_that_was_not(
    words: tuple[str, ...], call: Call, tmp_path: Path
) -> None:
    """kill -9 leaves a checkpoint, from which --resume reaches the same answer; then it is removed."""
    alone = call("solve", *words, "-o", "alone.json", "--json")
    part = tmp_path / "s.json.part"
    again = ["solve", *words, "-o", str(tmp_path / "s.json"), "--resume", "--json"]
    assert killed(again, part)
    assert part.exists()
    killed(again, part)
    last = call(*again)
    assert (last.code, figures(last.out)) == (alone.code, figures(alone.out))
    if alone.code == 0:
        assert schedule(tmp_path / "s.json") == schedule(tmp_path / "alone.json")
    assert sorted(tmp_path.glob("*.part*")) == []


def test_a_checkpoint_wants_a_file_beside_which_it_is_kept(call: Call) -> None:
    """Without -o FILE, or with stdout, there is no place for it."""
    for flag in ("--checkpoint", "--resume"):
        assert call("solve", "ring:4", "aas", flag).is_refusal(flag, "-o FILE")
        assert call("solve", "ring:4", "aas", flag, "-o", "-").is_refusal(flag, "-o FILE")


def test_nothing_to_go_on_from_is_told(call: Call, tmp_path: Path) -> None:
    """--resume without a checkpoint starts from the beginning with a note; a finished search leaves no checkpoint."""
    answer = call("solve", "ring:4", "aas", "-o", "s.json", "--resume")
    assert answer.code == 0
    assert answer.err == "pavane: note: s.json.part does not exist: the search starts from the beginning\n"
    assert call.good("solve", "ring:4", "aas", "-o", "s.json", "--checkpoint")
    assert not (tmp_path / "s.json.part").exists()


def timed(call: Call, monkeypatch: pytest.MonkeyPatch, *more: str) -> Any:
    """Search with a time limit that is too short."""
    monkeypatch.setattr(journals, "SECONDS_BETWEEN_WRITES", 0.0)
    return call("solve", *UMDA[:-2], "--time", "0.6", "-o", "s.json", *more)


def test_what_was_out_of_time_can_go_on(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A search whose time is over keeps its checkpoint and says how to go on; a new one does not overwrite it."""
    first = timed(call, monkeypatch, "--checkpoint")
    assert first.code == 1
    assert "s.json.part; add --resume to continue" in first.err
    assert timed(call, monkeypatch, "--checkpoint").is_refusal("s.json.part", "add --resume", "or remove it")
    assert timed(call, monkeypatch, "--resume").code == 1
    assert (tmp_path / "s.json.part").exists()


def test_another_search_is_refused(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """--resume wants the same problem and all that decides the answer."""
    timed(call, monkeypatch, "--checkpoint")
    resumed = ("-o", "s.json", "--resume", "--time", "1")
    assert call("solve", "ring:5", *UMDA[1:-2], *resumed).is_refusal("s.json.part", "another problem")
    assert call("solve", *UMDA, *resumed).is_refusal("no --evaluations, not --evaluations 30000")
    assert call("solve", *UMDA[:-2], *resumed, "--seed", "3").is_refusal("--seed 0, not --seed 3")
    assert call("solve", *UMDA[:-4], *resumed).is_refusal("--steps 8, not no --steps")
    assert call("solve", "hypercube:4", "aas", *UMDA[4:-2], *resumed).is_refusal("--method umda, not --method auto")
    assert call("solve", *UMDA[:-2], "--set", "polish=2", *resumed).is_refusal("no --set, not --set ")
    (tmp_path / "s.json.part").write_bytes(b"what is this?")
    assert call("solve", *UMDA[:-2], *resumed).is_refusal("s.json.part", "not a checkpoint", "remove it")


def test_an_interrupt_before_the_first_schedule_keeps_where_it_was(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no answer, but something to go on with."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(SOLVERS["greedy"]), "__call__", interrupted)
    words = ("solve", "ring:4", "aas", "--method", "greedy", "-o", "s.json")
    call(*words, "--checkpoint").is_one_line(1)
    assert [path.name for path in tmp_path.iterdir()] == ["s.json.part"]
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert call.good(*words, "--resume")


def test_a_checkpoint_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The search has its answer all the same; one line says that there is nothing to go on from."""

    def write(_: object) -> None:
        raise OSError(28, "No space left on device")

    OpenCheckpoint(tmp_path / "s.json.part", Checkpoint(write)).end((), True)
    _, said = capsys.readouterr().err.splitlines()
    assert said.startswith("pavane: note: the state of the search could not be written: ")
    assert "No space left on device" in said
