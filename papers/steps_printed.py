"""What the papers print about numbers of steps, by problem: one list for documentation, benchmarks and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from papers import gecco07, gecco08, gecco08_bounds, noc
from papers.problems import KINDS, problem
from pavane.errors import InputError
from pavane.model.problem import Problem, Routing


@dataclass(frozen=True)
class Printed:
    """A problem, without combining, and what a paper says about its number of steps."""

    paper: str
    spec: str
    """The network, as the catalogue writes it."""
    kind: str
    bound: int
    steps: int | None
    """The fewest that the paper reached; None: no run of it reached the bound, and it says no more."""
    ports: int | str = "all"
    routing: Routing = "minimal"

    def problem(self) -> Problem:
        """Return the problem."""
        return problem(self.spec, self.kind, ports=self.ports, routing=self.routing)

    def __str__(self) -> str:
        if self.steps is None:
            return f"{self.bound}, not reached"
        return str(self.bound) if self.bound == self.steps else f"{self.bound}, reached {self.steps}"


def printed(paper: str, spec: str, kind: str, *, ports: int | str = "all", routing: Routing = "minimal") -> Printed:
    """Return what a paper prints about a problem."""
    for some in every_printed():
        if (some.paper, some.spec, some.kind, some.ports, some.routing) == (paper, spec, kind, ports, routing):
            return some
    raise InputError(f"{paper} prints no number of steps of {kind} on {spec}, ports {ports}, {routing} routing")


def printed_steps(paper: str, kind: str, *specs: str) -> dict[str, int]:
    """Return the steps that a paper reached on some networks, all ports and minimal routing."""
    found = {}
    for spec in specs:
        steps = printed(paper, spec, kind).steps
        if steps is None:
            raise InputError(f"{paper} did not reach its bound of {kind} on {spec}")
        found[spec] = steps
    return found


@cache
def every_printed() -> tuple[Printed, ...]:
    """Return all problems of which a paper prints a bound, and whether it was reached."""
    return (*_gecco07(), *_gecco08(), *_noc())


def _gecco07() -> Iterator[Printed]:
    for dimension, row in gecco07.HYPERCUBES.items():
        for kind, (bound, _) in row.items():
            steps = gecco07.hypercube_figure(dimension, kind).steps
            yield Printed("gecco07", f"hypercube:{dimension}", kind, bound, steps)
    for spec, ports, kind, bound, steps, _ in gecco07.MESHES:
        yield Printed("gecco07", spec, kind, bound, steps, ports)


def _gecco08() -> Iterator[Printed]:
    for name, row in gecco08.STEPS.items():
        for kind, (bound, steps) in zip(KINDS, row[:4], strict=True):
            is_detour = (name, kind) == gecco08.DETOUR
            yield Printed(
                "gecco08", gecco08_bounds.SPECS[name], kind, bound, steps, routing="any" if is_detour else "minimal"
            )


def _noc() -> Iterator[Printed]:
    for (name, combining), row in noc.REACHED.items():
        spec, bounds = noc.BOUNDS[name]
        for kind, bound, (steps, _) in zip(KINDS, bounds, row, strict=True):
            if not combining:
                yield Printed("noc", spec, kind, bound, steps, ports=1)
