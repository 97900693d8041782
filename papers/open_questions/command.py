"""`python -m papers open`: the papers' open questions, answered."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.ui.cli.notes import note
from pavane.ui.cli.outputs import refuse_plot, write_plot
from pavane.ui.cli.report import print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.open_questions import Question
    from pavane.parallel.pools import Workers
    from pavane.search.options import SearchOptions


def requested_questions(numbers: Sequence[str]) -> list[Question]:
    """Return the questions of the given numbers, or without numbers all that do not take hours."""
    from papers.open_questions import QUESTIONS, question_numbered

    if numbers:
        return [question_numbered(number) for number in numbers]
    for question in QUESTIONS:
        if question.command is not None:
            note(
                f"open {question.number} takes hours and is left out; what is known of it: papers/open-questions.md; "
                f"to answer it briefly: python -m papers open {question.number} --time 1"
            )
    return [question for question in QUESTIONS if question.command is None]


def list_questions(as_json: bool) -> None:
    """Print the number and the title of every question."""
    from papers.open_questions import QUESTIONS

    if as_json:
        print_json([{"number": one.number, "title": one.title, "asked": one.text} for one in QUESTIONS])
    else:
        print_lines(f"open {one.number}  {one.title}" for one in QUESTIONS)


def answer_questions(
    questions: Sequence[Question], limits: SearchOptions, workers: int | Workers, *, form: str, plot: str | None
) -> None:
    """Answer questions, and print each as soon as it is finished; `form` is text, markdown or json."""
    from papers.open_questions import answered
    from papers.open_questions.plots import plot_question
    from papers.open_questions.rendering import markdown_of, text_of

    if plot is not None and len(questions) != 1:
        raise InputError("--plot draws one open question; name it, for example: python -m papers open 3 --plot x.svg")
    refuse_plot(plot)
    records: list[dict[str, Any]] = []
    for question, rows in answered(questions, limits, workers):
        records.append(
            {"question": question.number, "title": question.title, "answer": question.answer(rows), "rows": rows}
        )
        if form != "json":
            print((markdown_of if form == "markdown" else text_of)(question, rows), flush=True)
        write_plot(plot, partial(plot_question, question, rows))
    if form == "json":
        print_json(records)
