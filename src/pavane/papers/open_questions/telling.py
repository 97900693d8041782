"""An answered question as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from pavane.io.notation import aligned
from pavane.papers.open_questions.question import Question, Row


def text_of(question: Question, rows: Sequence[Row]) -> str:
    """Return a question, its answer and its table, for a terminal."""
    table = question.table(rows)
    names = _columns(table)
    cells = [[_cell(line.get(name)).replace("`", "") for name in names] for line in table]
    said = (question.answer(rows), question.proof(rows))
    return "\n".join(
        [
            f"{question.number}. {question.title}",
            question.asked,
            "",
            *aligned([names, *cells]),
            "",
            *(text.replace("`", "") for text in said),
            "",
        ]
    )


def markdown_of(question: Question, rows: Sequence[Row], figure: str = "") -> str:
    """Return a question, its answer, what is proven, its picture if there is one, and its table, for a page."""
    table = question.table(rows)
    names = _columns(table)
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(line.get(name)) for name in names)} |" for line in table]
    parts = [
        f"## {question.number}. {question.title}",
        f"**Asked.** {question.asked}",
        f"**Answer.** {question.answer(rows)}",
        f"**Proven.** {question.proof(rows)}",
        f"![{question.title}]({figure})" if figure else "",
        question.how,
        "\n".join(lines),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _columns(table: Sequence[Row]) -> list[str]:
    """Return the columns that hold anything."""
    every = dict.fromkeys(name for line in table for name in line)
    return [name for name in every if any(line.get(name) not in (None, "") for line in table)]


def _cell(value: object) -> str:
    return "" if value is None else str(value)
