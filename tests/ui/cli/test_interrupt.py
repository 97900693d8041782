"""Ctrl-C keeps the best so far; before there is any, it ends in one line."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from pavane.__main__ import main as load_and_run
from pavane.io import read_schedule
from pavane.judge.result import Result
from pavane.solvers import SOLVERS
from tests.io.schema import replay
from tests.scripted import interrupt_at, put
from tests.ui.cli.calls import Call, exit_code, on_a_terminal

QUICK_PASSES = ["torus:40x40", "mns", "--senders", "0-11", "--receivers", "400-411"]
"""A problem of many passes, each a fraction of a second, none of which reaches the bound for minutes."""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_terminal_may_interrupt(workers: str, tmp_path: Path) -> None:
    """Ctrl-C ends a running search at once: exit 0, the best schedule is written and valid, no traceback."""
    path = tmp_path / "s.json"
    words = ["solve", *QUICK_PASSES, "--workers", workers, "--time", "100", "-o", str(path), "--json"]
    child = on_a_terminal(tmp_path / "out", *words)
    child.expect(r"best \d+, bound")
    child.sendintr()
    assert exit_code(child) == 0
    found = json.loads((tmp_path / "out").read_text())
    assert found["status"] == "feasible"
    assert len(replay(path)["steps"]) == found["steps"]
    assert read_schedule(path).result().status == "feasible"
    assert {entry.name for entry in tmp_path.iterdir()} == {"s.json", "out"}


def test_processes_that_pack_are_asked_to_stop(tmp_path: Path) -> None:
    """Ctrl-C while two processes pack the same problem: they end long before their time, and the best is written."""
    path = tmp_path / "s.json"
    words = ["solve", "random-regular:200,4,1", "aas", "--workers", "2", "--time", "500", "-o", str(path)]
    child = on_a_terminal(tmp_path / "out", *words)
    child.expect("packing")
    time.sleep(0.3)
    child.sendintr()
    assert exit_code(child) == 0
    assert read_schedule(path).result().status == "feasible"


def test_the_terminal_may_interrupt_before_there_is_anything(tmp_path: Path) -> None:
    """Ctrl-C before the first schedule: one line, exit 1, no traceback; an old file stays as it was."""
    (tmp_path / "s.json").write_text("old")
    words = ["solve", "hypercube:8", "aas", "--method", "greedy", "-o", str(tmp_path / "s.json")]
    child = on_a_terminal(tmp_path / "out", *words)
    child.expect("best none yet, bound")
    child.sendintr()
    child.expect("pavane: error: interrupted before there was an answer\r\n")
    assert exit_code(child) == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out": "", "s.json": "old"}


def test_an_interrupt_keeps_the_best_so_far(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted in its third pass, a search answers with the better of the first two, and one line says so."""
    words = ["mesh:3x3", "mns", "--senders", "0-3", "--receivers", "4-8", "--ports", "1"]
    single = [
        json.loads(call.good("solve", *words, "--method", "greedy", "--seed", seed, "--json"))["steps"] for seed in "01"
    ]
    put(monkeypatch, "greedy", interrupt_at(3))
    answer = call("solve", *words, "-o", "s.json", "--json")
    assert (answer.code, json.loads(answer.out)["steps"]) == (0, min(single))
    assert answer.err == "pavane: note: interrupted: this is the best so far\n"
    assert len(replay(tmp_path / "s.json")["steps"]) == min(single)


def test_an_interrupt_ends_both_phases_of_an_allreduce(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted in its first phase, which serves for both, an allreduce is told and kept as far as it came."""

    def interrupted(*_: object) -> Result:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(SOLVERS["rarest-first"]), "__call__", interrupted)
    answer = call("solve", "hierarchical-rings:3,2", "allreduce", "-o", "s.json")
    assert answer.code == 0
    assert answer.out.count("network ") == 1
    assert f"reached     {len(replay(tmp_path / 's.json')['steps'])} steps" in answer.out
    assert "pavane: note: interrupted: this is the best so far" in answer.err


@pytest.mark.parametrize("command", ["bounds ring:4 aas", "networks", "show ring:4", "verify ring.json"])
def test_every_command_may_be_interrupted(
    command: str, call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line and exit 1, whatever was going on."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    places = ("bounds.headline", "networks.figures", "show.network_from", "verify.headline")
    for place in places:
        monkeypatch.setattr(f"pavane.ui.cli.{place}", interrupted)
    answer = call(*command.split())
    answer.is_one_line(1)


def test_an_interrupt_while_the_program_is_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m pavane` ends in one line, too, when the command line itself is not there yet."""

    class Loading(ModuleType):
        """A module whose import is interrupted."""

        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "pavane.ui.cli", Loading("pavane.ui.cli"))
    with pytest.raises(SystemExit) as ended:
        load_and_run()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "pavane: error: interrupted\n"
