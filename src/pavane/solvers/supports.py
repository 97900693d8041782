"""What a solver supports, as data: conditions on the problem, and the features that its `find` sees.

A condition that is left out is none. The command line, the stages of `auto`, the error of `--method` and the tests read
the same value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pavane.model.messages import Pattern
from pavane.model.problem import Duplex, Problem, Switching
from pavane.text import counted

Feature = Literal["reductions", "copies", "capacities", "allreduce"]
"""What a problem may have beyond the form that every solver takes."""

Procedure = Literal["search", "pass", "construction"]


@dataclass(frozen=True)
class Supports:
    """The problems that a solver supports, as the user stated them, and what its `find` sees of them.

    Example:
        >>> supports = pavane.solvers.Supports(patterns=("private",), ports="all")
        >>> supports(pavane.Problem("octagon", "alltoall"))
        True
        >>> supports.why_not(pavane.Problem("octagon", "alltoall", pavane.Rules(ports=1)))
        '1-port, this solver needs all-port'
    """

    patterns: tuple[Pattern, ...] | None = None
    switching: tuple[Switching, ...] | None = None
    combining: bool | None = None
    ports: Literal["all"] | None = None
    duplex: Duplex | None = None
    restricted: bool | None = None
    """Whether paths may make some turns only: by dimension order, for example."""
    copying: bool | None = None
    """Whether some router copies or adds the messages."""
    total: bool | None = None
    """Whether all processors send to all processors."""
    pieces: bool | None = None
    """Whether messages have several pieces."""
    sizes: bool | None = None
    """Whether messages have sizes of their own."""
    capacities: bool | None = None
    """Whether channels have capacities."""
    most_messages: int | None = None
    most_arrivals: int | None = None
    most_routers: int | None = None
    where: str = ""
    """What else the solver needs, in words; `holds` tests it."""
    holds: Callable[[Problem], bool] | None = None
    takes: tuple[Feature, ...] = ()
    """What `find` sees as it is: capacities, routers that copy, an allreduce as a whole. Reductions take the others
    away (`reductions/`)."""
    procedure: Procedure = "search"
    """A search counts evaluations, which a budget limits. A pass goes through the problem once, and a construction
    writes down a known schedule of a family of networks."""
    or_else: Supports | None = None
    """What the solver supports as well, for other patterns."""

    def __call__(self, problem: Problem) -> bool:
        """Return whether the solver supports a problem."""
        return self.why_not(problem) is None

    def why_not(self, problem: Problem) -> str | None:
        """Return in a line why the solver does not support a problem; None if it does."""
        if problem.has_several:
            return "several collectives at once, this solver needs one"
        if self.or_else is not None and problem.pattern not in (self.patterns or ()):
            return self.or_else.why_not(problem)
        for name, figure in FIGURES.items():
            wanted = getattr(self, name)
            if wanted is not None and not _fits(found := figure(problem), wanted):
                return f"{_words(name, found)}, this solver needs {_needed(name, wanted)}"
        return None if self.holds is None or self.holds(problem) else f"this solver needs {self.where}"

    def alternatives(self) -> tuple[Supports, ...]:
        """Return the conditions for each group of patterns."""
        return (self, *(() if self.or_else is None else self.or_else.alternatives()))

    def conditions(self) -> dict[str, Any]:
        """Return the conditions as plain values."""
        return {name: value for name in (*FIGURES, "where") if (value := getattr(self, name)) not in (None, "")}

    def words(self) -> list[str]:
        """Return the conditions in words: the patterns, the switching, combining, and others that there are."""
        wanted = {name: getattr(self, name) for name in FIGURES}
        texts = [ANY.get(name, "") if value is None else _needed(name, value) for name, value in wanted.items()]
        return [text for text in (*texts, self.where) if text]


ANY = {"patterns": "any messages", "switching": "any switching", "combining": "combining or not"}

EXCHANGE = Supports(
    patterns=("private",),
    combining=False,
    duplex="full",
    restricted=False,
    total=True,
    sizes=False,
    capacities=False,
    where="alltoall with one processor on each router",
    holds=lambda problem: problem.collective.kind == "AAS" and problem.network.is_slim,
)
"""What constructions by translation start from; messages may have several pieces."""

FIGURES: dict[str, Callable[[Problem], Any]] = {
    "patterns": lambda problem: problem.pattern,
    "switching": lambda problem: problem.rules.switching,
    "combining": lambda problem: problem.rules.combining,
    "ports": lambda problem: problem.rules.ports,
    "duplex": lambda problem: problem.rules.duplex,
    "restricted": lambda problem: problem.restriction is not None,
    "copying": lambda problem: problem.has_trees,
    "total": lambda problem: problem.is_total,
    "pieces": lambda problem: problem.collective.pieces > 1,
    "sizes": lambda problem: bool(problem.collective.sizes),
    "capacities": lambda problem: problem.network.capacities is not None,
    "most_messages": lambda problem: problem.num_messages,
    "most_arrivals": lambda problem: problem.num_deliveries,
    "most_routers": lambda problem: problem.network.num_routers,
}
"""What each condition is about: a value among several, a value, or a number that it is the most of."""

YES_OR_NO = {
    "combining": ("no combining", "combining"),
    "restricted": ("unrestricted routing", "restricted routing"),
    "copying": ("no router that copies", "routers that copy"),
    "total": ("some processors that send or receive nothing", "all processors sending to all"),
    "pieces": ("one piece a message", "several pieces a message"),
    "sizes": ("messages of one size", "messages of different sizes"),
    "capacities": ("no capacities", "capacities"),
}


def _needed(name: str, wanted: Any) -> str:
    """Return a condition in words."""
    if isinstance(wanted, tuple):
        return " or ".join([*filter(None, [", ".join(wanted[:-1])]), *wanted[-1:]])
    return f"{'at most ' if name.startswith('most_') else ''}{_words(name, wanted)}"


def _fits(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, tuple):
        return found in wanted
    return bool(found <= wanted if type(wanted) is int else found == wanted)


def _words(name: str, value: Any) -> str:
    """Return the value that a problem has, or needs, in words."""
    if name in YES_OR_NO:
        return YES_OR_NO[name][value]
    if name == "ports":
        return f"{value}-port"
    if name == "duplex":
        return f"{value} duplex"
    return counted(value, name[len("most_") : -1]) if name.startswith("most_") else str(value)
