"""The registry of exports."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from tests.io.formats.pieced import PIECED
from tests.io.formats.schedules import around_a_switch, refused, solved
from tests.io.formats.slotted import slotted
from tests.io.formats.tree_schedules import TREES

NAMES = [
    *("csv", "dot", "slot-tables", "mpi-c", "mpi-python"),
    *("msccl-xml", "mscclpp", "goal", "chakra", "simgrid", "booksim", "pavane"),
]


def test_every_format_is_there_under_its_name() -> None:
    """The registry has each format by name, with one sentence about it."""
    assert list(EXPORTS) == NAMES
    for name, export in EXPORTS.items():
        assert export.name == name
        assert re.fullmatch(r"[A-Z].*\.", export.about)


@pytest.mark.parametrize("name", ["slot-tables", "msccl-xml", "simgrid"])
def test_formats_of_single_transfers_refuse_trees(name: str) -> None:
    """Where switches copy and add, formats whose transfers go from one to one say so."""
    reason = EXPORTS[name].refusal(TREES["star of 5 aab in 2"]())
    assert (reason or "").startswith("routers copy and add here, and transfers of")
    assert "slot by slot; solve with `switching='wormhole'`" in (EXPORTS["simgrid"].refusal(slotted()) or "")


@pytest.mark.parametrize("name", ["mpi-c", "mpi-python", "goal", "chakra", "msccl-xml", "mscclpp"])
def test_no_process_runs_at_a_switch(name: str) -> None:
    """Messages that rest at a pure switch are refused in words."""
    reason = refused(name, around_a_switch("store-and-forward"))
    assert reason.startswith("messages rest at the pure switch r3 (router hub), and ")
    assert reason.endswith("; solve with `switches='pass'`")


@pytest.mark.parametrize("name", ["msccl-xml", "mscclpp"])
def test_gpus_do_what_their_libraries_have(name: str) -> None:
    """Other collectives, sizes and paths through GPUs are named."""
    assert "all have one size" in refused(name, PIECED["aas of sizes"]())
    assert "this is MNS" in refused(name, solved("ring:4", "mns"))
    assert "runs through router" in refused(name, solved("kautz:2,2", "aas"))


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


def test_the_registry_loads_nothing_heavy() -> None:
    """Importing the registry brings in no solver, no MPI and no drawing."""
    text = (
        "import sys, pavane.io.exports; "
        "print([m for m in ('numba', 'ortools', 'matplotlib', 'networkx', 'mpi4py') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
