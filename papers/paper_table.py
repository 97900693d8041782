"""A table of a paper: how it is redone, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from papers.verdicts import IMPOSSIBLE
from pavane.parallel.pools import Workers
from pavane.solvers import Solver


@dataclass(frozen=True)
class RedoOptions:
    """How to redo a table: with `auto`, or with one of the papers' own algorithms, then as studies over seeds."""

    solver: Solver | None = None
    seeds: int = 0
    """The number of runs of `solver` for each figure; 0: one, for the figure alone."""
    evaluations: int = 1_000_000
    """The most evaluations of each of those runs."""
    seed: int = 0
    seconds: float | None = None
    """The most for one figure; None: counted effort, so that the answer repeats."""
    workers: int | Workers = 1
    """The workers that make the runs of a study."""


@dataclass(frozen=True)
class PaperLine:
    """One figure: its place, the paper's value, ours, and how the two compare."""

    where: str
    paper: str
    """The paper's own figure, as printed."""
    ours: str
    mark: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    """Further columns, in their order; names that begin with "paper's" are the paper's figures, too."""
    note: str = ""
    reading: str = ""
    """How the paper is read where that decides the mark."""

    def __post_init__(self) -> None:
        if self.mark == IMPOSSIBLE and not self.reading:
            raise ValueError(f"{self.where}: {IMPOSSIBLE!r} depends on a reading; name it")

    def columns(self) -> dict[str, Any]:
        """Return the line as a row of a table."""
        return {
            "where": self.where,
            "paper": self.paper,
            "ours": self.ours,
            "mark": self.mark,
            **self.facts,
            "reading": self.reading,
            "note": self.note,
        }


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper and how it is redone."""

    paper: str
    number: str
    title: str
    redo: Callable[[RedoOptions], Iterator[PaperLine]]
    is_quick: bool = False
    """Whether every run of the tests redoes it: it takes a few seconds."""

    @property
    def name(self) -> str:
        """Return how the table is called on the command line."""
        return f"{self.paper} {self.number}"
