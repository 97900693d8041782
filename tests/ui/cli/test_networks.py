"""`pavane networks`: the catalogue, and the figures of any network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.io import read_network
from pavane.networks import FAMILIES, network
from tests.ui.cli.calls import Call


def test_the_catalogue_lists_every_family(call: Call) -> None:
    """A line a family, with an example and its order, degree, diameter and sum of distances."""
    lines = call.good("networks").splitlines()
    assert lines[0].split("  ")[0] == "family"
    assert len(lines) == len(FAMILIES) + 1
    for line, family in zip(lines[1:], FAMILIES.values(), strict=True):
        assert line.startswith(f"{family.usage}  ")
        assert line.endswith(family.about)
    kautz = next(line for line in lines if line.startswith("kautz"))
    assert kautz.split()[:7] == ["kautz:D,K", "kautz:3,2", "12", "12", "3", "2", "228"]
    machine = next(line for line in lines if line.startswith("dgx-h100"))
    assert machine.split()[6:9] == ["704", "copy", "N"]


def test_the_catalogue_as_json(call: Call) -> None:
    """`--json` has the same figures."""
    rows = json.loads(call.good("networks", "--json"))
    assert [row["family"] for row in rows] == list(FAMILIES)
    for row in rows:
        made = network(row["example"])
        assert row["routers"] == made.num_routers
        assert row["processors"] == made.num_processors
        assert row["channels"] == made.num_channels
        assert row["diameter"] == made.diameter
        assert row["sum_of_distances"] == made.sum_of_distances
    known = {row["family"]: row["switches"] for row in rows if row["switches"]}
    assert known == {"dgx-2": "pass", "dgx-a100": "pass", "dgx-h100": "copy", "nvl": "copy", "rails": "copy"}


def test_any_network_is_described(call: Call, tmp_path: Path) -> None:
    """Families with parameters and files alike, and several at once."""
    (tmp_path / "pair.txt").write_text("0 1\n0 1\n")
    rows = json.loads(call.good("networks", "petersen", "pair.txt", "ring:4*2", "--json"))
    assert [row["name"] for row in rows] == ["petersen", "pair", "ring:4*2"]
    assert rows[0] == {
        "name": "petersen",
        "routers": 10,
        "processors": 10,
        "channels": 30,
        "degree": "3",
        "diameter": 2,
        "sum_of_distances": 150,
        "bisection_channels": 10,
        "bisection_is": "exact",
        "connectivity": 3,
    }
    assert (rows[1]["degree"], rows[1]["connectivity"]) == ("2", 2)
    assert rows[2]["processors"] == 8
    lines = call.good("networks", "petersen").splitlines()
    assert "sum of distances   150" in lines
    assert len(lines) == len(rows[0])


def test_a_machine_is_described_with_its_switches(call: Call) -> None:
    """Where it is known whether switches copy, `networks` and `show` say so."""
    assert "switches           pass" in call.good("networks", "dgx-2").splitlines()
    assert call.good("show", "dgx-h100:2").startswith("dgx-h100:2: 26 routers, 64 channels, switches copy\n")
    assert json.loads(call.good("show", "nvl:4", "--json"))["switches"] == "copy"
    assert "switches" not in json.loads(call.good("show", "kary-tree:2,2", "--json"))


def test_a_network_in_pieces_has_no_diameter(call: Call, tmp_path: Path) -> None:
    """What is not defined is null."""
    (tmp_path / "pieces.txt").write_text("0 1\n2 3\n")
    (row,) = json.loads(call.good("networks", "pieces.txt", "--json"))
    assert (row["diameter"], row["sum_of_distances"], row["connectivity"]) == (None, None, 0)


def test_capacities_are_counted(call: Call, tmp_path: Path) -> None:
    """How many channels carry how much, where they do not all carry one."""
    (tmp_path / "fast.txt").write_text("0 1 x12\n1 2\n2 > 0 x3\n")
    assert "capacities         1 (2), 3 (1), 12 (2)" in call.good("networks", "fast.txt").splitlines()
    (row,) = json.loads(call.good("networks", "fast.txt", "--json"))
    assert row["capacities"] == {"1": 2, "3": 1, "12": 2}
    assert row["degree"] == "1-15"


def test_machines_of_a_file_are_joined(call: Call, tmp_path: Path) -> None:
    """`--nodes N` joins N networks of a file, and is refused in one line where it says nothing."""
    path = tmp_path / "ring.edges"
    path.write_text("0 1\n1 2\n2 0\n")
    (row,) = json.loads(call.good("networks", str(path), "--nodes", "4", "--json"))
    assert (row["name"], row["routers"], row["processors"]) == ("ring@4", 15, 12)
    assert call("networks", path, "--nodes", "1").is_refusal("--nodes 1 joins no machines; give 2 or more")
    assert call("networks", "ring:8", "--nodes", "2").is_refusal("ring:8 is of the catalogue; write ring:8@2")
    assert call("networks", "--nodes", "2").is_refusal("--nodes 2 goes with a file, and none was named")


def test_a_network_of_the_catalogue_is_written_to_a_file(call: Call, tmp_path: Path) -> None:
    """The file reads as the same network, and every command takes it; `-o -` writes it to stdout."""
    out = call.good("networks", "octagon", "-o", "octagon.json")
    assert out.endswith("\nfile               octagon.json\n")
    written, made = read_network(tmp_path / "octagon.json"), network("octagon")
    assert (written.channels == made.channels).all()
    assert (written.name, written.routers) == (made.name, made.routers)
    assert call.good("networks", "octagon.json") + "file               octagon.json\n" == out
    answer = call("networks", "ring:4", "-o", "-")
    assert answer.code == 0
    assert json.loads(answer.out)["format"] == "pavane/network/1"
    assert answer.err.startswith("name  ")


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (["--from", "metis"], ("--from metis goes with a file, and none was named",)),
        (["-o", "n.json"], ("writes one network, and none was named",)),
        (["ring:4", "ring:5", "-o", "n.json"], ("writes one network, and 2 were named",)),
        (["ring:4", "-o", "n.svg"], ("n.svg: a network file is JSON", "`pavane show` draws")),
        (["ring:4", "-o", "-", "--json"], ("-o - and --json both write to stdout",)),
        (["ring:4", "-o", "no/such/n.json"], ("no/such/n.json",)),
        (["ring.json"], ("expected a network, got a whole problem",)),
    ],
)
def test_bad_usage_is_refused(arguments: list[str], texts: tuple[str, ...], call: Call, solved: Path) -> None:
    """Bad usage is told before anything is written."""
    assert solved.name == "ring.json"
    assert call("networks", *arguments).is_refusal(*texts)
