"""An answered question as text and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from papers.open_questions.question import Question, Row
from pavane.text.table import Column, Table


def text_of(question: Question, rows: Sequence[Row]) -> str:
    """Return a question, its answer and its table, for a terminal."""
    title = f"{question.number}. {question.title}"
    table = _table(question, rows, _without_backticks).lines()
    answer, proof = map(_without_backticks, (question.answer(rows), question.proof(rows)))
    return "\n".join([title, question.text, "", *table, "", answer, proof, ""])


def markdown_of(question: Question, rows: Sequence[Row], figure: str = "") -> str:
    """Return a question, its answer, its proof, its picture if there is one, and its table, for a page."""
    parts = [
        f"## {question.number}. {question.title}",
        f"**Question.** {question.text}",
        f"**Answer.** {question.answer(rows)}",
        f"**Proven.** {question.proof(rows)}",
        f"![{question.title}]({figure})" if figure else "",
        question.how,
        "\n".join(_table(question, rows, str).markdown(escape=str, tight_rule=True)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(question: Question, rows: Sequence[Row], text: Callable[[Any], str]) -> Table:
    """Return the rows as a table of the columns that hold anything."""
    records = question.table(rows)
    names = dict.fromkeys(name for record in records for name in record)
    return Table.from_records(records, [Column(name, text=text, missing="") for name in names]).without_empty_columns()


def _without_backticks(value: Any) -> str:
    return str(value).replace("`", "")
