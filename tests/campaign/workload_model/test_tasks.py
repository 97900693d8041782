"""What phases ask of a network: the messages of all groups together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavane.campaign.workload_model.groups import layout_of
from pavane.campaign.workload_model.tasks import Setting, WorkloadTask, task_of
from pavane.campaign.workload_model.workload import Communicate, repeated
from pavane.campaign.workload_model.workload_file import EXAMPLES, workload
from pavane.errors import InputError
from pavane.model.problem import Rules
from pavane.networks import network


def tasks(source: Any, spec: str) -> list[WorkloadTask | None]:
    """Return the tasks of a workload on a network."""
    mine, where = workload(source), network(spec)
    layout = layout_of(mine, where)
    setting = Setting(mine, where, layout, mine.names(layout.shape), Rules())
    leaves = repeated(mine.phases, setting.names)
    return [task_of(phase, setting) for phase, _ in leaves if isinstance(phase, Communicate)]


def one(spec: str = "mesh:3x4", **phase: Any) -> WorkloadTask | None:
    """Return the task of one phase."""
    return tasks({"workload": 1, "phases": [{"bytes": 4, **phase}]}, spec)[0]


@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_private_messages_of_all_groups_are_one_problem(groups: str) -> None:
    """An alltoall in the rows of a mesh is the union of the alltoalls of each row, and so for columns."""
    task = one(collective="alltoall", groups=groups)
    assert task is not None
    (variant,) = task.variants
    (problem,) = variant.problems
    lines = np.arange(12).reshape(3, 4)
    union = {(a, b) for line in (lines if groups == "rows" else lines.T).tolist() for a in line for b in line if a != b}
    assert {(a, b) for a, b in problem.labels.tolist()} == union


@pytest.mark.parametrize(
    ("collective", "kinds", "num_messages"),
    [
        ("broadcast", ["OAB"] * 3, 3),
        ("reduce", ["AOR"] * 3, 3),
        ("allgather", ["AAB"] * 3, 12),
        ("reduce-scatter", ["AAR"] * 3, 12),
        ("scatter", ["PAIRS"], 9),
        ("gather", ["PAIRS"], 9),
        ("allreduce", ["ALLREDUCE"] * 3, 12),
    ],
)
def test_broadcasts_and_sums_are_one_problem_a_group(collective: str, kinds: list[str], num_messages: int) -> None:
    """Messages with several receivers are problems of each row, side by side; private ones are one problem."""
    task = one(collective=collective, groups="rows")
    assert task is not None
    assert [problem.collective.kind for problem in task.variants[0].problems] == kinds
    assert task.num_messages == num_messages


def test_the_root_is_counted_in_its_group() -> None:
    """Root 1 of each column is the processor in the second row."""
    task = one(collective="broadcast", groups="columns", root=1)
    assert task is not None
    assert [problem.collective.senders for problem in task.variants[0].problems] == [(4,), (5,), (6,), (7,)]
    with pytest.raises(InputError, match=r"phases\[0\]\.root: 3 is not an index in a group of 3; give 0 to 2"):
        one(collective="broadcast", groups="columns", root=3)


def test_sizes_are_units_of_messages() -> None:
    """Units by receiver make some messages longer; those of no units are left out, and a table must fit."""
    task = one("ring:4", collective="alltoallv", sizes={"to": [1, 0, 3]})
    assert task is not None
    problem = task.variants[0].problems[0]
    assert problem.num_messages == 3 + 0 + 9 + 3  # processors 0, 1, 2 and 3 are sent 1, 0, 3 and 1 units each
    assert one("ring:4", collective="alltoallv", sizes={"to": [0]}) is None
    with pytest.raises(InputError, match=r"phases\[0\]\.sizes: the table has 2 rows and ring:4 has 4 processors"):
        one("ring:4", collective="alltoallv", sizes=[[0, 1], [1, 0]])


def test_sums_of_groups_of_different_size_are_not_cut_into_parts() -> None:
    """Parts of two and of three processors would differ in bytes; groups of one size have both ways."""
    task = one("ring:5", collective="allreduce", groups=[[0, 1], [2, 3, 4]])
    assert task is not None
    assert [variant.how for variant in task.variants] == ["in one part"]
    equal = one("ring:4", collective="allreduce", groups=[[0, 1], [2, 3]])
    assert equal is not None
    assert [variant.how for variant in equal.variants] == ["in 2 parts", "in one part"]


def test_one_line_has_nothing_to_send_across() -> None:
    """Columns of one processor send nothing."""
    assert one("ring:7", collective="alltoall", groups="columns") is None
    assert one("ring:7", collective="broadcast", groups="columns") is None


COUNTS = {
    # Rows and columns of 4 have 12 messages each, in 4 groups.
    "fft": [48, 48, 48, 48],
    # 24 links between neighbours, both ways; one part of a sum for each processor.
    "cg": [48, 16],
    "summa": [4, 4],
    # Samples of 15 others, one message of splitters, and from each to 15 others.
    "sample-sort": [15, 1, 240],
    "training": [16],
    "mixture-of-experts": [240, 240],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_messages_of_the_workloads_of_the_package(name: str) -> None:
    """Each phase of a workload of the package has as many messages on 4 by 4 processors as its description says."""
    assert [task.num_messages for task in tasks(name, "mesh:4x4") if task is not None] == COUNTS[name]


def test_units_of_unequal_messages() -> None:
    """In sample sort every third receiver gets two units from each of the others."""
    task = tasks("sample-sort", "mesh:4x4")[2]
    assert task is not None
    doubled = 5  # of 16 processors: 2, 5, 8, 11 and 14
    assert task.variants[0].problems[0].num_messages == 240 + 15 * doubled
