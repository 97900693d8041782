"""What longer paths gain."""

from papers.open_questions.longer_paths import QUESTION, PathCase, gain, is_settled
from papers.open_questions.question import Row

from pavane.search.options import SearchOptions


def test_every_network_of_the_papers_is_there_with_its_ports() -> None:
    """The mesh has both port models, as gecco07 Table 3 has; four collectives each."""
    told = {(case.spec, case.ports) for case in QUESTION.cases}
    assert {("mesh:4x4", 1), ("mesh:4x4", "all"), ("coated-mesh:4x4", 1), ("fat-octagon:2", 1)} <= told
    assert {("kautz:3,3", "all"), ("hypercube:7", "all"), ("hierarchical-rings:4,4,4", 1), ("mesh:6x6", 1)} <= told
    assert len(QUESTION.cases) == 4 * len(told)


def test_the_detour_of_gecco07() -> None:
    """Fig. 7: one-to-all scatter on the mesh from a router of degree 3 takes 5 steps, and 6 by shortest paths."""
    row = QUESTION.row(PathCase("mesh:4x4", "all", "OAS"), SearchOptions())
    assert (row["roots"], row["minimal"]["bound"], row["any"]["steps"]) == (3, 6, 5)
    assert gain(row) == 1
    assert is_settled(row)


def _row(shortest: tuple[int, int], longer: tuple[int, int], roots: int = 1) -> Row:
    about = {"network": "mesh:4x4", "ports": "all", "collective": "OAS", "roots": roots, "root": 1}
    ways = {way: {"bound": b, "steps": s, "why": ""} for way, (b, s) in (("minimal", shortest), ("any", longer))}
    return {**about, **ways}


def test_only_what_is_proven_counts_as_gained() -> None:
    """Fewer steps than found by shortest paths are no gain unless shortest paths cannot do with them."""
    assert gain(_row((6, 6), (5, 5))) == 1
    assert gain(_row((15, 16), (15, 15))) == 0
    assert not is_settled(_row((15, 16), (15, 15)))


def test_the_sentence_follows_the_rows() -> None:
    """Gains are counted and named; what is open, too."""
    rows = [_row((6, 6), (5, 5), roots=3), _row((7, 7), (7, 7)), _row((15, 16), (15, 15))]
    said = QUESTION.answer(rows)
    assert said.startswith("On 1 network of the papers, 3 problems: longer paths provably save steps in 1 (1 OAS), and")
    assert "provably save nothing in 1. Most is saved on `mesh:4x4` all-port OAS from root 1 (6 to 5), 17% of" in said
    assert QUESTION.proof(rows).endswith("Open are `mesh:4x4` all-port OAS (15/16 to 15).")
    assert "so it is known exactly" in QUESTION.proof(rows[:2])
    assert "save a step in none, and provably nothing in 1" in QUESTION.answer(rows[1:2])
    assert QUESTION.table(rows[:1])[0]["OAS"] == "6, any 5 (root 1)"
    assert QUESTION.table(rows[1:2])[0]["OAS"] == "7"
