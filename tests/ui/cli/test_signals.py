"""Ctrl-C and SIGTERM end commands alike; what is kept then is tested in test_interrupt.py and tests/test_kills.py."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pavane.ui import cli
from pavane.ui.cli import signals

SECONDS = 300
"""No command here takes so long, on the slowest machine."""

ENDING = """
import os, signal, sys, threading, time
from pavane.ui import cli
from pavane.ui.cli import signals
signals.heed_signals()
def send(number, after):
    threading.Timer(after, os.kill, (os.getpid(), number)).start()
"""
"""The beginning of a program that sends signals to itself."""


def said_by(program: str, *, ignoring: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a program, started as a shell without job control starts it in the background where signals are ignored."""

    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    return subprocess.run(
        [sys.executable, "-c", ENDING + program],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        preexec_fn=ignore if ignoring else None,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("ignoring", [False, True])
def test_both_raise_the_same(number: int, ignoring: bool) -> None:
    """Either is an interrupt, also where Ctrl-C was ignored; notes say which it was."""
    done = said_by(
        f"""
try:
    send({number}, 0.1)
    time.sleep({SECONDS})
except KeyboardInterrupt:
    print(signals.ended_by())
""",
        ignoring=ignoring,
    )
    assert (done.stdout, done.stderr) == (f"{'interrupted' if number == signal.SIGINT else 'terminated'}\n", "")


def test_two_at_a_time_are_one() -> None:
    """What `timeout` sends to a process and to its group does not end it at once."""
    done = said_by(
        f"""
signals.SAME_REQUEST = {SECONDS}
try:
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    signal.raise_signal(signal.SIGTERM)
    print("in peace")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "in peace\n", "")


def test_the_second_ends_it_at_once() -> None:
    """A second request interrupts what the first left to do, and if that does not help ends the process."""
    done = said_by(
        f"""
signals.SAME_REQUEST = 0.0
for _ in range(2):
    try:
        send(signal.SIGINT, 0.1)
        time.sleep({SECONDS})
    except KeyboardInterrupt:
        print("interrupted", flush=True)
time.sleep({SECONDS})
"""
    )
    assert (done.returncode, done.stdout) == (1, "interrupted\ninterrupted\n")


def test_an_import_is_not_interrupted(tmp_path: Path) -> None:
    """A signal that comes while a module is imported waits until it is there."""
    (tmp_path / "slow.py").write_text("import signal; signal.raise_signal(signal.SIGTERM); done = True\n")
    done = said_by(
        f"""
sys.path.insert(0, {str(tmp_path)!r})
try:
    import slow
    time.sleep({SECONDS})
except KeyboardInterrupt:
    print(sys.modules["slow"].done)
"""
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_signal_after_the_answer_changes_nothing() -> None:
    """When the exit code is known, it is what the process ends with."""
    done = said_by(f"signals.exit_at_signals(7); signal.raise_signal(signal.SIGTERM); time.sleep({SECONDS})")
    assert (done.returncode, done.stderr) == (7, "")
    last = "atexit.register(signal.raise_signal, signal.SIGTERM)"
    done = said_by(f"import atexit; atexit._clear(); {last}; atexit.register(signals._ignore_signals); sys.exit(7)")
    assert (done.returncode, done.stderr) == (7, "")


def test_an_interrupt_before_the_command_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While arguments are read, an interrupt ends the program as at any other time."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_root", interrupted)
    monkeypatch.setattr(cli, "_program", cli._program.__wrapped__)
    assert cli.run(["solvers"]) == 1
    assert capsys.readouterr() == ("", "pavane: error: interrupted\n")


def test_the_third_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks a third time gets the end without anything being removed first."""

    def leave(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(signals, "_requests", [(signal.SIGINT, 0.0), (signal.SIGINT, 0.0)])
    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(SystemExit) as ended:
        signals._heed(signal.SIGINT, None)
    assert ended.value.code == 1
