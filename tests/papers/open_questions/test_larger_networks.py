"""Table 6 of gecco08 above 36 processors."""

from papers.open_questions.larger_networks import NETWORKS, QUESTION
from papers.open_questions.question import Row

from pavane.networks import network
from pavane.search.options import SearchOptions


def test_the_networks_go_on_where_the_table_ends() -> None:
    """All are larger than 36, the smaller ones first."""
    sizes = [network(spec).num_processors for spec in NETWORKS]
    assert min(sizes) > 36
    assert sizes == sorted(sizes)


def test_the_moore_graph_of_degree_seven() -> None:
    """Its broadcast of all to all meets the bound of its ports."""
    row = QUESTION.row(("hoffman-singleton", "AAB"), SearchOptions())
    assert (row["degree"], row["diameter"], row["bound"], row["steps"]) == (7, 2, 7, 7)


def _row(kind: str, bound: int, steps: int) -> Row:
    about = {"network": "kautz:2,5", "processors": 48, "degree": 2, "diameter": 5, "collective": kind}
    return {**about, "bound": bound, "steps": steps, "checked": True}


def test_the_sentence_follows_the_rows() -> None:
    """Proofs are counted for each collective, and the largest scatter that has one is named."""
    rows = [_row("OAB", 4, 4), _row("AAB", 24, 24), _row("OAS", 31, 31), _row("AAS", 123, 123)]
    said = QUESTION.answer(rows)
    assert (
        "OAB on 1 of 1, AAB on 1 of 1, OAS on 1 of 1 and AAS on 1 of 1. The largest AAS that is proven has 48" in said
    )
    assert "are least on `kautz:2,5`: 123 steps, degree 2, 48 processors." in said
    rival = {**_row("AAS", 50, 200), "network": "rival"}
    assert "are least, of what was found, on `kautz:2,5`" in QUESTION.answer([*rows, rival])
    open_ones = [*rows[:3], _row("AAS", 123, 125)]
    assert "AAS on 0 of 1. Steps of AAS" in QUESTION.answer(open_ones)
    assert QUESTION.proof(open_ones).endswith("Open are `kautz:2,5` AAS: 123/125.")
    assert QUESTION.answer(rows[:1]).endswith("OAB on 1 of 1, AAB on 0 of 0, OAS on 0 of 0 and AAS on 0 of 0.")
    assert QUESTION.table(open_ones)[0]["AAS"] == "123/125"
