"""Formulas of workloads: numbers, names, + - * / ** and brackets, and nothing else."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.campaign.workload_model.expressions import MOST_CHARACTERS, expression
from pavane.errors import InputError

NAMES = {"P": 16.0, "n": 4.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16*n*n/P", 16.0),
        ("2**-1", 0.5),
        ("-(n + 1) * 2 - +3", -13.0),
        ("2 ** 3 ** 2", 512.0),
        ("1e3 / 8", 125.0),
        ("(7)", 7.0),
    ],
)
def test_arithmetic_is_what_it_is(text: str, value: float) -> None:
    """A formula has the value that arithmetic gives it."""
    assert expression(text, "bytes", NAMES).value(NAMES) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "n.real",
        "n[0]",
        "[n]",
        "(n, n)",
        "n if P else 1",
        "lambda: 1",
        "n and P",
        "not n",
        "n < P",
        "n // 2",
        "n % 2",
        "n @ P",
        "~n",
        "n | 1",
        "1 << 99",
        "f(n)",
        "min(n, P)",
        "'text'",
        "b'1'",
        "True",
        "None",
        "...",
        "1j",
        "(x := 5)",
        "*n",
        "{n}",
        "f'{n}'",
        "n; P",
        "n = 2",
        "",
        "2 *",
        "1e999",
        "9" * 400,
        "0x" + "f" * 270,
        "(" * 150 + "1" + ")" * 150 + "(",
        "await n",
        "yield",
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    """Calls, attributes, comparisons, other operators and other values are no formula, and nothing of them runs."""
    with pytest.raises(InputError, match=r"^bytes: "):
        expression(text, "bytes", NAMES)


def test_unknown_names_are_named() -> None:
    """A name that nobody gives is refused with those that are known."""
    with pytest.raises(InputError, match="bytes: m is not known; names are P, n"):
        expression("m*2", "bytes", NAMES)


def test_long_formulas_are_refused() -> None:
    """A text that is too long is not even read."""
    with pytest.raises(InputError, match="too long"):
        expression("1+" * MOST_CHARACTERS + "1", "bytes", NAMES)


@pytest.mark.parametrize("text", ["1/(n-4)", "10**1000", "(0-1)**0.5", "0**-1", "1e308*10"])
def test_what_is_no_number_is_refused(text: str) -> None:
    """A quotient by 0, a root of a negative number and what is too large say so, with the names they use."""
    with pytest.raises(InputError, match="is not a number"):
        expression(text, "bytes", NAMES).value(NAMES)


@given(st.text(max_size=40))
def test_any_text_is_a_formula_or_is_refused(text: str) -> None:
    """Whatever stands there is read or refused, and nothing else happens."""
    with suppress(InputError):
        assert isinstance(expression(text, "bytes", NAMES).value(NAMES), float)
