"""The tables of noc."""

from itertools import islice
from types import SimpleNamespace

import pytest
from papers.noc import REACHED, scheme_facts
from papers.problems import KINDS
from papers.tables import RedoOptions, table_named


@pytest.mark.parametrize(
    ("name", "scheme", "singly"), [("H. rings 16", "15/24", "24"), ("H. rings 64", "99/252", "252")]
)
def test_the_papers_aab_without_combining(name: str, scheme: str, singly: str) -> None:
    """Its scheme, carried out, gives the figures of Table 3; sent singly it takes as many start-ups as its TCO."""
    facts, note = scheme_facts(name, "AAB", combining=False)
    assert facts == {"its scheme redone": scheme, "by": "hierarchical-exchange", "sent singly": singly}
    assert "combines messages in its last phase" in note


def test_the_lines_of_table_3_as_printed() -> None:
    """15/24 and 99/252 stand as printed beside ours; without combining one number is both."""
    lines = {line.where: line for line in islice(table_named("noc", "3").redo(RedoOptions()), 6)}
    for name, paper, ours in (("H. rings 16", "15/24", "15"), ("H. rings 64", "99/252", "63")):
        line = lines[f"{name}, non-combining, AAB"]
        assert (line.paper, line.ours, line.mark) == (paper, ours, "better")
        assert line.facts["its scheme redone"] == paper
    assert [lines[f"H. rings 16, non-combining, {kind}"].paper for kind in KINDS] == ["4", "15/24", "15", "51"]


@pytest.mark.parametrize("name", ["H. rings 16", "H. rings 64"])
@pytest.mark.parametrize("kind", ["AAB", "AAS"])
def test_what_the_paper_counts_twice(name: str, kind: str) -> None:
    """The paper's count of its combining schemes comes out, beside what is valid."""
    facts, note = scheme_facts(name, kind, combining=True)
    start_ups, tco = dict(zip(KINDS, REACHED[name, True], strict=True))[kind]
    assert facts["as the paper counts"] == f"{start_ups}/{tco}"
    valid = [int(figure) for figure in facts["its scheme redone"].split("/")]
    assert valid[0] == start_ups
    assert valid[1] < tco
    assert "already has" in note


def test_the_other_schemes_give_table_3() -> None:
    """Every scheme but those of all-to-all on combining hierarchical rings gives the paper's figures exactly."""
    for (name, combining), row in REACHED.items():
        for kind, pair in zip(KINDS, row, strict=True):
            facts, note = scheme_facts(name, kind, combining=combining)
            assert ("odd-even exchange" in note) == (name.startswith("2D mesh") and kind == "AAB")
            if "as the paper counts" not in facts:
                same = str(pair[0]) if pair[0] == pair[1] and not combining else f"{pair[0]}/{pair[1]}"
                assert facts["its scheme redone"] == same


def test_the_footnotes_of_the_first_table_2() -> None:
    """Two figures of the ring of 4 say how they are reached, and one is not what the formula gives."""
    lines = {line.where: line for line in islice(table_named("noc", "2").redo(RedoOptions()), 8)}
    assert lines["2-way ring 4, AAB"].facts["paper's footnote"] == "*) three rotations"
    assert lines["2-way ring 4, AAS"].facts["paper's footnote"].startswith("+) pairwise exchange")
    assert lines["1-way ring 4, AAS"].note == "the formula of Table 1 gives 4"
    assert (lines["1-way ring 4, AAS"].paper, lines["1-way ring 4, AAS"].ours) == ("5", "6")
    assert lines["1-way ring 4, AAS"].mark == "better"


def test_times_take_the_best_of_all_that_was_found() -> None:
    """No time of Table 4 is above that of the figures which the search for Table 3 found."""
    line = next(table_named("noc", "4").redo(RedoOptions(seconds=1)))
    assert (line.where, line.paper, line.ours) == ("2D mesh 4x4, OAB", "56 ns", "56 ns")
    assert (line.facts["paper's start-ups/TCO"], line.facts["time of those"]) == ("4/4", "56 ns")


def test_a_front_that_was_interrupted_ends_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of half a search is no figure."""
    monkeypatch.setattr("pavane.search.pareto_search.pareto_front", lambda *_, **__: SimpleNamespace(interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        next(table_named("noc", "4").redo(RedoOptions(seconds=1)))
