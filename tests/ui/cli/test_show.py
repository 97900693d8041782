"""`pavane show`: schedules for people, and the parts of a network."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pavane.io import write_network, write_problem, write_schedule
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import ring
from tests.slot_tables import two_packets
from tests.ui.cli.calls import PROGRAM, Call

HEAD = "reached     2 steps\nstatus      optimal (certificate)\n"
PATHS = """\
     1  012, 103, 230, 321
     2  01, 03, 10, 12, 21, 23, 30, 32
"""
TABLE = """\
src  1  2
0    2  1,3
1    3  0,2
2    0  1,3
3    1  0,2
"""
STEPS = [
    [(0, 2, [0, 2]), (1, 3, [1, 7]), (2, 0, [4, 6]), (3, 1, [5, 3])],
    [(0, 1, [0]), (0, 3, [7]), (1, 0, [1]), (1, 2, [2]), (2, 1, [3]), (2, 3, [4]), (3, 0, [6]), (3, 2, [5])],
]


@pytest.fixture
def by_hand(solved: Path) -> Path:
    """Return a schedule file whose steps were written by hand, so that no solver changes what is shown."""
    content = json.loads(solved.read_text())
    content["steps"] = [
        [{"from": s, "to": r, "route": route, "carries": [[s, r]]} for s, r, route in step] for step in STEPS
    ]
    solved.write_text(json.dumps(content))
    return solved


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ([], f"{PATHS}\n{TABLE}"),
        (["--as", "paths"], PATHS),
        (["--as", "table"], TABLE),
        (["--as", "both"], f"{PATHS}\n{TABLE}"),
        (["--as", "paths", "--step", "2"], PATHS.splitlines(keepends=True)[1]),
    ],
)
def test_a_schedule_as_paths_and_as_a_table(words: list[str], body: str, call: Call, by_hand: Path) -> None:
    """The problem, then paths as in gecco07 Table 4, then the destination table of gecco08 Table 3."""
    out = call.good("show", by_hand, *words)
    assert out.startswith("network     ring:4: 4 routers, 8 channels, 4 processors\ncollective  alltoall (AAS) ")
    assert out.endswith(HEAD + body)


def test_one_step_only(call: Call, by_hand: Path) -> None:
    """Steps count from 1."""
    line = PATHS.splitlines(keepends=True)[1]
    column = "src  2\n0    1,3\n1    0,2\n2    1,3\n3    0,2\n"
    assert call.good("show", by_hand, "--step", "2").endswith(f"{HEAD}{line}\n{column}")


def test_a_schedule_as_json(call: Call, by_hand: Path) -> None:
    """`--json` lists the paths of each step, and the bounds that the judge has proven."""
    told = json.loads(call.good("show", by_hand, "--json"))
    assert all(bound["proven"] and bound["text"] for bound in told.pop("bounds"))
    assert (told["steps"], told["transfers"], told["status"], told["optimal"]) == (2, 12, "optimal", ["steps"])
    assert not {"solver", "seed", "seconds"} & told.keys()  # the file claims them
    assert told["paths"] == {
        "1": ["012", "103", "230", "321"],
        "2": ["01", "03", "10", "12", "21", "23", "30", "32"],
    }


@pytest.fixture
def slots(tmp_path: Path) -> Path:
    """Return a file with a table of slots that was written by hand."""
    write_schedule(tmp_path / "slots.json", two_packets())
    return tmp_path / "slots.json"


SLOTS_LINE = (
    "slots       latency at most 7 slots, mean flight 2.5; channels 9.4% busy, ports 12.5%; slot table of 24 bits a "
    "router\n"
)
LATENCIES = """\
from  to  packets  hops  wait  latency
   0   1        1     1     4        6
   0   2        1     2     4        7
"""


def test_a_table_of_slots_speaks_of_slots(call: Call, slots: Path) -> None:
    """Under tdm a schedule has slots and a period, and a line with its latency, use and table size."""
    out = call.good("show", slots)
    assert "reached     4 slots (the period)\n" + SLOTS_LINE in out
    assert "slot 2: send" in call.good("show", slots, "--as", "programs")
    assert "step" not in out + call.good("show", slots, "--as", "programs") + call.good("verify", slots)
    assert call("show", slots, "--step", "5").is_refusal("--step 5: the schedule has slots 1 to 4")


def test_latencies_of_all_pairs(call: Call, slots: Path) -> None:
    """`--as latencies` prints a row for each pair, as JSON its record, and `-o` writes them as CSV."""
    assert call.good("show", slots, "--as", "latencies").endswith(SLOTS_LINE + "status      feasible\n" + LATENCIES)
    told = json.loads(call.good("show", slots, "--as", "latencies", "--json"))
    assert told["worst_latency"] == 7
    assert told["pairs"][1] == {"from": 0, "to": 2, "packets": 1, "hops": 2, "wait": 4, "latency": 7}
    call.good("show", slots, "--as", "latencies", "-o", slots.with_name("l.csv"))
    assert slots.with_name("l.csv").read_text() == "from,to,packets,hops,wait,latency\n0,1,1,1,4,6\n0,2,1,2,4,7\n"


def test_latencies_that_cannot_be_shown_are_refused(call: Call, slots: Path, by_hand: Path) -> None:
    """Steps have no latencies, and a table of pairs is neither a picture nor about one slot."""
    assert call("show", by_hand, "--as", "latencies").is_refusal("about tables of slots (tdm)")
    assert call("show", slots, "--as", "latencies", "--step", "1").is_refusal("about the whole table")
    for more in (["-o", "l.svg"], ["-o", "l.csv", "--step", "1"]):
        assert call("show", slots, "--as", "latencies", *more).is_refusal("give -o latencies.csv alone")


@pytest.mark.parametrize(
    ("words", "spoil"),
    [
        ("", lambda content: content["steps"][1].extend(content["steps"][0])),
        ("--groups rows", lambda content: content["steps"][0].append(content["steps"][0][0])),
        (
            "--switching store-and-forward --timed --bytes 100 --bandwidth 1GB/s",
            lambda content: content["transfers"][-1].update(start=0),
        ),
    ],
    ids=["steps", "several collectives", "start times"],
)
def test_an_invalid_schedule_is_shown(
    call: Call, tmp_path: Path, words: str, spoil: Callable[[dict[str, Any]], object]
) -> None:
    """A schedule that breaks rules is printed, drawn and played with what is wrong with it: exit 1."""
    call.good("solve", "mesh:2x3", "allgather", *words.split(), "--evaluations", "100", "-o", "wrong.json")
    file = tmp_path / "wrong.json"
    content = json.loads(file.read_text())
    spoil(content)
    file.write_text(json.dumps(content))
    answer = call("show", file)
    assert (answer.code, answer.err) == (1, "")
    assert "violation   " in answer.out
    told = json.loads(call("show", file, "--json").out)
    assert told["status"] == "invalid"
    assert {"rule", "text"} <= told["violations"][0].keys()
    for name in ("wrong.html", "wrong.svg"):
        assert call("show", file, "-o", name).code == 1
    page = (tmp_path / "wrong.html").read_text()
    assert '"status":"invalid"' in page
    assert '"violations":[{' in page
    assert "#d40000" in (tmp_path / "wrong.svg").read_text()
    if not words:
        assert "Broken, first of all: " in (tmp_path / "wrong.svg").read_text()
        assert call("show", file, "--as", "programs").is_refusal("this schedule breaks rules")


def test_a_schedule_by_hand_is_shown(call: Call, tmp_path: Path) -> None:
    """A text file that names its network and collective is shown, drawn and played like any schedule."""
    (tmp_path / "hand.txt").write_text("network ring:6\ncollective broadcast\n1  012, 054\n2  01, 05, 23\n")
    assert "reached     2 steps\nstatus      feasible" in call.good("show", "hand.txt")
    call.good("show", "hand.txt", "-o", "hand.html")
    assert (tmp_path / "hand.html").read_text().startswith("<!doctype html>")


def test_a_table_of_many_rows_waits_to_be_asked_for(call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large networks get their paths; `--as table` prints the table all the same."""
    monkeypatch.setattr("pavane.ui.cli.rows.MOST_PROCESSORS", 3)
    assert call.good("show", solved).endswith(
        "(the destination table is left out above 3 processors; --as table prints it)\n"
    )
    assert "src  1  2\n" in call.good("show", solved, "--as", "table")


def test_a_network(call: Call, tmp_path: Path) -> None:
    """A router to a line, with its processors and the heads of its channels."""
    expected = """\
kautz:2,1: 3 routers, 6 channels
  router 0 (processors 0): 1 2
  router 1 (processors 1): 0 2
  router 2 (processors 2): 0 1
"""
    assert call.good("show", "kautz:2,1") == expected
    out = call.good("show", "fat-tree:2")
    assert "(processors none): " in out
    write_network(tmp_path / "n.json", ring(4))
    write_problem(tmp_path / "p.json", Problem(ring(4), alltoall(ring(4))))
    assert call.good("show", "n.json") == call.good("show", "p.json") == call.good("show", "ring:4")


def test_many_processors_of_a_router_are_shown_as_runs(call: Call, tmp_path: Path) -> None:
    """Three in a row or more by the first and the last, so that a million of them fit into the line."""
    (tmp_path / "n.txt").write_text("a x1000000\nb x2\na b\nb c\n")
    lines = call.good("show", tmp_path / "n.txt").splitlines()
    assert lines[1:] == [
        "  router a (processors 0-999999): b",
        "  router b (processors 1000000,1000001): a c",
        "  router c (processors 1000002): b",
    ]
    links = "[[0,1],[1,0],[1,2],[2,1]]"
    network = f'{{"format":"pavane/network/1","name":"n","routers":["a","b","c"],"channels":{links},'
    (tmp_path / "n.json").write_text(f'{network}"processors":[0,1,0,0,2]}}')
    assert "  router a (processors 0,2,3): b" in call.good("show", tmp_path / "n.json")


def test_a_network_as_json(call: Call) -> None:
    """`--json` lists the channels by the names of their routers."""
    assert json.loads(call.good("show", "kautz:2,1", "--json")) == {
        "name": "kautz:2,1",
        "processors": [0, 1, 2],
        "channels": [["0", "1"], ["0", "2"], ["1", "0"], ["1", "2"], ["2", "0"], ["2", "1"]],
    }


def test_a_reader_may_go_away() -> None:
    """`pavane show ... | head` ends quietly, without a traceback."""
    with subprocess.Popen([*PROGRAM, "show", "kautz:6,4"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"kautz:6,4: 1,512 routers, 9,072 channels\n"
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_one_line() -> None:
    """Output that cannot be written is an error for the user: exit 1, no traceback, not even at exit."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "show", "kautz:6,3"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.stderr == b"pavane: error: I/O error: no space left on device\n"
    assert done.returncode == 1


def test_one_step_is_drawn(call: Call, solved: Path, tmp_path: Path) -> None:
    """`--step` draws that step and no other."""
    call.good("show", solved, "--step", "2", "-o", "second.svg")
    call.good("show", solved, "--step", "1", "-o", "first.svg")
    call.good("show", solved, "-o", "all.svg")
    texts = [(tmp_path / name).read_text() for name in ("first.svg", "second.svg", "all.svg")]
    assert [sum(f">step {n}:" in text for n in (1, 2)) for text in texts] == [1, 1, 2]
    assert ">step 2:" in texts[1]


def test_steps_beyond_those_that_fit_can_be_drawn(call: Call, tmp_path: Path) -> None:
    """A long schedule is drawn as far as it fits, which is said; any single step can be drawn."""
    call.good("solve", "ring:15", "aas", "-o", "s.json")
    answer = call("show", "s.json", "-o", "s.svg")
    assert answer.code == 0
    said = "steps 1 to 24 of 28 are drawn; `pavane show` draws any one with --step N"
    assert answer.err == f"pavane: note: {said}\n"
    assert call("solve", "ring:15", "aas", "-o", "t.svg").err == answer.err
    assert "steps 25 to 28 are not drawn" in (tmp_path / "s.svg").read_text()
    call.good("show", "s.json", "--step", "27", "-o", "s.svg")
    assert ">step 27:" in (tmp_path / "s.svg").read_text()
    assert "not drawn" not in (tmp_path / "s.svg").read_text()
    assert call("show", "s.json", "--step", "29", "-o", "s.svg").is_refusal("the schedule has steps 1 to 28")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ring.json", "--as", "poem"], "--as 'poem' is not known; choose paths, table, both, programs or latencies"),
        (["ring.json", "--step", "0"], "--step 0: the schedule has steps 1 to 2"),
        (["ring.json", "--step", "two"], "Invalid value for '--step'"),
        (["octagon", "-o", "x.html"], "pavane solve NETWORK COLLECTIVE -o x.html"),
        (["octagon", "--step", "1"], "octagon is a network"),
        (["octagon", "--as", "table"], "octagon is a network"),
        (["octagon", "--json", "-o", "x.svg"], "leave one of them out"),
        (["ring.json", "-o", "x.txt"], "a picture ends in"),
        (["ring.json", "--router", "1"], "it applies to printed tables"),
        (["ring.json", "--json", "-o", "x.svg"], "leave one of them out"),
        (["ring.json", "--json", "--as", "table"], "--json prints paths"),
        (["ring.json", "--as", "table", "-o", "x.svg"], "--as table: it applies to text, and -o draws"),
        (["ring.json", "--step", "1", "-o", "x.html"], "leave --step out"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    call: Call, solved: Path, tmp_path: Path, arguments: list[str], text: str
) -> None:
    """One line says what would fit or which to leave out, and nothing is written."""
    assert call("show", *arguments).is_refusal(text)
    assert not (tmp_path / "x.svg").exists()


def test_pieces_and_capacities(call: Call, wide: Path, tmp_path: Path) -> None:
    """Pieces are named in the notation, capacities in the list of routers, and the steps are drawn and played."""
    assert "router 0 (processors 0): 1x2 3\n" in call.good("show", str(wide))
    assert json.loads(call.good("show", str(wide), "--json"))["capacities"] == [2] * 4 + [1] * 4
    made = tmp_path / "made.json"
    call.good("solve", str(wide), "aab", "--pieces", "3", "-o", str(made))
    out = call.good("show", str(made))
    assert "01 [0.0]" in out
    assert "pieces      3 a message: " in out
    assert json.loads(call.good("show", str(made), "--json"))["pieces"] == 3
    for name in ("steps.svg", "player.html"):
        call.good("show", str(made), "-o", str(tmp_path / name))
