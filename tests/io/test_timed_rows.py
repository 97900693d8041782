"""Start times in schedule files: what is written is read again, and nothing in a file is believed."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given

from pavane.errors import InputError, InvalidSchedule
from pavane.io import read_network, read_schedule, schedule_bytes, write_schedule
from pavane.judge.result import Result
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers.timed.retiming import retime_trees
from tests.solvers.timed.test_tree_greedy import timed_problem
from tests.strategies import Case
from tests.timed_cases import timed_cases

RING = network("ring:4")
LINKS = Links.uniform(RING, latency_ps=700_000, bytes_per_second=25 * 10**9)


def problem_of(kind: str) -> Problem:
    """Return a timed problem on a ring."""
    return Problem(RING, kind, Rules(switching="store-and-forward"), links=LINKS, num_bytes=1_000_000)


def test_a_packed_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Problem, links, transfers, end and proven bounds come back."""
    result = solve(problem_of("aab"))
    path = tmp_path / "timed.json.gz"
    write_schedule(path, result)
    again = read_schedule(path).result()
    assert again.problem == result.problem
    assert list(again.schedule or ()) == list(result.schedule or ())
    assert (again.finish, again.known_bounds, again.status) == (result.finish, result.bounds, result.status)


def spoiled(tmp_path: Path, change: Any) -> Path:
    """Write a timed file with one change."""
    path = tmp_path / "timed.json"
    write_schedule(path, solve(problem_of("aab")))
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


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
def test_a_spoiled_file_is_refused_with_one_line(tmp_path: Path, change: Any, text: str) -> None:
    """What is wrong is said in one line, and nothing is accepted that the judge refuses."""
    path = spoiled(tmp_path, change)
    with pytest.raises((InputError, InvalidSchedule), match=text) as error:
        read_schedule(path).result()
    assert "\n" not in str(error.value)


def test_a_bound_of_a_file_counts_only_if_it_is_proven(tmp_path: Path) -> None:
    """A claimed bound above what its certificate proves is left out, and the status is feasible."""
    path = spoiled(tmp_path, lambda c: c["bounds"][0].update(certificate={}))
    result = read_schedule(path).result()
    assert (result.known_bounds, result.status) == ((), "feasible")


def test_links_of_a_network_file_are_read_beside_the_network(tmp_path: Path) -> None:
    """A network file may have latencies, overheads and bandwidths; others are filled in, times the capacities."""
    path = tmp_path / "network.json"
    content = {
        "format": "pavane/network/1",
        "name": "pair",
        "routers": ["a", "b"],
        "channels": [[0, 1], [1, 0]],
        "processors": [0, 1],
        "capacities": [2, 3],
        "latency_ps": [5, 6],
    }
    path.write_text(json.dumps(content))
    net = read_network(path)
    links = Links.of_network(net, latency_ps=1, overhead_ps=4, bytes_per_second=10)
    assert links.latencies.tolist() == [5, 6]
    assert links.overheads.tolist() == [4, 4]
    assert links.bandwidths.tolist() == [20, 30]


# -- trees


def solved(kind: str) -> Result:
    """Return a result through one switch that copies."""
    return solve(timed_problem(network("nvl:4"), kind, Rules(switches="copy")), SearchOptions(seconds=300))


@pytest.mark.parametrize(
    ("kind", "senders", "receivers", "channels"),
    [("OAB", [0], [1, 2, 3], 4), ("AOR", [1, 2, 3], [0], 4), ("ALLREDUCE", [0, 1, 2, 3], [0, 1, 2, 3], 8)],
)
def test_a_tree_is_one_entry(kind: str, senders: list[int], receivers: list[int], channels: int) -> None:
    """An entry has lists of its ends, and every channel of the tree once."""
    first = json.loads(schedule_bytes(solved(kind)))["transfers"][0]
    ends = [one if isinstance(one, list) else [one] for one in (first["from"], first["to"])]
    assert ends == [senders, receivers]
    assert len(first["route"]) == len(set(first["route"])) == channels


@given(timed_cases(has_trees=True))
def test_what_is_written_is_read_again(drawn: tuple[Problem, Case]) -> None:
    """A file with trees has the same transfers, starts and inputs."""
    problem, case = drawn
    result = Result(problem, retime_trees(problem, case.schedule))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "it.json"
        path.write_bytes(schedule_bytes(result))
        read = read_schedule(path)
    assert list(read.schedule) == list(result.schedule or ())
    assert read.result().finish == result.finish


def test_an_input_that_brings_nothing_is_refused(tmp_path: Path) -> None:
    """A tree names entries that have brought something to one of its senders."""
    content = json.loads(schedule_bytes(solved("ALLREDUCE")))
    content["transfers"][1]["inputs"] = [0]
    content["transfers"][1]["from"], content["transfers"][0]["to"] = [0, 1], [2, 3]
    path = tmp_path / "it.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="transfer 1 has input 0, which brings it nothing"):
        read_schedule(path)
