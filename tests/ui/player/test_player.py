"""The page that plays a schedule."""

from __future__ import annotations

import base64
import json
import re
from fractions import Fraction

import numpy as np
import pytest

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.ui.player import contents_of, embedded, player_page
from pavane.ui.player.contents import _chosen
from tests.allreduces import CUBE, DOUBLING, OVERLAP, OVERLAPPING, hops
from tests.problems import problem_of
from tests.slot_tables import ONE_TO_TWO, ZERO_TO_ONE, two_packets

WIDE = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)], capacities=[4, 4, 1, 1, 2, 2])


def told(page: str) -> dict[str, object]:
    """Return what a page holds, as the browser reads it."""
    found = re.search(r'<script type="application/json" id="contents">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    read: dict[str, object] = json.loads(found[1])
    return read


def test_the_page_needs_no_network() -> None:
    """The page is one file: no address, no import of another file, and a policy that forbids both."""
    page = player_page(solve(problem_of("octagon", "AAS")))
    assert not re.search(r"https?://|@import|<link|<img|\bsrc=", page)
    assert not re.search(r"^\s*import\b", page, re.MULTILINE)
    assert "default-src 'none'" in page


def test_the_page_holds_the_whole_schedule() -> None:
    """Every transfer is in the page with its step, ends, path and messages, and the proof in words."""
    result = solve(problem_of("kautz:2,2", "AAS"))
    schedule = result.schedule
    assert schedule is not None
    read = told(player_page(result))
    transfers = read["transfers"]
    assert isinstance(transfers, list)
    assert [tuple(t[:3]) for t in transfers] == [(t.start, t.sender, t.receiver) for t in schedule]
    assert [tuple(t[3]) for t in transfers] == [t.path for t in schedule]
    assert [t[4] for t in transfers] == [t.messages[0] for t in schedule]
    assert read["proof"][0] == "Proven optimal: no schedule has fewer steps."  # type: ignore[index]


def test_hostile_names_stay_text() -> None:
    """Names from a file cannot end the script element, start another, or become markup in the title."""
    bad = "</script><img src=x onerror=alert(1)>"
    made = Network(bad, [bad, "b&<!--"], [(0, 1), (1, 0)], [0, 1])
    page = player_page(solve(Problem(made, named("AAS", made))))
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert "<!--" not in page
    assert told(page)["routers"] == [bad, "b&<!--"]


def test_embedded_json_reads_back() -> None:
    """What is embedded is the same value again, and holds no character that HTML would take for its own."""
    value = {"a<b>&": ["</script>", "\u2028", 'quote " and \\']}
    text = embedded(value)
    assert json.loads(text) == value
    assert not set("<>&") & set(text)


@pytest.mark.parametrize("made", [network("kautz:2,2"), WIDE], ids=lambda made: made.name)
def test_large_schedules_are_summarised(made: Network) -> None:
    """Above the limit the page has, instead of transfers, a bit per channel and step, or with capacities a byte."""
    result = solve(Problem(made, named("AAS", made, pieces=4 if made is WIDE else 1)))
    schedule = result.schedule
    assert schedule is not None
    read = contents_of(result, most_transfers=3)
    assert "transfers" not in read
    assert sum(read["perStep"]) == len(schedule)
    key = "loads" if made is WIDE else "busy"
    assert {"loads", "busy"} & read.keys() == {key}
    rows = np.frombuffer(base64.b64decode(read[key]), dtype=np.uint8).reshape(schedule.num_steps, -1)
    loads = rows if made is WIDE else np.unpackbits(rows, axis=1, bitorder="little")[:, : made.num_channels]
    expected = np.zeros_like(loads)
    for transfer in schedule:
        for channel in transfer.path:
            expected[transfer.start, channel] += 1
    assert np.array_equal(loads, expected)
    assert (loads.max() > 1) == (made is WIDE)


def test_summaries_list_the_first_origins() -> None:
    """A summary has all transfers of the first origins that fit, with messages counted from 0; of others nothing."""
    result = solve(problem_of("kautz:2,2", "AAS"))
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    chosen = _chosen(problem, schedule, most=12)["chosen"]
    assert {label[0] for label in chosen["labels"]} == {0, 1}
    expected = [t for t in schedule if problem.ends[t.messages[0]][0] in (0, 1)]
    assert [(*t[:3], tuple(t[3])) for t in chosen["transfers"]] == [
        (t.start, t.sender, t.receiver, t.path) for t in expected
    ]
    assert [chosen["labels"][t[4]] for t in chosen["transfers"]] == [
        problem.labels[t.messages[0]].tolist() for t in expected
    ]
    assert _chosen(problem, schedule, most=3) == {}
    combined = solve(problem_of("ring:4", "AAS", ports=1, combining=True))
    assert combined.schedule is not None
    assert (combined.schedule.payloads > 1).any()
    assert _chosen(combined.problem, combined.schedule) == {}


def test_packets_move_through_slots() -> None:
    """Under tdm the page knows the delays of packets, whether slots wrap, and in a summary which slots are busy."""
    table = two_packets(12, late=4, router_delay=2, link_delay=1, packet_slots=2)
    read = contents_of(table)
    assert read["slots"] == {"hop": 3, "router": 2, "busy": 2, "wraps": True}
    assert read["title"] == "PAIRS on ring:4 in 12 slots"
    assert "slots" not in contents_of(solve(problem_of("ring:4", "AAS")))
    rows = np.frombuffer(base64.b64decode(contents_of(table, most_transfers=1)["busy"]), dtype=np.uint8)
    busy = np.unpackbits(rows[:, None], axis=1, bitorder="little")
    assert np.argwhere(busy).tolist() == [
        *([slot, ZERO_TO_ONE] for slot in (4, 5, 7, 8)),
        *([slot, ONE_TO_TWO] for slot in (10, 11)),
    ]


def test_the_proof_under_combining_names_both_figures() -> None:
    """Start-ups and TCO are proven apart, each with its bound; without bounds neither is."""
    problem = problem_of("ring:4", "AAS", ports=1, combining=True)
    result = solve(problem, num_steps=2, method="combining")
    read = contents_of(result)
    assert (read["status"], read["statusText"]) == ("optimal", "optimal in start-ups and TCO (certificate)")
    assert [sentence.partition(",")[0] for sentence in read["proof"]] == [
        "Proven: no schedule has fewer start-ups.",
        "Proven: no schedule of as many start-ups has less TCO.",
        "Bound: 2 steps",
        "Bound: TCO 4",
    ]
    with pytest.raises(ValueError, match="schedule"):
        contents_of(Result(problem, None))
    bare = contents_of(Result(result.problem, result.schedule))
    assert bare["proof"] == ["Start-ups: not proven optimal.", "TCO: not proven optimal."]
    assert bare["isMadeClaimed"] is False


def test_pieces_and_capacities_are_told() -> None:
    """A label ends with the piece's number; message times and capacities stand beside; whole messages tell neither."""
    result = solve(Problem(WIDE, in_pieces(named("AAS", WIDE), 3, [(0, 1, 2)])))
    read = contents_of(result)
    assert read["labels"] == result.problem.labels.tolist()
    assert (read["hasPieces"], read["numWhole"], read["numMessages"], read["pieces"]) == (True, 6, 21, 3)
    assert read["messageTimes"] == str(Fraction(read["numSteps"], 3))
    assert read["title"] == f"alltoall (AAS) on wide in {read['numSteps']} steps ({read['messageTimes']} message times)"
    assert read["capacities"] == [4, 4, 1, 1, 2, 2]
    assert (
        not {"hasPieces", "numWhole", "pieces", "messageTimes", "capacities"}
        & contents_of(solve(problem_of("ring:4", "AAS"))).keys()
    )


def test_sums_of_an_allreduce_are_told() -> None:
    """Of each sum that is carried: whether it is added, and how many contributions the receiver has then."""
    read = contents_of(Result(OVERLAP, hops(OVERLAP, OVERLAPPING)))
    transfers, added, heard = read["transfers"], read["added"], read["heard"]
    assert read["numMembers"] == 3
    assert [bool(flag) for flag in added] == [to == 1 for _, _, to, _, _ in transfers]
    assert heard == [3] * len(transfers)
    assert read["proof"][-1] == "Phases: reduction of 3 steps, broadcast of 3; they share 2 steps."
    doubled = contents_of(Result(CUBE, hops(CUBE, DOUBLING)))
    assert doubled["heard"] == [2] * 4 + [4] * 4
    assert doubled["added"] == [1] * 8
    assert not {"added", "heard", "numMembers"} & contents_of(solve(problem_of("ring:4", "AAR"))).keys()
    assert "added" not in contents_of(Result(OVERLAP, hops(OVERLAP, OVERLAPPING)), most_transfers=3)
