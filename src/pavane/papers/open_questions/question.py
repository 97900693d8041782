"""A question that a paper leaves open: what it asks, how it is answered, and what the answer says in words."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from pavane.search.options import SearchOptions

Row = dict[str, Any]
"""What was found about one case, as JSON can hold it. `seconds` is the only figure that another run may change."""


@dataclass(frozen=True)
class Question:
    """A question of a paper and how it is answered."""

    number: int
    title: str
    asked: str
    """What the paper says, in our own words, with the section."""
    how: str
    """What is computed, and how to read the table."""
    cases: tuple[Any, ...]
    """What rows are computed of, one each; any values that can be sent to another process."""
    row: Callable[[Any, SearchOptions], Row]
    answer: Callable[[Sequence[Row]], str]
    """Says in words what rows say; every number comes from them."""
    proof: Callable[[Sequence[Row]], str]
    """Says what of it is proven and what is open."""
    table: Callable[[Sequence[Row]], list[Row]]
    """Arranges rows for people."""
    command: str | None = None
    """What measures the rows of the page, where that takes hours or a GPU; None: `pavane paper open` does."""


TEXTS: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files("pavane.papers.open_questions") / "questions.toml").read_text(encoding="utf-8")
)
"""Title, request, method and command of each question, by its number."""
