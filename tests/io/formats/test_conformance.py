"""The conformance suite of exports: each refuses a schedule in one line, or writes what does the same as the schedule.

What is written is executed where something executes it: MPI processes, a simulator, or an interpreter that shares
nothing with the writers. Tables and drawings are read back by readers that are not ours.
"""

from __future__ import annotations

import csv
import io
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import networkx
import pytest

from pavane.errors import InputError
from pavane.io.exports import EXPORTS, Options
from pavane.io.levels import OrderedResult
from pavane.io.readers import read_schedule
from pavane.judge.result import Result
from pavane.model.schedule import Schedule, Transfer
from pavane.ui.notebook.exporting import exported
from tests.installed import need_simgrid
from tests.io.formats.chakra_traces import carried_out
from tests.io.formats.forty import FORTY
from tests.io.formats.goal_replay import replay
from tests.io.formats.mpi_runs import WARNINGS, all_is_right, compiler, run, run_in_turn
from tests.io.formats.msccl_interpreter import run_msccl
from tests.io.formats.mscclpp_interpreter import Plan, PlanRun, run_plan
from tests.io.formats.several_schedules import wanted_outputs
from tests.io.formats.slotted import uses_of
from tests.io.formats.test_booksim import read_anynet
from tests.io.formats.test_dot import drawing
from tests.io.formats.test_slot_tables import READERS, form, rendered

MOST_FOR_PYDOT = 100_000
"""Characters of a drawing."""

Files = dict[str, bytes]


@cache
def made(name: str) -> Result:
    """Return one of the forty schedules."""
    return FORTY[name]()


def files_of(to: str, name: str) -> Files | None:
    """Return the files of a schedule; None where it is refused, in one line that says why."""
    try:
        return exported(made(name), EXPORTS[to], None, "it")
    except InputError as error:
        reason = str(error)
    assert re.fullmatch(rf"{to} (cannot carry this schedule: .{{20,}}|carries (steps|one collective), .*)", reason)
    return None


def _collective(result: Result) -> tuple[str, int]:
    return result.problem.collective.kind, result.problem.collective.pieces


def _sent(result: Result) -> list[tuple[int, int, int, int]]:
    """Return number, sender, receiver and bytes of each transfer."""
    ordered = OrderedResult(result)
    sizes = ordered.transfer_bytes(Options().size).tolist()
    return [(i, one.sender, one.receiver, sizes[i]) for i, one in enumerate(ordered.schedule)]


def _location(text: str) -> int:
    return ~int(text[1:]) if text.startswith("r") else int(text)


def check_csv(result: Result, files: Files, _: Path) -> None:
    """The table, read by Python's csv module, makes the same schedule again, and has the ends of each channel."""
    network = result.problem.network
    numbers = {tuple(label): number for number, label in enumerate(result.problem.labels.tolist())}
    transfers = []
    for row in csv.DictReader(io.StringIO(files["it.csv"].decode())):
        route = tuple(map(int, row["route"].split()))
        carried = tuple(numbers[tuple(map(int, re.split("[>.]", label)))] for label in row["carries"].split())
        ends = _location(row["from"]), _location(row["to"])
        transfers.append(Transfer(int(row["step"]) - 1, *ends, route, carried))
        channels = network.channels[list(route)].tolist()
        assert row["ends"].split() == [f"{network.routers[tail]}>{network.routers[head]}" for tail, head in channels]
    assert Schedule.from_transfers(transfers, result.num_steps) == result.schedule


def drawn_graph(text: str) -> networkx.MultiDiGraph:
    """Read a drawing by pydot; a large one, for which that takes a minute, line by line."""
    if len(text) < MOST_FOR_PYDOT:
        return networkx.MultiDiGraph(networkx.nx_pydot.from_pydot(drawing(text)))
    graph = networkx.MultiDiGraph()
    for tail, head, listed in re.findall(r"^  (r\d+) -> (r\d+) \[(.*)\];$", text, re.MULTILINE):
        graph.add_edge(tail, head, **dict(re.findall(r'(\w+)=("[^"]*"|[^,]+)', listed)))
    return graph


def check_dot(result: Result, files: Files, _: Path) -> None:
    """The drawing has the network's channels and those that each step uses."""
    graph = drawn_graph(files["it.dot"].decode())
    network, schedule = result.problem.network, result.schedule
    assert schedule is not None
    assert sorted(name for name in graph if name != "\\n") == sorted(f"r{each}" for each in range(network.num_routers))
    drawn: Counter[tuple[int, ...]] = Counter()
    colours: dict[int, set[str]] = {}
    for tail, head, about in graph.edges(data=True):
        channel = int(about["channel"])
        assert network.channels[channel].tolist() == [int(tail[1:]), int(head[1:])]
        step = (int(about["step"]) - 1,) if "step" in about else ()
        drawn[(*step, channel)] += 1
        if step:
            colours.setdefault(*step, set()).add(about["color"])
    rules, period = result.problem.rules, schedule.num_steps
    slots = (rules.router_delay + rules.link_delay) if rules.has_slots else 0
    used = Counter(
        ((transfer.start + hop * slots) % (period if rules.has_slots and rules.wrap else 10**9), channel)
        for transfer in schedule
        for hop, channel in enumerate(transfer.path, 1)
    )
    assert drawn == used + Counter((channel,) for channel in range(network.num_channels))
    assert all(len(found) == 1 for found in colours.values())
    assert len(set().union(*colours.values())) == len(colours)


def check_slot_tables(result: Result, _: Files, __: Path) -> None:
    """Each form, read back, has the uses of the schedule, router by router."""
    uses = uses_of(result)
    for ending, reader in READERS.items():
        if form(ending).refusal(result) is None:
            assert reader(rendered(result, ending)) == uses


def check_mpi_c(result: Result, files: Files, folder: Path) -> None:
    """Compiled without a warning and run, every process has what the collective gives it and nothing else."""
    (folder / "it.c").write_bytes(files["it.c"])
    command = [compiler(), *WARNINGS, "-DPAVANE_MAIN", str(folder / "it.c"), "-o", str(folder / "it")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    count = _processors(result)
    done = run(count, folder / "it")
    assert (done.returncode, f"{done.stdout}exit 0") == (0, all_is_right(count)), done.stderr


def _processors(result: Result) -> int:
    return result.problem.network.num_processors


def check_msccl_xml(result: Result, files: Files, _: Path) -> None:
    """However fast thread blocks run, dependencies see to it that the outputs are those of the collective."""
    run_msccl(files["it.xml"].decode(), *_collective(result), result.problem.collective.senders[0])


def check_mscclpp(result: Result, files: Files, _: Path) -> None:
    """However fast thread blocks run, signals see to it that the outputs are those of the collectives."""
    text = files["it.mscclpp.json"].decode()
    if not result.problem.has_several:
        run_plan(text, *_collective(result))
        return
    plan = Plan(text)
    assert plan.kind == "SEVERAL"
    for seed in range(3):
        memory = PlanRun(plan, seed).run(random.Random(seed) if seed else None)
        got = {cell: data for cell, data in memory.content.items() if cell.buffer == "o"}
        wanted = wanted_outputs(memory, result.problem.collectives, len(plan.gpus))
        assert got.keys() == wanted.keys()
        assert all((got[cell] == wanted[cell]).all() for cell in wanted)


def check_goal(result: Result, files: Files, _: Path) -> None:
    """Every transfer is a send that a receive meets, and none is later than its step."""
    sent = replay(files["it.goal"].decode())
    wanted = _sent(result)
    assert sorted(row[:3] for row in sent) == sorted(row[1:] for row in wanted)
    if not result.problem.has_times:
        assert result.schedule is not None
        steps = [transfer.start for transfer in result.schedule]
        for here in range(result.problem.network.num_processors):
            times = sorted(row[3] for row in sent if row[0] == here)
            mine = sorted(step for step, row in zip(steps, wanted, strict=True) if row[1] == here)
            assert all(time <= step for time, step in zip(times, mine, strict=True))


def check_chakra(result: Result, files: Files, _: Path) -> None:
    """Every transfer is a send that a receive meets, with its bytes, and every trace ends."""
    assert len(files) == _processors(result)
    assert carried_out(files) == _sent(result)


def check_simgrid(result: Result, files: Files, folder: Path) -> None:
    """In SimGrid, which shares bandwidth, no step is slower than its largest transfer, and no transfer is late."""
    python = need_simgrid()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    command = [str(python), str(folder / "it.replay.py"), "--log=root.thres:critical"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    if result.problem.has_times:
        assert result.schedule is not None
        told = re.search(r"(\d+) transfers, the last data usable after ([\d.]+) us", done.stdout)
        assert told is not None
        assert int(told[1]) == len(result.schedule)
        assert float(told[2]) == pytest.approx((result.finish or 0) / 1e6, abs=2e-6)
        assert "the latest transfer is 0.000 ps later" in done.stdout
        return
    lines = done.stdout.splitlines()
    assert len(lines) == (result.num_steps or 0) + 1
    assert lines[-1] == "0 steps are slower than without conflicts"


def check_booksim(result: Result, files: Files, _: Path) -> None:
    """The anynet file, read as BookSim reads it, joins the same routers and processors."""
    network = result.problem.network
    links, homes = read_anynet(files["it.anynet"].decode())
    assert links == {tuple(ends) for ends in network.channels.tolist()}
    assert homes == dict(enumerate(network.router_of.tolist()))


def check_pavane(result: Result, files: Files, folder: Path) -> None:
    """The file, read and judged again, is the same problem and schedule."""
    (folder / "it.json").write_bytes(files["it.json"])
    again = read_schedule(folder / "it.json").result()
    assert (again.problem, again.schedule, again.figure) == (result.problem, result.schedule, result.figure)


CHECKS: dict[str, Callable[[Result, Files, Path], None]] = {
    "csv": check_csv,
    "dot": check_dot,
    "slot-tables": check_slot_tables,
    "mpi-c": check_mpi_c,
    "msccl-xml": check_msccl_xml,
    "mscclpp": check_mscclpp,
    "goal": check_goal,
    "chakra": check_chakra,
    "simgrid": check_simgrid,
    "booksim": check_booksim,
    "pavane": check_pavane,
}
"""All but Python programs for MPI, which run together: a process of Python takes long to start."""


@pytest.mark.parametrize("name", FORTY)
@pytest.mark.parametrize("to", CHECKS)
def test_an_export_does_as_the_schedule_does(to: str, name: str, tmp_path: Path) -> None:
    """What is written does what the schedule does, and is the same when written twice; what cannot be is refused."""
    files = files_of(to, name)
    if files is not None:
        assert next(iter(files)) == f"it{EXPORTS[to].ending}"
        assert len(files) == (EXPORTS[to].num_files or _processors(made(name)))
        assert files == files_of(to, name)
        CHECKS[to](made(name), files, tmp_path)


def test_python_programs_do_as_the_schedule_does(tmp_path: Path) -> None:
    """Run by mpiexec, every process has what the collectives give it and nothing else; a sum left out is noticed."""
    written = {name: files for name in FORTY if (files := files_of("mpi-python", name))}
    programs = [(_processors(made(name)), files["it.py"].decode()) for name, files in written.items()]
    count, text = programs[list(written).index("several every kind")]
    programs.append((count, text.replace("op.Reduce_local", "(lambda *_: None)")))
    *printed, broken = run_in_turn(tmp_path, programs)
    right = [all_is_right(count) for count, _ in programs[:-1]]
    assert dict(zip(written, printed, strict=True)) == dict(zip(written, right, strict=True))
    assert broken.splitlines()[-1] == "exit 1"


@pytest.mark.parametrize(
    ("to", "least"),
    [
        *(("csv", 30), ("dot", 30), ("slot-tables", 20), ("mpi-c", 30), ("mpi-python", 30), ("msccl-xml", 12)),
        *(("mscclpp", 12), ("goal", 30), ("chakra", 30), ("simgrid", 30), ("booksim", 15), ("pavane", len(FORTY))),
    ],
)
def test_an_export_carries_what_its_target_has(to: str, least: int) -> None:
    """No export refuses what it is for: most schedules, and for GPUs those of their libraries' collectives."""
    assert {*CHECKS, "mpi-python"} == EXPORTS.keys()
    assert sum(files_of(to, name) is not None for name in FORTY) >= least
