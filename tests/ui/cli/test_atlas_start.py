"""`pavane solve --atlas`: a search that starts from what is known."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pavane.io import read_schedule, write_network
from pavane.judge.rules import verify
from pavane.solvers import SOLVERS
from tests.atlas.relabelling import relabelled
from tests.problems import problem_of
from tests.ui.cli.calls import Call
from tests.ui.cli.test_interrupt import Interrupted


@pytest.fixture
def atlas(tmp_path: Path) -> Path:
    """Return the name of an atlas."""
    return tmp_path / "atlas.sqlite"


def solved(call: Call, *words: str | Path) -> dict[str, object]:
    """Solve and return the figures."""
    told: dict[str, object] = json.loads(call.good("solve", *words, "--json"))
    return told


def test_a_known_problem_is_answered_with_what_is_stored(
    atlas: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time no search is made, whatever names and numbers the problem has then."""
    first = solved(call, "kautz:3,2", "aas", "--atlas", atlas)
    assert first["status"] == "optimal"
    monkeypatch.setattr("pavane.search.synthesis.solve", pytest.fail)
    again = solved(call, "kautz:3,2", "aas", "--atlas", atlas)
    assert (again["steps"], again["status"], again["solver"]) == (7, "optimal", f"atlas: {first['solver']}")
    other = relabelled(problem_of("kautz:3,2"), 9)
    write_network(tmp_path / "other.json", other.network)
    file = tmp_path / "found.json"
    assert solved(call, tmp_path / "other.json", "aas", "--atlas", atlas, "-o", file)["steps"] == 7
    claim = read_schedule(file)
    assert claim.problem.network == other.network
    assert verify(claim.problem, claim.schedule) == []
    assert "verdict     valid, optimal" in call.good("verify", file)


def test_a_number_of_steps_is_answered(atlas: Path, call: Call) -> None:
    """Enough steps are answered with the schedule, too few by the bound."""
    solved(call, "octagon", "aas", "--atlas", atlas)
    enough = solved(call, "octagon", "aas", "--atlas", atlas, "--steps", "6")
    assert (enough["steps"], enough["asked"], enough["status"]) == (4, 6, "optimal")
    few = call("solve", "octagon", "aas", "--atlas", atlas, "--steps", "3", "--json")
    assert (few.code, few.err) == (1, "")
    assert json.loads(few.out)["status"] == "impossible"


def test_a_search_goes_on_from_what_is_known(atlas: Path, call: Call) -> None:
    """A poor schedule is kept, then bettered; a bound that is missing is found again."""
    poor = solved(call, "mesh:3x3", "aas", "--method", "greedy", "--atlas", atlas)
    with closing(sqlite3.connect(atlas)) as file:
        file.execute("UPDATE problems SET bound = NULL, certificate = NULL, argument = NULL")
        file.commit()
    better = solved(call, "mesh:3x3", "aas", "--atlas", atlas)
    assert isinstance(better["steps"], int)
    assert isinstance(poor["steps"], int)
    assert better["steps"] <= poor["steps"]
    assert better["status"] == "optimal"
    (row,) = json.loads(call.good("atlas", "list", atlas, "--judge", "--json"))
    assert (row["steps"], row["status"]) == (better["steps"], "proven")


def test_never_more_is_claimed_than_is_judged(atlas: Path, call: Call) -> None:
    """Forged figures are dropped and told; the answer is that of a search, and mends the file."""
    honest = solved(call, "octagon", "aas")
    solved(call, "octagon", "aas", "--atlas", atlas)
    for change in ("steps = 2", "bound = 7, steps = 7", "schedule = x'00'", "certificate = 'none'"):
        with closing(sqlite3.connect(atlas)) as file:
            file.execute(f"UPDATE problems SET {change}")
            file.commit()
        answer = call("solve", "octagon", "aas", "--atlas", atlas, "--json")
        assert answer.code == 0
        assert "is dropped" in answer.err
        told = json.loads(answer.out)
        assert (told["steps"], told["bound"], told["status"]) == (honest["steps"], honest["bound"], "optimal")
        assert solved(call, "octagon", "aas", "--atlas", atlas)["status"] == "optimal"


def test_without_an_atlas_nothing_changes(atlas: Path, call: Call) -> None:
    """Same seed, same answer: no atlas is read or written unless it is named."""
    before = call.good("solve", "octagon", "aab", "--seed", "3")
    solved(call, "octagon", "aab", "--atlas", atlas)
    assert call.good("solve", "octagon", "aab", "--seed", "3").split("schedule")[1] == before.split("schedule")[1]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["octagon", "aas", "--combining"], "--atlas stores the fewest steps, and under --combining the TCO counts"),
        (["octagon", "aas", "--combining", "--steps", "3"], "leave one of them out"),
        (["octagon", "aas", "--pieces", "1,2"], "--atlas stores one number of pieces per problem"),
        (["octagon", "aas", "--method", "umda", "--trace", "t.svg"], "with --atlas there may be none"),
    ],
)
def test_what_an_atlas_does_not_keep_is_refused(words: list[str], text: str, atlas: Path, call: Call) -> None:
    """One line, before any search."""
    assert call("solve", *words, "--atlas", atlas).is_refusal(text)


def test_a_file_that_is_no_atlas_is_refused(tmp_path: Path, call: Call) -> None:
    """One line, before any search, and the file stays."""
    file = tmp_path / "notes.txt"
    file.write_text("nothing of the sort " * 20)
    assert call("solve", "octagon", "aas", "--atlas", file).is_refusal("file is not a database")
    assert file.read_text() == "nothing of the sort " * 20


def test_an_interrupted_search_has_not_had_its_effort(atlas: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best so far is kept, and a sweep with the same limits searches again."""
    monkeypatch.setitem(SOLVERS, "greedy", Interrupted(SOLVERS["greedy"], 3))
    words = ("mesh:3x3", "mns", "--senders", "0-3", "--receivers", "4-8", "--ports", "1", "--evaluations", "9")
    answer = call("solve", *words, "--atlas", atlas, "--json")
    assert answer.code == 0
    with closing(sqlite3.connect(atlas)) as file:
        kept = file.execute("SELECT steps, seconds, evaluations FROM problems").fetchall()
    assert kept == [(json.loads(answer.out)["steps"], 0, 0)]
