"""Programs for eight boxes of eight GPUs with rails, whose switches pass: written, loaded and run without GPUs."""

from __future__ import annotations

import pytest

from tests.io.formats.allreduces import PASSING, in_two_phases, summed
from tests.io.formats.msccl_interpreter import MscclProgram, MscclRun
from tests.io.formats.mscclpp_interpreter import Plan, PlanRun
from tests.io.formats.schedules import written


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "num_blocks"), [("aab", 4), ("aas", 7), ("allreduce", 9)])
def test_programs_for_64_gpus_keep_to_all_limits(kind: str, num_blocks: int) -> None:
    """A GPU talks to seven in its box and seven on its rail: a thread block for each, each way, or a few in a row."""
    result = in_two_phases("rails:8,8", PASSING) if kind == "allreduce" else summed("rails:8,8", kind, rules=PASSING)
    kind = kind.upper()
    program = MscclProgram(written("msccl-xml", result))
    in_place = kind == "ALLREDUCE"
    MscclRun(program, in_place=in_place).run().check_outputs(kind, 64, 1)
    assert max(block.number for block in program.blocks) <= 30
    plan = Plan(written("mscclpp", result))
    PlanRun(plan, in_place=in_place).run().check_outputs(kind, 64, 1)
    assert max(len(gpu["threadblocks"]) for gpu in plan.gpus) <= num_blocks
