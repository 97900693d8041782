"""An open question of a paper: the question, how rows are computed, and the answer in words."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from pavane.search.options import SearchOptions

Row = dict[str, Any]
"""The figures of one case, as JSON can represent them; only `seconds` may differ in another run."""


@dataclass(frozen=True)
class Question:
    """A question of a paper and how it is answered."""

    number: int
    title: str
    text: str
    """What the paper says, in our own words, with the section."""
    how: str
    """What is computed, and how to read the table."""
    cases: tuple[Any, ...]
    """The cases, one per row; any values that can be pickled."""
    row: Callable[[Any, SearchOptions], Row]
    answer: Callable[[Sequence[Row]], str]
    """Returns the answer in words; every number comes from the rows."""
    proof: Callable[[Sequence[Row]], str]
    """Returns in words which figures are proven and which are open."""
    table: Callable[[Sequence[Row]], list[Row]]
    """Arranges rows for people."""
    command: str | None = None
    """The command that measures the rows of the page, if that takes hours or a GPU; None: `python -m papers open`."""


TEXTS: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files("papers.open_questions") / "questions.toml").read_text(encoding="utf-8")
)
"""Title, request, method and command of each question, by its number."""


def with_texts(
    number: int,
    cases: Iterable[Any],
    row: Callable[[Any, SearchOptions], Row],
    answer: Callable[[Sequence[Row]], str],
    proof: Callable[[Sequence[Row]], str],
    table: Callable[[Sequence[Row]], list[Row]],
) -> Question:
    """Return the question of a number, with its texts."""
    return Question(number, cases=tuple(cases), row=row, answer=answer, proof=proof, table=table, **TEXTS[str(number)])
