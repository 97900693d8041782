"""What is written for SCCL and MSCCL is read back, and the judge accepts it."""

from __future__ import annotations

import pytest

from pavane.io import parse_schedule
from pavane.io.exports import EXPORTS, Options
from pavane.judge.rules import verify
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from tests.io.formats.pieced import PIECED, pieced


def read_back(name: str, case: str) -> tuple[Problem, Schedule]:
    """Return what a format's file says when it is read as anybody's."""
    (data,) = EXPORTS[name].write(PIECED[case](), Options("it")).values()
    claim = parse_schedule(data, "it")
    assert verify(claim.problem, claim.schedule) == []
    return claim.problem, claim.schedule


@pytest.mark.parametrize("case", [case for case, result in pieced().items() if EXPORTS["sccl"].refusal(result) is None])
def test_sccl_is_read_back(case: str) -> None:
    """The same pieces go between the same processors, over links of the same capacities, in as much time."""
    result = PIECED[case]()
    problem, schedule = read_back("sccl", case)
    assert result.schedule is not None
    assert problem.labels.tolist() == result.problem.labels.tolist()
    assert (problem.network.out_degrees == result.problem.network.out_degrees).all()
    assert schedule.tco == result.schedule.tco


@pytest.mark.filterwarnings("ignore:.*MSCCL names no network")
@pytest.mark.parametrize(
    "case", [case for case, result in pieced().items() if EXPORTS["msccl-xml"].refusal(result) is None]
)
def test_msccl_is_read_back(case: str) -> None:
    """The same pieces are delivered; without common steps none is later than in the schedule."""
    result = PIECED[case]()
    problem, schedule = read_back("msccl-xml", case)
    assert result.schedule is not None
    assert problem.collective == result.problem.collective
    assert schedule.tco <= result.schedule.tco
