"""The public names: each says what it takes, what it returns, and how it is used, in an example that runs."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pavane

SOURCES = Path(pavane.__file__).parent


def documented() -> Iterator[tuple[str, Any]]:
    """Yield every public name."""
    for name in pavane.__all__:
        if name != "__version__":
            yield name, getattr(pavane, name)


def examples() -> Iterator[Any]:
    """Yield every docstring of the package that has an example."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                text = ast.get_docstring(node) or ""
                if ">>> " in text:
                    yield pytest.param(text, id=f"{path.stem}.{node.name}")


@pytest.mark.parametrize("text", list(examples()))
def test_the_example_runs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An example prints what stands below it."""
    monkeypatch.chdir(tmp_path)
    known = {"pavane": pavane, "warnings": warnings, "Path": Path}
    found = doctest.DocTestParser().get_doctest(text, known, "example", None, None)
    printed: list[str] = []
    doctest.DocTestRunner(verbose=False).run(found, out=printed.append)
    assert not printed, "".join(printed)


@pytest.mark.parametrize(
    ("name", "what"), list(documented()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_public_names_have_examples(name: str, what: Any) -> None:
    """The docstring of a public name shows how it is used."""
    assert ">>> " in (what.__doc__ or ""), f"{name} has no example"


@pytest.mark.parametrize(
    ("name", "what"), list(documented()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_parameters_and_answers_are_told(name: str, what: Any) -> None:
    """A function's docstring has a line for each parameter, and says what comes back."""
    if inspect.isclass(what):
        return
    told = what.__doc__ or ""
    section = told.partition("Args:")[2].partition("Returns:")[0]
    parameters = [each for each in inspect.signature(inspect.unwrap(what)).parameters if each != "self"]
    assert re.findall(r"^        (?:    )?(\w+): ", section.partition("Example:")[0], re.MULTILINE) == parameters
    assert "Returns:" in told or inspect.signature(inspect.unwrap(what)).return_annotation in ("None", None)


@pytest.mark.parametrize(
    ("name", "what"), list(documented()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_signatures_have_no_addresses(name: str, what: Any) -> None:
    """A signature shows defaults that a reader can type."""
    assert not callable(what) or " at 0x" not in str(inspect.signature(what))
