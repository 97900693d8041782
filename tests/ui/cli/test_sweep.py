"""`pavane atlas sweep`: many problems, kept as they are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.atlas.sweeps import Sweep
from tests.ui.cli.calls import Call


def test_every_product_is_searched_for(tmp_path: Path, call: Call) -> None:
    """Networks, collectives and rules are multiplied; a second time nothing is left to do."""
    atlas = tmp_path / "atlas.sqlite"
    words = ["atlas", "sweep", str(atlas), "--network", "ring:4", "--network", "octagon", "--collective", "aas"]
    words += ["--collective", "oab", "--ports", "1", "--ports", "2", "--switching", "store-and-forward", "--time", "20"]
    out = call.good(*words)
    assert out.splitlines()[0].startswith("problems    8, ")
    assert out.splitlines()[1].startswith("searched    8, of which more is known now of 8")
    again = json.loads(call.good(*words, "--json"))
    assert (again["problems"], again["searched"], again["failures"]) == (8, 0, 0)
    listed = json.loads(call.good("atlas", "list", atlas, "--json"))
    assert {row["rules"].split(", ")[0] for row in listed} == {"store-and-forward"}
    assert {row["rules"].split(", ")[1] for row in listed} == {"1-port", "2-port"}


def test_what_cannot_be_carried_out_is_told(tmp_path: Path, call: Call) -> None:
    """A rule that does not fit a network costs a note, not the sweep."""
    atlas = tmp_path / "atlas.sqlite"
    words = ["--network", "octagon", "--network", "mesh:2x2", "--routing", "west-first", "--collective", "aas"]
    answer = call("atlas", "sweep", atlas, *words, "--evaluations", "100")
    assert answer.code == 0
    assert answer.err.count("\n") == 2
    assert "west-first routing is for meshes and tori" in answer.err
    assert answer.out.startswith("problems    2, ")


def test_lists_have_names(tmp_path: Path, call: Call) -> None:
    """`--list` takes networks by the name of their list, several lists and networks besides."""
    words = ["--list", "papers", "--collective", "oas", "--ports", "1", "--network", "line:3", "--evaluations", "1"]
    made = json.loads(call.good("atlas", "sweep", tmp_path / "atlas.sqlite", *words, "--json"))
    assert made["problems"] > 20
    assert made["proven"] > 20


def test_what_went_wrong_is_told(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for every failure, and one for an end before the time; exit 1."""
    made = Sweep(2, 1, 1, 1, ("AAS on ring:4: the worker was lost",), interrupted=True)
    monkeypatch.setattr("pavane.atlas.sweeps.sweep", lambda *_, **__: made)
    answer = call("atlas", "sweep", tmp_path / "atlas.sqlite", "--network", "ring:4", "--time", "1")
    assert answer.code == 1
    assert answer.err == (
        "pavane: note: AAS on ring:4: the worker was lost\n"
        "pavane: note: interrupted: finished problems are stored, and the same command resumes\n"
    )
    assert answer.out.endswith("failures    1 problem\n")
