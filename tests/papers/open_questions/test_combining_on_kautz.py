"""Combining on Kautz networks."""

from papers.open_questions.combining_on_kautz import FREE, NEVER, QUESTION, TRADED, worth
from papers.open_questions.question import Row

from pavane.search.options import SearchOptions


def _row(bound: int, steps: int, *points: tuple[int, int], kind: str = "AAS", ports: int | str = "all") -> Row:
    told = [[start_ups, tco, True, False] for start_ups, tco in points]
    alone = {"bound": bound, "steps": steps, "why": ""}
    return {"network": "kautz:3,2", "ports": ports, "collective": kind, "alone": alone, "points": told}


def test_combining_is_compared_with_what_is_proven_without() -> None:
    """Fewer start-ups than any schedule without: always faster at no more occupancy, else for short messages."""
    assert worth(_row(7, 7, (2, 7))) == FREE
    assert worth(_row(7, 7, (2, 9), (7, 7))) == TRADED
    assert worth(_row(7, 7, (7, 7))) == NEVER
    # What a bound does not exclude without combining is no merit of combining.
    assert worth(_row(5, 9, (6, 6))) == NEVER


def test_a_row_of_the_papers_network() -> None:
    """On Kautz 12, all-port, two start-ups suffice for an occupancy that seven steps have."""
    row = QUESTION.row(("kautz:3,2", "all", "AAS"), SearchOptions())
    assert row["alone"]["bound"] == row["alone"]["steps"] == 7
    assert row["points"] == [[2, 7, True, True]]
    assert worth(row) == FREE


def test_a_schedule_without_combining_is_a_point_of_the_front() -> None:
    """However short the search for a front, it has no gap where the fewest steps without combining are."""
    row = QUESTION.row(("kautz:3,2", 1, "AAS"), SearchOptions(seconds=0.5))
    steps = row["alone"]["steps"]
    assert any(start_ups <= steps and tco <= steps for start_ups, tco, *_ in row["points"])


def test_the_sentence_follows_the_rows() -> None:
    """Other points, other words."""
    rows = [_row(7, 7, (2, 7)), _row(2, 2, (2, 2), kind="OAB"), _row(11, 11, (4, 20), (11, 11), ports=1)]
    said = QUESTION.answer(rows)
    assert said.startswith(
        "Combining is worth it even where all ports work at once. All-port, of 2 problems: in 1 it is"
    )
    assert "most on `kautz:3,2` AAS (2 start-ups of occupancy 7 instead of 7 steps)" in said
    assert "in 1 (OAB) it saves nothing" in said
    assert said.endswith(
        "1-port, of 1 problem: in 1 it saves start-ups for more occupancy, which pays where messages are short."
    )
    assert QUESTION.answer([_row(2, 2, (2, 2), kind="OAB")]).startswith("Combining is not worth it")
    assert QUESTION.table(rows)[0]["front with combining"] == "`2*/7`"
    assert (
        "Without combining 2 of 3 numbers of steps are proven; open: `kautz:3,2` all-port AAS (6/7)"
        in QUESTION.proof([_row(6, 7, (2, 7)), *rows[1:]])
    )
