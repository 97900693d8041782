"""Timed schedule files: what is written is read again, and nothing in a file is believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError, InvalidSchedule
from pavane.io import read_network
from pavane.io.timed_file import is_timed_file, read_timed, write_timed
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.model.timed import TimedProblem
from pavane.networks import network
from pavane.search.timed import solve_timed

RING = network("ring:4")
LINKS = Links.uniform(RING, latency_ps=700_000, bytes_per_second=25 * 10**9)


def problem_of(kind: str) -> TimedProblem:
    """Return a timed problem on a ring."""
    return TimedProblem(Problem(RING, kind, Rules(switching="store-and-forward")), LINKS, 1_000_000)


def test_a_packed_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Problem, links, transfers, end and proven bounds come back."""
    result = solve_timed(problem_of("aab"))
    path = tmp_path / "timed.json.gz"
    write_timed(path, result)
    again = read_timed(path).result()
    assert is_timed_file(path)
    assert list(again.schedule or ()) == list(result.schedule or ())
    assert (again.finish, again.bounds, again.status) == (result.finish, result.bounds, result.status)
    assert (again.timed.links.bandwidths == LINKS.bandwidths).all()


def spoiled(tmp_path: Path, change: Any) -> Path:
    """Write a timed file with one change."""
    path = tmp_path / "timed.json"
    write_timed(path, solve_timed(problem_of("aab")))
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda c: c.update(finish=1), "ends at 81,400,000 ps"),
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
        read_timed(path).result()
    assert "\n" not in str(error.value)


def test_a_bound_of_a_file_counts_only_if_it_is_proven(tmp_path: Path) -> None:
    """A claimed bound above what its certificate proves is left out, and the status is feasible."""
    path = spoiled(tmp_path, lambda c: c["bounds"][0].update(certificate={}))
    result = read_timed(path).result()
    assert (result.bounds, result.status) == ((), "feasible")


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
