"""The settings of solvers: what they are called and mean, and how they are written and read as text.

A solver is a frozen dataclass, and its fields, but for its name, are its settings. A string under a field in the source
says what the field means; so the help of a setting stands beside its default and nowhere else.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from pavane.errors import InputError

S = TypeVar("S")

WORDS = {"yes": "true", "no": "false", "none": "null"}
"""Words for values that msgspec spells otherwise."""


class Parameter(NamedTuple):
    """A setting of a solver, for people."""

    name: str
    kind: str
    """Its type in words."""
    default: Any
    """Its value in this solver."""
    help: str
    """One sentence; empty where the source says nothing."""


def parameters(solver: object) -> list[Parameter]:
    """Return the settings of a solver in the order of its source."""
    types = get_type_hints(type(solver))
    helps = _helps(type(solver))  # type: ignore[arg-type]  # mypy looks for the hash of an instance
    return [
        Parameter(field.name, in_words(types[field.name]), getattr(solver, field.name), helps.get(field.name, ""))
        for field in _settable(solver)
    ]


def configured(solver: S, settings: Iterable[str]) -> S:
    """Return the solver with settings like `polish=4` in place of its own."""
    called = getattr(solver, "name", type(solver).__name__)
    names, types = [field.name for field in _settable(solver)], get_type_hints(type(solver))
    changes: dict[str, Any] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise InputError(f"setting {text!r} has no value; write NAME=VALUE, for example {_example(solver)}")
        if name not in names:
            raise InputError(_unknown(name, called, names))
        if name in changes:
            raise InputError(f"setting {name} of {called} is given twice; give it once")
        kind = types[name]
        try:
            changes[name] = _value(value.strip(), kind)
        except ValueError:
            raise InputError(
                f"invalid value {value.strip()!r} for setting {name} of {called}: expected {_wanted(kind)}"
            ) from None
    try:
        # What has fields is a dataclass; anything else has no settings to change.
        return replace(solver, **changes) if changes else solver  # type: ignore[type-var]
    except ValueError as error:
        raise InputError(f"settings of {called}: {error}") from None


def changed(solver: object, usual: object | None = None) -> tuple[str, ...]:
    """Return the settings that differ from those of a usual solver, or from the defaults, as they would be written."""
    if type(usual) is type(solver):
        defaults = {field.name: getattr(usual, field.name) for field in _settable(solver)}
    else:
        defaults = {field.name: _default(field) for field in _settable(solver)}
    values = {name: getattr(solver, name) for name in defaults}
    return tuple(f"{name}={shown(value)}" for name, value in values.items() if value != defaults[name])


def shown(value: object) -> str:
    """Return a value as it is written: what `configured` reads."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(shown, value)) if isinstance(value, tuple) else str(value)


def in_words(kind: Any) -> str:
    """Return a type in words."""
    plain = {int: "whole number", float: "number", bool: "true or false", str: "text", NoneType: "none"}
    if kind in plain:
        return plain[kind]
    parts = get_args(kind)
    if get_origin(kind) is Literal:
        return _either([shown(part) for part in parts])
    if get_origin(kind) in (Union, UnionType):
        return _either([in_words(part) for part in parts])
    if get_origin(kind) is tuple and parts[-1] is Ellipsis:
        return f"list of {in_words(parts[0])}s"
    return str(getattr(kind, "__name__", kind))


def _settable(solver: object) -> list[Field[Any]]:
    """List the fields that are settings: neither the name of the solver, nor private, nor arguments of a portfolio."""
    if not is_dataclass(solver):
        return []
    candidates = (each for each in fields(solver) if each.init and not each.metadata.get("is_argument"))
    return [each for each in candidates if each.name != "name" and not each.name.startswith("_")]


@cache
def _helps(cls: type) -> dict[str, str]:
    """Return the first sentence of the string under each field in the source of a class and those above it."""
    found: dict[str, str] = {}
    for part in reversed(cls.__mro__[:-1]):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(part)))
        except (OSError, TypeError, SyntaxError):  # a class made at run time has no source to read
            continue
        body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
        for field, below in pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
                and isinstance(below.value.value, str)
            ):
                found[field.target.id] = _first_sentence(below.value.value)
    return found


def _first_sentence(text: str) -> str:
    paragraph = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph, maxsplit=1)[0]


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _value(text: str, kind: Any) -> Any:
    """Read a value of a type; raise ValueError if it is not one."""
    if get_origin(kind) is tuple:
        return tuple(_value(part.strip(), get_args(kind)[0]) for part in text.split(",")) if text else ()
    plain = WORDS.get(text.lower(), text.replace("_", ""))
    for written in (text, plain):
        with suppress(msgspec.ValidationError):
            value = msgspec.convert(written, kind, strict=False)
            if not isinstance(value, float) or math.isfinite(value):
                return value
    raise ValueError


def _wanted(kind: Any) -> str:
    words = in_words(kind)
    return f"a {words}" if words.startswith(("whole", "number", "list")) else words


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _example(solver: object) -> str:
    return next((f"{p.name}={shown(p.default)}" for p in parameters(solver)), "polish=4")


def _unknown(name: str, called: str, names: Sequence[str]) -> str:
    if name == "name":
        return f"the name of {called} cannot be set; it is how the registry knows it"
    if not names:
        return f"unknown setting {name!r}: {called} has none"
    near = difflib.get_close_matches(name, names, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(names)}"
    return f"unknown setting {name!r} of {called}; {hint}"
