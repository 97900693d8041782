"""Schedules beside NCCL's algorithms: by one clock, on machines of GPUs or on request."""

from __future__ import annotations

import pytest

from pavane.campaign.library_times import (
    asynchronous_time,
    compares_with_libraries,
    is_quick,
    nccl_times,
    times_as_fast,
    with_library_times,
)
from pavane.campaign.network_comparison import compare
from pavane.campaign.start_times import links_of_costs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.timing import Costs

COSTS = Costs(5e-6, 4e-11)
COUNTED = SearchOptions(evaluations=1000)


def test_bandwidths_are_those_of_nccl_tests() -> None:
    """Algorithmic: the bytes of all ranks over the time; bus: times (n - 1) / n for an allgather."""
    problem = Problem(network("dgx-1"), "allgather")
    schedule = solve(problem, COUNTED).schedule
    assert schedule is not None
    links = links_of_costs(problem.network, COSTS)
    own = asynchronous_time(problem, schedule, links, 2**20)
    assert own is not None
    assert own.bandwidths is not None
    assert own.seconds == pytest.approx(2 * (5e-6 + 2**20 * 4e-11))
    assert own.bandwidths[0] == pytest.approx(8 * 2**20 / own.seconds)
    assert own.bandwidths[1] == pytest.approx(own.bandwidths[0] * 7 / 8)
    others = nccl_times(problem, links, 2**20)
    assert [other.name for other in others] == ["ring", "rings"]
    assert others[0].seconds == pytest.approx(7 * (5e-6 + 2**20 * 4e-11))
    assert times_as_fast(own, others) == pytest.approx(others[1].seconds / own.seconds)
    assert times_as_fast(own, ()) is None


def test_messages_too_short_for_their_pieces_have_no_time() -> None:
    """Two bytes do not make six pieces."""
    problem = Problem(network("dgx-1"), "allgather")
    cut = Problem(problem.network, "allgather", pieces=6)
    schedule = solve(cut, COUNTED).schedule
    assert schedule is not None
    assert asynchronous_time(cut, schedule, links_of_costs(problem.network, COSTS), 2) is None


def test_libraries_divide_the_vector_of_an_allreduce() -> None:
    """One part of the whole vector is compared with a ring over eight parts of it."""
    whole, parts = (Problem(network("dgx-h100"), kind) for kind in ("reduce-broadcast", "allreduce"))
    links = links_of_costs(whole.network, COSTS)
    assert nccl_times(whole, links, 8 * 1024) == nccl_times(parts, links, 1024)


def test_machines_of_gpus_are_compared_without_a_request() -> None:
    """Chips, combining and many sizes are not."""
    machine = network("dgx-h100")
    assert compares_with_libraries(Problem(machine, "allgather"))
    assert not compares_with_libraries(Problem(network("octagon"), "allgather"))
    assert not compares_with_libraries(Problem(machine, "allgather", Rules(combining=True)))
    assert is_quick(Problem(machine, "allgather"), 16)
    assert not is_quick(Problem(machine, "allgather"), 17)


def test_a_comparison_has_them_for_its_machines() -> None:
    """On request for all networks; without costs for none."""
    found = compare(["dgx-1", "ring:8"], ["allgather"], options=COUNTED, costs=COSTS, message_bytes=[1000])
    problem = {row.name: row.cells[0].library_times for row in with_library_times(found).rows}
    assert {name: sorted(times) for name, times in problem.items()} == {"dgx-1": [1000], "ring:8": []}
    everywhere = with_library_times(found, on_request=True)
    assert all(row.cells[0].library_times for row in everywhere.rows)
    steps = compare(["dgx-1"], ["allgather"], options=COUNTED)
    assert with_library_times(steps) == steps


def test_a_note_names_what_takes_longer() -> None:
    """Many sizes on a machine of GPUs are compared on request only."""
    sizes = [1000 + size for size in range(17)]
    found = compare(["dgx-1", "ring:8"], ["allgather"], options=COUNTED, costs=COSTS, message_bytes=sizes)
    noted = with_library_times(found)
    assert noted.notes == ("--nccl also times NCCL's algorithms on dgx-1, which takes longer",)
    assert not any(row.cells[0].library_times for row in noted.rows)
