"""Writes docs/open-questions.md: the papers' open questions, answered. `make questions` calls it; about ten minutes.

With numbers of questions, like 3, it answers these and leaves the others as they are. What was found is kept in
benchmarks/results/open-questions, a file a question, and the page and its figures are made of these files; `--page`
makes them anew and searches for nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

from pavane.papers.open_questions import QUESTIONS, Limits, Question, answered, question_numbered
from pavane.papers.open_questions.plots import plot_question
from pavane.papers.open_questions.telling import markdown_of
from pavane.text import VERSION
from pavane.ui.plot.figures import write_figure

DOCS = Path(__file__).parent
PAGE = DOCS / "open-questions.md"
KEPT = DOCS.parent / "benchmarks" / "results" / "open-questions"

INTRODUCTION = """# The papers' open questions, answered

What the papers leave to future research, computed: each question with its answer, what of it is proven, a picture and
its table. The papers are those of [the tables](papers.md). Sentences are made of the figures below them.

A single number of steps is proven optimal: a lower bound meets it, whose certificate the judge has checked, as it has
every schedule. Two numbers with a slash, like 9/10, are a lower bound and what was reached, so the rest is open.

`pavane paper open` answers all questions but those that take hours, `pavane paper open 3` one. `make questions` keeps
what was found in `benchmarks/results/open-questions`, and writes this page of it; single questions are answered anew by
`python docs/answer_questions.py 3`. Every run of the tests searches anew for what takes a moment and compares, and
makes the page of the kept files.
"""


def kept(question: Question) -> dict[str, Any] | None:
    """Return what was found when a question was last answered."""
    file = KEPT / f"{question.number}.json"
    found: dict[str, Any] | None = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    return found


def keep(question: Question, rows: list[dict[str, Any]]) -> None:
    """Keep what was found, a row a line."""
    head = {"command": f"python docs/answer_questions.py {question.number}", "on": date.today().isoformat()}
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    about = json.dumps({**head, "version": VERSION}, indent=1)[:-2]
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{question.number}.json").write_text(f'{about},\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")


def figure_of(question: Question) -> str:
    """Return where the figure of a question stands, seen from the page."""
    return f"figures/open-question-{question.number}.svg"


def part(question: Question, found: dict[str, Any]) -> str:
    """Return the part of the page about a question."""
    minutes = sum(row["seconds"] for row in found["rows"]) / 60
    how = f"in {minutes:.1f} minutes of one core" if question.command is None else f"by `{question.command}`"
    when = f"Answered on {found['on']} with pavane {found['version']}, {how}."
    return f"{markdown_of(question, found['rows'], figure_of(question))}\n{when}\n"


def page() -> str:
    """Return the page, made of what is kept."""
    told = [part(question, found) for question in QUESTIONS if (found := kept(question)) is not None]
    return "\n".join([INTRODUCTION, *told])


def main() -> int:
    """Answer questions, and write the page."""
    parser = argparse.ArgumentParser(description="Answer the papers' open questions and write docs/open-questions.md.")
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="like 3; none: all")
    parser.add_argument("--page", action="store_true", help="write page and figures of what is kept")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    asked = parser.parse_args()
    questions = [question_numbered(number) for number in asked.numbers] or list(QUESTIONS)
    if not asked.page:
        # What another command measures, in hours or on a GPU, is left as it is.
        searched = [question for question in questions if question.command is None]
        for question, rows in answered(searched, Limits(), asked.workers):
            keep(question, rows)
            print(f"{question.number}. {question.title}: {len(rows)} rows", file=sys.stderr, flush=True)
    for question in questions:
        if (found := kept(question)) is not None:
            write_figure(DOCS / figure_of(question), plot_question(question, found["rows"]))
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
