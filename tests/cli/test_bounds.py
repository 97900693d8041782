"""`pavane bounds`: lower bounds with their arguments."""

from __future__ import annotations

import json
from pathlib import Path

from pavane.bounds import lower_bounds
from pavane.formats import write_problem
from pavane.judge.certificates import proven_steps
from pavane.model.bound import Bound
from pavane.model.collectives import alltoall, broadcast
from pavane.model.problem import Problem, Rules
from pavane.networks import network, ring
from tests.cli.calls import Call


def test_every_bound_with_its_argument_in_words(call: Call) -> None:
    """The problem comes first, then a line for each argument, the highest bound first."""
    lines = call.good("bounds", "kautz:3,2", "aas").splitlines()
    assert lines[0].startswith("network     kautz:3,2")
    assert lines[1].startswith("collective  AAS")
    assert lines[2].startswith("rules       wormhole")
    figures = [int(line.split()[0]) for line in lines[3:]]
    assert figures == sorted(figures, reverse=True)
    assert figures[0] == 7
    assert lines[3].split(maxsplit=5)[:5] == ["7", "steps", "router", "19", "messages"]


def test_the_bounds_as_json(call: Call) -> None:
    """`--json` has figures, arguments, words, and certificates that anyone can check."""
    problem = Problem(network("octagon"), alltoall(network("octagon")))
    found = json.loads(call.good("bounds", "octagon", "aas", "--json"))
    assert (found["network"], found["collective"]) == ("octagon", "AAS")
    assert [row["steps"] for row in found["bounds"]] == [bound.steps for bound in lower_bounds(problem)]
    assert "channel-prices" in {row["argument"] for row in found["bounds"]}
    for row in found["bounds"]:
        assert set(row) == {"steps", "argument", "text", "certificate"}
        assert proven_steps(problem, Bound(row["steps"], row["argument"], row["certificate"])) >= row["steps"]


def test_bounds_follow_the_options(call: Call) -> None:
    """Ports, switching, members and faults change the problem, as they do for solve."""
    one_port = json.loads(call.good("bounds", "ring:8", "oas", "--ports", "1", "--root", "3", "--json"))
    assert one_port["bounds"][0]["steps"] == 7
    for spec, fault, steps in (("line:8", [], 7), ("ring:8", [], 4), ("ring:8", ["--fault", "0-1"], 7)):
        out = call.good("bounds", spec, "oab", "--switching", "store-and-forward", *fault, "--json")
        assert json.loads(out)["bounds"][0]["steps"] == steps


def test_a_problem_file_stands_for_both_arguments(call: Call, tmp_path: Path) -> None:
    """A problem file brings network, collective and rules."""
    problem = Problem(ring(8), broadcast(ring(8)), Rules(ports=1))
    write_problem(tmp_path / "p.json", problem)
    found = json.loads(call.good("bounds", "p.json", "--json"))
    assert found["bounds"][0]["steps"] == 3


def test_combining_bounds_the_occupancy_as_well(call: Call) -> None:
    """With --combining there are bounds on start-ups and on TCO, each with its argument."""
    found = json.loads(call.good("bounds", "mesh:4x4", "aas", "--ports", "1", "--combining", "--json"))
    assert found["bounds"][0]["steps"] == 4
    assert found["occupancy"][0]["tco"] == 16
    out = call.good("bounds", "mesh:4x4", "aas", "--ports", "1", "--combining")
    assert "16 TCO" in out
    assert "TCO" not in call.good("bounds", "mesh:4x4", "aas", "--ports", "1")


def test_of_two_bounds_by_one_argument_the_higher_is_told(call: Call) -> None:
    """On a star a leaf with few targets may need more start-ups than the hub with many: its growth is the bound."""
    told = call.good("bounds", "star:5", "pairs", "--pairs", "0>1,0>2,0>3,1>2,1>3", "--combining", "--json")
    bounds = {row["argument"]: row for row in json.loads(told)["bounds"]}
    assert (bounds["growth"]["steps"], bounds["growth"]["certificate"]["origin"]) == (2, 1)


def test_a_time_limit_ends_the_proofs(call: Call) -> None:
    """At the limit what is proven so far is printed, and a note says which arguments were not tried."""
    done = call("bounds", "heawood", "aas", "--time", "1e-9", "--json")
    assert done.code == 0
    assert {bound["argument"] for bound in json.loads(done.out)["bounds"]} == {"injection", "ejection", "router"}
    assert "no time was left to try sum-of-distances, " in done.err
    assert "--time" in done.err
    whole = call.good("bounds", "heawood", "aas", "--time", "1000", "--json")
    assert json.loads(whole) == json.loads(call.good("bounds", "heawood", "aas", "--json"))
    assert call("bounds", "heawood", "aas", "--time", "0").is_refusal("give more than 0 seconds")
