"""`pavane solve`: a schedule, how good it is, and the file of it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from pavane.io import read_schedule, write_problem
from pavane.model.collectives import MPI_NAMES, alltoall
from pavane.model.messages import PATTERN_OF
from pavane.model.problem import Problem, Rules
from pavane.networks import ring
from pavane.solvers import SOLVERS
from pavane.text import VERSION
from tests.io.schema import replay
from tests.ui.cli.calls import Call, exit_code, in_a_process, on_a_terminal


def figures(call: Call, *arguments: str | Path) -> dict[str, Any]:
    """Solve, and return the figures as JSON."""
    found: dict[str, Any] = json.loads(call.good("solve", *arguments, "--json"))
    return found


def test_the_main_job_says_everything(call: Call) -> None:
    """Problem, bound with its argument, steps, status, time, and the schedule in the papers' notation."""
    lines = call.good("solve", "kautz:3,2", "aas").splitlines()
    assert lines[0] == "network     kautz:3,2: 12 routers, 36 channels, 12 processors"
    assert lines[1].startswith("collective  alltoall (AAS) ")
    assert lines[1].endswith(" 132 messages")
    assert lines[2] == "rules       wormhole, all-port, full duplex, minimal routing, no combining"
    assert lines[3].startswith("bound       7 steps (router): 19 messages must ")
    assert lines[4].startswith("reached     ")
    assert lines[5].split()[0] == "status"
    assert lines[5].split()[1] in ("optimal", "feasible")
    assert lines[6].startswith("time        ")
    assert lines[7] == "schedule"
    steps = int(lines[4].split()[1])
    paths = [path for line in lines[8:] for path in line.split(maxsplit=1)[1].split(", ")]
    assert [line.split()[0] for line in lines[8:]] == [str(step + 1) for step in range(steps)]
    assert len(paths) == 132
    ends = [re.fullmatch(r"p\d+:(\S+):p\d+", path) for path in paths]
    assert all(len(name) == 2 for path in ends if path for name in path[1].split("-"))
    assert all(ends)


def test_the_figures_as_json(call: Call, tmp_path: Path) -> None:
    """`--json` has every figure of the report, and nothing else is on stdout."""
    found = figures(call, "ring:4", "aas", "-o", "s.json", "--seed", "3")
    seconds = found.pop("seconds")
    assert seconds >= 0
    bounds = found.pop("bounds")
    assert {bound["steps"] for bound in bounds} == {2}
    assert all(bound["argument"] and bound["text"] for bound in bounds)
    assert found == {
        "network": "ring:4",
        "collective": "AAS",
        "rules": {
            "switching": "wormhole",
            "ports": "all",
            "duplex": "full",
            "routing": "minimal",
            "combining": False,
        },
        "messages": 12,
        "bound": 2,
        "steps": 2,
        "requested_steps": None,
        "status": "optimal",
        "status_text": "optimal (certificate)",
        "optimal": ["steps"],
        "transfers": 12,
        "tco": 2,
        "solver": found["solver"],
        "seed": 3,
        "file": "s.json",
    }
    claim = read_schedule(tmp_path / "s.json")
    assert claim.schedule.num_steps == 2
    assert claim.provenance.version == VERSION


@pytest.mark.parametrize("kind", [*(kind.lower() for kind in PATTERN_OF), "AAS", *MPI_NAMES])
def test_every_collective_by_every_name(kind: str, call: Call, tmp_path: Path) -> None:
    """The papers' and MPI's names are both accepted, and every schedule file can be replayed by its contract."""
    extra = ["--pairs", "0>2,3:1"] if kind == "pairs" else []
    found = figures(call, "ring:4", kind, *extra, "-o", "s.json")
    assert found["collective"] == MPI_NAMES.get(kind, kind.upper())
    assert len(replay(tmp_path / "s.json")["steps"]) == found["steps"]


def test_the_options_are_the_rules(call: Call) -> None:
    """Each option of the contract ends up in the rules of the problem."""
    words = ["--switching", "store-and-forward", "--ports", "1", "--duplex", "half", "--routing", "any", "--combining"]
    rules = {"switching": "store-and-forward", "ports": 1, "duplex": "half", "routing": "any", "combining": True}
    assert figures(call, "ring:4", "aas", *words)["rules"] == rules


@pytest.mark.parametrize(
    ("arguments", "senders", "receivers"),
    [
        (["oab"], [0], [1, 2, 3, 4, 5]),
        (["oab", "--root", "4", "--receivers", "0-1,5"], [4], [0, 1, 5]),
        (["aog", "--root", "4"], [0, 1, 2, 3, 5], [4]),
        (["aor", "--senders", "all"], [0, 1, 2, 3, 4, 5], [0]),
        (["mns", "--senders", "0-2", "--receivers", "4, 5"], [0, 1, 2], [4, 5]),
    ],
)
def test_lists_name_the_members(
    arguments: list[str], senders: list[int], receivers: list[int], call: Call, tmp_path: Path
) -> None:
    """Lists read `0-7,9` or `all`; the root is processor 0 unless given."""
    call.good("solve", "ring:6", *arguments, "-o", "s.json")
    collective = replay(tmp_path / "s.json")["problem"]["collective"]
    assert (collective["senders"], collective["receivers"]) == (senders, receivers)


@pytest.mark.parametrize("faults", ["less 0-1", "less 0>1, 2>3", "less 0>1 less 2>3"])
def test_faults_take_channels_away(faults: str, call: Call) -> None:
    """`A-B` is a link, both its channels; `A>B` is one direction; each mention takes one more."""
    out = call.good("solve", f"ring:4 {faults}", "aas")
    assert f"ring:4 {faults.replace(' less', ',')}: 4 routers, 6 channels" in out


# -- files in place of arguments


def test_a_family_comes_before_a_file_of_its_name(call: Call, tmp_path: Path) -> None:
    """A file called ring:4 hides nothing; ./ring:4 is the file."""
    (tmp_path / "ring:4").write_text("0 1\n")
    assert figures(call, "ring:4", "aas")["messages"] == 12
    assert figures(call, "./ring:4", "aas")["messages"] == 2


def test_a_problem_file_stands_for_both_arguments(call: Call, tmp_path: Path) -> None:
    """A problem file brings network, collective and rules."""
    problem = Problem(ring(5), alltoall(ring(5)), Rules("store-and-forward", 1))
    write_problem(tmp_path / "p.json", problem)
    found = figures(call, "p.json", "-o", "s.json")
    assert (found["network"], found["collective"], found["rules"]["ports"]) == ("ring:5", "AAS", 1)
    assert read_schedule(tmp_path / "s.json").problem == problem


def test_a_schedule_file_stands_for_its_problem(call: Call, solved: Path) -> None:
    """A schedule file is solved anew, with faults if there are any."""
    assert figures(call, solved)["network"] == "ring:4"
    found = figures(call, f"{solved} less 0-1")
    assert (found["network"], found["steps"]) == ("ring:4 less 0-1", found["bound"])


# -- the search


def test_an_impossible_number_of_steps(call: Call) -> None:
    """`--steps` below a bound is impossible: exit 1, no schedule, no file."""
    answer = call("solve", "ring:4", "aas", "--steps", "1", "-o", "s.json")
    assert (answer.code, answer.err) == (1, "")
    assert "reached     no schedule in 1 step\nstatus      impossible\n" in answer.out
    assert not Path("s.json").exists()
    answer = call("solve", "ring:4", "aas", "--steps", "1", "--json")
    found = json.loads(answer.out)
    assert answer.code == 1
    assert (found["status"], found["steps"], found["requested_steps"], found["file"]) == ("impossible", None, 1, None)


MANY_PASSES = ["mesh:3x3", "mns", "--senders", "0-3", "--receivers", "4-8", "--ports", "1"]
"""A small problem whose bound first fit does not reach, so that all its passes are made."""


def without_time(path: Path) -> dict[str, Any]:
    """Return a schedule file without its seconds."""
    content = replay(path)
    del content["provenance"]["seconds"]
    return content


def test_the_same_seed_gives_the_same_file(call: Call, tmp_path: Path) -> None:
    """All but the seconds is repeated, with one worker or two."""
    for name, workers in (("a", "1"), ("b", "1"), ("c", "2")):
        call.good("solve", *MANY_PASSES, "--seed", "5", "--workers", workers, "-o", name)
    first = without_time(tmp_path / "a")
    assert first["provenance"]["seed"] == 5
    assert without_time(tmp_path / "b") == first
    assert without_time(tmp_path / "c") == first


def test_times_have_units(call: Call) -> None:
    """Seconds, or a number and a unit; otherwise the line says how to write it."""
    for time in ("10", "0.5m", "1h", "500ms"):
        assert figures(call, "ring:4", "aas", "--time", time)["steps"] == 2
    assert call("solve", "ring:4", "aas", "--time", "2 weeks").is_refusal("Invalid value for '--time'", "90s or 2m")
    assert call("solve", "ring:4", "aas", "--time", "-1").is_refusal("more than 0 seconds")


STEPS = re.compile(r"^ +\d+  \S", re.MULTILINE)
"""A line of a printed schedule."""


def test_large_schedules_are_printed_when_asked_for(call: Call) -> None:
    """Above 200 transfers or with -o they are counted; --print shows one schedule in words, and nothing else."""
    out = call.good("solve", "ring:15", "aas")
    assert out.endswith("\nschedule    210 transfers: --print shows them, -o FILE writes them\n")
    printed = call.good("solve", "ring:15", "aas", "--print")
    assert "\nschedule\n" in printed
    assert len(STEPS.findall(printed)) == int(re.findall(r"reached +(\d+) steps", printed)[0])
    assert call.good("solve", "ring:14", "aas").count("\nschedule\n") == 1
    out = call.good("solve", "ring:4", "aas", "-o", "s.json")
    assert out.endswith("\nfile        s.json\nschedule    12 transfers: --print shows them\n")
    assert not STEPS.search(out)
    assert len(STEPS.findall(call.good("solve", "ring:4", "aas", "-o", "s.json", "--print"))) == 2
    for more in (["--json"], ["--pieces", "1,2"], ["--combining"]):
        assert call("solve", "ring:4", "aab", "--print", *more).is_refusal("--print", " ".join(more))


def test_quiet_leaves_out_all_that_is_not_asked_for(call: Call, tmp_path: Path) -> None:
    """No report and no notes; files, exit codes, errors and what another option requests stay."""
    assert call.good("solve", "ring:4", "aas", "-q") == ""
    assert call.good("solve", "ring:4", "aas", "--quiet", "-o", "s.json") == ""
    assert replay(tmp_path / "s.json")["steps"]
    assert call("solve", "ring:8", "aas", "--steps", "3", "-q") == (1, "", "")
    assert call("solve", "ring:4", "nonsense", "-q").is_refusal("unknown collective")
    assert len(STEPS.findall(call.good("solve", "ring:4", "aas", "-q", "--print"))) == 2
    assert json.loads(call.good("solve", "ring:4", "aas", "-q", "--json"))["steps"] == 2
    assert call.good("solve", "ring:4", "aas", "-q", "--combining") == ""
    assert call.good("solve", "ring:4", "aab", "-q", "--pieces", "1,2") == ""


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("AlltoAll", "alltoall (AAS) from 4 senders to 4 receivers: 12 messages"),
        ("bcast", "bcast (OAB) from processor 0 to 3 receivers: 1 message"),
        ("reduce_scatter", "reduce-scatter (AAR) from 4 senders to 4 receivers: 4 messages"),
        ("reduce-broadcast", "reduce-broadcast (ALLREDUCE) of 4 processors in 1 part: 1 message"),
        ("allreduce", "ALLREDUCE of 4 processors in 4 parts: 4 messages"),
    ],
)
def test_a_collective_is_called_as_it_was_typed(typed: str, printed: str, call: Call) -> None:
    """The kind stands beside MPI's name; JSON has the kind, as ever."""
    assert f"\ncollective  {printed}\n" in call.good("solve", "ring:4", typed)
    kind = json.loads(call.good("solve", "ring:4", typed, "--json"))["collective"]
    assert kind in printed


def test_processors_go_by_number_and_named_routers_by_both(call: Call) -> None:
    """On a Kautz network processors stand at the ends of paths of names, and a bound has both."""
    out = call.good("solve", "kautz:3,2", "oas", "-o", "k.json", "--print")
    assert re.search(r"processor 0 \(router 01\) must send 11 messages", out)
    assert re.search(r"^     2  p0:01-", out, re.MULTILINE)
    told = json.loads(call.good("show", "k.json", "--json"))
    assert all(path.startswith("01-") for paths in told["paths"].values() for path in paths)
    table = call.good("show", "k.json", "--as", "table")
    assert "\n0 (01)  " in table
    assert "\n  p0 (router 01)\n" in call.good("show", "k.json", "--as", "programs")
    assert "p0" not in call.good("solve", "ring:4", "oas")


# -- streams


def test_progress_is_shown_on_a_terminal(tmp_path: Path) -> None:
    """Where stderr is a terminal the search says what it tries; stdout is still data alone."""
    child = on_a_terminal(tmp_path / "out", "solve", *MANY_PASSES, "--json")
    child.expect(r"trying any steps, best \S+( yet)?, bound \d+")
    assert exit_code(child) == 0
    assert json.loads((tmp_path / "out").read_text())["collective"] == "MNS"


def test_names_that_the_terminal_cannot_show_do_no_harm(tmp_path: Path) -> None:
    """Router names in any script print on a terminal without Unicode, and files may have any name."""
    path = tmp_path / "α.txt"
    path.write_text("ä ö\n", encoding="utf-8")
    answer = in_a_process("solve", path, "aas", PYTHONIOENCODING="ascii:strict", PYTHONUTF8="1")
    assert (answer.code, answer.err) == (0, "")
    assert "\\u03b1: 2 routers" in answer.out


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_file_names_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    """A network is named after its file, as far as that is text."""
    path = tmp_path / "\udcff.txt"
    path.write_text("0 1\n")
    answer = in_a_process("solve", path, "aas", "-o", tmp_path / "\udcfe.json")
    assert (answer.code, answer.err) == (0, "")
    assert read_schedule(tmp_path / "\udcfe.json").problem.network.name == "\ufffd"


def test_a_solver_that_fails_costs_its_attempts(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others go on, and one line says what was lost."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(type(SOLVERS["greedy"]), "__call__", broken)
    answer = call("solve", "ring:4", "aas")
    assert answer.code == 0
    assert "reached     2 steps" in answer.out
    assert answer.err.startswith("pavane: note: greedy")
    assert "a bug" in answer.err


def test_time_to_write_the_file_is_part_of_the_limit(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """What writing takes, by counting, is not left to the search."""
    monkeypatch.setattr("pavane.search.size.LEAST_MESSAGES_MEASURED", 1)
    monkeypatch.setattr("pavane.search.size.SECONDS_PER_MESSAGE_WRITTEN", 1.0)
    monkeypatch.setattr("pavane.search.size.SECONDS_PER_MESSAGE", 1.0)
    monkeypatch.setattr("pavane.jit.clock.now", lambda: 1000.0)
    answer = call("solve", "star:4", "aab", "--time", "20", "-o", "star.json")
    assert answer.code == 1
    assert "takes about 12 s to build and judge, and 8 s are left; give more time (--time)" in answer.err
    assert call("solve", "star:4", "aab", "--time", "20").code == 0
