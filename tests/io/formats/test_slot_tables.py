"""slot-tables: what each router does in each slot, read back by readers of each form that share nothing with it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given

from pavane.io.exports import EXPORTS, Export, Options
from pavane.io.formats.slot_tables import has_one_table
from pavane.io.router_tables import table_of_kinds, tables_of
from pavane.judge.result import Result
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.problem import Problem, Rules
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.tables import solve_by_table
from pavane.solvers import SOLVERS
from tests.io.formats.hardware import memory_words, verilog_words, vhdl_words
from tests.io.formats.pieced import PIECED
from tests.io.formats.schedules import around_a_switch, solved
from tests.io.formats.slotted import Port, Uses, slotted, slotted_results, uses_of

ROMS = ("v", "vhd", "hex")


def form(ending: str) -> Export:
    """Return the form that an ending chooses."""
    return EXPORTS["slot-tables"].form_of(Path(f"tables.{ending}"))


def rendered(result: Result, ending: str) -> str:
    """Return the tables in a form."""
    assert form(ending).refusal(result) is None
    (content,) = form(ending).write(result, Options()).values()
    return content.decode()


# -- readers


def port(words: str) -> Port:
    """Read a port as the comments and the text have it."""
    kind, number = words.split()[:2]
    return kind, int(number)


def listed_ports(text: str, mark: str) -> dict[int, tuple[list[Port], list[Port]]]:
    """Return outputs and inputs of each router from the lines about them."""
    found: dict[int, tuple[list[Port], list[Port]]] = {}
    for line in text.splitlines():
        plain = line.removeprefix(mark).strip()
        if header := re.match(r"router (\d+) \(", plain):
            found[int(header[1])] = ([], [])
        elif entry := re.match(r"([oi])(\d+): (.*)", plain):
            ports = found[max(found)][entry[1] == "i"]
            assert int(entry[2]) == len(ports)
            ports.append(port(entry[3]))
    return found


def decoded(words: dict[tuple[int, int], int], ports: dict[int, tuple[list[Port], list[Port]]]) -> Uses:
    """Return the uses that the words of ROMs, by router and slot, say."""
    found: Uses = {}
    for (router, slot), word in words.items():
        outputs, inputs = ports[router]
        bits = next(bits for bits in range(64) if 2**bits >= len(inputs) + 1)
        for index, output in enumerate(outputs):
            code = word >> (bits * index) & (2**bits - 1)
            if code:
                found[router, slot, output] = [inputs[code - 1]]
        assert word >> (bits * len(outputs)) == 0
    return found


def read_verilog(text: str) -> Uses:
    """Read modules with a case."""
    words: dict[tuple[int, int], int] = {}
    router = -1
    for line in text.splitlines():
        if module := re.match(r"module slot_table_(\d+) ", line):
            router = int(module[1])
        elif case := re.match(r" +\d+'d(\d+): sel = (\d+)'b([01]+);", line):
            assert int(case[2]) == len(case[3])
            words[router, int(case[1])] = int(case[3], 2)
    return decoded(words, listed_ports(text, "//"))


def read_vhdl(text: str) -> Uses:
    """Read entities with a constant array."""
    words: dict[tuple[int, int], int] = {}
    router = -1
    for line in text.splitlines():
        if entity := re.match(r"entity slot_table_(\d+) is", line):
            router = int(entity[1])
        elif entry := re.match(r' +(\d+) => "([01]+)",', line):
            words[router, int(entry[1])] = int(entry[2], 2)
    return decoded(words, listed_ports(text, "--"))


def read_hex(text: str) -> Uses:
    """Read words as $readmemh does."""
    memory: dict[int, int] = {}
    address = 0
    for token in re.sub(r"//.*", "", text).split():
        if token.startswith("@"):
            address = int(token[1:], 16)
        else:
            memory[address] = int(token, 16)
            address += 1
    stride = re.search(r"address is router \* (\d+) \+ slot", text)
    assert stride is not None
    ports = listed_ports(text, "//")
    assert len(memory) == len(ports) * int(stride[1])
    return decoded({divmod(each, int(stride[1])): word for each, word in memory.items()}, ports)


def read_text(text: str) -> Uses:
    """Read a table a router."""
    ports, found, router = listed_ports(text, ""), defaultdict(list), -1
    for line in text.splitlines():
        if header := re.match(r"router (\d+) \(", line):
            router = int(header[1])
        elif re.match(r"\d", line):
            slot, *entries = line.split()
            for output, entry in zip(ports[router][0], entries, strict=True):
                for each in entry.split("+") if entry != "." else []:
                    found[router, int(slot), output].append(ports[router][1][int(each[1:])])
    return {key: sorted(entries) for key, entries in found.items()}


def read_csv(text: str) -> Uses:
    """Read a row a use."""
    found = defaultdict(list)
    for row in csv.DictReader(io.StringIO(text)):
        output = row["output_kind"], int(row["output_number"])
        found[int(row["router"]), int(row["slot"]), output].append((row["input_kind"], int(row["input_number"])))
    return {key: sorted(entries) for key, entries in found.items()}


def read_json(text: str) -> Uses:
    """Read an object a router."""
    found: Uses = {}
    for router in json.loads(text)["routers"]:
        outputs, inputs = (
            [next((kind, number) for kind, number in each.items()) for each in router[side]]
            for side in ("outputs", "inputs")
        )
        for slot, row in enumerate(router["table"]):
            for output, entry in zip(outputs, row, strict=True):
                if entry is not None:
                    taken = entry if isinstance(entry, list) else [entry]
                    found[router["router"], slot, output] = sorted(inputs[each] for each in taken)
    return found


READERS = {"txt": read_text, "csv": read_csv, "json": read_json, "v": read_verilog, "vhd": read_vhdl, "hex": read_hex}


# -- what they say


@given(result=slotted_results())
def test_every_form_says_what_each_router_does(result: Result) -> None:
    """Each form, read back, has the uses of the schedule, router by router; ROMs where each port has one transfer."""
    uses = uses_of(result)
    for ending, reader in READERS.items():
        reason = form(ending).refusal(result)
        if reason is None:
            assert reader(rendered(result, ending)) == uses
        else:
            assert ending in ROMS
            assert "\n" not in reason
            assert result.problem.rules.ports != 1
    assert len({form(ending).refusal(result) for ending in ROMS}) == 1


def test_messages_that_rest_at_a_switch_use_its_memory() -> None:
    """A pure switch that holds messages has a port to its memory, out of it and into it."""
    uses = read_json(rendered(around_a_switch("store-and-forward"), "json"))
    at_hub = {(output[0], entry[0]) for (router, _, output), taken in uses.items() if router == 3 for entry in taken}
    assert at_hub == {("memory", "channel"), ("channel", "memory")}


def test_several_transfers_on_one_port_are_listed() -> None:
    """Text, CSV and JSON list several inputs of one output; ROMs refuse them in one line that says what to do."""
    for result in (PIECED["aar in 4 on wide channels"](), slotted("torus:3x3", "aas", ports="all")):
        reason = form("v").refusal(result)
        assert "and a ROM selects one input for an output; solve with `ports=1`" in (reason or "")
        uses = read_text(rendered(result, "txt"))
        assert uses == read_csv(rendered(result, "csv")) == read_json(rendered(result, "json"))


def test_the_bits_of_a_table() -> None:
    """A table has slots x output ports x ceil(log2(input ports + 1)) bits; every form but CSV says so."""
    result = slotted("torus:3x3", "aas")
    assert result.schedule is not None
    bits = result.schedule.num_steps * 5 * 3
    for ending in ("txt", "v", "vhd", "hex"):
        assert rendered(result, ending).count(f"5 outputs x 3 bits = {bits} bits") == 9
    assert {router["bits"] for router in json.loads(rendered(result, "json"))["routers"]} == {bits}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("hypercube:3", Rules()),
        ("torus:3x4", Rules("store-and-forward")),
        ("torus:4x4", Rules("store-and-forward", 1)),
        ("torus:5x5", Rules("tdm")),
    ],
    ids=str,
)
def test_all_routers_have_the_table_of_kinds(text: str, rules: Rules) -> None:
    """The one table of a table without clocks is that of every router of the written-out schedule, kind by kind."""
    result = solve_by_table(Problem(network(text), "alltoall", rules))
    assert result is not None
    assert isinstance(result.table, SymmetricSchedule)
    assert has_one_table(result)
    one = table_of_kinds(result.problem, result.table)
    kinds = ChannelKinds.of(result.problem.network, result.table.translations)
    kind_of = {int(channel): kind for row in kinds.channels for kind, channel in enumerate(row)}
    expanded = result.expanded().schedule
    assert expanded is not None
    for table in tables_of(result.problem, expanded):
        places = {
            side: [kind_of[port.number] if port.kind == "channel" else len(kinds.heads[0]) for port in ports]
            for side, ports in (("out", table.outputs), ("in", table.inputs))
        }
        entries = {
            (slot, places["out"][output]): sorted(places["in"][taken] for taken in inputs)
            for (slot, output), inputs in table.entries.items()
        }
        assert entries == {key: sorted(inputs) for key, inputs in one.entries.items()}


def test_one_rom_for_all_routers(tmp_path: Path) -> None:
    """Every form says that all routers have the same table; clocks, which differ by router, are written out."""
    result = solve_by_table(Problem(network("torus:4x4"), "alltoall", Rules("store-and-forward", 1)))
    assert result is not None
    for ending in (".txt", ".v", ".vhd", ".hex"):
        (path,) = result.export("slot-tables", tmp_path / f"rom{ending}")
        text = path.read_text()
        assert "for each of 16 routers, which have the same" in text
        assert text.count("every router: ") == 1
    (path,) = result.export("slot-tables", tmp_path / "rom.json")
    content = json.loads(path.read_text())
    assert (content["same_at_routers"], len(content["routers"])) == (16, 1)
    clocked = solve_by_table(Problem(network("torus:4x4"), "alltoall"))
    assert clocked is not None
    assert not has_one_table(clocked)
    assert clocked.export("slot-tables").count("\nrouter ") == 16


# -- hardware


HARDWARE: dict[str, Callable[[], Result]] = {
    "tdm": partial(slotted, "torus:3x3", "aas"),
    "packets of 3 slots": partial(slotted, "mesh:2x3", "aas", packet_slots=3, router_delay=3),
    "wormhole": partial(solved, "ring:4", "aas", ports=1),
    "no wrap": partial(slotted, "ring:3", "aas", wrap=False),
}


@pytest.mark.parametrize("ending", ROMS)
@pytest.mark.parametrize("name", HARDWARE)
def test_simulators_of_hardware_read_the_tables(name: str, ending: str, tmp_path: Path) -> None:
    """Icarus Verilog, by modules and by $readmemh, and GHDL read the word of every router and slot."""
    result = HARDWARE[name]()
    assert result.schedule is not None
    text, num_slots = rendered(result, ending), result.schedule.num_steps
    num_routers = result.problem.network.num_routers
    words = {
        "v": lambda: verilog_words(text, num_slots, tmp_path),
        "vhd": lambda: vhdl_words(text, num_slots, tmp_path),
        "hex": lambda: memory_words(text, num_routers, num_slots, tmp_path),
    }[ending]()
    assert len(words) == num_routers * num_slots
    assert decoded(words, listed_ports(text, "--" if ending == "vhd" else "//")) == uses_of(result)


# -- a table of S4NoC

COMPASS = {"n": (-1, 0), "s": (1, 0), "e": (0, 1), "w": (0, -1)}
"""The change of row and column, as the hardware joins its routers."""


def followed(text: str, side: int) -> set[tuple[int, int, tuple[int, ...]]]:
    """Follow every row from every router: start, and the routers on the way; written apart from the writer."""
    found = set()
    for line in text.splitlines():
        start = len(line) - len(line.lstrip(" "))
        for router in range(side * side):
            at = [router]
            for letter in line.strip().removesuffix("|").removesuffix("l"):
                row, column = divmod(at[-1], side)
                down, right = COMPASS[letter]
                at.append((row + down) % side * side + (column + right) % side)
            found.add((start, router, tuple(at)))
    return found


def routers_on(result: Result) -> set[tuple[int, int, tuple[int, ...]]]:
    """Return start, sender and routers of every transfer of a schedule."""
    assert result.schedule is not None
    heads = result.problem.network.heads
    return {
        (each.start, each.sender, (each.sender, *(int(heads[channel]) for channel in each.path)))
        for each in result.schedule
    }


@pytest.mark.parametrize("side", [2, 3, 4])
def test_rows_of_s4noc_are_the_packets(side: int) -> None:
    """Followed by the letters from every router, each row is the path of every packet, in its slots."""
    problem = Problem(network(f"torus:{side}x{side}"), "alltoall", Rules("tdm", ports=1))
    result = SOLVERS["translation"](problem, None, 0, Budget()).expanded()
    assert followed(rendered(result, "shd"), side) == routers_on(result)


def test_what_is_not_one_table_for_all() -> None:
    """Other rules, collectives, networks, and routers with tables of their own are refused in one line."""
    for result, reason in (
        (slotted("torus:3x3", "aas"), "and S4NoC has one for all"),
        (solved("ring:4", "aas"), "solve with `switching='tdm'` and `ports=1`"),
        (slotted("torus:3x3", router_delay=2), "solve with `switching='tdm'` and `ports=1`"),
        (slotted("torus:3x3", "pairs"), "and this is PAIRS"),
        (slotted("mesh:2x3", "aas"), "this is mesh:2x3"),
    ):
        assert reason in (form("shd").refusal(result) or "")
