"""The public names: each says what it takes, what it returns, and how it is used, in an example that runs."""

from __future__ import annotations

import doctest
import inspect
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pavane

METHODS = {
    "Network": ("of_gpus", "to_networkx", "plot"),
    "Schedule": ("to_dataframe",),
    "Result": ("save", "to_dataframe", "plot", "show", "export"),
    "Study": ("to_dataframe", "plot"),
    "Comparison": ("pareto", "to_dataframe"),
}
"""Methods that do in one word what rooms above do."""


def documented() -> Iterator[tuple[str, Any]]:
    """Yield every public name, and the methods beside them."""
    for name in pavane.__all__:
        if name != "__version__":
            yield name, getattr(pavane, name)
    for owner, names in METHODS.items():
        for name in names:
            yield f"{owner}.{name}", getattr(getattr(pavane, owner), name)


@pytest.mark.parametrize(
    ("name", "what"), list(documented()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_example_runs(name: str, what: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an example says is printed is printed."""
    monkeypatch.chdir(tmp_path)
    known = {"pavane": pavane, "warnings": warnings, "Path": Path}
    found = doctest.DocTestParser().get_doctest(what.__doc__ or "", known, name, None, None)
    assert found.examples, f"{name} has no example"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(found, out=said.append)
    assert not said, "".join(said)


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
