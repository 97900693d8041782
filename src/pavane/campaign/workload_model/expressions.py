"""Simple arithmetic that a workload is written with: `16*n*n/P`.

A text is read into a tree and only numbers, names, + - * / ** and brackets are taken from it. Nothing is ever run as
Python. All numbers are floating point, so that no text can ask for a number that fills the memory.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from pavane.errors import InputError, shortened

MOST_CHARACTERS = 300
"""Longer expressions are refused, before anything else looks at them."""

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


@dataclass(frozen=True)
class Expression:
    """A number, or a formula of numbers and names.

    `expression` reads one.
    """

    text: str
    where: str
    """The key that it stands under, by which errors call it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that it uses, in order."""
        return tuple(sorted({node.id for node in ast.walk(_tree(self.text)) if isinstance(node, ast.Name)}))

    def value(self, names: Mapping[str, float]) -> float:
        """Return the value; refuse a result that is not a number, like a quotient by 0."""
        try:
            found = _value(_tree(self.text).body, names)
        except (ZeroDivisionError, OverflowError):
            found = math.nan
        if not isinstance(found, float) or not math.isfinite(found):
            values = ", ".join(f"{name}={names[name]:g}" for name in self.names)
            with_names = f" with {values}" if values else ""
            raise InputError(f"{self.where}: {shortened(self.text)} is not a number{with_names}; change the formula")
        return found


def expression(text: str, where: str, known: Collection[str]) -> Expression:
    """Read a formula; refuse all but numbers, known names, + - * / ** and brackets."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"{where}: a formula of {len(text):,} characters is too long; write at most {MOST_CHARACTERS}")
    try:
        tree = _tree(text)
        _check(tree.body, known, where)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _refused(where, text) from None
    return Expression(text, where)


def _tree(text: str) -> ast.Expression:
    return ast.parse(text.strip(), mode="eval")


def _refused(where: str, text: str) -> InputError:
    return InputError(
        f"{where}: {shortened(text)} is not a formula; write numbers, names, + - * / ** and brackets, as in 16*n*n/P"
    )


def _check(node: ast.expr, known: Collection[str], where: str) -> None:
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        _check(node.left, known, where)
        _check(node.right, known, where)
    elif isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        _check(node.operand, known, where)
    elif isinstance(node, ast.Name):
        if node.id not in known:
            raise InputError(
                f"{where}: {node.id} is not known; names are {', '.join(known)}, and what `parameters` gives"
            )
    elif not (isinstance(node, ast.Constant) and type(node.value) in (int, float) and _is_finite(node.value)):
        raise _refused(where, ast.unparse(node))


def _is_finite(value: object) -> bool:
    try:
        return math.isfinite(float(value))  # type: ignore[arg-type]
    except OverflowError:
        return False


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.Name):
        return float(names[node.id])
    assert isinstance(node, ast.Constant)
    return float(node.value)  # type: ignore[arg-type]
