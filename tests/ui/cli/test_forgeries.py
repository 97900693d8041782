"""What a file claims is never believed: every command that tells a status derives it from what the judge proves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pavane
from pavane.io.exports import EXPORTS, Options
from pavane.ui.player import player_page
from tests.ui.cli.calls import Call
from tests.ui.cli.forgeries import FORGED, in_three_steps

CLAIMED = "claimed, not proven"

UNREPEATED = "optimal (by search, not repeated here)"


@pytest.fixture(params=FORGED)
def forged(request: pytest.FixtureRequest, solved: Path) -> Path:
    """Return a valid schedule of 3 steps, where 2 are enough, with a bound of 3 steps or more."""
    return in_three_steps(solved, bounds=[FORGED[request.param]])


def page_of(file: Path) -> dict[str, Any]:
    """Return what a page that plays a schedule holds."""
    found = re.search(r'id="contents">(.*?)</script>', file.read_text(), re.DOTALL)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def test_show_says_that_it_is_a_claim(call: Call, forged: Path) -> None:
    """The line of the status says feasible and what is claimed, or that a search was not repeated."""
    (line,) = (line for line in call.good("show", forged).splitlines() if line.startswith("status"))
    assert re.fullmatch(
        r"status      (feasible \(a bound of [\d,]+ steps is claimed, not proven\)|"
        r"optimal \(by search, not repeated here\))",
        line,
    )


def test_json_says_that_it_is_a_claim(call: Call, forged: Path) -> None:
    """The status follows from proven bounds, and each other is marked."""
    told = json.loads(call.good("show", forged, "--json"))
    assert (told["status"], told["optimal"]) == ("feasible", [])
    (bound,) = told["bounds"]
    assert bound["proven"] is False
    assert bound["text"].startswith(f"{CLAIMED}: ")


def test_the_page_says_that_it_is_a_claim(call: Call, forged: Path, tmp_path: Path) -> None:
    """The player shows the claim as a claim, and explains no certificate that the judge refuses."""
    call.good("show", forged, "-o", "page.html")
    told = page_of(tmp_path / "page.html")
    assert told["status"] == "feasible"
    assert CLAIMED in told["statusText"] or told["statusText"] == UNREPEATED
    assert told["proof"][0] == "Not proven optimal."
    assert CLAIMED in told["proof"][1]
    assert len(told["proof"]) == 2
    assert told["isMadeClaimed"]


def test_exports_do_not_say_optimal(call: Call, forged: Path) -> None:
    """No export claims how good a schedule is, but a schedule file, whose claims are not believed."""
    result = pavane.read_schedule(forged).result()
    for export in EXPORTS.values():
        if export.name != "pavane" and export.refusal(result) is None:
            assert not any(b"optimal" in content for content in export.write(result, Options("made")).values())


def test_verify_calls_it_a_claim(call: Call, forged: Path) -> None:
    """A bound that its certificate does not prove makes the file invalid; a search that cannot be checked does not."""
    answer = call("verify", forged)
    (line,) = (line for line in answer.out.splitlines() if line.startswith("bound"))
    assert f": {CLAIMED}: " in line
    on_trust = "exhaustive" in line
    assert answer.code == (0 if on_trust else 1)
    assert "optimal" not in answer.out.replace(UNREPEATED, "")
    told = json.loads(call("verify", forged, "--json").out)
    assert told["status"] == ("feasible" if on_trust else "invalid")
    assert [bound["proven"] for bound in told["bounds"]] == [False]


def test_python_derives_the_same_status(forged: Path) -> None:
    """A result that was read from a file has only what the judge proves; what is written again stays a claim."""
    result = pavane.read_schedule(forged).result()
    assert (result.status, result.bound, result.optimal, result.known_bounds) == ("feasible", None, (), ())
    assert CLAIMED in player_page(result)
    before = json.loads(forged.read_text())
    pavane.write_schedule(forged, result)
    assert json.loads(forged.read_text()) == before


def test_a_mended_schedule_has_bounds_of_its_own(call: Call, forged: Path) -> None:
    """Mending a schedule takes nothing from what its file claims."""
    told = json.loads(call.good("solve", f"{forged} less 0-1", "--start", forged, "--json"))
    assert {bound["argument"] for bound in told["bounds"]}.isdisjoint({"magic", "exhaustive"})
    assert told["status"] == ("optimal" if told["steps"] == told["bound"] else "feasible")


def test_an_exhaustive_search_that_the_schedule_refutes(call: Call, solved: Path) -> None:
    """A schedule of 3 steps shows that no search can have found that there is none of 8."""
    claim = {"steps": 9, "argument": "exhaustive", "certificate": {}}
    answer = call("verify", in_three_steps(solved, bounds=[claim]))
    assert answer.code == 1
    assert "which leaves nothing to check; this schedule has fewer steps" in answer.out


def test_a_claim_that_is_not_needed_changes_nothing(call: Call, solved: Path) -> None:
    """Where an honest bound proves the schedule optimal, a lie beside it is shown by verify alone."""
    content = json.loads(solved.read_text())
    content["bounds"].append(FORGED["absurdly high"])
    solved.write_text(json.dumps(content))
    assert "status      optimal (certificate)\n" in call.good("show", solved)
    assert call("verify", solved).out.endswith("verdict     invalid\n")


# -- the TCO under combining


@pytest.fixture
def combined(call: Call, tmp_path: Path) -> Path:
    """Return a schedule file of AAS on a ring of 4 under combining: 2 start-ups and TCO 4, which is the least."""
    path = tmp_path / "combined.json"
    call("solve", "ring:4", "aas", "--combining", "--ports", "1", "--method", "combining", "--steps", "2", "-o", path)
    return path


def on_tco(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the bounds on the TCO of a file, or of a report."""
    return [bound for bound in content["bounds"] if "tco" in bound]


def test_a_bound_on_the_tco_is_written_and_checked(call: Call, combined: Path) -> None:
    """A schedule file under combining says what proves its TCO, and every command says what is optimal."""
    (bound,) = on_tco(json.loads(combined.read_text()))
    assert (bound["tco"], bound["start_ups"], bound["argument"]) == (4, 2, "moves")
    lines = call.good("verify", combined).splitlines()
    assert "reached     2 steps, TCO 4" in lines
    assert "bound       TCO 4 (moves): proven" in lines
    assert lines[-1] == "verdict     valid, optimal in start-ups and TCO (certificate)"
    told = json.loads(call.good("verify", combined, "--json"))
    assert (told["status"], told["optimal"], told["tco"]) == ("optimal", ["start-ups", "TCO"], 4)
    assert [(one["tco"], one["start_ups"], one["proven"]) for one in on_tco(told)] == [(4, 2, True)]
    assert "status      optimal in start-ups and TCO (certificate)\n" in call.good("show", combined)
    call.good("show", combined, "-o", "page.html")
    page = page_of(combined.with_name("page.html"))
    assert page["statusText"] == "optimal in start-ups and TCO (certificate)"
    assert page["proof"][:2] == [
        "Proven: no schedule has fewer start-ups.",
        "Proven: no schedule of as many start-ups has less TCO.",
    ]


@pytest.mark.parametrize(
    "forged",
    [
        {"tco": 5, "start_ups": 2, "argument": "moves", "certificate": {"side": "origins"}},
        {"tco": 4, "start_ups": 2, "argument": "moves", "certificate": {}},
        {"tco": 4, "argument": "start-ups", "certificate": {"start-ups": {"steps": 4, "argument": "exhaustive"}}},
        {"tco": 4, "argument": "exhaustive", "certificate": {}},
        {"tco": 10**30, "argument": "channel-prices", "certificate": {"channels": [[1, 0]]}},
    ],
    ids=json.dumps,
)
def test_forged_bounds_on_the_tco(forged: dict[str, Any], call: Call, combined: Path) -> None:
    """A bound on the TCO that is not proven, or is about other start-ups, is a claim in every command."""
    content = json.loads(combined.read_text())
    content["bounds"] = [*(bound for bound in content["bounds"] if "steps" in bound), forged]
    combined.write_text(json.dumps(content))
    assert "optimal in start-ups and" not in call.good("show", combined)
    told = json.loads(call.good("show", combined, "--json"))
    assert (told["status"], told["optimal"]) == ("feasible", ["start-ups"])
    assert [one["proven"] for one in on_tco(told)] == [False]
    call.good("show", combined, "-o", "page.html")
    assert "TCO: not proven optimal." in page_of(combined.with_name("page.html"))["proof"]
    answer = call("verify", combined)
    # Of a search nothing can be checked: who has not searched can believe it or not.
    assert (answer.code, answer.err) == (0 if forged["argument"] == "exhaustive" else 1, "")
    assert f"bound       TCO {forged['tco']:,} ({forged['argument']}): {CLAIMED}: " in answer.out
