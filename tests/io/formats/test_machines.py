"""Programs for boxes of eight GPUs with rails, whose switches pass: written, loaded and run without GPUs."""

from __future__ import annotations

import pytest

from tests.io.formats.allreduces import PASSING, in_two_phases, summed
from tests.io.formats.msccl_interpreter import MscclProgram, MscclRun
from tests.io.formats.mscclpp_interpreter import Plan, PlanRun
from tests.io.formats.schedules import written


@pytest.mark.slow
@pytest.mark.parametrize(("boxes", "kind", "num_blocks"), [(8, "aab", 4), (4, "aas", 4), (4, "allreduce", 5)])
def test_programs_for_boxes_of_gpus_keep_to_all_limits(boxes: int, kind: str, num_blocks: int) -> None:
    """A GPU talks to seven in its box and to all on its rail: a thread block for each, each way, or a few in a row."""
    spec, count = f"rails:{boxes},8", 8 * boxes
    result = in_two_phases(spec, PASSING) if kind == "allreduce" else summed(spec, kind, rules=PASSING)
    kind = kind.upper()
    program = MscclProgram(written("msccl-xml", result))
    in_place = kind == "ALLREDUCE"
    MscclRun(program, in_place=in_place).run().check_outputs(kind, count, 1)
    assert max(block.number for block in program.blocks) <= 30
    plan = Plan(written("mscclpp", result))
    PlanRun(plan, in_place=in_place).run().check_outputs(kind, count, 1)
    assert max(len(gpu["threadblocks"]) for gpu in plan.gpus) <= num_blocks
