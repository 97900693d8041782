"""Lines about numbers of steps."""

from dataclasses import replace

import msgspec
import pytest
from papers.problems import problem
from papers.steps_lines import steps_line
from papers.tables import PaperLine, RedoOptions
from papers.verdicts import Figure

from pavane.campaign.solver_study import study
from pavane.search.options import SearchOptions
from pavane.solvers import SOLVERS


def test_a_papers_algorithm_redoes_a_figure() -> None:
    """With a method and seeds a line has a success rate with its interval, and the median of evaluations."""
    ours = RedoOptions(SOLVERS["umda"], seeds=3, evaluations=20_000)
    line = steps_line("octagon, OAS", problem("octagon", "OAS"), ours, Figure(3, 3))
    assert line.facts["success"] == "100 %"
    assert line.facts["runs"] == 3
    assert line.facts["evaluations"] > 0
    assert (line.ours, line.mark) == ("3 / 3 of 3", "equal")


def test_one_success_is_no_hundred_per_cent() -> None:
    """Some runs that succeed and some that fail are below the paper's 100 %, and the counts stand in the line."""
    ours = RedoOptions(SOLVERS["umda"], seeds=6, evaluations=500)
    line = steps_line("heawood, OAS", problem("heawood", "OAS"), ours, Figure(4, 4, 100, "MBOA"))
    assert line.mark == "cannot be as printed"  # 13 messages, 3 a step, take 5 steps
    line = steps_line("hypercube 16, OAS", problem("hypercube:4", "OAS"), ours, Figure(4, 4, 100, "MBOA"))
    successes = int(line.ours.split()[2])
    assert 0 < successes < 6
    assert (line.paper, line.ours, line.mark) == ("4 (100 %)", f"4 / {successes} of 6", "below")
    assert (line.facts["paper's success"], line.facts["paper's algorithm"]) == ("100 %", "MBOA")


def test_a_method_that_cannot_says_so() -> None:
    """A figure that the method does not do is left empty with a reason, and does not stop the table."""
    line = steps_line("octagon, AAB", problem("octagon", "AAB"), RedoOptions(SOLVERS["ejection"]), Figure(3, 3))
    assert (line.ours, line.mark) == ("-", "")
    assert "ejection" in line.note


def test_a_study_that_was_interrupted_ends_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A success rate over fewer seeds than asked for is no figure."""
    part = study(problem("octagon", "OAS"), [SOLVERS["umda"]], SearchOptions(evaluations=20_000), num_steps=3, seeds=1)
    part = replace(part, seeds=(0, 1))
    monkeypatch.setattr("pavane.campaign.solver_study.study", lambda *_, **__: part)
    with pytest.raises(KeyboardInterrupt):
        steps_line("octagon, OAS", problem("octagon", "OAS"), RedoOptions(SOLVERS["umda"], seeds=2), Figure(3, 3))


def test_a_method_that_breaks_in_every_run_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no rate, and the line is worse than the paper's, not empty."""
    part = study(problem("octagon", "OAS"), [SOLVERS["umda"]], SearchOptions(evaluations=20_000), num_steps=3, seeds=2)
    broken = tuple(msgspec.structs.replace(run, figure=None, error="RuntimeError: no luck") for run in part.runs)
    monkeypatch.setattr("pavane.campaign.solver_study.study", lambda *_, **__: replace(part, runs=broken))
    line = steps_line("octagon, OAS", problem("octagon", "OAS"), RedoOptions(SOLVERS["umda"], seeds=2), Figure(3, 3))
    assert (line.ours, line.mark, line.note) == ("-", "worse", "umda broke in every run")
    assert (line.facts["runs"], line.facts["errors"]) == (0, 2)


@pytest.mark.parametrize("ours", [RedoOptions(), RedoOptions(SOLVERS["umda"], seeds=2)])
def test_what_cannot_be_names_its_reading(ours: RedoOptions) -> None:
    """What was decided about the paper, and the rules, stand beside the words."""
    asked = problem("ring:8,oneway", "AAS")
    line = steps_line("ring", asked, ours, Figure(16, 16), reading="a ring of degree 1 is a one-way ring")
    assert line.mark == "cannot be as printed"
    assert line.reading.startswith("a ring of degree 1 is a one-way ring; wormhole, all-port")
    assert line.reading.endswith("a private message goes in one transfer")
    assert "28 messages" in line.facts["why"]
    assert line.columns()["reading"] == line.reading


def test_a_bound_that_is_undercut_says_by_what() -> None:
    """The note has the schedule's steps and the paper's bound."""
    line = steps_line("octagon", problem("octagon", "OAS"), RedoOptions(), Figure(4, 4), note="other")
    assert line.mark == "cannot be as printed"
    assert line.note == "a schedule of 3 steps lies below the paper's lower bound 4; other"


def test_no_line_says_so_without_a_reading() -> None:
    """A line that contradicts the paper cannot be made without its reading."""
    with pytest.raises(ValueError, match="depends on a reading; name it"):
        PaperLine("here", "3", "4", "cannot be as printed")
