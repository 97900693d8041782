"""`pavane solvers`: the solvers, what each is for, and its settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pavane.errors import InputError
from pavane.model.allreduce import phases
from pavane.model.collectives import kind_of, named
from pavane.model.messages import PATTERN_OF
from pavane.model.problem import Problem, Rules, Switching
from pavane.networks import network
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.options import argument
from pavane.ui.cli.report import print_json, print_report, print_table

if TYPE_CHECKING:
    from pavane.solvers import Solver

PROBED = {
    "private": ("OAS", "AAS", "AOG"),
    "broadcast": ("OAB", "AAB"),
    "reduction": ("AOR", "AAR"),
    "allreduce": ("ALLREDUCE", "REDUCE-BROADCAST"),
}
"""Collectives of each pattern: from or to one processor, or in one part, and among all."""

NETWORKS = ("ring:4", "hypercube:3")
"""Tiny networks with every symmetry that a solver may require."""

ELSEWHERE = "special networks or rules only"
"""In place of an empty text, for a solver that supports nothing on the tiny networks under plain rules."""

SWITCHINGS: tuple[Switching, ...] = get_args(Switching)
Setup = tuple[Switching, bool]
Probe = tuple[str, Setup]
"""A collective under rules, to find out what a solver supports."""
SETUPS: tuple[Setup, ...] = tuple(
    (switching, combining)
    for switching in SWITCHINGS
    for combining in (False, True)
    if not (combining and switching == "tdm")
)


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
    for line in supported(solver):
        print_report([f"supports  {line}"])
    if not takes_pieces(solver):
        print_report(["pieces    messages in one piece only"])
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
        "supports": [
            {
                "collective": kind,
                "pattern": PATTERN_OF[kind_of(kind)],
                "switching": switching,
                "combining": is_combining,
                "networks": "all" if everywhere else "some",
            }
            for (kind, (switching, is_combining)), everywhere in _answers(solver).items()
        ],
        "pieces": takes_pieces(solver),
        "settings": [
            {"name": p.name, "type": p.kind, "default": p.default, "help": p.help} for p in parameters(solver)
        ],
    }


def supported(solver: Solver) -> list[str]:
    """Return in words what a solver supports, found by tiny problems; a line for each choice of rules."""
    answers = _answers(solver)
    kinds_of: dict[tuple[tuple[Setup, ...], bool], list[str]] = {}
    for kinds in PROBED.values():
        for kind in kinds:
            setups = tuple(setup for probed, setup in answers if probed == kind)
            if setups:
                everywhere = all(answers[kind, setup] for setup in setups)
                kinds_of.setdefault((setups, everywhere), []).append(kind)
    return [
        f"{_kinds(kinds)}; {_setups(setups)}{'' if everywhere else '; on some networks'}"
        for (setups, everywhere), kinds in kinds_of.items()
    ] or [ELSEWHERE]


def takes_pieces(solver: Solver) -> bool:
    """Return whether a solver supports messages in pieces, found by tiny problems."""
    return any(
        solver.supports(replace(problem, collectives=(replace(problem.collective, pieces=2),)))
        for problems in _probes().values()
        for problem in problems
    )


def _answers(solver: Solver) -> dict[Probe, bool]:
    """Return what the solver supports, and whether on all of the tiny networks."""
    answers = {probe: [_supports(solver, problem) for problem in problems] for probe, problems in _probes().items()}
    return {probe: all(yes) for probe, yes in answers.items() if any(yes)}


def _supports(solver: Solver, problem: Problem) -> bool:
    """Return whether a solver supports a problem, or both phases of an allreduce."""
    if solver.supports(problem):
        return True
    return problem.pattern == "allreduce" and all(map(solver.supports, _phases(problem)))


@cache
def _phases(problem: Problem) -> tuple[Problem, ...]:
    """Return the phases of an allreduce, which every solver is tried on."""
    return tuple(phases(problem))


@cache
def _probes() -> dict[Probe, list[Problem]]:
    networks = [network(text) for text in NETWORKS]
    return {
        (kind, setup): [Problem(each, named(kind, each), _rules(pattern, setup)) for each in networks]
        for pattern, kinds in PROBED.items()
        for kind in kinds
        for setup in SETUPS
        if (pattern, setup[0]) != ("allreduce", "tdm")
    }


def _rules(pattern: str, setup: Setup) -> Rules:
    """Return the rules of a setup; slots that repeat carry private messages only."""
    switching, combining = setup
    return Rules(switching, combining=combining, wrap=switching != "tdm" or pattern == "private")


def _kinds(kinds: Iterable[str]) -> str:
    """Name whole patterns where all their collectives are there, and the others one by one."""
    left, words = list(kinds), []
    for pattern, members in PROBED.items():
        if set(members) <= set(left):
            words.append(pattern)
            left = [kind for kind in left if kind not in members]
    words += [kind.lower() for kind in left]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _setups(setups: tuple[Setup, ...]) -> str:
    """Return the switching and whether messages may be combined, in words."""
    by_switching: dict[str, list[bool]] = {}
    for switching, is_combining in setups:
        by_switching.setdefault(switching, []).append(is_combining)
    words = {(False,): "no combining", (True,): "combining only", (False, True): "combining or not"}
    groups: dict[str, list[str]] = {}
    for name, values in by_switching.items():
        groups.setdefault(words[tuple(values)], []).append(name)
    if len(groups) == 1:
        combining, switchings = groups.popitem()
        return f"{'any switching' if len(switchings) == len(SWITCHINGS) else ' and '.join(switchings)}; {combining}"
    return ", ".join(f"{' and '.join(switchings)} ({combining})" for combining, switchings in groups.items())
