"""The papers' open questions, answered: what their conclusions leave to future work, computed and proven.

Rows are computed case by case, so that many workers share one question, and kept as JSON; sentences, tables and figures
are made of rows, fresh or kept alike.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from papers.open_questions.combining_on_kautz import QUESTION as COMBINING
from papers.open_questions.fat_kautz import QUESTION as FAT
from papers.open_questions.larger_networks import QUESTION as LARGER
from papers.open_questions.limits_of_size import QUESTION as LIMITED
from papers.open_questions.longer_paths import QUESTION as LONGER
from papers.open_questions.question import Question, Row
from papers.open_questions.wider_rings import QUESTION as WIDER
from pavane.errors import InputError, PavaneError
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.options import SearchOptions

__all__ = ["QUESTIONS", "Question", "Row", "answered", "question_numbered"]

QUESTIONS: tuple[Question, ...] = (COMBINING, FAT, WIDER, LIMITED, LONGER, LARGER)


def question_numbered(number: str) -> Question:
    """Return the question that a number names."""
    for question in QUESTIONS:
        if str(question.number) == number:
            return question
    known = ", ".join(str(question.number) for question in QUESTIONS)
    raise InputError(f"there is no open question {number!r}; choose {known}, or list")


def answered(
    questions: Sequence[Question], limits: SearchOptions, workers: int | Workers = 1
) -> Iterator[tuple[Question, list[Row]]]:
    """Yield the rows of each question, in order; more workers compute more rows at a time."""
    calls = [(question.number, index) for question in questions for index in range(len(question.cases))]
    found: list[Row] = []
    left = iter(questions)
    following = next(left, None)
    with as_workers(workers).pool(len(calls), limits) as pool:
        for number, row in pool.results(_row, calls):
            if isinstance(row, WorkerLost):
                raise PavaneError(f"a row of open question {calls[number][0]} was lost: {row.why}")
            found.append(row)
            if following is not None and len(found) == len(following.cases):
                yield following, found
                found, following = [], next(left, None)


def row_of(question: Question, index: int, limits: SearchOptions) -> Row:
    """Return one row of a question, with the seconds that one core took."""
    started = time.process_time()
    row = question.row(question.cases[index], limits)
    return {**row, "seconds": round(time.process_time() - started, 2)}


def _row(limits: SearchOptions, _: TaskContext, number: int, index: int) -> Row:
    return row_of(question_numbered(str(number)), index, limits)
