"""Writes papers/open-questions.md, which answers the papers' open questions. `make questions` runs it in ten minutes.

With numbers of questions, like 3, it answers only these. The results are stored in papers/results/open-questions,
one file per question, and the page and its figures are generated from these files; `--page` only generates them.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

from papers.open_questions import QUESTIONS, Question, answered, question_numbered
from papers.open_questions.plots import plot_question
from papers.open_questions.rendering import markdown_of
from pavane.search.options import SearchOptions
from pavane.text import VERSION
from pavane.ui.plot.figures import write_figure

HERE = Path(__file__).parent
PAGE = HERE / "open-questions.md"
STORED = HERE / "results" / "open-questions"

INTRODUCTION = """# The papers' open questions, answered

This page answers the questions that the papers leave to future research: each with its answer, what of it is proven, a
picture and a table. The papers are those of [the tables](tables.md). The sentences are generated from the figures below
them.

A single number of steps is proven optimal: it equals a lower bound whose certificate the judge has checked. Every
schedule has been verified. Two numbers with a slash, like 9/10, are a lower bound and the number reached; the gap is
open.

`python -m papers open` answers all questions except those that take hours, `python -m papers open 3` one of them.
`make questions` stores the results in `papers/results/open-questions` and writes this page from them;
`python -m papers.answer 3` recomputes a single question. Every run of the tests recomputes the quick results
and compares, and generates the page from the stored files.
"""


def stored(question: Question) -> dict[str, Any] | None:
    """Return the stored results of a question."""
    file = STORED / f"{question.number}.json"
    found: dict[str, Any] | None = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    return found


def store(question: Question, rows: list[dict[str, Any]]) -> None:
    """Store the results of a question, one row per line."""
    head = {"command": f"python -m papers.answer {question.number}", "on": date.today().isoformat()}
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    about = json.dumps({**head, "version": VERSION}, indent=1)[:-2]
    STORED.mkdir(parents=True, exist_ok=True)
    (STORED / f"{question.number}.json").write_text(f'{about},\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")


def figure_of(question: Question) -> str:
    """Return the path of a question's figure relative to the page."""
    return f"figures/open-question-{question.number}.svg"


def part(question: Question, found: dict[str, Any]) -> str:
    """Return the section of a question."""
    minutes = sum(row["seconds"] for row in found["rows"]) / 60
    how = f"in {minutes:.1f} minutes of one core" if question.command is None else f"by `{question.command}`"
    when = f"Answered on {found['on']} with pavane {found['version']}, {how}."
    return f"{markdown_of(question, found['rows'], figure_of(question))}\n{when}\n"


def page() -> str:
    """Return the page, generated from the stored results."""
    sections = [part(question, found) for question in QUESTIONS if (found := stored(question)) is not None]
    return "\n".join([INTRODUCTION, *sections])


def main() -> int:
    """Answer questions, and write the page."""
    parser = argparse.ArgumentParser(
        description="Answer the papers' open questions and write papers/open-questions.md."
    )
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="a question like 3; all by default")
    parser.add_argument("--page", action="store_true", help="write page and figures from the stored results")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of processes")
    options = parser.parse_args()
    questions = [question_numbered(number) for number in options.numbers] or list(QUESTIONS)
    if not options.page:
        # Results that another command measures, in hours or on a GPU, are not recomputed.
        searched = [question for question in questions if question.command is None]
        for question, rows in answered(searched, SearchOptions(), options.workers):
            store(question, rows)
            print(f"{question.number}. {question.title}: {len(rows)} rows", file=sys.stderr, flush=True)
    for question in questions:
        if (found := stored(question)) is not None:
            write_figure(HERE / figure_of(question), plot_question(question, found["rows"]))
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
