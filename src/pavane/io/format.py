"""The data types of readers: a format, and what a schedule file claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from pavane.errors import InputError
from pavane.io.files import File
from pavane.judge.result import Provenance, Result
from pavane.judge.verdict import EXHAUSTIVE
from pavane.model.bound import Bound
from pavane.model.mesh_table import AnyTable
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.text import counted, microseconds


@dataclass(frozen=True)
class Claim:
    """The content of a schedule file, before the judge has checked it."""

    problem: Problem
    content: Schedule | AnyTable
    """The schedule, or the table that gives it."""
    bounds: tuple[Bound, ...]
    provenance: Provenance
    is_foreign: bool = False
    """Whether the file has no bounds, so that `verify` computes them."""
    finish: int | None = None
    """With start times, the end that the file states, in picoseconds."""

    def __repr__(self) -> str:
        about = f"{self.problem.title} on {self.problem.network.name}"
        steps = counted(self.content.num_steps, self.problem.rules.step_word)
        figure = steps if self.finish is None else microseconds(self.finish)
        return f"<Claim: {about} in {figure}, {counted(len(self.bounds), 'bound')}, not judged>"

    @cached_property
    def schedule(self) -> Schedule:
        """The schedule, written out where the file has a table; refuses what would be too large."""
        return self.content if isinstance(self.content, Schedule) else self.content.expand(self.problem)

    def result(self, *, is_own: bool = False) -> Result:
        """Judge the schedule and make a result of it; raises InvalidSchedule where it breaks a rule.

        Only bounds that the judge proves count. They are checked when the status is read, which takes a second or two
        on a thousand routers. With `is_own` this program itself wrote the file and stored it: then its provenance is
        known, and the bound of an exhaustive search, which has no certificate to check, is accepted.
        """
        searched = tuple(bound for bound in self.bounds if is_own and bound.argument == EXHAUSTIVE)
        claims = tuple(bound for bound in self.bounds if bound not in searched)
        about = replace(self.provenance, is_claimed=not is_own)
        schedule, table = (self.content, None) if isinstance(self.content, Schedule) else (None, self.content)
        result = Result(self.problem, schedule, searched, about, claims=claims, table=table)
        if result.finish is not None and self.finish is not None and result.finish != self.finish:
            raise InputError(f"the file says that it ends at {self.finish:,} ps, and it ends at {result.finish:,} ps")
        return result


@dataclass(frozen=True)
class Format:
    """A format of networks, problems or schedules."""

    name: str
    """The name by which users choose it."""
    about: str
    """What it is, and what becomes routers, processors and channels, in one sentence."""
    recognizes: Callable[[File], bool]
    """Return whether a file is in this format; never raises."""
    read: Callable[[File], Network | Problem]
    """Make the network, or the problem of a file that has one; InputError says what is wrong and how to fix it."""
    read_schedule: Callable[[File, Network | None], Claim] | None = None
    """Make the schedule, where the format has schedules; perhaps on a network that the user names."""
    read_nodes: Callable[[File, int, Fraction | None], Network] | None = None
    """Make several of the machine, joined over its NICs, where the format lists them; perhaps of a given capacity."""
    has_gpus: bool = False
    """Whether its networks are machines of GPUs."""
