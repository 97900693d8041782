"""Pictures of open questions."""

from dataclasses import replace

import numpy as np
import pytest
from papers.answer import stored
from papers.open_questions.plots import plot_question

from papers.open_questions import QUESTIONS, Question
from pavane.errors import InputError
from pavane.ui.plot.figures import COLOURS, figure_bytes


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question.number))
def test_every_question_has_a_picture(question: Question) -> None:
    """It is drawn of the kept rows."""
    found = stored(question)
    assert found is not None
    assert figure_bytes(plot_question(question, found["rows"]), "svg").startswith(b"<?xml")


def test_a_question_without_a_picture_is_refused() -> None:
    """One line says which have one."""
    with pytest.raises(InputError, match="no picture of open question 99; choose 1, 2, 3"):
        plot_question(replace(QUESTIONS[0], number=99), [])


def test_a_bar_reaches_down_to_a_bound_that_is_not_met() -> None:
    """Larger networks have one bar for every schedule that is not proven optimal."""
    (question,) = (question for question in QUESTIONS if question.number == 6)
    met = {"network": "ring:8", "processors": 8, "collective": "AAB", "bound": 4, "steps": 4}
    open_ = {"network": "ring:8", "processors": 8, "collective": "AAS", "bound": 7, "steps": 9}
    (axes,) = plot_question(question, [met, open_]).axes
    (bar,) = (line for line in axes.lines if line.get_marker() == "_")
    assert np.asarray(bar.get_ydata()).tolist() == [7, 9]
    assert bar.get_color() == COLOURS[0]
