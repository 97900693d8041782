"""The registry of exports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from tests.io.formats.allreduces import ALLREDUCES, of_some
from tests.io.formats.pieced import pieced
from tests.io.formats.schedules import along_a_line, around_a_switch, exchange, solved
from tests.io.formats.slotted import one_table, slotted

NAMES = [
    *("csv", "jsonl", "text", "dot", "dma", "slot-tables", "s4noc", "poseidon", "tsn", "mpi-c", "mpi-python"),
    *("sccl", "msccl-xml", "mscclpp", "goal", "simgrid", "booksim"),
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
    ]


def test_every_format_is_there_under_its_name() -> None:
    """The registry has each format by name, with one sentence about it."""
    assert list(EXPORTS) == NAMES
    for name, export in EXPORTS.items():
        assert export.name == name
        assert export.about[0].isupper()
        assert export.about.endswith(".")
        assert "\n" not in export.about


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
        assert len(files) == export.num_files
        assert next(iter(files)) == f"name{export.ending}"
        assert files == export.write(result, Options("name"))
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


def test_the_length_of_a_slot_matters_where_it_is_said_to() -> None:
    """Formats that are timed differ with the length of a slot, the others do not."""
    for export in EXPORTS.values():
        if export.refusal(one_table()) is None:
            short, long = (export.write(one_table(), Options("name", slot_time=time)) for time in (800, 1600))
            assert (short != long) == export.timed


def test_the_registry_loads_nothing_heavy() -> None:
    """Importing the registry brings in no solver, no MPI and no drawing."""
    text = (
        "import sys, pavane.io.exports; "
        "print([m for m in ('numba', 'ortools', 'matplotlib', 'networkx', 'mpi4py') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
