"""`pavane atlas`: an atlas on the command line."""

from __future__ import annotations

import csv
import io
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pavane.io import write_schedule
from pavane.search.synthesis import solve
from tests.atlas.relabelling import relabelled
from tests.problems import problem_of
from tests.ui.cli.calls import Call


@pytest.fixture
def schedule(tmp_path: Path) -> Path:
    """Return a schedule file of an all-to-all on the octagon."""
    path = tmp_path / "schedule.json"
    write_schedule(path, solve(problem_of("octagon", "AAS")))
    return path


@pytest.fixture
def atlas(tmp_path: Path, schedule: Path, call: Call) -> Path:
    """Return an atlas that knows it."""
    path = tmp_path / "atlas.sqlite"
    call.good("atlas", "add", path, schedule)
    return path


def forge(atlas: Path, change: str) -> None:
    """Change rows behind the program's back."""
    with closing(sqlite3.connect(atlas)) as file:
        file.execute(f"UPDATE problems SET {change}")
        file.commit()


def test_schedules_are_added(tmp_path: Path, schedule: Path, call: Call) -> None:
    """A line for each says what the atlas has of its problem now."""
    atlas = tmp_path / "new.sqlite"
    other = tmp_path / "other.json.gz"
    write_schedule(other, solve(relabelled(problem_of("octagon", "AAS"), 4)))
    out = call.good("atlas", "add", atlas, schedule, other)
    assert out.splitlines() == [
        f"{schedule}: alltoall (AAS) on octagon (all-port): 4 steps, bound 4, proven",
        f"{other}: alltoall (AAS) on octagon (all-port): 4 steps, bound 4, proven",
    ]
    assert call.good("atlas", "list", atlas).endswith("1 problem, 1 claimed\n")


def test_an_invalid_schedule_is_not_added(tmp_path: Path, schedule: Path, call: Call) -> None:
    """Exit 1, one line, and nothing is kept of the others either."""
    told = json.loads(schedule.read_text())
    told["steps"] = [[transfer for step in told["steps"] for transfer in step]]
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(told))
    answer = call("atlas", "add", tmp_path / "new.sqlite", schedule, bad)
    answer.is_one_line(1)
    assert f"{bad}: the schedule breaks a rule" in answer.err
    assert not (tmp_path / "new.sqlite").exists()


def test_claims_of_a_file_are_not_believed(tmp_path: Path, schedule: Path, call: Call) -> None:
    """A bound that its certificate does not prove is not kept."""
    told = json.loads(schedule.read_text())
    told["bounds"] = [{"steps": 4, "argument": "router", "certificate": {"routers": [0]}}]
    claimed = tmp_path / "claimed.json"
    claimed.write_text(json.dumps(told))
    assert call.good("atlas", "add", tmp_path / "new.sqlite", claimed).endswith("4 steps, no bound, open\n")


def test_rows_are_listed(atlas: Path, call: Call) -> None:
    """A table for people, JSON for programs; filters choose."""
    lines = call.good("atlas", "list", atlas).splitlines()
    assert lines[0].split() == ["network", "collective", "rules", "bound", "steps", "status", "key"]
    assert lines[1].split()[:7] == ["octagon", "alltoall", "(AAS)", "all-port", "4", "4", "claimed"]
    (row,) = json.loads(call.good("atlas", "list", atlas, "--json"))
    assert (row["network"], row["steps"], row["bound"], row["status"]) == ("octagon", 4, 4, "claimed")
    for words in (["--network", "oct"], ["--collective", "alltoall"], ["--rules", "all-port"], ["--status", "claimed"]):
        assert call.good("atlas", "list", atlas, *words).endswith("1 problem, 1 claimed\n")
    for words in (["--network", "ring"], ["--collective", "aab"], ["--rules", "1-port"], ["--status", "open"]):
        assert call.good("atlas", "list", atlas, *words).endswith("0 problems, 0 claimed\n")


@pytest.mark.parametrize("words", [["--judge"], ["--status", "proven"], ["--status", "optimal"]])
def test_only_judged_rows_are_proven(atlas: Path, call: Call, words: list[str]) -> None:
    """A list says proven of rows that it has judged; what fails is told and left out of the figures."""
    assert call.good("atlas", "list", atlas, *words).endswith("1 problem, 1 proven, 0 claimed\n")
    (row,) = json.loads(call.good("atlas", "list", atlas, "--json", *words))
    assert (row["steps"], row["bound"], row["status"]) == (4, 4, "proven")
    forge(atlas, "steps = 3, bound = 3")
    assert call.good("atlas", "list", atlas).endswith("1 problem, 1 claimed\n")
    answer = call("atlas", "list", atlas, *words)
    assert "0 proven, 0 claimed\n" in answer.out
    assert answer.err.count("is dropped") == answer.err.count("\n") == 2


def test_a_judged_table_says_what_is_proven(atlas: Path, call: Call) -> None:
    """`export` writes claims, and with `--judge` what the judge accepts."""
    (row,) = csv.DictReader(io.StringIO(call.good("atlas", "export", atlas, "--judge")))
    assert (row["steps"], row["bound"], row["status"]) == ("4", "4", "proven")
    forge(atlas, "steps = 3")
    (row,) = csv.DictReader(io.StringIO(call("atlas", "export", atlas, "--judge").out))
    assert (row["steps"], row["bound"], row["status"]) == ("", "4", "open")


def test_a_false_row_loses_to_a_valid_schedule(atlas: Path, schedule: Path, tmp_path: Path, call: Call) -> None:
    """What an added schedule is compared with is judged first; a row that fails is replaced, with a note."""
    other = tmp_path / "other.sqlite"
    call.good("atlas", "add", other, schedule)
    for command, added in (("add", schedule), ("merge", other)):
        forge(atlas, "steps = 3, bound = 5")
        answer = call("atlas", command, atlas, added)
        assert answer.code == 0
        assert "a schedule of 3 steps of alltoall (AAS) on octagon is dropped: it has 4 steps" in answer.err
        assert "a bound of 5 steps of alltoall (AAS) on octagon is dropped: it is one of 4 steps" in answer.err
        assert call.good("atlas", "verify", atlas) == f"{atlas}: 1 problem, 1 proven, 0 failures\n"
    forge(atlas, "steps = 3")
    out = call("atlas", "add", atlas, schedule).out
    assert out == f"{schedule}: alltoall (AAS) on octagon (all-port): 4 steps, bound 4, proven\n"


def test_a_row_is_shown(atlas: Path, tmp_path: Path, call: Call) -> None:
    """By its problem, under any name of it, or by its key; -o writes a schedule file that can be verified."""
    out = call.good("atlas", "show", atlas, "spidergon:8", "aas")
    assert "network     spidergon:8: 8 routers" in out
    assert "status      optimal\n" in out
    assert "(solver atlas: " in out
    key = call.good("atlas", "list", atlas).splitlines()[1].split()[-1]
    file = tmp_path / "shown.json"
    assert "network     octagon: " in call.good("atlas", "show", atlas, key, "-o", file)
    assert "verdict     valid, optimal" in call.good("verify", file)
    assert json.loads(call.good("atlas", "show", atlas, key, "--json"))["status"] == "optimal"


def test_nothing_is_known(atlas: Path, call: Call) -> None:
    """Exit 1 and one line."""
    answer = call("atlas", "show", atlas, "octagon", "aab")
    answer.is_one_line(1)
    assert "nothing is known of allgather (AAB)" in answer.err


def test_forged_rows_are_told(atlas: Path, call: Call) -> None:
    """A schedule that fails is dropped with a note, and no more is claimed than is left."""
    forge(atlas, "steps = 3")
    answer = call("atlas", "show", atlas, "octagon", "aas", "--json")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "a schedule of 3 steps of alltoall (AAS) on octagon is dropped: it has 4 steps" in answer.err
    told = json.loads(answer.out)
    assert (told["steps"], told["bound"], told["status"]) == (None, 4, "unknown")


def test_rows_are_verified(atlas: Path, call: Call) -> None:
    """Exit 0 where all hold; exit 1 and a line for each that fails, which `--drop` takes out."""
    assert call.good("atlas", "verify", atlas) == f"{atlas}: 1 problem, 1 proven, 0 failures\n"
    forge(atlas, "bound = 9")
    for words in ([], ["--drop"]):
        answer = call("atlas", "verify", atlas, *words)
        assert (answer.code, answer.out) == (1, f"{atlas}: 1 problem, 0 proven, 1 failure\n")
        assert answer.err.count("\n") == 1
        assert "a bound of 9 steps of alltoall (AAS) on octagon is dropped: it is one of 4 steps" in answer.err
    assert call.good("atlas", "verify", atlas) == f"{atlas}: 1 problem, 0 proven, 0 failures\n"
    forge(atlas, "problem = x'00'")
    assert call("atlas", "verify", atlas, "--drop").code == 1
    assert call.good("atlas", "verify", atlas) == f"{atlas}: 0 problems, 0 proven, 0 failures\n"


def test_atlases_are_merged(atlas: Path, tmp_path: Path, call: Call) -> None:
    """What another knows is judged and taken in, what fails is told and left out."""
    other = tmp_path / "other.sqlite"
    call.good("atlas", "sweep", other, "--network", "ring:4", "--time", "20")
    assert call.good("atlas", "merge", atlas, other).splitlines() == [
        f"{other}: 8 problems taken in",
        f"{atlas}: 9 problems",
    ]
    forge(other, "steps = 1 WHERE collective = 'AAS'")
    fresh = tmp_path / "fresh.sqlite"
    answer = call("atlas", "merge", fresh, other)
    assert answer.code == 0
    assert answer.err.count("is dropped") == answer.err.count("\n") == 2
    assert call.good("atlas", "verify", fresh).endswith("8 problems, 6 proven, 0 failures\n")


def test_tables_are_written(atlas: Path, tmp_path: Path, call: Call) -> None:
    """CSV to stdout or into a file, JSON by its name or by --to."""
    (row,) = csv.DictReader(io.StringIO(call.good("atlas", "export", atlas)))
    assert (row["network"], row["steps"], row["status"]) == ("octagon", "4", "claimed")
    for name, words in (("a.json", []), ("a.txt", ["--to", "json"])):
        assert call.good("atlas", "export", atlas, "-o", tmp_path / name, *words) == ""
        assert json.loads((tmp_path / name).read_text())[0]["steps"] == 4
    assert call.good("atlas", "export", atlas, "-o", "-").startswith("key,")


def test_the_group_explains_itself(call: Call) -> None:
    """Help lists the commands; without one it is shown on stderr, exit 2."""
    for command in ("add", "list", "show", "merge", "export", "verify", "sweep"):
        assert f"\n  {command} " in call.good("atlas", "--help")
        assert call.good("atlas", command, "--help").startswith(f"Usage: pavane atlas {command} [OPTIONS] ")
    answer = call("atlas")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Usage: pavane atlas ")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["add", "shipped", "s.json"], "the atlas of the package is only read"),
        (["merge", "shipped", "{atlas}"], "the atlas of the package is only read"),
        (["verify", "shipped", "--drop"], "the atlas of the package is only read"),
        (["sweep", "shipped", "--list", "cubic", "--time", "1"], "the atlas of the package is only read"),
        (["list", "missing.sqlite"], "there is no such file"),
        (["list", "{schedule}"], "file is not a database"),
        (["add", "{schedule}", "{schedule}"], "file is not a database"),
        (["add", "{atlas}", "missing.json"], "missing.json: cannot be read"),
        (["add", "{folder}", "{schedule}"], "it is a directory"),
        (["add", "no/such/folder/a.sqlite", "{schedule}"], "there is no directory"),
        (["merge", "{atlas}", "{schedule}"], "file is not a database"),
        (["list", "{atlas}", "--status", "known"], "--status 'known' is not known; choose proven or claimed or open"),
        (["list", "{atlas}", "--collective", "aaa"], "unknown collective 'aaa'"),
        (["show", "{atlas}", "abcdef012345"], "no key begins with abcdef012345"),
        (["show", "{atlas}", "abcdef012345", "--ports", "1"], "is a key, which stands for a whole problem"),
        (["show", "{atlas}", "octagon"], "no collective was named"),
        (["show", "{atlas}", "octagon", "aas", "--json", "--print"], "leave one of them out"),
        (["show", "{atlas}", "octagon", "aas", "-o", "x.csv"], "`pavane export` makes .csv of it"),
        (["export", "{atlas}", "--to", "xml"], "--to 'xml' is not known; choose csv or json"),
        (["export", "{atlas}", "-o", "a.csv.gz"], "leave .gz out"),
        (["sweep", "{atlas}", "--time", "1"], "no network was named"),
        (["sweep", "{atlas}", "--network", "ring:4"], "a sweep needs --time or --evaluations"),
        (["sweep", "{atlas}", "--network", "ring:4", "--time", "0"], "time 0.0: expected more than 0 seconds"),
        (["sweep", "{atlas}", "--network", "rong:4", "--time", "1"], "unknown network family 'rong'"),
        (["sweep", "{atlas}", "--network", "{schedule}", "--time", "1"], "is a whole problem, where a sweep takes"),
        (["sweep", "{atlas}", "--list", "all", "--time", "1"], "there is no list 'all'"),
        (["sweep", "{atlas}", "--network", "ring:4", "--time", "1", "--ports", "x"], "--ports 'x' is neither"),
        (["sweep", "{atlas}", "--network", "ring:4", "--time", "1", "--duplex", "x"], "duplex 'x' is not known"),
        (["sweep", "{atlas}", "--network", "ring:4", "--time", "1", "--collective", "x"], "unknown collective 'x'"),
        (["sweep", "{atlas}", "--network", "ring:4", "--time", "1", "--workers", "0"], "workers 0"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], text: str, atlas: Path, schedule: Path, tmp_path: Path, call: Call
) -> None:
    """Exit 2, and one line that says what is wrong."""
    named = {"atlas": atlas, "schedule": schedule, "folder": tmp_path}
    assert call("atlas", *(word.format(**named) for word in words)).is_refusal(text)


def test_damaged_files_claim_nothing(atlas: Path, call: Call) -> None:
    """Whatever bytes of a file are changed or cut off: one line at most, never a traceback, never a better answer."""
    whole, rng = atlas.read_bytes(), random.Random(11)
    for _ in range(40):
        torn = bytearray(whole)
        for _ in range(rng.choice((1, 5, 50, 500))):
            torn[rng.randrange(len(torn))] = rng.randrange(256)
        atlas.write_bytes(torn[: rng.choice((len(torn), rng.randrange(len(torn))))])
        for words in (["atlas", "verify", str(atlas)], ["solve", "octagon", "aas", "--atlas", str(atlas)]):
            answer = call(*words)
            assert answer.code in (0, 1, 2)
            if answer.code == 2:
                answer.is_one_line(2)
            elif words[0] == "solve":
                assert "reached     4 steps\nstatus      optimal\n" in answer.out
        for left in atlas.parent.glob(f"{atlas.name}-*"):
            left.unlink()
