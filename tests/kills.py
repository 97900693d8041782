"""Searches that are killed at random moments, as many as one likes.

    python -m tests.kills --kills 20 --seed 0

Kill number n of a seed is the same everywhere, as far as time can be. A search with two processes and a file is drawn,
and how it ends: one of its processes is killed (-9), or the program itself is, or it is asked to end (SIGTERM), alone
or with its processes. What may not be:

* orphan: a process that is still there half a minute after the program has ended;
* half file: a file that does not read, or a schedule that the judge refuses;
* leftover: an unfinished file beside it, unless it was killed (-9) while it wrote;
* loss: a file that has more steps than what was found ten seconds before;
* wrong end: another exit code than that of the answer, or a traceback.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pavane.io import read_schedule
from pavane.judge.result import Result

ROOT = Path(__file__).parent.parent
LOG = "PAVANE_TESTS_LOG"
"""The variable that names the file in which a search is to note when it has found what."""

End = Literal["kill one process", "kill the program", "terminate the program", "terminate all"]
ENDS: tuple[End, ...] = ("kill one process", "kill the program", "terminate the program", "terminate all")

MOST_SECONDS_LOST = 10.0
SECONDS_TO_END = 30.0
"""After these no process may be left, on a loaded machine either."""

SECONDS_AFTER_LOSS = 3.0
"""How long a search that has lost a process goes on before it is asked to end."""

SECONDS_TO_ANSWER = 300.0
"""How long a program that was asked to end may take on a loaded machine."""

SECONDS_TO_FIND = 300.0
"""How long the first schedule may take, where kernels have to be compiled."""


@dataclass(frozen=True)
class Kill:
    """A search, and how and when it ends."""

    number: int
    network: str
    end: End
    after: float
    """Seconds after the first schedule was found."""

    @classmethod
    def drawn(cls, seed: int, number: int, most_after: float = 25.0) -> Kill:
        """Return kill number n of a seed."""
        draw = random.Random(f"{seed} {number}")
        routers, graph = draw.choice((100, 120, 150)), draw.randrange(1000)
        return cls(number, f"random-regular:{routers},4,{graph}", draw.choice(ENDS), draw.uniform(0.0, most_after))

    @property
    def text(self) -> str:
        """Say which it is."""
        return f"{self.number}: {self.network}, {self.end} after {self.after:.1f} s"


@dataclass
class Seen:
    """What came of a kill."""

    failures: list[str] = field(default_factory=list)
    on_disk: int | None = None
    """The steps of the schedule in the file."""
    age: float | None = None
    """How long before its end the search had found what is in the file."""


def examined(kill: Kill, folder: Path) -> Seen:
    """Start a search, end it, and look at what is left."""
    log, file = folder / "log", folder / "s.json"
    log.touch()
    # With few ports such a schedule is made shorter and shorter for a minute; the kill is what ends the search.
    rules = ["--ports", "3", "--workers", "2", "--time", "600"]
    words = ["solve", kill.network, "aas", *rules, "-o", str(file), "--json"]
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.kills", "--as-pavane", *words],
        cwd=ROOT,
        env={**os.environ, LOG: str(log)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        return _ended(kill, program, log, file)
    finally:
        for process in group_of(program.pid):
            os.kill(process, signal.SIGKILL)


def _ended(kill: Kill, program: subprocess.Popen[str], log: Path, file: Path) -> Seen:
    seen = Seen()
    if not has_come(lambda: bool(_found(log)), SECONDS_TO_FIND):
        return Seen(["nothing was found"])
    time.sleep(kill.after)
    if kill.end == "kill one process":
        _lose_one(program)
    ended, found = time.time(), _found(log)
    is_settled = program.poll() is not None  # it has met the bound
    if kill.end == "kill the program":
        program.kill()
    elif kill.end == "terminate all" and not is_settled:
        os.killpg(program.pid, signal.SIGTERM)
    else:
        program.terminate()
    try:
        _, said = program.communicate(timeout=SECONDS_TO_ANSWER)
    except subprocess.TimeoutExpired:
        return Seen([*seen.failures, "wrong end: it goes on"])
    expected = -signal.SIGKILL if kill.end == "kill the program" and not is_settled else 0
    if program.returncode != expected or "Traceback" in said:
        seen.failures.append(f"wrong end: code {program.returncode}, {said[-500:]!r}")
    if not has_come(lambda: not group_of(program.pid), SECONDS_TO_END):
        seen.failures.append("orphan")
    _look_at(file, kill, ended, found, seen)
    return seen


def _look_at(file: Path, kill: Kill, ended: float, found: list[tuple[float, int]], seen: Seen) -> None:
    """Read the file, and compare it with what was found when."""
    unfinished = [path.name for path in file.parent.iterdir() if path.name not in (file.name, "log")]
    if unfinished and kill.end != "kill the program":
        seen.failures.append(f"leftover: {unfinished}")
    due = min((steps for at, steps in found if at < ended - MOST_SECONDS_LOST), default=None)
    if file.exists():
        try:
            seen.on_disk = read_schedule(file).result().num_steps
        except Exception as error:
            seen.failures.append(f"half file: {error}")
            return
        better = [at for at, steps in found if seen.on_disk is not None and steps < seen.on_disk]
        seen.age = ended - min(better, default=ended)
    if due is not None and (seen.on_disk is None or seen.on_disk > due):
        seen.failures.append(f"loss: {due} steps were due, the file has {seen.on_disk}")


def _lose_one(program: subprocess.Popen[str]) -> None:
    """Kill one of the program's processes, where it has any now."""
    others = [process for process in group_of(program.pid) if process != program.pid]
    if others:
        os.kill(others[-1], signal.SIGKILL)
        time.sleep(SECONDS_AFTER_LOSS)


def group_of(leader: int) -> list[int]:
    """Return the processes of a group that have not ended."""
    members = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, group = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:3]
        except OSError:
            continue
        if int(group) == leader and state not in "ZX":
            members.append(int(folder.name))
    return members


def _found(log: Path) -> list[tuple[float, int]]:
    """Return when how many steps were found."""
    lines = [line.split() for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [(float(at), int(steps)) for at, steps in lines]


def has_come(is_so: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is so, and say whether it has come to be."""
    limit = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > limit:
            return False
        time.sleep(0.1)
    return True


def _as_pavane(words: list[str]) -> None:
    """Be the program, and note in the log when something better is found, before anyone is told of it."""
    from pavane.parallel import improvements
    from pavane.ui import cli
    from pavane.ui.cli import incumbent_writer as keeping

    def noted(steps: int | None) -> None:
        with open(os.environ[LOG], "a") as log:
            log.write(f"{time.time()} {steps}\n")

    relayed, take = improvements.ImprovementThrottle._on_improvement, keeping._Writer.take

    def better(self: improvements.ImprovementThrottle, build: Any) -> None:
        # Packing says what is to be built.
        if getattr(build, "args", ()) and hasattr(build.args[0], "num_steps"):
            noted(build.args[0].num_steps)
        relayed(self, build)

    def taken(self: keeping._Writer, result: Result) -> None:
        noted(result.num_steps)
        take(self, result)

    improvements.ImprovementThrottle._on_improvement = better  # type: ignore[method-assign]
    keeping._Writer.take = taken  # type: ignore[method-assign]
    sys.argv = ["pavane", *words]
    cli.main()


def main(words: list[str]) -> int:
    """Make kills, print what was wrong, and say whether nothing was."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    asked.add_argument("--kills", type=int, default=20)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--first", type=int, default=0)
    given = asked.parse_args(words)
    failures = 0
    for number in range(given.first, given.first + given.kills):
        kill = Kill.drawn(given.seed, number)
        with TemporaryDirectory() as folder:
            seen = examined(kill, Path(folder))
        failures += len(seen.failures)
        age = "" if seen.age is None else f", {seen.age:.1f} s behind"
        print(f"{kill.text}: {seen.on_disk} steps{age} {'; '.join(seen.failures)}", flush=True)
    print(f"{given.kills} kills, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-pavane"]:
        _as_pavane(sys.argv[2:])
    else:
        sys.exit(main(sys.argv[1:]))
