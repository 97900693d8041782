"""The file in which a study keeps its finished runs, a JSON line each, so that it can be gone on with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from pavane.errors import InputError
from pavane.model.problem import Problem
from pavane.studies.trials.trial import Task, Trial
from pavane.words import VERSION

FILE = "runs.jsonl"
FORMAT = "pavane/run/1"

Key = tuple[str, str, int, int | None, float | None, int]
"""What makes a run the same run: problem, solver, steps, budget and seed."""


class Line(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A finished run, as a line of the file."""

    format: Literal["pavane/run/1"] = "pavane/run/1"
    problem: str
    """The digest."""
    about: str
    """The problem in words, for who reads the file."""
    solver: str
    steps: int
    """The steps asked for."""
    budget: tuple[int | None, float | None]
    """Evaluations and seconds."""
    seed: int
    found: int | None
    evaluations: int | None
    seconds: float
    trace: tuple[tuple[int, int], ...]
    version: str

    @property
    def key(self) -> Key:
        """Return what makes it the same run."""
        return self.problem, self.solver, self.steps, *self.budget, self.seed

    def trial(self, method: str) -> Trial:
        """Return the run."""
        return Trial(method, self.solver, self.seed, self.found, self.evaluations, self.seconds, self.trace)


def key_of(task: Task) -> Key:
    """Return what makes a task the same run."""
    limits = task.limits
    return task.digest, repr(task.solver), limits.num_steps, limits.evaluations, limits.seconds, task.seed


class RunFile:
    """The finished runs in a folder, old and new."""

    def __init__(self, folder: str | Path, note: Callable[[str], None]) -> None:
        self.path = Path(folder) / FILE
        try:
            os.makedirs(folder, exist_ok=True)
            self.lines = self._read(note)
            with open(self.path, "ab"):
                pass  # refused now rather than after the first run
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError(f"{self.path}: runs cannot be kept there: {reason}") from None

    def _read(self, note: Callable[[str], None]) -> dict[Key, Line]:
        if not self.path.exists():
            return {}
        text = self.path.read_bytes()
        whole, _, torn = text.rpartition(b"\n")
        found: dict[Key, Line] = {}
        for number, line in enumerate(whole.splitlines(), 1):
            if line.strip():
                try:
                    read = msgspec.json.decode(line, type=Line)
                except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                    reason = str(error).splitlines()[0]
                    raise InputError(
                        f"{self.path}, line {number}: no run stands there ({reason}); delete it, or name another folder"
                    ) from None
                found[read.key] = read
        if torn:
            # A run is written with its line end or not at all; what has none was cut off by a crash.
            os.truncate(self.path, len(text) - len(torn))
            note(f"{self.path}: its last line was cut off and is ignored; that run is made again")
        return found

    def add(self, problem: Problem, task: Task, trial: Trial) -> None:
        """Append a finished run in one write, and have it on the disk before the next one."""
        line = Line(
            problem=task.digest,
            about=str(problem),
            solver=trial.solver,
            steps=task.limits.num_steps,
            budget=(task.limits.evaluations, task.limits.seconds),
            seed=trial.seed,
            found=trial.num_steps,
            evaluations=trial.evaluations,
            seconds=trial.seconds,
            trace=trial.trace,
            version=VERSION,
        )
        text = json.dumps(msgspec.to_builtins(line), separators=(",", ":")).encode() + b"\n"
        with open(self.path, "ab", buffering=0) as file:
            file.write(text)
            self.lines[line.key] = line  # before an interrupt can come while the disk is waited for
            os.fsync(file.fileno())
