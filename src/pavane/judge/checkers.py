"""The kinds of certificates, each registered beside the function that checks it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeVar

from pavane.model.bound import Bound
from pavane.model.messages import Pattern
from pavane.model.problem import Problem

Figure = Literal["steps", "start-ups", "slots", "TCO", "end"]
"""What is bounded: steps; under combining start-ups, or the occupancy; under tdm slots; of start times the end."""

Check = Callable[[Problem, Bound], "Fraction | int"]
"""Returns the figure that a certificate proves before it is rounded up."""

AnyCheck = TypeVar("AnyCheck", bound=Check)

BROADCAST: tuple[Pattern, ...] = ("broadcast",)
TRANSFERS: tuple[Pattern, ...] = ("private", "broadcast")
SUMS: tuple[Pattern, ...] = ("allreduce",)
SEVERAL: tuple[Pattern, ...] = ("several",)


class Checker(NamedTuple):
    """A kind of certificate: which bounds have it, what it counts, and how it is checked."""

    name: str
    check: Check
    patterns: tuple[Pattern, ...]
    """The messages that it is about; a reduction in steps is read backwards, as a broadcast."""
    arguments: tuple[str, ...] = ()
    """The arguments whose certificates are of this kind; none: all that have the key and no kind of their own."""
    key: str = ""
    """A key that tells this kind from others."""
    bounds: tuple[Figure, ...] = ("steps",)
    counts_loads: bool = False
    """Whether it counts what a step can carry, so that it bounds slots and the occupancy, too, and k pieces a message
    need k times as much as one."""
    holds_for_trees: bool = False
    """Whether it holds where routers copy and add: it counts no single transfers."""
    of_contributions: bool = False
    """Whether it bounds an allreduce by what its contributions must do."""

    @property
    def text(self) -> str:
        """Return what it counts, in a sentence."""
        return (self.check.__doc__ or "").partition("\n")[0]

    @property
    def all_bounds(self) -> tuple[Figure, ...]:
        """Return everything that it bounds."""
        return (*self.bounds, "slots", "TCO") if self.counts_loads else self.bounds

    def fits(self, pattern: Pattern, figure: Figure) -> bool:
        """Return whether it bounds such a figure of problems of a pattern."""
        is_fitting = pattern in self.patterns and figure in self.all_bounds
        return is_fitting or (self.of_contributions and pattern == "allreduce")

    def is_of(self, bound: Bound) -> bool:
        """Return whether the certificate of a bound can be of this kind."""
        has_name = not self.arguments or bound.argument in self.arguments
        return has_name and (not self.key or self.key in bound.certificate)


CHECKERS: list[Checker] = []
"""All kinds of certificates. Of several that a certificate has the keys of, the first is meant."""


def checks(name: str, patterns: tuple[Pattern, ...], *arguments: str, **about: Any) -> Callable[[AnyCheck], AnyCheck]:
    """Register a function as the checker of a kind of certificates; `about` has the other fields of `Checker`."""

    def register(check: AnyCheck) -> AnyCheck:
        CHECKERS.append(Checker(name, check, patterns, arguments, **about))
        return check

    return register
