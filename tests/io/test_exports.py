"""The registry of exports."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from tests.io.formats.allreduces import ALLREDUCES, of_some
from tests.io.formats.msccl_interpreter import run_msccl
from tests.io.formats.mscclpp_interpreter import run_plan
from tests.io.formats.pieced import pieced
from tests.io.formats.schedules import along_a_line, around_a_switch, exchange, hub, solved, written
from tests.io.formats.slotted import greedy, one_table, slotted, uses_of
from tests.io.formats.test_goal import replay
from tests.io.formats.tree_schedules import TREES

NAMES = [
    *("csv", "dot", "slot-tables", "mpi-c", "mpi-python"),
    *("msccl-xml", "mscclpp", "goal", "chakra", "simgrid", "booksim", "pavane"),
]


def cases() -> list[Result]:
    """Return schedules of all sorts."""
    return [
        solved("kautz:2,2", "aas"),
        solved("ring:4", "aab"),
        solved("ring:4*2", "aas", ports=1),
        solved("ring:4", "mns", duplex="half"),
        exchange(),
        along_a_line(),
        around_a_switch("wormhole"),
        around_a_switch("store-and-forward"),
        *pieced().values(),
        *(ALLREDUCES[name]() for name in ("allreduce on a mesh", "allreduce of sizes in 2", "recursive doubling in 2")),
        of_some(),
        one_table(),
        slotted("ring:4", "aas"),
        slotted("ring:4", "aab", wrap=False, ports="all"),
        *(TREES[f"star of 5 {kind} in 2"]() for kind in ("aab", "aar", "allreduce")),
    ]


def test_every_format_is_there_under_its_name() -> None:
    """The registry has each format by name, with one sentence about it."""
    assert list(EXPORTS) == NAMES
    for name, export in EXPORTS.items():
        assert export.name == name
        assert export.about[0].isupper()
        assert export.about.endswith(".")
        assert "\n" not in export.about


@pytest.mark.parametrize("name", ["slot-tables", "msccl-xml", "simgrid"])
def test_formats_of_single_transfers_refuse_trees(name: str) -> None:
    """Where switches copy and add, formats whose transfers go from one to one say so."""
    reason = EXPORTS[name].refusal(TREES["star of 5 aab in 2"]())
    assert reason is not None
    assert reason.startswith("routers copy and add here, and transfers of")


@pytest.mark.parametrize("name", NAMES)
def test_a_format_carries_a_schedule_or_says_why_not(name: str) -> None:
    """Each schedule is either written, twice the same, or refused in one line."""
    export = EXPORTS[name]
    carried = 0
    for result in cases():
        reason = export.refusal(result)
        if reason is not None:
            assert "\n" not in reason
            continue
        carried += 1
        files = export.write(result, Options("name"))
        assert len(files) == (export.num_files or result.problem.network.num_processors)
        assert next(iter(files)) == f"name{export.ending}"
        assert files == export.write(result, Options("name"))
        if name != "chakra":  # which is no text
            assert all(content.decode().endswith("\n") for content in files.values())
    assert carried


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_written_without_a_schedule(name: str) -> None:
    """A result without a schedule is refused by every format."""
    empty = Result(solved("ring:4", "aab").problem, None)
    assert EXPORTS[name].refusal(empty) == "there is no schedule to write"


def test_the_size_of_a_message_matters_where_it_is_said_to() -> None:
    """Formats that are sized differ with the size, the others do not."""
    result = solved("ring:4", "aab")
    for export in EXPORTS.values():
        if export.refusal(result) is None:
            small, large = (export.write(result, Options("name", size)) for size in (8, 4096))
            assert (small != large) == export.sized


# -- slots


SLOTS = {
    "aas": lambda: slotted("torus:3x3", "aas"),
    "aas of long packets": lambda: slotted("ring:4", "aas", router_delay=2, link_delay=1, packet_slots=2),
    "aas, all ports": lambda: slotted("complete:4", "aas", ports="all"),
    "aas through a switch": lambda: greedy(hub("tdm")),
    "aab": lambda: slotted("complete:4", "aab", wrap=False),
    "aar": lambda: slotted("complete:4", "aar", wrap=False),
    "aor": lambda: slotted("ring:4", "aor", wrap=False),
}
"""Schedules of slots, with and without wrap."""

STEPS_ONLY = {
    "simgrid": "slot by slot; solve with `switching='wormhole'`",
}


@pytest.mark.parametrize("case", SLOTS)
def test_slots_are_written_or_refused_in_a_line_that_says_what_to_do(case: str) -> None:
    """Every format carries a schedule of slots, or says why not; some carry steps only."""
    result = SLOTS[case]()
    for name, export in EXPORTS.items():
        reason = export.refusal(result)
        assert (reason is not None) >= (name in STEPS_ONLY)
        if reason is None:
            num_files = export.num_files or result.problem.network.num_processors
            assert len(export.write(result, Options("name"))) == num_files
        else:
            assert "\n" not in reason
            assert STEPS_ONLY.get(name, "") in reason
    for name in ("csv", "dot", "slot-tables", "goal", "mpi-c", "mpi-python"):
        assert EXPORTS[name].refusal(result) is None


@pytest.mark.parametrize("case", ["aas, all ports", "aas through a switch", "aab", "aar"])
def test_programs_of_gpus_deliver_what_slots_do(case: str) -> None:
    """Carried out by interpreters of MSCCL and MSCCL++, every output has what the collective gives it."""
    result = SLOTS[case]()
    kind = result.problem.collective.kind
    run_msccl(written("msccl-xml", result), kind, 1)
    run_plan(written("mscclpp", result), kind, 1)


@pytest.mark.parametrize("case", SLOTS)
def test_goal_sends_in_the_order_of_slots(case: str) -> None:
    """Every send of a GOAL program is received, and none waits for ever, though packets arrive in the next period."""
    result = SLOTS[case]()
    assert result.schedule is not None
    sent = replay(written("goal", result))
    assert sorted(pair[:2] for pair in sent) == sorted((each.sender, each.receiver) for each in result.schedule)


@pytest.mark.parametrize("case", SLOTS)
def test_drawings_have_the_slots_of_use(case: str) -> None:
    """A channel is drawn in the slot in which it is used."""
    result = SLOTS[case]()
    drawn = {(int(a), int(b) - 1) for a, b in re.findall(r"channel=(\d+), step=(\d+)", written("dot", result))}
    used = {(output[1], slot) for _, slot, output in uses_of(result) if output[0] == "channel"}
    assert drawn <= used
    assert len(used) == len(drawn) * result.problem.rules.packet_slots


def test_the_registry_loads_nothing_heavy() -> None:
    """Importing the registry brings in no solver, no MPI and no drawing."""
    text = (
        "import sys, pavane.io.exports; "
        "print([m for m in ('numba', 'ortools', 'matplotlib', 'networkx', 'mpi4py') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
