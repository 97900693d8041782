"""`pavane solvers`: the solvers, what each is for, and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.options import argument
from pavane.ui.cli.report import print_json, print_report, print_table

if TYPE_CHECKING:
    from pavane.solvers import Solver


def command(
    name: Annotated[str | None, argument("NAME", "A solver to describe; none: all.")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """List the solvers, or describe one and its settings."""
    from pavane.search.fewest_steps import solver_named
    from pavane.search.settings import parameters, shown
    from pavane.solvers import SOLVERS

    if name == "auto":
        raise InputError("expected a solver, got auto, which chooses among those that `pavane solvers` lists; name one")
    chosen = list(SOLVERS.values()) if name is None else [solver_named(name)]
    if as_json:
        objects = [described(solver) for solver in chosen]
        print_json(objects if name is None else objects[0])
        return
    if name is None:
        rows = ((solver.name, " | ".join(supported(solver)), about(solver)) for solver in chosen)
        print_table(Table.of(["solver", "supports", "what it does"], rows))
        return
    (solver,) = chosen
    print_report([f"solver    {solver.name}: {about(solver)}"])
    for line in supported(solver, in_full=True):
        print_report([f"supports  {line}"])
    settings = parameters(solver)
    if not settings:
        print_report(["settings  none"])
        return
    print_report(["settings  with their defaults; --set NAME=VALUE changes one"])
    lines = ((f"  {p.name}={shown(p.default)}", p.kind, p.help) for p in settings)
    print_table(Table.of(["", "", ""], lines, leading=2))


def solver_from(method: str, settings: list[str] | None) -> Solver | None:
    """Return the solver that `--method` and `--set` describe; None without settings."""
    if not settings:
        return None
    if method == "auto":
        raise InputError(f"--set {settings[0]!r} needs a solver to set; add --method NAME")
    from pavane.search.fewest_steps import solver_named
    from pavane.search.settings import configured

    return configured(solver_named(method), settings)


def about(solver: Solver) -> str:
    """Return the first sentence of a solver's description."""
    return (type(solver).__doc__ or "").strip().split("\n")[0]


def described(solver: Solver) -> dict[str, Any]:
    """Return the description of a solver, for JSON."""
    from pavane.search.settings import parameters

    return {
        "solver": solver.name,
        "about": about(solver),
        "supports": [one.conditions() for one in solver.supports.alternatives()],
        "settings": [
            {"name": p.name, "type": p.kind, "default": p.default, "help": p.help} for p in parameters(solver)
        ],
    }


def supported(solver: Solver, *, in_full: bool = False) -> list[str]:
    """Return in words what a solver supports, a line for each group of patterns: in short, or with all conditions."""
    return ["; ".join(one.words()[: None if in_full else 3]) for one in solver.supports.alternatives()]
