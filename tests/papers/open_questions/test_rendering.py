"""Answered questions as text and as Markdown."""

from papers.open_questions.larger_networks import QUESTION
from papers.open_questions.rendering import text_of

ROWS = [
    {
        "network": "kautz:2,5",
        "processors": 48,
        "degree": 2,
        "diameter": 5,
        "collective": kind,
        "bound": 4,
        "steps": 4,
        "checked": True,
    }
    for kind in ("OAB", "AAB", "OAS", "AAS")
]


def test_text_has_no_marks_of_markdown() -> None:
    """Title, table, answer and proof, aligned and bare."""
    said = text_of(QUESTION, ROWS)
    assert said.startswith(f"6. {QUESTION.title}\n{QUESTION.text}\n")
    assert "`" not in said
    assert "All 4 figures are proven optimal" in said
