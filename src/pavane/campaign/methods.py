"""Methods of a study as text: a solver's name and, behind a colon, settings of its own: `umda:polish=4,radius=1`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pavane.errors import InputError
from pavane.search.fewest_steps import solver_named
from pavane.search.settings import changed, configured
from pavane.solvers import SOLVERS, Solver


def label(solver: Solver) -> str:
    """Return a solver as text: its name, and the settings that differ from the registered solver's."""
    settings = changed(solver, SOLVERS.get(solver.name))
    return f"{solver.name}:{','.join(settings)}" if settings else solver.name


def labels(solvers: Sequence[Solver]) -> list[str]:
    """Return the solvers as text; whole where the short text would name two of them."""
    short = [label(solver) for solver in solvers]
    return [text if short.count(text) == 1 else repr(solver) for text, solver in zip(short, solvers, strict=True)]


def solver_of(method: str) -> Solver:
    """Return the solver that a method names; a comma that no `NAME=` follows belongs to a list."""
    name, colon, rest = method.strip().partition(":")
    if name == "auto":
        raise InputError(
            "a study compares solvers, and auto is a choice among them; `pavane.solvers.SOLVERS` lists them"
        )
    if colon and not rest:
        raise InputError(f"method {method!r} has no settings behind the colon; write {name}, or {name}:NAME=VALUE")
    return configured(solver_named(name), re.split(r",(?=\s*\w+\s*=)", rest) if colon else [])
