"""What a search may be told: limits in the words of Python or of the command line, each of the type that it must be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pavane.errors import InputError, expect, expect_whole, shortened
from pavane.model.problem import Problem

T = TypeVar("T")


def one_of(own: T | None, other: T | None, names: tuple[str, str]) -> T | None:
    """Return what is given under one of two names for the same; under both it must be the same."""
    if own is not None and other is not None and own != other:
        raise InputError(f"`{names[0]}` is {own} and `{names[1]}` is {other}, which are two words for one; give one")
    return other if own is None else own


def check_search(
    problem: object, seed: object, seconds: object, evaluations: object = None, num_steps: object = None
) -> None:
    """Refuse a problem, a seed or limits of the wrong type before any work."""
    expect(problem, Problem, "problem", "make a `pavane.Problem` of a network and a collective")
    check_limits(seed, seconds, evaluations, num_steps)


def check_limits(seed: object, seconds: object, evaluations: object = None, num_steps: object = None) -> None:
    """Refuse a seed or limits of the wrong type before any work."""
    if expect_whole(seed, "seed", 0) < 0:
        raise InputError(f"`seed` is {seed}; give 0 or more")
    if num_steps is not None:
        expect_whole(num_steps, "num_steps", 4)
    if evaluations is not None:
        expect_whole(evaluations, "evaluations", 10_000)
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise InputError(f"`seconds` is {shortened(seconds)}; give a number of seconds, like 10")


def check_solver(solver: object) -> None:
    """Refuse what is no solver."""
    if not (callable(solver) and hasattr(solver, "supports") and hasattr(solver, "name")):
        raise InputError(f"`solver` is {shortened(solver)}; give a solver, like `pavane.UMDA()`, or name a `method`")


def check_pieces(pieces: object) -> None:
    """Refuse what is no list of numbers of pieces."""
    if pieces != "auto" and (isinstance(pieces, str | bytes) or not isinstance(pieces, Iterable)):
        raise InputError(f"`pieces` is {shortened(pieces)}; list some numbers, like [1, 2, 3], or give auto")
