"""The tables of gecco08 with schedules, faults and times."""

from dataclasses import replace
from itertools import islice

import pytest
from papers.gecco08 import seconds_printed
from papers.gecco08_bounds import HALF_DUPLEX
from papers.steps_lines import steps_line
from papers.tables import PaperLine, RedoOptions, table_named

from papers import gecco08
from pavane.solvers import SOLVERS


@pytest.mark.parametrize(
    ("text", "seconds"), [("<1s", 1), ("57s", 57), ("9m17s", 557), ("2h2m", 7320), ("4d5h", 363600)]
)
def test_printed_times_are_read(text: str, seconds: int) -> None:
    """Days, hours, minutes and seconds as gecco08 Table 7 has them."""
    assert seconds_printed(text) == seconds


def test_faults_that_the_paper_does_not_list() -> None:
    """They stand under its row "All other"."""
    lines = {line.where: line for line in islice(table_named("gecco08", "5").redo(RedoOptions()), 60)}
    assert lines["fault 10-02, OAS"].facts["paper's row"] == "10-02"
    assert lines["fault 12-21, OAS"].facts["paper's row"] == "All other"
    assert lines["fault 01-10, AAS"].facts["any routing"] == "8"
    assert {line.mark for line in lines.values()} == {"equal"}


def test_both_readings_of_the_ring_of_degree_1() -> None:
    """One-way AAS cannot take 16 steps; two-way, half duplex and with one port all four figures come out."""
    lines = list(islice(table_named("gecco08", "6").redo(RedoOptions()), 8))
    assert [line.mark for line in lines[:4]] == ["equal"] * 3 + ["cannot be as printed"]
    assert lines[3].reading.startswith("a ring of degree 1 is a one-way ring; ")
    assert [(line.paper, line.ours, line.mark) for line in lines[4:]] == [
        (n, n, "equal") for n in ("3", "7", "7", "16")
    ]
    assert all("half duplex, 1-port" in line.where for line in lines[4:])


def test_a_figure_belongs_to_its_routing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Table 6 has Kautz 36 with detours for OAS and without for AAS; the other two are new."""
    monkeypatch.setattr(gecco08, "STEPS", {"Kautz 36": gecco08.STEPS["Kautz 36"]})
    told = {(line.where, line.facts["routing"]): line for line in table_named("gecco08", "6").redo(RedoOptions())}
    marks = {key: (line.paper, line.mark) for key, line in told.items() if key[0].endswith(("OAS", "AAS"))}
    assert marks == {
        ("Kautz 36, OAS", "minimal"): ("-", "new"),
        ("Kautz 36, OAS", "any"): ("12", "equal"),
        ("Kautz 36, AAS", "minimal"): ("31/34", "equal"),
        ("Kautz 36, AAS", "any"): ("-", "new"),
    }


@pytest.mark.parametrize(
    ("seconds", "steps_mark", "mark"), [(0.08, "equal", "equal"), (1.2, "equal", "worse"), (0.08, "worse", "worse")]
)
def test_less_than_a_second_is_no_figure_to_beat(
    seconds: float, steps_mark: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against a printed <1s any time below a second is equal; where the steps are not reached, no time is better."""

    def line(*arguments: object, **options: object) -> PaperLine:
        made = steps_line(*arguments, **options)  # type: ignore[arg-type]
        return replace(made, mark=steps_mark, facts={**made.facts, "seconds": seconds})

    monkeypatch.setattr(gecco08, "steps_line", line)
    monkeypatch.setattr(gecco08, "STEPS", {"Ring 8": gecco08.STEPS["Ring 8"]})
    lines = list(table_named("gecco08", "7").redo(RedoOptions()))
    assert [one.paper for one in lines] == ["<1s", "<1s", "<1s", "57s"]
    assert {one.mark for one in lines[:3]} == {mark}
    assert lines[3].mark == ("worse" if steps_mark == "worse" else "better")
    assert lines[3].facts["paper's steps"] == "8"


def test_the_ring_of_table_7_is_the_one_that_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the one-way ring cannot be as printed, the seconds are those of half duplex."""
    monkeypatch.setattr(gecco08, "STEPS", {gecco08.RING: gecco08.STEPS[gecco08.RING]})
    lines = list(table_named("gecco08", "7").redo(RedoOptions()))
    assert [line.where for line in lines[:3]] == [f"{gecco08.RING}, {kind}" for kind in ("OAB", "AAB", "OAS")]
    assert (lines[3].where, lines[3].facts["steps"]) == (f"{HALF_DUPLEX}, AAS", "16")


def test_what_a_method_cannot_do_has_no_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ejection search is for scatters: broadcasts are left out of Table 7."""
    monkeypatch.setattr(gecco08, "STEPS", {"Ring 8": gecco08.STEPS["Ring 8"]})
    lines = list(table_named("gecco08", "7").redo(RedoOptions(SOLVERS["ejection"], evaluations=10_000)))
    assert [line.where for line in lines] == ["Ring 8, OAS", "Ring 8, AAS"]
