"""Schedule files: written as the contract says, read as they were written, refused where they are not so."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.bounds import counted_bounds, lower_bounds
from pavane.errors import InputError, InvalidSchedule
from pavane.io import Claim, parse_schedule, read_problem, read_schedule, schedule_bytes, write_schedule
from pavane.judge.result import Provenance, Result
from pavane.model.collectives import allgather, alltoall, broadcast, in_pieces
from pavane.model.links import Links
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from pavane.solvers.timed.retiming import retime_trees
from tests.io.formats.schedules import exchange
from tests.io.schema import JOINT_SCHEDULE_FILE, check, replay
from tests.joint_checker import packed_greedily
from tests.strategies import Case, cases
from tests.timed_cases import timed_cases, tree_cases

RING = Network("ring:4", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)])


def solved(problem: Problem, seed: int = 0) -> Result:
    """Return what first fit answers, with bounds."""
    found = SOLVERS["greedy"](problem, None, seed, Budget())
    return Result(problem, found.schedule, counted_bounds(problem), Provenance("greedy", seed, 0.125, "1.2.3"))


def written(result: Result, path: Path) -> dict[str, Any]:
    """Write a result and return the file as the json module reads it."""
    write_schedule(path, result)
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


# -- round trips


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_order_and_layout_say_nothing(tmp_path: Path) -> None:
    """A file is JSON: transfers, what they carry and keys in any order, indentation and a byte order mark are equal."""
    path = tmp_path / "s.json"
    content = written(exchange(), path)  # two messages in each transfer
    before = read_schedule(path)
    assert before.schedule == exchange().schedule
    for step in content["steps"]:
        step.reverse()
        for transfer in step:
            transfer["carries"].reverse()
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


def refused(path: Path, content: object, text: str) -> None:
    """Write a file and expect that it is refused with a text that starts with its path."""
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match=re.escape(text)) as caught:
        read_schedule(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("version", ["pavane/schedule/2", "pavane/schedule/1.0", "pavane/network/1", "", 1, None])
def test_another_format_is_refused(version: object, valid: dict[str, Any], tmp_path: Path) -> None:
    """The format is versioned, and the text says which one was expected."""
    said = "says no format" if version is None else f"says format '{version}'"
    refused(
        tmp_path / "s.json",
        {**valid, "format": version},
        f"this file {said}, where a schedule file (pavane/schedule/1) was expected; `pavane.write_schedule` writes one",
    )


MISSING = "not what was expected there: object missing required field"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda file: file["steps"][0][0]["carries"][0].pop(), "carries messages as [origin, target, piece], found"),
        (lambda file: file["problem"]["network"]["capacities"].pop(), "capacities are one number per channel, 8 in"),
        (lambda file: file["bounds"][0].update(exact="7:6"), "`exact` is '7:6', where a fraction was expected"),
        (lambda file: file["bounds"][0].update(exact="1/0"), "`exact` is '1/0', where a fraction was expected"),
        (lambda file: file["bounds"][0].update(exact=1.5), "expected `str | null`, got `float`"),
        (lambda file: file["bounds"][0].pop("argument"), "missing required field `argument`"),
        (lambda file: file.pop("problem"), "missing required field `problem`"),
        (lambda file: file.pop("steps"), "a schedule without `bytes` has `steps`"),
        (lambda file: file.update(steps={}), "expected `array | null`, got `object` - at `$.steps`"),
        (lambda file: file.update(steps=[{}]), "step 1: not what was expected there: expected `array`, got `object`"),
        (lambda file: file["provenance"].update(seed="x"), "expected `int`, got `str` - at `$.provenance.seed`"),
        (lambda file: file["problem"]["rules"].update(ports=0), "ports 0: a processor needs at least one port"),
        *(
            (lambda file, key=key: file["steps"][1][0].pop(key), f"step 2: {MISSING} `{key}`")
            for key in ("from", "to", "route", "carries")
        ),
        # No object takes a key that the contract does not have.
        (lambda file: file.update(colour="red"), "unknown field `colour`"),
        *(
            (lambda file, part=part: file["problem"][part].update(colour="red"), "unknown field `colour`")
            for part in ("network", "collective", "rules")
        ),
        (lambda file: file["problem"].update(colour="red"), "unknown field `colour`"),
        (lambda file: file["bounds"][0].update(colour="red"), "unknown field `colour`"),
        (lambda file: file["provenance"].update(colour="red"), "unknown field `colour`"),
        *(
            (lambda file, changes=changes: file["steps"][0][1].update(changes), text)
            for changes, text in (
                ({"colour": "red"}, "unknown field `colour`"),
                ({"from": -1}, "step 1: there is no processor -1; processors count from 0"),
                ({"from": "5"}, "step 1: '5' is neither a processor, like 5, nor a pure switch, like r5"),
                ({"to": "r²"}, "step 1: 'r²' is neither a processor"),
                ({"to": "r99999999999"}, "is neither a processor"),
                ({"to": "r4294967296"}, "step 1: a number is too large to be a processor or a channel"),
                ({"to": 1.5}, "step 1: not what was expected there: expected `int | str`, got `float`"),
                ({"to": 10**30}, "step 1: a number is too large to be a processor or a channel"),
                ({"route": [2**31]}, "step 1: a number is too large to be a processor or a channel"),
                ({"route": ["0"]}, "expected `int`, got `str`"),
                ({"carries": [[10**30, 0, 0]]}, "step 1: a number is too large"),
                ({"carries": [[0, 1]]}, "step 1: AAS carries messages as [origin, target, piece], found [0, 1]"),
            )
        ),
    ],
)
def test_what_is_no_schedule_is_refused(
    change: Callable[[dict[str, Any]], Any], text: str, cut: dict[str, Any], tmp_path: Path
) -> None:
    """The line names the file and what was expected."""
    spoiled = copy.deepcopy(cut)
    change(spoiled)
    refused(tmp_path / "s.json", spoiled, text)


@pytest.mark.parametrize(("kind", "name"), [("broadcast", "OAB"), ("allreduce", "ALLREDUCE")])
def test_labels_of_the_wrong_sort_are_refused(kind: str, name: str, tmp_path: Path) -> None:
    """A broadcast carries [origin] and an allreduce [part], not [origin, target]."""
    content = written(solved(Problem(RING, kind, Rules("store-and-forward"))), tmp_path / "s.json")
    content["steps"][0][0]["carries"] = [[0, 1]]
    refused(tmp_path / "s.json", content, f"step 1: {name} carries messages as one processor, found [0, 1]")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda file: file["problem"]["collective"].pop("pieces"), "unknown-message"),
        *(
            (lambda file, changes=changes: file["steps"][0][1].update(changes), "")
            for changes in ({"carries": [[0, 99, 0]]}, {"to": 99}, {"to": "r2147483646"}, {"to": "r0"}, {"route": [-1]})
        ),
    ],
)
def test_what_a_transfer_claims_is_left_to_the_judge(
    change: Callable[[dict[str, Any]], Any], rule: str, cut: dict[str, Any], tmp_path: Path
) -> None:
    """Numbers that mean nothing in the problem are read, and judged."""
    spoiled = copy.deepcopy(cut)
    change(spoiled)
    (tmp_path / "s.json").write_text(json.dumps(spoiled))
    claim = read_schedule(tmp_path / "s.json")
    with pytest.raises(InvalidSchedule, match=f"the schedule breaks a rule .*{rule}"):
        claim.result()


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda text: text[: len(text) // 2], "truncated"),
        (lambda text: text + "]", "trailing characters"),
        (lambda text: text.replace("0.125", "NaN"), "malformed"),
        (lambda text: text.replace('"route": [', '"route": [NaN,', 1), "malformed"),
        (lambda text: text.replace('"steps": [', '"steps": [' + "[" * 100_000, 1), "nested too deeply"),
        (lambda text: text.replace('"certificate": {', '"certificate": {"a":' + "[" * 100_000, 1), "too deeply"),
        (lambda text: "[]", "this file is not a JSON object, where a schedule file (pavane/schedule/1) was expected"),
        (lambda text: "7", "line 1: '7' is neither a step"),
        (lambda text: '{"nodes": [], "edges": []}', "says no format, where a schedule file"),
    ],
)
def test_broken_and_foreign_json_is_refused(
    spoil: Callable[[str], str], text: str, valid: dict[str, Any], tmp_path: Path
) -> None:
    """JSON that is cut off, malformed, too deep or about something else gets one line."""
    refused(tmp_path / "s.json", spoil(json.dumps(valid)), text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans(), st.data())
def test_spoiled_values_give_a_claim_or_an_error_for_the_user(
    tmp_path: Path, valid: dict[str, Any], cut: dict[str, Any], in_pieces: bool, data: st.DataObject
) -> None:
    """Whatever value stands in place of another, nothing comes of it but a claim that can be judged, or InputError."""
    spoiled: Any = copy.deepcopy(cut if in_pieces else valid)
    numbers = [-1, 0, 1, 3, 4, 99, 2**31 - 1, 2**31, 2**63, 10**30, -(10**30), 0.5, 1e300]
    strange: st.SearchStrategy[object] = st.sampled_from([*numbers, True, None, "", "r0", "all", [], {}, [[]]])
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


# -- several collectives at once


RING_OF_6 = network("ring:6")
SEVERAL = Problem(
    RING_OF_6, (alltoall([0, 1, 2]), in_pieces(allgather([3, 4]), 2), broadcast(RING_OF_6)), Rules(ports=1)
)


@pytest.fixture(scope="module")
def several() -> Result:
    """Return a result of several collectives."""
    return Result(SEVERAL, packed_greedily(SEVERAL), lower_bounds(SEVERAL))


def test_carries_begin_with_the_number_of_the_collective(several: Result, tmp_path: Path) -> None:
    """A private message has origin and target after it, a broadcast its origin; what is read is what was written."""
    content = written(several, tmp_path / "s.json")
    check(content, JOINT_SCHEDULE_FILE)
    labels = [label for step in content["steps"] for row in step for label in row["carries"]]
    assert {(label[0], len(label)) for label in labels} == {(0, 3), (1, 3), (2, 2)}
    claim = read_schedule(tmp_path / "s.json")
    assert (claim.problem, claim.schedule) == (SEVERAL, several.schedule)
    assert claim.result().known_bounds == several.bounds


@pytest.mark.parametrize("changes", [{"collective": {"kind": "AAS"}}, {"collectives": None}])
def test_a_problem_has_one_collective_or_a_list(changes: dict[str, object], several: Result, tmp_path: Path) -> None:
    """A file that has both, or neither, is refused."""
    content = written(several, tmp_path / "s.json")
    content["problem"] |= changes
    refused(tmp_path / "s.json", content, "a problem has `collective`, or of several `collectives`")


@pytest.mark.parametrize("carries", [[[5, 0, 1]], [[]], [], [[0, 0, 1], [1, 3, 0]]])
def test_labels_of_no_collective_are_refused(carries: list[list[int]], several: Result, tmp_path: Path) -> None:
    """A transfer carries messages of one collective, which has a number."""
    content = written(several, tmp_path / "s.json")
    content["steps"][0][0]["carries"] = carries
    refused(tmp_path / "s.json", content, "step 1: a transfer carries messages of one collective")


# -- start times


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return a valid file with start times."""
    ring = network("ring:4")
    links = Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
    problem = Problem(ring, "aab", Rules(switching="store-and-forward"), links=links, num_bytes=1_000_000)
    return written(solve(problem), tmp_path_factory.mktemp("timed") / "s.json")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda c: c.update(finish=1), "ends at 81,400,000 ps"),
        (lambda c: c.pop("finish"), "a schedule with `bytes` has `transfers` and `finish`"),
        (lambda c: c.update(steps=[]), "a schedule with `bytes` has `transfers` and `finish`"),
        (lambda c: c["problem"].pop("bytes"), "a schedule without `bytes` has `steps`"),
        (lambda c: c["transfers"][0].update(start=-5), "outside-period"),
        (lambda c: c["transfers"].pop(), "never-delivered"),
        (lambda c: c["transfers"][0].update(route=[99]), "broken-path"),
        (lambda c: c["transfers"][0].update(route=[2**40]), "too large"),
        (lambda c: c["transfers"][0].update(inputs=[99]), "no such transfers"),
        (lambda c: c["transfers"][0].update(carries=[[0], [1]]), "one message"),
        (lambda c: c["transfers"][0].update(colour="red"), "unknown field"),
        (lambda c: c["problem"].update(bytes=0), "bytes"),
        (lambda c: c["problem"]["network"].update(latency_ps=[1]), "latency_ps"),
        (lambda c: c["problem"]["network"].update(bytes_per_second=[0] * 8), "channel 0 has `bytes_per_second` 0"),
        (lambda c: c["problem"]["network"].pop("bytes_per_second"), "no bandwidths"),
    ],
)
def test_spoiled_start_times_are_refused(
    change: Callable[[dict[str, Any]], Any], text: str, timed: dict[str, Any], tmp_path: Path
) -> None:
    """Nothing is accepted that the judge refuses."""
    content = copy.deepcopy(timed)
    change(content)
    (tmp_path / "s.json").write_text(json.dumps(content))
    with pytest.raises((InputError, InvalidSchedule), match=text) as error:
        read_schedule(tmp_path / "s.json").result()
    assert "\n" not in str(error.value)


@given(timed_cases(has_trees=True))
def test_what_is_written_is_read_again(drawn: tuple[Problem, Case]) -> None:
    """A file has the same transfers, starts and inputs, where switches copy, too."""
    problem, case = drawn
    result = Result(problem, retime_trees(problem, case.schedule))
    read = parse_schedule(schedule_bytes(result), "it")
    assert list(read.schedule) == list(result.schedule or ())
    assert read.result().finish == result.finish
