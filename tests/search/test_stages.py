"""The stages of `auto`: every row can be run and read."""

from __future__ import annotations

import pytest

from pavane.model.problem import Problem, Rules
from pavane.search.portfolio import WALKS
from pavane.search.search_run import Search
from pavane.search.shortest import Shortest
from pavane.search.stages import PHASES, TABLES, Stage, When, kind_of
from pavane.solvers import SOLVERS
from tests.problems import problem_of

OF_PHASES = {"both phases, joined", "both phases, overlapped", "as few as it can, along the trees of the phases"}


@pytest.mark.parametrize("stage", [stage for table in (*TABLES.values(), PHASES) for stage in table])
def test_a_stage_names_a_solver_its_settings_and_a_walk(stage: Stage) -> None:
    """A row tries bounds, or runs a registered solver, with settings that it has, by a walk that there is."""
    assert stage.steps in WALKS.keys() | OF_PHASES
    if stage.work is None and stage.solver != "auto":
        names = getattr(SOLVERS[stage.solver], "__dataclass_fields__", {}).keys()
        assert {*stage.settings, *([stage.bound_as] if stage.bound_as else [])} <= names
    assert all(0 < share <= 1 for share in stage.share)


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (problem_of("ring:4", "AAB"), "broadcasts and reductions"),
        (problem_of("ring:4", "AAR"), "broadcasts and reductions"),
        (problem_of("torus:10x10", "AAS"), "many private messages, each in one transfer"),
        (problem_of("ring:4", "AAS", Rules("store-and-forward")), "private messages, relayed"),
        (problem_of("ring:4", "AAS"), "other private messages"),
    ],
)
def test_every_problem_has_a_table(problem: Problem, kind: str) -> None:
    """The kind of a problem names its table."""
    assert kind_of(problem) == kind
    assert TABLES[kind]


def test_conditions_combine() -> None:
    """Conditions are joined in words and as tests; alternatives stand in parentheses."""
    yes, no = When("yes", lambda _: True), When("no", lambda _: False)
    search = Search(problem_of("ring:4"), Shortest(problem_of("ring:4")))
    assert ((yes | no) & yes).text == "(yes or no) and yes"
    assert ((yes | no) & yes).holds(search)
    assert not ((yes | no) & no).holds(search)
