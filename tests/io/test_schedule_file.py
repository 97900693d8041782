"""Schedule files: written as the contract says, read as they were written, refused where they are not so."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.bounds import counted_bounds
from pavane.errors import InputError, InvalidSchedule
from pavane.io import Claim, read_problem, read_schedule, write_schedule
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.collectives import (
    allreduce,
    alltoall,
    broadcast,
    gather,
    in_pieces,
    named,
    reduce,
    reduce_broadcast,
    reduce_scatter,
)
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, Switching
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import ring
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from tests.io.schema import replay
from tests.strategies import Case, cases
from tests.timed_cases import tree_cases

RING = Network("ring:4", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)])
# Two processors on router 0, one on each of routers 1 and 3, none on router 2; two channels 0>1.
ODD = Network("odd", 4, [(0, 1), (0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)], [0, 0, 1, 3])


def solved(problem: Problem, seed: int = 0) -> Result:
    """Return what first fit answers, with bounds."""
    found = SOLVERS["greedy"](problem, None, seed, Budget())
    return Result(problem, found.schedule, counted_bounds(problem), Provenance("greedy", seed, 0.125, "1.2.3"))


def written(result: Result, path: Path) -> dict[str, Any]:
    """Write a result and return the file as the json module reads it."""
    write_schedule(path, result)
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


def of_kind(kind: str, network: Network) -> Collective:
    """Return a collective of a kind over all processors, or the first few."""
    if kind == "PAIRS":
        return named(kind, network, pairs=[(0, 2), (2, 0), (3, 1)])
    if kind in ("MNB", "MNS"):
        return named(kind, network, senders=[0, 3], receivers=[1, 2, 3])
    return named(kind, network)


# -- round trips


@pytest.mark.parametrize("kind", PATTERN_OF)
@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("network", [RING, ODD], ids=lambda network: network.name)
def test_what_first_fit_finds_is_read_as_it_was_written(
    kind: str, switching: Switching, network: Network, tmp_path: Path
) -> None:
    """Every kind under all ports and rules survives a file, and the file can be replayed by its contract alone."""
    path = tmp_path / "s.json"
    ports: Literal["all"] | int
    for ports in ("all", 1, 2):
        for duplex, combining in (("full", False), ("half", True)):
            rules = Rules(switching, ports, "full" if duplex == "full" else "half", "minimal", combining)
            result = solved(Problem(network, of_kind(kind, network), rules))
            write_schedule(path, result)
            content = replay(path)
            assert content["problem"] == result.problem.to_dict()
            claim = read_schedule(path)
            assert claim == Claim(result.problem, claim.schedule, result.bounds, result.provenance)
            assert claim.schedule == result.schedule
            assert claim.result().amended(bounds=claim.bounds, claims=()) == result
            assert claim.result().known_bounds == result.bounds


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(cases() | tree_cases())
def test_every_valid_schedule_is_read_as_it_was_written(tmp_path: Path, case: Case) -> None:
    """Detours, relays, pure switches and shared transfers survive a file, too."""
    path = tmp_path / "s.json"
    write_schedule(path, Result(case.problem, case.schedule))
    replay(path)
    claim = read_schedule(path)
    assert claim.problem == case.problem
    assert claim.schedule == case.schedule
    assert read_problem(path) == case.problem


def test_the_order_in_a_file_says_nothing(tmp_path: Path) -> None:
    """Transfers of a step, and messages of a transfer, may be listed in any order."""
    path = tmp_path / "s.json"
    problem = Problem(RING, alltoall(RING), Rules("store-and-forward", combining=True))
    content = written(solved(problem), path)
    before = read_schedule(path)
    for step in content["steps"]:
        step.reverse()
        for transfer in step:
            transfer["carries"].reverse()
    path.write_text(json.dumps(content))
    assert read_schedule(path).schedule == before.schedule


def test_keys_may_stand_in_any_order_and_layout(tmp_path: Path) -> None:
    """A file is JSON: sorted keys, indentation and a byte order mark change nothing."""
    path = tmp_path / "s.json"
    content = written(solved(Problem(RING, alltoall(RING))), path)
    before = read_schedule(path)
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(content, indent=3, sort_keys=True).replace("\n", "\r\n").encode())
    assert read_schedule(path) == before


def test_bounds_and_provenance_may_be_left_out(tmp_path: Path) -> None:
    """A schedule written by hand needs neither."""
    path = tmp_path / "s.json"
    content = written(solved(Problem(RING, alltoall(RING))), path)
    del content["bounds"], content["provenance"]
    path.write_text(json.dumps(content))
    claim = read_schedule(path)
    assert claim.bounds == ()
    assert claim.provenance.solver == "unknown"
    assert claim.result().status == "feasible"


def test_a_result_without_a_schedule_is_not_written(tmp_path: Path) -> None:
    """There is no file without a schedule, not even an empty one."""
    with pytest.raises(InputError, match="there is no schedule to write"):
        write_schedule(tmp_path / "s.json", Result(Problem(RING, alltoall(RING)), None))
    assert list(tmp_path.iterdir()) == []


def test_large_schedules_are_written_step_by_step(tmp_path: Path) -> None:
    """A schedule of many transfers comes back whole."""
    network = ring(40)
    result = solved(Problem(network, alltoall(network)))
    write_schedule(tmp_path / "s.json", result)
    assert read_schedule(tmp_path / "s.json").schedule == result.schedule


# -- the contract, by hand


def test_the_example_of_the_contract(tmp_path: Path) -> None:
    """`channels`, `route`, `from`, `to` and `carries` are what the contract says, on two routers."""
    pair = Network("pair", 2, [(0, 1), (1, 0)])
    schedule = Schedule.from_transfers([Transfer(0, 0, 1, (0,), (0,)), Transfer(0, 1, 0, (1,), (1,))])
    result = Result(Problem(pair, alltoall(pair)), schedule, (), Provenance("hand", 7, 0.5, "9"))
    assert written(result, tmp_path / "s.json") == {
        "format": "pavane/schedule/1",
        "problem": {
            "network": {"name": "pair", "routers": ["0", "1"], "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
            "collective": {"kind": "AAS", "senders": [0, 1], "receivers": [0, 1]},
            "rules": {
                "switching": "wormhole",
                "ports": "all",
                "duplex": "full",
                "routing": "minimal",
                "combining": False,
            },
        },
        "steps": [
            [
                {"from": 0, "to": 1, "route": [0], "carries": [[0, 1]]},
                {"from": 1, "to": 0, "route": [1], "carries": [[1, 0]]},
            ]
        ],
        "bounds": [],
        "provenance": {"solver": "hand", "seed": 7, "seconds": 0.5, "version": "9"},
    }


def test_pure_switches_are_written_with_an_r(tmp_path: Path) -> None:
    """Under store-and-forward a message rests on pure switch 1 as "r1"."""
    line = Network("line", 3, [(0, 1), (1, 2)], [0, 2])
    problem = Problem(line, Collective("PAIRS", pairs=((0, 1),)), Rules("store-and-forward"))
    schedule = Schedule.from_transfers([Transfer(0, 0, ~1, (0,), (0,)), Transfer(1, ~1, 1, (1,), (0,))])
    content = written(Result(problem, schedule), tmp_path / "s.json")
    assert content["problem"]["collective"] == {"kind": "PAIRS", "pairs": [[0, 1]]}
    assert content["steps"] == [
        [{"from": 0, "to": "r1", "route": [0], "carries": [[0, 1]]}],
        [{"from": "r1", "to": 1, "route": [1], "carries": [[0, 1]]}],
    ]
    assert read_schedule(tmp_path / "s.json").schedule == schedule


def test_the_route_between_processors_of_one_router_is_empty(tmp_path: Path) -> None:
    """A fat router needs no channel inside."""
    fat = Network("fat", 2, [(0, 1), (1, 0)], [0, 0, 1])
    problem = Problem(fat, Collective("PAIRS", pairs=((1, 0),)))
    schedule = Schedule.from_transfers([Transfer(0, 1, 0, (), (0,))])
    content = written(Result(problem, schedule), tmp_path / "s.json")
    assert content["steps"] == [[{"from": 1, "to": 0, "route": [], "carries": [[1, 0]]}]]


LINE = Network("line:3", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])


@pytest.mark.parametrize(
    ("collective", "carried"),
    [
        # From the data's point of view: 1 > 0 carries what 1 has, then what 2 has.
        (gather(LINE), [[1, 0], [2, 0]]),
        # Partial results for processor 0.
        (reduce(LINE), [[0]]),
        (reduce_scatter(LINE), [[0], [1], [2]]),
        (broadcast(LINE, 1), [[1]]),
        # Sums of parts, which have names of processors.
        (allreduce(LINE), [[0], [1], [2]]),
        (reduce_broadcast(LINE, 2), [[2]]),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_what_is_carried_is_written_from_the_view_of_the_data(
    collective: Collective, carried: list[list[int]], tmp_path: Path
) -> None:
    """Gather writes [origin, target], reductions [target], broadcasts [origin], an allreduce [part]."""
    content = written(solved(Problem(LINE, collective, Rules("store-and-forward"))), tmp_path / "s.json")
    labels = [label for step in content["steps"] for transfer in step for label in transfer["carries"]]
    assert sorted(map(list, {tuple(label) for label in labels})) == carried


def test_a_gather_flows_towards_its_root(tmp_path: Path) -> None:
    """AOG on a line: the far message goes over the near processor, and both carry their own origin."""
    problem = Problem(LINE, gather(LINE), Rules("store-and-forward"))
    content = written(solved(problem), tmp_path / "s.json")
    moves = [(t["from"], t["to"], t["carries"]) for step in content["steps"] for t in step]
    assert sorted(moves) == [(1, 0, [[1, 0]]), (1, 0, [[2, 0]]), (2, 1, [[2, 0]])]


def test_a_reduction_flows_towards_its_root(tmp_path: Path) -> None:
    """AOR on a line: the far processor's contribution joins the near one's on its way."""
    problem = Problem(LINE, reduce(LINE), Rules("store-and-forward"))
    content = written(solved(problem), tmp_path / "s.json")
    assert [[(t["from"], t["to"], t["carries"]) for t in step] for step in content["steps"]] == [
        [(2, 1, [[0]])],
        [(1, 0, [[0]])],
    ]


# -- refusals


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return a valid schedule file."""
    return written(solved(Problem(RING, alltoall(RING))), tmp_path_factory.mktemp("valid") / "s.json")


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return a valid schedule file with pieces, sizes and capacities."""
    fast = Network("fast", 4, RING.channels, capacities=[2, 2, 1, 1, 3, 1, 1, 1])
    problem = Problem(fast, Collective("AAS", (0, 1, 2, 3), (0, 1, 2, 3), pieces=2, sizes=((0, 1, 3), (2, 3, 0))))
    return written(solved(problem), tmp_path_factory.mktemp("cut") / "s.json")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda file: file["steps"][0][0]["carries"][0].pop(), "carries messages as [origin, target, piece], found"),
        (
            lambda file: file["steps"][0][0]["carries"][0].append(0),
            "carries messages as [origin, target, piece], found",
        ),
        (
            lambda file: file["problem"]["network"]["capacities"].pop(),
            "capacities are one number per channel, 8 in all",
        ),
        (lambda file: file["bounds"][0].update(exact="7:6"), "`exact` is '7:6', where a fraction was expected"),
        (lambda file: file["bounds"][0].update(exact=1.5), "expected `str | null`, got `float`"),
        (lambda file: file["bounds"][0].update(exact="1/0"), "`exact` is '1/0', where a fraction was expected"),
    ],
)
def test_wrong_pieces_and_capacities_are_refused(
    change: Callable[[dict[str, Any]], Any], text: str, cut: dict[str, Any], tmp_path: Path
) -> None:
    """The line names the file and what was expected."""
    spoiled = copy.deepcopy(cut)
    change(spoiled)
    refused(tmp_path / "s.json", spoiled, text)


def test_pieces_that_the_problem_does_not_have_are_judged(cut: dict[str, Any], tmp_path: Path) -> None:
    """With fewer pieces a schedule is still one, of messages that are not known."""
    spoiled = copy.deepcopy(cut)
    del spoiled["problem"]["collective"]["pieces"]
    (tmp_path / "s.json").write_text(json.dumps(spoiled))
    claim = read_schedule(tmp_path / "s.json")
    assert "unknown-message" in {violation.rule for violation in verify(claim.problem, claim.schedule)}


def refused(path: Path, content: object, text: str) -> None:
    """Write a file and expect that it is refused with a text that starts with its path."""
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match=re.escape(text)) as caught:
        read_schedule(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


PLACES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "the file": lambda file: file,
    "problem": lambda file: file["problem"],
    "network": lambda file: file["problem"]["network"],
    "collective": lambda file: file["problem"]["collective"],
    "rules": lambda file: file["problem"]["rules"],
    "a transfer": lambda file: file["steps"][1][2],
    "a bound": lambda file: file["bounds"][1],
    "provenance": lambda file: file["provenance"],
}


@pytest.mark.parametrize("place", PLACES)
def test_unknown_keys_are_refused_at_every_level(place: str, valid: dict[str, Any], tmp_path: Path) -> None:
    """No object of a schedule file takes a key that the contract does not have."""
    spoiled = copy.deepcopy(valid)
    PLACES[place](spoiled)["colour"] = "red"
    refused(tmp_path / "s.json", spoiled, "unknown field `colour`")


@pytest.mark.parametrize("key", ["from", "to", "route", "carries"])
def test_a_transfer_must_say_everything(key: str, valid: dict[str, Any], tmp_path: Path) -> None:
    """What is missing is named, with the step."""
    spoiled = copy.deepcopy(valid)
    del spoiled["steps"][1][0][key]
    refused(
        tmp_path / "s.json",
        spoiled,
        f"s.json, step 2: not what was expected there: object missing required field `{key}`",
    )


@pytest.mark.parametrize("key", ["problem", "steps"])
def test_a_schedule_file_must_have_problem_and_steps(key: str, valid: dict[str, Any], tmp_path: Path) -> None:
    """What is missing is named."""
    refused(tmp_path / "s.json", {k: v for k, v in valid.items() if k != key}, f"missing required field `{key}`")


@pytest.mark.parametrize("version", ["pavane/schedule/2", "pavane/schedule/1.0", "pavane/network/1", "", 1, None])
def test_another_format_is_refused(version: object, valid: dict[str, Any], tmp_path: Path) -> None:
    """The format is versioned, and the text says which one was expected."""
    said = "says no format" if version is None else f"says format '{version}'"
    refused(
        tmp_path / "s.json",
        {**valid, "format": version},
        f"this file {said}, where a schedule file (pavane/schedule/1) was expected; `pavane.write_schedule` writes one",
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"from": -1}, "step 1: there is no processor -1; processors count from 0"),
        ({"from": "5"}, "step 1: '5' is neither a processor, like 5, nor a pure switch, like r5"),
        ({"to": "r"}, "step 1: 'r' is neither a processor"),
        ({"to": "r-1"}, "step 1: 'r-1' is neither a processor"),
        ({"to": "r²"}, "step 1: 'r²' is neither a processor"),
        ({"to": "r99999999999"}, "is neither a processor"),
        ({"to": "r4294967296"}, "step 1: a number is too large to be a processor or a channel"),
        ({"to": 1.5}, "step 1: not what was expected there: expected `int | str | array`, got `float`"),
        ({"to": None}, "expected `int | str | array`, got `null`"),
        ({"to": 10**30}, "step 1: a number is too large to be a processor or a channel"),
        ({"route": [2**31]}, "step 1: a number is too large to be a processor or a channel"),
        ({"route": ["0"]}, "expected `int`, got `str`"),
        ({"route": 0}, "expected `array`, got `int`"),
        ({"carries": [[10**30, 0]]}, "step 1: a number is too large"),
        ({"carries": [[0]]}, "step 1: AAS carries messages as [origin, target], found [0]"),
        ({"carries": [[0, 1, 2]]}, "step 1: AAS carries messages as [origin, target], found [0, 1, 2]"),
        ({"carries": [0, 1]}, "expected `array`, got `int`"),
    ],
    ids=str,
)
def test_what_is_no_transfer_is_refused(
    changes: dict[str, Any], text: str, valid: dict[str, Any], tmp_path: Path
) -> None:
    """The text names the step."""
    spoiled = copy.deepcopy(valid)
    spoiled["steps"][0][1].update(changes)
    refused(tmp_path / "s.json", spoiled, text)


def test_labels_of_the_wrong_sort_are_refused(tmp_path: Path) -> None:
    """A broadcast carries [origin], not [origin, target]."""
    content = written(solved(Problem(RING, broadcast(RING))), tmp_path / "s.json")
    content["steps"][0][0]["carries"] = [[0, 1]]
    refused(tmp_path / "s.json", content, "step 1: OAB carries messages as one processor, found [0, 1]")


@pytest.fixture
def sums(tmp_path: Path) -> dict[str, Any]:
    """Return the file of an allreduce of three processors in two parts."""
    members = Collective("ALLREDUCE", (0, 1, 2), (0, 2))
    return written(solved(Problem(LINE, members, Rules("store-and-forward"))), tmp_path / "s.json")


def test_an_allreduce_says_members_and_parts(sums: dict[str, Any], tmp_path: Path) -> None:
    """Senders contribute and get the sums; receivers name parts; a piece stands behind its part."""
    assert sums["problem"]["collective"] == {"kind": "ALLREDUCE", "senders": [0, 1, 2], "receivers": [0, 2]}
    result = read_schedule(tmp_path / "s.json").result()
    assert written(result, tmp_path / "again.json") == sums
    cut = in_pieces(named("allreduce", LINE), 2, [(1, 2), (0, 0)])
    content = written(solved(Problem(LINE, cut, Rules("store-and-forward"))), tmp_path / "cut.json")
    assert content["problem"]["collective"]["sizes"] == [[0, 0], [1, 2]]
    carried = {tuple(t["carries"][0]) for step in content["steps"] for t in step}
    assert carried == {(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1)}
    assert read_schedule(tmp_path / "cut.json").result().problem.collective == cut


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"senders": [0, 1]}, "a part is named after processor 2, which is not among the senders"),
        ({"receivers": []}, "has nothing to send; name at least two senders and a part"),
        ({"senders": [0], "receivers": [0]}, "has nothing to send; name at least two senders and a part"),
        ({"receivers": [0, 0]}, "ALLREDUCE: receiver 0 is listed twice"),
        ({"senders": [0, 1, 2, 9]}, "sender 9 is out of range"),
        ({"sizes": [[1, 2]]}, "a size is given for message 1, which it does not have"),
        ({"sizes": [[0, 2, 3]]}, "a size is (part, units), as whole numbers"),
        ({"sizes": [[0, 0], [2, 0]]}, "of a message whose size is not 0"),
        ({"pairs": [[0, 1]]}, "pairs belong to PAIRS"),
    ],
    ids=str,
)
def test_wrong_allreduces_are_refused(changes: dict[str, Any], text: str, sums: dict[str, Any], tmp_path: Path) -> None:
    """A part of somebody who contributes nothing, sizes of parts that are not there, no part at all."""
    sums["problem"]["collective"].update(changes)
    refused(tmp_path / "s.json", sums, text)


@pytest.mark.parametrize("label", [[1], [99], [-1]], ids=str)
def test_sums_of_unknown_parts_are_judged(label: list[int], sums: dict[str, Any], tmp_path: Path) -> None:
    """A number that names no part is read, and is no message; a label of two numbers is refused."""
    sums["steps"][0][0]["carries"] = [label]
    (tmp_path / "s.json").write_text(json.dumps(sums))
    with pytest.raises(InvalidSchedule, match="unknown-message"):
        read_schedule(tmp_path / "s.json").result()
    sums["steps"][0][0]["carries"] = [[0, 1]]
    refused(tmp_path / "s.json", sums, "ALLREDUCE carries messages as one processor, found [0, 1]")


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"carries": [[0, 99]]}, "message"),
        ({"carries": [[0, 0]]}, "message"),
        ({"to": 99}, ""),
        ({"to": "r2147483646"}, ""),
        ({"to": "r0"}, ""),
        ({"route": [99]}, ""),
        ({"route": [-1]}, ""),
    ],
    ids=str,
)
def test_what_a_transfer_claims_is_left_to_the_judge(
    changes: dict[str, Any], rule: str, valid: dict[str, Any], tmp_path: Path
) -> None:
    """Numbers that mean nothing in the problem are read, and judged."""
    spoiled = copy.deepcopy(valid)
    spoiled["steps"][0][1].update(changes)
    (tmp_path / "s.json").write_text(json.dumps(spoiled))
    claim = read_schedule(tmp_path / "s.json")
    with pytest.raises(InvalidSchedule, match=f"the schedule breaks a rule .*{rule}"):
        claim.result()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"steps": {}}, "expected `array`, got `object` - at `$.steps`"),
        ({"steps": [{}]}, "step 1: not what was expected there: expected `array`, got `object`"),
        ({"bounds": [{"steps": "2", "argument": "x"}]}, "expected `int`, got `str`"),
        ({"bounds": [{"steps": 2}]}, "missing required field `argument`"),
        ({"provenance": {"seed": "x"}}, "expected `int`, got `str` - at `$.provenance.seed`"),
    ],
    ids=str,
)
def test_other_parts_of_the_wrong_type_are_refused(
    changes: dict[str, Any], text: str, valid: dict[str, Any], tmp_path: Path
) -> None:
    """The text says where in the file."""
    refused(tmp_path / "s.json", {**valid, **changes}, text)


def test_the_problem_of_a_schedule_is_checked(valid: dict[str, Any], tmp_path: Path) -> None:
    """A schedule of an impossible problem is bad input, not an invalid schedule."""
    spoiled = copy.deepcopy(valid)
    spoiled["problem"]["collective"]["senders"] = [0, 17]
    refused(tmp_path / "s.json", spoiled, "AAS: sender 17 is out of range; ring:4 has processors 0 to 3")


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda text: text[: len(text) // 2], "truncated"),
        (lambda text: text[:-1], "truncated"),
        (lambda text: text + "]", "trailing characters"),
        (lambda text: text.replace("0.125", "NaN"), "malformed"),
        (lambda text: text.replace("0.125", "-Infinity"), "malformed"),
        (lambda text: text.replace('"route": [', '"route": [NaN,', 1), "malformed"),
        (lambda text: text.replace('"steps": [', '"steps": [' + "[" * 100_000, 1), "nested too deeply"),
        (lambda text: text.replace('"certificate": {', '"certificate": {"a":' + "[" * 100_000, 1), "too deeply"),
        (lambda text: "[]", "this file is not a JSON object, where a schedule file (pavane/schedule/1) was expected"),
        (lambda text: "7", "line 1: '7' is neither a step"),
        (lambda text: "hello", "line 1: 'hello' is neither a step"),
        (lambda text: "{}", "says no format, where a schedule file (pavane/schedule/1) was expected"),
        (lambda text: '{"nodes": [], "edges": []}', "says no format, where a schedule file"),
    ],
)
def test_broken_and_foreign_json_is_refused(
    spoil: Callable[[str], str], text: str, valid: dict[str, Any], tmp_path: Path
) -> None:
    """JSON that is cut off, malformed, too deep or about something else gets one line."""
    refused(tmp_path / "s.json", spoil(json.dumps(valid)), text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_spoiled_bytes_give_a_claim_or_an_error_for_the_user(
    tmp_path: Path, valid: dict[str, Any], data: st.DataObject
) -> None:
    """Whatever happens to the bytes of a file, nothing comes of it but a claim that can be judged, or InputError."""
    small = {**valid, "bounds": valid["bounds"][:1]}
    text = bytearray(json.dumps(small).encode())
    tokens = [
        b"-",
        b"9" * 30,
        b"1e5",
        b"0.5",
        b"[",
        b"]",
        b"{",
        b"}",
        b'"',
        b",",
        b"null",
        b"true",
        b"\xff",
        b"\0",
        b"r1",
    ]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 6)))
        text[start:stop] = data.draw(st.one_of(st.sampled_from(tokens), st.binary(max_size=3)))
    path = tmp_path / "s.json"
    path.write_bytes(text)
    with contextlib.suppress(InputError, InvalidSchedule):
        claim = read_schedule(path)
        assert isinstance(claim, Claim)
        claim.result()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans(), st.data())
def test_spoiled_values_give_a_claim_or_an_error_for_the_user(
    tmp_path: Path, valid: dict[str, Any], cut: dict[str, Any], in_pieces: bool, data: st.DataObject
) -> None:
    """Whatever value stands in place of another, nothing comes of it but a claim that can be judged, or InputError."""
    spoiled: Any = copy.deepcopy(cut if in_pieces else valid)
    strange: st.SearchStrategy[object] = st.sampled_from(
        [
            -1,
            0,
            1,
            3,
            4,
            99,
            2**31 - 1,
            2**31,
            2**63,
            10**30,
            -(10**30),
            0.5,
            1e300,
            True,
            None,
            "",
            "r0",
            "all",
            [],
            {},
            [[]],
        ]
    )
    for _ in range(data.draw(st.integers(1, 2))):
        place, key = spoiled, data.draw(st.sampled_from(["problem", "steps", "bounds", "provenance"]))
        while isinstance(place[key], (dict, list)) and place[key] and data.draw(st.integers(0, 9)):
            place = place[key]
            key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        place[key] = data.draw(strange)
    path = tmp_path / "s.json"
    path.write_text(json.dumps(spoiled))
    with contextlib.suppress(InputError, InvalidSchedule):
        claim = read_schedule(path)
        assert isinstance(claim, Claim)
        claim.result()
