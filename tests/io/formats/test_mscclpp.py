"""Plans of MSCCL++, loaded and run by an interpreter that shares nothing with the writer."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from pavane.model.collectives import allgather, allreduce
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from tests.io.formats.allreduces import ALLREDUCES
from tests.io.formats.gpu_schedules import MACHINES, at_first_fit, star
from tests.io.formats.mscclpp_interpreter import Plan, run_plan
from tests.io.formats.pieced import cut, together
from tests.io.formats.schedules import refused, solved, written
from tests.io.formats.tree_schedules import TREES, random_tree_schedule
from tests.io.formats.watched_memory import FaultError

Ops = list[dict[str, Any]]


def test_many_arrivals_are_added_in_turns() -> None:
    """Eleven arrivals for one block are more than one operation adds, so the rest is added to the sum."""
    plan = json.loads(written("mscclpp", cut("complete:12", "aar")))
    added = [
        [len(op["src_buff"]) for op in gpu["threadblocks"][0]["ops"] if op["name"] == "re"] for gpu in plan["gpus"]
    ]
    assert added == [[9, 4]] * 12


def _without(*names: str) -> Callable[[Ops], Ops]:
    return lambda ops: [op for op in ops if op["name"] not in names]


def _out_of_range(ops: Ops) -> Ops:
    puts = [op["dst_buff"][0] for op in ops if op["name"] == "put"]
    for buffer in puts:
        buffer["index"] += 1000
    return ops


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (_without("signal"), "deadlock"),
        (_without("wait"), "before it is written|reads what|never awaited"),
        (_without("nop"), "before it is written|reads what|both write"),
        (_without("sem_acquire", "sem_release"), "before it is written|reads what|both write"),
        (_out_of_range, "10"),
    ],
)
@pytest.mark.parametrize("kind", ["aab", "aar"])
def test_the_interpreter_finds_what_is_wrong(kind: str, spoil: Callable[[Ops], Ops], fault: str) -> None:
    """Races between and inside thread blocks, deadlocks and offsets out of range are found in spoilt plans."""
    plan = json.loads(written("mscclpp", cut("dgx-1", kind, 6)))
    for block in (block for gpu in plan["gpus"] for block in gpu["threadblocks"]):
        block["ops"] = spoil(block["ops"])
    with pytest.raises(FaultError, match=fault):
        run_plan(json.dumps(plan), kind.upper(), 6)


def test_a_long_plan_is_several_thread_blocks() -> None:
    """What has more than 64 operations or 16 channels goes on in another thread block, behind a semaphore."""
    plan = Plan(written("mscclpp", cut("dgx-1", "aab", 6)))
    assert len(plan.blocks) == 16
    assert all(len(gpu["semaphores"]) == 1 for gpu in plan.gpus)
    for block in plan.blocks:
        names = [op["name"] for op in block.ops]
        assert names[-2:] == ["nop", "sem_release"] if block.index % 2 == 0 else names[:2] == ["sem_acquire", "nop"]
    assert len(Plan(written("mscclpp", MACHINES["more peers than a channel has room for"]())).channels[0]) == 34


def test_neighbouring_pieces_are_put_together() -> None:
    """A message in pieces is as many chunks, and what goes together is one put of that size."""
    plan = json.loads(written("mscclpp", together(solved("ring:4", "aar"), 3)))
    for gpu in plan["gpus"]:
        assert (gpu["input_chunks"], gpu["output_chunks"]) == (12, 3)
        sizes = {op["src_buff"][0]["size"] for op in gpu["threadblocks"][0]["ops"] if op["name"] in ("put", "re")}
        assert sizes == {3}


def test_a_plan_of_too_many_messages_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pieces every message is a put, and too many of them are refused before anything is laid out."""
    assert refused("mscclpp", cut("ring:3", "aab", 300)) == (
        "processor 0 needs 31 thread blocks, and MSCCL++ has room for 17 thread blocks of 64 operations"
    )
    monkeypatch.setattr("pavane.io.formats.mscclpp.MOST_OPERATIONS", 2)
    monkeypatch.setattr("pavane.io.formats.mscclpp.MOST_BLOCKS", 1)
    reason = refused("mscclpp", solved("ring:4", "aab"))
    assert reason.startswith("processor 0 needs 4 operations to send, and MSCCL++ has room for ")


def _dropped(ops: Ops, number: int) -> None:
    del ops[number]


def _doubled(ops: Ops, number: int) -> None:
    ops.insert(number, copy.deepcopy(ops[number]))


def _turned(ops: Ops, number: int) -> None:
    """Turn an addition to a copy of what has arrived last."""
    ops[number] |= {"name": "copy", "src_buff": ops[number]["src_buff"][-1:]}


SUMS = ("allreduce on a ring", "recursive doubling in 2", "reduce-broadcast in 4")
STARS = ("star of 5 aab in 2", "star of 5 aar in 2", "star of 5 allreduce in 2")
MOVES = ("put", "re", "copy", "signal", "wait")


@pytest.mark.parametrize(
    ("name", "spoil", "kinds"),
    [
        *((name, spoil, MOVES) for name in SUMS for spoil in (_dropped, _doubled)),
        *((name, _turned, ("re",)) for name in SUMS),
        *((name, _dropped, ("gstore", "glres", "signal", "wait")) for name in STARS),
        *((name, _doubled, ("signal", "wait")) for name in STARS),
    ],
)
def test_every_operation_matters(name: str, spoil: Callable[[Ops, int], None], kinds: tuple[str, ...]) -> None:
    """A plan with one operation dropped, doubled, or turned from adding to copying, is found out."""
    result = {**ALLREDUCES, **TREES}[name]()
    text = written("mscclpp", result)
    blocks = [tb["ops"] for gpu in json.loads(text)["gpus"] for tb in gpu["threadblocks"]]
    which = [(b, i) for b, ops in enumerate(blocks) for i, op in enumerate(ops) if op["name"] in kinds]
    assert which
    for block, index in which[:: max(1, len(which) // 40)] if name in STARS else which:
        plan = json.loads(text)
        spoil([tb["ops"] for gpu in plan["gpus"] for tb in gpu["threadblocks"]][block], index)
        with pytest.raises(FaultError):
            run_plan(json.dumps(plan), result.problem.collective.kind, result.problem.collective.pieces)


@pytest.mark.parametrize("name", TREES)
def test_trees_go_by_switch_channels(name: str) -> None:
    """Where switches copy and add, a tree is one store or one sum of a switch channel, and outputs are right."""
    result = TREES[name]()
    text = written("mscclpp", result)
    run_plan(text, result.problem.collective.kind, result.problem.collective.pieces)
    assert ('"gstore"' if result.problem.pattern == "broadcast" else '"glres"') in text


@pytest.mark.parametrize(("kind", "count"), [("AAB", 15), ("AAR", 15), ("ALLREDUCE", 90)])
def test_random_trees_go_by_switch_channels(kind: str, count: int) -> None:
    """However trees meet, relay and replace sums, plans have no race and give the right outputs, in place as well."""
    drawn = [result for seed in range(count) if (result := random_tree_schedule(kind, seed)) is not None]
    assert len(drawn) >= 10
    for result in drawn:
        run_plan(written("mscclpp", result), kind, result.problem.collective.pieces)


def test_an_allreduce_through_a_switch_is_one_sum_a_part() -> None:
    """Every GPU adds its part of all inputs into all outputs: one operation, without scratch or copies."""
    plan = json.loads(written("mscclpp", TREES["nvl:8 allreduce in 1"]()))
    assert (plan["collective"], plan["inplace"]) == ("allreduce", True)
    for gpu in plan["gpus"]:
        assert gpu["scratch_chunks"] == 0
        groups = [(c["buffer_type"], c["rank_groups"]) for c in gpu["channels"] if c["channel_type"] == "switch"]
        assert groups == [(buffer, [{"size": 8, "ranks": list(range(8))}]) for buffer in "io"]
        (added,) = [op for tb in gpu["threadblocks"] for op in tb["ops"] if "src_buff" in op]
        assert added["name"] == "glres"
        place = {"index": gpu["id"], "size": 1}
        assert added["src_buff"] == [{"switch_channel_id": 0, **place}]
        assert added["dst_buff"] == [{"switch_channel_id": 1, **place}]


# -- machines, names and sizes


@pytest.mark.parametrize("spec", ["rails:2,2", "dgx-a100:2", "ndv2:2", "ndv2:3", "mi250:2", "dgx-2:2", "dgx-1@2"])
def test_no_memory_leads_to_another_machine(spec: str) -> None:
    """A plan in which GPUs of two machines exchange data is refused, with what can be done instead."""
    made = network(spec)
    problem = Problem(made, "allgather", Rules("store-and-forward", switches="pass"))
    result = Result(problem, SOLVERS["greedy"](problem, None, 0, Budget()).schedule)
    reason = refused("mscclpp", result)
    assert "are in different machines, and memory channels of MSCCL++ do not leave one; export to msccl-xml" in reason
    assert EXPORTS["msccl-xml"].refusal(result) is None


def test_several_machines_may_work_side_by_side() -> None:
    """Pairs inside each machine need no channel between them."""
    made = network("rails:2,2")
    for collectives, is_carried in (([[0, 1], [2, 3]], True), ([[0, 2], [1, 3]], False)):
        problem = Problem(made, tuple(map(allreduce, collectives)), Rules("store-and-forward", switches="pass"))
        result = solve(problem, SearchOptions(evaluations=10))
        assert (EXPORTS["mscclpp"].refusal(result) is None) == is_carried


def test_plans_that_differ_have_different_names() -> None:
    """The executor keeps plans by name: members, pieces and contents count, and the same plan has the same name."""
    names = []
    for groups in ([[0, 1], [2, 3]], [[0, 3], [1, 2]]):
        problem = Problem(network("ring:4"), tuple(map(allgather, groups)), Rules("store-and-forward"))
        result = solve(problem, SearchOptions(evaluations=10))
        (content,) = EXPORTS["mscclpp"].write(result, Options("it")).values()
        names.append(json.loads(content)["name"])
    assert [name.rsplit(" ", 1)[0] for name in names] == ["ring:4 2 collectives (2 AAB) in 1 step"] * 2
    assert names[0] != names[1]
    plain = [json.loads(written("mscclpp", cut("dgx-1", "aab", pieces)))["name"] for pieces in (1, 2, 2)]
    assert plain[0] != plain[1] == plain[2]


@pytest.mark.parametrize(
    "result", [cut("dgx-1", "aar", 6), cut("dgx-1", "aab", 6), at_first_fit(star(5), "aas", 1, Rules())]
)
def test_buffers_stay_below_four_gib(result: Result) -> None:
    """In the largest message for which a plan says it is, no buffer has offsets of more than four bytes."""
    plan = json.loads(written("mscclpp", result))
    chunks = {side: max(gpu[f"{side}_chunks"] for gpu in plan["gpus"]) for side in ("input", "output", "scratch")}
    for side in ("input", "output"):  # a library counts either as the message
        assert max(chunks.values()) * (plan["max_message_size"] // chunks[side]) < 2**32
    assert max(chunks.values()) * plan["max_message_size"] * 2 > 2**32 * min(chunks["input"], chunks["output"])
