"""Trees in timed schedule files."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from pavane.errors import InputError
from pavane.io.timed_file import read_timed, timed_bytes
from pavane.judge.timed_result import TimedResult
from pavane.model.problem import Rules
from pavane.model.timed import TimedProblem
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.timed import solve_timed
from pavane.solvers.timed.retiming import retime_trees
from tests.solvers.timed.test_tree_greedy import timed_problem
from tests.strategies import Case
from tests.timed_cases import timed_cases


def solved(kind: str) -> TimedResult:
    """Return a result through one switch that copies."""
    return solve_timed(timed_problem(network("nvl:4"), kind, Rules(switches="copy")), SearchOptions(seconds=300))


@pytest.mark.parametrize(
    ("kind", "senders", "receivers", "channels"),
    [("OAB", [0], [1, 2, 3], 4), ("AOR", [1, 2, 3], [0], 4), ("ALLREDUCE", [0, 1, 2, 3], [0, 1, 2, 3], 8)],
)
def test_a_tree_is_one_entry(kind: str, senders: list[int], receivers: list[int], channels: int) -> None:
    """An entry has lists of its ends, and every channel of the tree once."""
    first = json.loads(timed_bytes(solved(kind)))["transfers"][0]
    ends = [one if isinstance(one, list) else [one] for one in (first["from"], first["to"])]
    assert ends == [senders, receivers]
    assert len(first["route"]) == len(set(first["route"])) == channels


@given(timed_cases(has_trees=True))
def test_what_is_written_is_read_again(drawn: tuple[TimedProblem, Case]) -> None:
    """A file with trees has the same transfers, starts and inputs."""
    timed, case = drawn
    result = TimedResult(timed, retime_trees(timed, case.schedule))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "it.json"
        path.write_bytes(timed_bytes(result))
        read = read_timed(path)
    assert list(read.schedule) == list(result.schedule or ())
    assert read.result().finish == result.finish


def test_an_input_that_brings_nothing_is_refused(tmp_path: Path) -> None:
    """A tree names entries that have brought something to one of its senders."""
    content = json.loads(timed_bytes(solved("ALLREDUCE")))
    content["transfers"][1]["inputs"] = [0]
    content["transfers"][1]["from"], content["transfers"][0]["to"] = [0, 1], [2, 3]
    path = tmp_path / "it.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="transfer 1 has input 0, which brings it nothing"):
        read_timed(path)
