"""Calls of the command line: inside this process where they can be, in a process of their own where they must be."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pexpect
import pytest

from pavane.ui.cli import run

PROGRAM = [sys.executable, "-c", "from pavane.ui.cli import main; main()"]
"""The command as its entry point runs it, wherever it is installed."""


class Answer(NamedTuple):
    """What a call said."""

    code: int
    out: str
    err: str

    def is_refusal(self, *texts: str) -> bool:
        """Check that it is bad input or usage: code 2, nothing on stdout, one line on stderr that says all this."""
        self.is_one_line(2)
        for text in texts:
            assert text in self.err, f"{text!r} is not in {self.err!r}"
        return True

    def is_one_line(self, code: int) -> None:
        """Check for an exit code, and one line of error, and no traceback."""
        assert "Traceback" not in self.err
        assert self.code == code, self
        assert self.out == ""
        assert self.err.startswith("pavane: error: "), self.err
        assert self.err.count("\n") == 1, self.err
        assert self.err.endswith("\n")
        assert self.err.rstrip("\n").isprintable(), self.err


class Call:
    """Calls the command line inside this process."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self.captured = captured

    def __call__(self, *arguments: str | Path) -> Answer:
        """Run a command and return what it said."""
        self.captured.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = self.captured.readouterr()
        return Answer(code, out, err)

    def good(self, *arguments: str | Path) -> str:
        """Run a command that must succeed, and say nothing on stderr; return its stdout."""
        answer = self(*arguments)
        assert answer.err == ""
        assert answer.code == 0, answer
        return answer.out


def in_a_process(*arguments: str | Path, **environment: str) -> Answer:
    """Run a command in a process of its own."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def on_a_terminal(stdout: Path, *arguments: str | Path) -> pexpect.spawn[str]:
    """Start a command whose stdout goes to a file and whose stderr is a terminal."""
    script = f"exec {shlex.join([*PROGRAM, *map(str, arguments)])} >{shlex.quote(str(stdout))}"
    words = ["-c", script]
    return pexpect.spawn("/bin/sh", words, encoding="utf-8", codec_errors="replace", timeout=300, dimensions=(24, 140))


def exit_code(child: pexpect.spawn[str]) -> int:
    """Wait for the end of a command on a terminal, which shows no traceback."""
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in str(child.before)
    return int(child.exitstatus)
