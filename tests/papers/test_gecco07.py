"""The tables of gecco07."""

from itertools import islice

from papers.gecco07 import HYPERCUBES, hypercube_figure
from papers.tables import RedoOptions, table_named

from pavane.solvers import SOLVERS
from pavane.solvers.evolutionary.hgsa import HGSA


def test_the_footnotes_of_table_2() -> None:
    """OAB on 64 and 128: 70 % and 50 % with MBOA, and 100 % with HGSA, as the footnotes say."""
    lines = {line.where: line for line in table_named("gecco07", "2").redo(RedoOptions())}
    assert len(lines) == 20
    for where, paper, note in (
        ("hypercube 64, OAB", "3 (70 %)", "*) 100% with HGSA"),
        ("hypercube 128, OAB", "3 (50 %)", "**) 100% with HGSA"),
    ):
        assert lines[where].paper == paper
        assert lines[where].facts["paper's footnote"] == note
        assert lines[where].facts["paper's algorithm"] == "MBOA"
    assert lines["hypercube 32, AAB"].facts["paper's algorithm"] == "HGSA"
    # Where no run of the paper succeeded it reached no number of steps that ours could equal.
    unreached = [where for where, line in lines.items() if line.paper.endswith("(0 %)")]
    assert unreached == ["hypercube 64, AAS", "hypercube 128, AAB", "hypercube 128, AAS"]
    assert {lines[where].mark for where in unreached} == {"better"}
    assert {line.mark for where, line in lines.items() if where not in unreached} == {"equal"}


def test_a_rate_is_compared_with_that_of_the_same_algorithm() -> None:
    """With HGSA the footnote's rate counts, with all others the one in the table."""
    assert hypercube_figure(6, "OAB", "hgsa").success == hypercube_figure(7, "OAB", "hgsa").success == 100
    for algorithm in ("", "mboa", "umda"):
        assert hypercube_figure(6, "OAB", algorithm).success == 70
    for dimension, row in HYPERCUBES.items():
        for kind, (bound, success) in row.items():
            figure = hypercube_figure(dimension, kind)
            assert (figure.bound, figure.success) == (bound, success)
            assert figure.algorithm == ("HGSA" if kind == "AAB" else "MBOA")


def test_a_study_of_table_2() -> None:
    """Rates stand beside rates: the first line, with three runs of MBOA."""
    ours = RedoOptions(SOLVERS["mboa"], seeds=3, evaluations=20_000)
    (line,) = islice(table_named("gecco07", "2").redo(ours), 1)
    assert (line.paper, line.ours, line.mark) == ("2 (100 %)", "2 / 3 of 3", "within")
    assert line.facts["interval"] == "44-100 %"


def test_hgsa_counts_one_port_in_two_ways() -> None:
    """1-port broadcasts are redone by the rules and, on a line of their own, by what processors absorb."""
    ours = RedoOptions(HGSA(start_temperature=2.0), seeds=1, evaluations=1000)
    told = {line.where: line for line in table_named("gecco07", "3").redo(ours)}
    assert [where for where in told if where.endswith(", absorbed")] == [
        "mesh 4x4, 1-port, AAB, absorbed",
        "coated mesh 4x4, 1-port, AAB, absorbed",
    ]
    line = told["mesh 4x4, 1-port, AAB, absorbed"]
    assert (line.paper, line.ours) == ("15 (100 %)", "15 / 0 of 1")
    assert line.note.endswith("judged as all-port")
    many = table_named("gecco07", "5").redo(RedoOptions(HGSA(start_temperature=2.0), seeds=1, evaluations=60_000))
    first, second = islice((line for line in many if "MNB" in line.where), 2)
    assert (first.where, second.where) == (
        "8 to the same 8, MNB (one of each router)",
        "8 to the same 8, MNB (one of each router), absorbed",
    )
    assert (second.ours, second.mark) == ("7 / 0 of 1", "worse")


def test_table_5_names_its_reading() -> None:
    """Which 8 of the 16 processors are meant decides what cannot be, in both directions."""
    lines = list(islice(table_named("gecco07", "5").redo(RedoOptions()), 11))
    refuted = {line.where: line for line in lines if line.mark == "cannot be as printed"}
    above = refuted["8 to the same 8, MNS (four whole routers)"]
    assert above.reading.startswith("the 8 are four whole routers; wormhole, 1-port, full duplex, minimal routing")
    below = refuted["8 to other 8, MNS (one of each router)"]
    assert below.note == "a schedule of 8 steps lies below the paper's lower bound 10"
    assert below.reading.startswith("the 8 are one of each router; ")
    assert {line.facts["paper's footnote"] for line in lines if line.facts["routing"] == "any"} == {
        "*) with non-minimum routing"
    }
