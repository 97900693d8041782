"""`python -m papers`."""

import json
from pathlib import Path

import pytest
from papers.tables import TABLES

from tests.ui.cli.calls import Call


def test_the_tables_are_listed(call: Call) -> None:
    """Every table has a line with its paper, its number and its title."""
    lines = call.good("list").splitlines()
    assert len(lines) == 19
    assert any(line.split()[:2] == ["gecco08", "6"] for line in lines)
    assert len(json.loads(call.good("list", "--json"))) == 19


def test_a_table_is_redone(call: Call) -> None:
    """The paper's figure and ours stand side by side, with a mark and the count of marks."""
    out = call.good("gecco08", "4")
    assert "the schedule of AAB as printed, judged" in out
    assert out.rstrip().endswith("2 figures: 2 equal")


def test_several_tables_and_other_forms(call: Call) -> None:
    """Tables come in the order asked for, as Markdown or as JSON."""
    told = json.loads(call.good("gecco08", "4", "1", "--json"))
    assert [table["table"] for table in told] == ["gecco08 4", "gecco08 1"]
    assert {"where", "paper", "ours", "mark"} <= set(told[0]["lines"][0])
    assert "| where | paper | ours | mark |" in call.good("gecco08", "1", "--markdown")


def test_what_cannot_be_names_its_reading(call: Call) -> None:
    """Every such line says how the paper is read, in all forms."""
    (table,) = json.loads(call.good("gecco08", "8", "--json"))
    refuted = [line for line in table["lines"] if line["mark"] == "cannot be as printed"]
    assert len(refuted) == 9
    assert all(line["reading"] for line in refuted)
    assert "a ring of degree 1 is a one-way ring" in call.good("gecco08", "8")


def test_a_success_rate_is_compared_as_a_rate(call: Call) -> None:
    """Too few evaluations for any run: below the paper's 25 %, with counts and an interval."""
    words = ("--method", "umda", "--seeds", "12", "--evaluations", "120", "--workers", "1")
    (table,) = json.loads(call.good("gecco07", "3", *words, "--json"))
    (line,) = [line for line in table["lines"] if line["where"] == "mesh 4x4, all-port, AAS"]
    assert (line["paper"], line["ours"], line["mark"]) == ("16/17 (25 %)", "17 / 0 of 12", "below")
    assert (line["interval"], line["paper's algorithm"]) == ("0-24 %", "MBOA")


def test_the_papers_own_algorithm(call: Call, tmp_path: Path) -> None:
    """With a method and seeds a table has success rates, and a picture of them on demand."""
    file = tmp_path / "success.svg"
    words = ("--method", "umda", "--seeds", "2", "--evaluations", "20000", "--workers", "1", "--plot", str(file))
    told = json.loads(call.good("gecco08", "4", *words, "--json"))
    (line,) = [line for line in told[0]["lines"] if line["where"] == "Kautz 12, AAB"]
    assert (line["success"], line["runs"]) == ("100 %", 2)
    assert file.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["gecco09", "1"], "there is no paper 'gecco09'"),
        (["gecco08", "12"], "gecco08 has no table '12'"),
        (["gecco08", "4", "--seeds", "3"], "name it, for example --method umda"),
        (["gecco08", "4", "--set", "polish=4"], "--set belongs to a method"),
        (["gecco08", "4", "--method", "magic"], "unknown method 'magic'"),
        (["gecco08", "4", "--plot", "x.svg"], "add --method and --seeds"),
        (["gecco08", "4", "--evaluations", "5"], "name it, for example --method umda"),
        (["gecco08", "4", "--method", "auto", "--seeds", "3"], "name it, for example --method umda"),
        (["gecco08", "4", "--method", "greedy", "--evaluations", "5"], "greedy counts nothing"),
        (["gecco08", "4", "--method", "umda", "--seeds", "3", "--seed", "1"], "runs seeds 0 to 2; leave --seed out"),
        (["gecco08", "4", "--json", "--markdown"], "choose one"),
        (["list", "--method", "umda"], "leave out the rest"),
    ],
)
def test_what_cannot_be_is_refused(call: Call, arguments: list[str], text: str) -> None:
    """One line, exit 2."""
    call(*arguments).is_refusal(text)


def test_a_paper_or_all_of_them(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numbers all tables of a paper are redone, and `all` means those of every paper."""
    few = [table for table in TABLES if table.name == "gecco08 4"]
    monkeypatch.setattr("papers.tables.TABLES", few)
    for words in (["all"], ["gecco08"]):
        told = json.loads(call.good(*words, "--json"))
        assert [table["table"] for table in told] == [table.name for table in few]
