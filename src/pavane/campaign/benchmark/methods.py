"""Methods of a study as text: a solver's name and, behind a colon, settings of its own: `umda:polish=4,radius=1`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pavane.errors import InputError
from pavane.search.fewest_steps import solver_named
from pavane.search.settings import changed, configured, parameters
from pavane.solvers import SOLVERS, Solver


def label(solver: Solver) -> str:
    """Return a solver as text: its name, and the settings that differ from the registered solver's."""
    settings = changed(solver, SOLVERS.get(solver.name))
    return f"{solver.name}:{','.join(settings)}" if settings else solver.name


def labels(solvers: Sequence[Solver]) -> list[str]:
    """Return the solvers as text; whole where the short text would name two of them."""
    short = [label(solver) for solver in solvers]
    return [text if short.count(text) == 1 else repr(solver) for text, solver in zip(short, solvers, strict=True)]


def chosen_solvers(methods: Iterable[str], settings: Iterable[str] = ()) -> list[Solver]:
    """Return the solvers that methods like `umda` or `umda:polish=4` name.

    Settings for all methods read `polish=4` and go to those that have such a setting, `umda.polish=4` to the solver of
    that name; what stands in the method itself goes first.
    """
    chosen = [_split(method) for method in methods]
    common = [_addressed(text) for text in settings]
    for (owner, name, _), text in zip(common, settings, strict=True):
        _refuse_unused(owner, name, text, [solver for solver, _ in chosen])
    made = []
    for solver, own in chosen:
        texts: dict[str, str] = {}
        has = {parameter.name for parameter in parameters(solver)}
        for by_name in (False, True):  # what names the solver goes before what does not
            texts |= {
                name: f"{name}={value}"
                for owner, name, value in common
                if (owner == solver.name if by_name else owner is None and name in has)
            }
        own_names = {text.partition("=")[0].strip() for text in own}
        rest = [text for name, text in texts.items() if name not in own_names]
        made.append(configured(solver, [*rest, *own]))
    return made


def _split(method: str) -> tuple[Solver, list[str]]:
    """Split `umda:polish=4,radius=1`; a comma that no `NAME=` follows belongs to a list."""
    name, colon, rest = method.strip().partition(":")
    if name == "auto":
        raise InputError(
            "a study compares solvers, and auto is a choice among them; `pavane.solvers.SOLVERS` lists them"
        )
    if colon and not rest:
        raise InputError(f"method {method!r} has no settings behind the colon; write {name}, or {name}:NAME=VALUE")
    return solver_named(name), re.split(r",(?=\s*\w+\s*=)", rest) if colon else []


def _addressed(text: str) -> tuple[str | None, str, str]:
    """Split `umda.polish=4` into the solver's name, if there is one, the setting's and the value."""
    target, equals, value = text.partition("=")
    if not equals or not target.strip():
        raise InputError(f"`settings` {text!r} has no value; write NAME=VALUE or METHOD.NAME=VALUE")
    owner, dot, name = target.strip().rpartition(".")
    return (owner if dot else None), name, value


def _refuse_unused(owner: str | None, name: str, text: str, solvers: Sequence[Solver]) -> None:
    """Refuse a setting that no method takes."""
    if owner is not None:
        if owner not in {solver.name for solver in solvers}:
            raise InputError(f"`settings` {text!r}: {owner} is not among the methods; add `method={owner}`")
        return
    has = [{parameter.name for parameter in parameters(solver)} for solver in solvers]
    if not any(name in names for names in has):
        if len(solvers) == 1:
            configured(solvers[0], [text])  # says what it has
        listed = sorted(set().union(*has))
        raise InputError(
            f"`settings` {text!r}: no method has a setting {name!r}; they have {', '.join(listed) or 'none'}"
        )
