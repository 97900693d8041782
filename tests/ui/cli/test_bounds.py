"""`pavane bounds`: lower bounds with their arguments."""

from __future__ import annotations

import json

import pytest

from pavane.bounds import lower_bounds
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from tests.ui.cli.calls import Call

WORMHOLE = ("--switching", "wormhole")


def test_every_bound_with_its_argument_in_words(call: Call) -> None:
    """The problem comes first, then a line for each argument, the highest bound first."""
    lines = call.good("bounds", "kautz:3,2", "aas").splitlines()
    assert lines[0].startswith("network     kautz:3,2")
    assert lines[1].startswith("collective  alltoall (AAS)")
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
    assert [row["steps"] for row in found["bounds"]] == [bound.figure for bound in lower_bounds(problem)]
    assert "channel-prices" in {row["argument"] for row in found["bounds"]}
    for row in found["bounds"]:
        assert set(row) == {"steps", "argument", "text", "certificate"}
        assert proven(problem, Bound(row["steps"], row["argument"], row["certificate"])) >= row["steps"]


def test_bounds_follow_the_options(call: Call) -> None:
    """Ports, switching, members and faults change the problem, as they do for solve."""
    one_port = json.loads(call.good("bounds", "ring:8", "oas", "--ports", "1", "--root", "3", "--json"))
    assert one_port["bounds"][0]["steps"] == 7
    for spec, steps in (("line:8", 7), ("ring:8", 4), ("ring:8 less 0-1", 7)):
        out = call.good("bounds", spec, "oab", "--switching", "store-and-forward", "--json")
        assert json.loads(out)["bounds"][0]["steps"] == steps


def test_combining_bounds_the_occupancy_as_well(call: Call) -> None:
    """With --combining there are bounds on start-ups and on TCO, each with its argument."""
    found = json.loads(call.good("bounds", "mesh:4x4", "aas", "--ports", "1", "--combining", "--json"))
    assert found["bounds"][0]["steps"] == 4
    assert next(bound["tco"] for bound in found["bounds"] if "tco" in bound) == 16
    out = call.good("bounds", "mesh:4x4", "aas", "--ports", "1", "--combining")
    assert "16 TCO" in out
    assert "TCO" not in call.good("bounds", "mesh:4x4", "aas", "--ports", "1")


def test_a_time_limit_ends_the_proofs(call: Call) -> None:
    """At the limit what is proven so far is printed, and a note says which arguments were not tried."""
    done = call("bounds", "heawood", "aas", "--time", "1e-9", "--json")
    assert done.code == 0
    assert {bound["argument"] for bound in json.loads(done.out)["bounds"]} == {"injection", "ejection", "router"}
    assert "no time was left to try sum-of-distances, " in done.err
    assert "--time" in done.err
    whole = call.good("bounds", "heawood", "aas", "--time", "1000", "--json")
    assert json.loads(whole) == json.loads(call.good("bounds", "heawood", "aas", "--json"))
    assert call("bounds", "heawood", "aas", "--time", "0").is_refusal("--time must be more than 0 seconds, got 0")


def test_bounds_with_pieces_say_for_which_number_they_hold(call: Call) -> None:
    """The fractional bound comes first; what scales says its message times, what does not that it is about K pieces."""
    lines = call.good("bounds", "dgx-1", "aab", *WORMHOLE, "--pieces", "6").splitlines()
    assert lines[1].endswith(": 8 messages in 48 pieces")
    assert lines[3].startswith("fractional  7/6 message times with any number of pieces (ejection): ")
    assert lines[4].endswith("6 a step (any pieces: 7/6 message times)")
    assert next(line for line in lines if " growth " in line).endswith(" can know (6 pieces only)")
    whole = call.good("bounds", "dgx-1", "aab", *WORMHOLE, "--pieces", "1").splitlines()
    assert whole[3] == lines[3]
    assert whole[4].endswith("(any pieces: 7/6 message times)")


def test_bounds_with_pieces_as_json(call: Call) -> None:
    """Exact figures and message times stand beside the steps, fractions as text."""
    found = json.loads(call.good("bounds", "dgx-1", "aab", *WORMHOLE, "--pieces", "3", "--json"))
    assert (found["pieces"], found["fractional"]) == (3, "7/6")
    assert found["fractional_bound"]["argument"] == "ejection"
    exact = {row["argument"]: (row["steps"], row["exact"], row["message_times"]) for row in found["bounds"]}
    assert exact["ejection"] == (4, "7/2", "7/6")
    assert exact["growth"] == (2, None, None)


def test_bounds_for_several_numbers_of_pieces(call: Call) -> None:
    """A row for each, with steps and message times."""
    lines = call.good("bounds", "dgx-1", "aab", *WORMHOLE, "--pieces", "6,1").splitlines()
    assert lines[4].split() == ["pieces", "steps", "message", "times", "argument", "why"]
    assert [line.split()[:4] for line in lines[5:]] == [["1", "2", "2", "ejection"], ["6", "7", "7/6", "ejection"]]
    found = json.loads(call.good("bounds", "dgx-1", "aab", *WORMHOLE, "--pieces", "auto", "--json"))
    assert [row["pieces"] for row in found["pieces"]] == [1, 2, 3, 6, 12]
    assert [row["bounds"][0]["message_times"] for row in found["pieces"]] == ["7/6"] * 5


def test_bounds_with_pieces_under_combining(call: Call) -> None:
    """It is the TCO that pieces bring down; start-ups hold for their number of pieces."""
    args = ("dgx-1", "aab", "--pieces", "6", "--combining", "--switching", "store-and-forward")
    assert "fractional  a TCO of 7/6 message times with any number of pieces" in call.good("bounds", *args)


def test_what_there_was_no_time_for_is_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A TCO that nothing bounds yet costs a note; a fractional bound that was not found is null."""
    late = call("bounds", "ring:4", "aas", "--combining", "--time", "1e-9", "--json")
    assert "no time was left to bound the TCO; a longer --time may prove more" in late.err
    assert all("tco" not in bound for bound in json.loads(late.out)["bounds"])
    monkeypatch.setattr("pavane.bounds.fractional.fractional_bound", lambda *_: None)
    told = json.loads(call.good("bounds", "ring:4", "aas", "--pieces", "1,2", "--json"))
    assert (told["fractional"], told["fractional_bound"]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("torus:128x128", "aas"), "262,144 steps  translated-distances"),
        (("mesh:256x256", "aas", "--switching", "store-and-forward"), "4,194,304 steps  counted-cut"),
        (("rails:1250,8", "aas", "--switching", "store-and-forward", "--switches", "pass"), "9,992 steps  counted-cut"),
        (("kary-tree:22,3", "aas", "--ports", "1"), "10,647 steps  injection"),
    ],
)
def test_bounds_of_what_is_too_large_to_list(call: Call, arguments: tuple[str, ...], line: str) -> None:
    """The highest bound of a problem of billions of messages is that of its table."""
    first = next(line for line in call.good("bounds", *arguments).splitlines() if " steps  " in line)
    assert first.strip().startswith(line)


def test_bounds_of_what_no_argument_counts(call: Call) -> None:
    """Where the messages are too many to list and no argument counts them, one line says so."""
    answer = call("bounds", "mesh:256x256", "aas", "--combining")
    assert answer.is_refusal("50,000,000")
