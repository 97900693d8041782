"""slot-tables: for every router and slot, the input port that each output port takes its packet from.

The ending of the file chooses the form: .txt for people, .csv and .json for programs, and for hardware a ROM in
Verilog (.v), VHDL (.vhd), or as words for $readmemh (.hex). In a ROM an input is coded by its position from 1, 0 is
idle, and output 0 has the lowest bits of a word.

A .shd file is a table of S4NoC, one for all routers of a two-way torus of n x n, a row a packet: spaces for the slots
before its injection, the ports n, e, s and w by which it leaves routers, and l for the local port. Router y * n + x is
in row y from the north and in column x from the west.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import isqrt
from typing import Any

from pavane.io.formats.export import Export, Options, refuse_trees
from pavane.io.formats.templates import one_line
from pavane.io.levels import OrderedResult
from pavane.io.notation import aligned, csv_text
from pavane.io.router_tables import RouterPort, RouterTable, crowded_port, table_of_kinds, tables_of
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.text import counted

NAME = "slot-tables"
ABOUT = "The slot table of each router: an input port for every output; -o FILE.txt, csv, json, v, vhd, hex or shd."


MOST_HOPS = 10_000_000
"""A table with more hops is not written as slots: each takes an entry."""


def has_one_table(result: Result) -> bool:
    """Return whether all routers have the same slot table: they do the rows of one table in the same steps."""
    table = result.table
    if not isinstance(table, SymmetricSchedule) or table.clocks or table.routers is not None:
        return False
    return int(table.row_lengths.sum()) <= MOST_HOPS


def _tables(ordered: OrderedResult) -> list[RouterTable]:
    if isinstance(ordered.result.table, SymmetricSchedule):
        return [table_of_kinds(ordered.problem, ordered.result.table)]
    return tables_of(ordered.problem, ordered.schedule)


def _title(ordered: OrderedResult, tables: list[RouterTable]) -> str:
    problem = ordered.problem
    name, slots = one_line(problem.network.name), counted(ordered.result.num_steps or 0, "slot")
    bits = sum(table.bits for table in tables)
    same = f" for each of {problem.network.num_routers:,} routers, which have the same"
    in_all = " in all" if ordered.result.table is None else same
    return f"{problem.collective.title} on {name}, {problem.rules.switching}: {slots}, {bits:,} bits{in_all}"


def _size(table: RouterTable) -> str:
    sizes = f"{table.num_slots} slots x {len(table.outputs)} outputs x {table.select_bits} bits"
    return f"{sizes} = {table.bits:,} bits"


def _port_words(network: Network, port: RouterPort, preposition: str) -> str:
    """Return what a port is, in words: for a channel its number and the router at the other end."""
    if port.kind == "kind":
        if preposition == "from":
            return f"the channel of kind {port.number} that enters"
        head = one_line(network.routers[network.heads[network.out_channels[0][port.number]]])
        return f"the channel of kind {port.number}, at router {one_line(network.routers[0])} the one to router {head}"
    if port.kind != "channel":
        return f"{port.kind} {port.number}"
    ends = network.heads if preposition == "to" else network.tails
    return f"channel {port.number} {preposition} router {one_line(network.routers[ends[port.number]])}"


def _ports(network: Network, table: RouterTable) -> Iterator[str]:
    """Yield a line for each port of a router."""
    is_same = any(port.kind == "kind" for port in table.outputs)
    name = "every router" if is_same else f"router {table.router} ({one_line(network.routers[table.router])})"
    yield f"{name}: {_size(table)}"
    for index, port in enumerate(table.outputs):
        yield f"  o{index}: {_port_words(network, port, 'to')}"
    for index, port in enumerate(table.inputs):
        yield f"  i{index}: {_port_words(network, port, 'from')}"


def _text(ordered: OrderedResult, _: Options) -> str:
    network, tables = ordered.problem.network, _tables(ordered)
    lines = [
        f"Slot tables of {_title(ordered, tables)}",
        "A row is a slot, from 0, a column an output port; an entry is the input port that it takes from, . is idle.",
    ]
    for table in tables:
        lines += ["", *_ports(network, table)]
        rows = [
            [str(slot), *("+".join(f"i{each}" for each in row) or "." for row in _slot(table, slot))]
            for slot in range(table.num_slots)
        ]
        lines += aligned([["slot", *(f"o{index}" for index in range(len(table.outputs)))], *rows])
    return "".join(f"{line}\n" for line in lines)


def _slot(table: RouterTable, slot: int) -> list[list[int]]:
    """Return the inputs of each output in a slot."""
    return [table.entries.get((slot, output), []) for output in range(len(table.outputs))]


def _csv(ordered: OrderedResult, _: Options) -> str:
    network = ordered.problem.network
    rows = (
        (
            *(table.router, slot, output, *table.outputs[output]),
            *(taken, *table.inputs[taken], network.routers[table.router]),
        )
        for table in _tables(ordered)
        for (slot, output), inputs in sorted(table.entries.items())
        for taken in inputs
    )
    header = (
        *("router", "slot", "output", "output_kind", "output_number"),
        *("input", "input_kind", "input_number", "name"),
    )
    return csv_text(header, rows)


def _json_table(network: Network, table: RouterTable) -> str:
    """Return a router as an object, a slot to a line."""
    about = {
        "router": table.router,
        "name": network.routers[table.router],
        "outputs": [_json_port(network, port, "to") for port in table.outputs],
        "inputs": [_json_port(network, port, "from") for port in table.inputs],
        "bits": table.bits,
    }
    rows = (
        [None if not row else row[0] if len(row) == 1 else row for row in _slot(table, slot)]
        for slot in range(table.num_slots)
    )
    return json.dumps(about)[:-1] + ', "table": [' + ",".join(f"\n   {json.dumps(row)}" for row in rows) + "]}"


def _json_port(network: Network, port: RouterPort, preposition: str) -> dict[str, Any]:
    if port.kind != "channel":
        return {port.kind: port.number}
    ends = network.heads if preposition == "to" else network.tails
    return {"channel": port.number, preposition: int(ends[port.number])}


def _json(ordered: OrderedResult, _: Options) -> str:
    problem = ordered.problem
    about = {
        "format": "pavane/slot-tables/1",
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "slots": ordered.result.num_steps,
        **({} if ordered.result.table is None else {"same_at_routers": problem.network.num_routers}),
    }
    tables = ",\n  ".join(_json_table(problem.network, table) for table in _tables(ordered))
    return json.dumps(about)[:-1] + ',\n "routers": [\n  ' + tables + "\n ]}\n"


def _refuse_crowded(ordered: OrderedResult) -> str | None:
    """Refuse several transfers on one port, of which a ROM can select one, and trees."""
    if ordered.problem.has_trees:
        return refuse_trees(ordered, NAME)
    if isinstance(ordered.result.table, SymmetricSchedule):
        crowded = _crowded_kind(ordered)
    else:
        crowded = crowded_port(ordered.problem, ordered.schedule)
    if crowded is None:
        return None
    return f"{crowded}, and a ROM selects one input for an output; solve with `ports=1`, or write .txt, .csv or .json"


def _crowded_kind(ordered: OrderedResult) -> str | None:
    """Return in words which port of every router has several transfers in one slot."""
    (table,) = _tables(ordered)
    local = len(table.inputs) - 1
    sent = Counter(slot for (slot, _), inputs in table.entries.items() for each in inputs if each == local)
    for (slot, output), inputs in table.entries.items():
        if len(inputs) > 1:
            kind, number = table.outputs[output]
            return f"{len(inputs)} transfers leave every router to {kind} {number} in slot {slot + 1}"
    crowded = [slot for slot, count in sent.items() if count > 1]
    return f"every processor sends several transfers in slot {min(crowded) + 1}" if crowded else None


def _commented(ordered: OrderedResult, mark: str) -> Iterator[str]:
    """Yield what a ROM has in which order, as comments."""
    tables = _tables(ordered)
    yield f"{mark} Slot tables of {_title(ordered, tables)}."
    yield f"{mark} Output 0 has the lowest bits of a word; the code of input k is k + 1, and 0 is idle."


def _ascii(lines: list[str]) -> str:
    """Return lines of letters that all tools of hardware read."""
    return "".join(line.encode("ascii", "replace").decode() + "\n" for line in lines)


def _bits_of(table: RouterTable) -> tuple[int, int]:
    """Return the bits of an address and of a word; a port of a module has one at least."""
    return max((table.num_slots - 1).bit_length(), 1), max(table.word_bits, 1)


def _verilog(ordered: OrderedResult, _: Options) -> str:
    lines = list(_commented(ordered, "//"))
    for table in _tables(ordered):
        address, width = _bits_of(table)
        lines += ["", *(f"// {line}" for line in _ports(ordered.problem.network, table))]
        lines.append(
            f"module slot_table_{table.router} (input wire [{address - 1}:0] slot, output reg [{width - 1}:0] sel);"
        )
        lines += ["  always @* begin", "    case (slot)"]
        lines += [f"      {address}'d{slot}: sel = {width}'b{table.word(slot):0{width}b};" for slot in _used(table)]
        lines += [f"      default: sel = {width}'b{0:0{width}b};", "    endcase", "  end", "endmodule"]
    return _ascii(lines)


def _used(table: RouterTable) -> list[int]:
    """Return the slots in which any output of a router is used."""
    return sorted({slot for slot, _ in table.entries})


def _vhdl(ordered: OrderedResult, _: Options) -> str:
    lines = list(_commented(ordered, "--"))
    for table in _tables(ordered):
        width = _bits_of(table)[1]
        name, last = f"slot_table_{table.router}", table.num_slots - 1
        lines += ["", *(f"-- {line}" for line in _ports(ordered.problem.network, table))]
        lines += ["library ieee;", "use ieee.std_logic_1164.all;", f"entity {name} is", "  port ("]
        lines += [f"    slot : in natural range 0 to {last};"]
        lines += [f"    sel : out std_logic_vector({width - 1} downto 0));", f"end entity {name};"]
        lines += [f"architecture rom of {name} is"]
        lines += [f"  type words is array (0 to {last}) of std_logic_vector({width - 1} downto 0);"]
        lines += ["  constant content : words := ("]
        lines += [f'    {slot} => "{table.word(slot):0{width}b}",' for slot in _used(table)]
        lines += ["    others => (others => '0'));", "begin", "  sel <= content(slot);", "end architecture rom;"]
    return _ascii(lines)


def _hex(ordered: OrderedResult, _: Options) -> str:
    tables = _tables(ordered)
    lines = list(_commented(ordered, "//"))
    width = max((table.word_bits for table in tables), default=1)
    lines.append(f"// Words of {width} bits; the address is router * {tables[0].num_slots} + slot.")
    for table in tables:
        lines += ["", *(f"// {line}" for line in _ports(ordered.problem.network, table))]
        lines.append(f"@{table.router * table.num_slots:x}")
        lines += [f"{table.word(slot):0{max(-(-width // 4), 1)}x}" for slot in range(table.num_slots)]
    return _ascii(lines)


def _refuse_for_s4noc(ordered: OrderedResult) -> str | None:
    """Refuse all but all-to-alls on tori of n x n in which all routers have one table."""
    problem = ordered.problem
    rules, network, side = problem.rules, problem.network, isqrt(problem.network.num_routers)
    if not rules.has_slots or (rules.router_delay, rules.link_delay, rules.packet_slots, rules.ports) != (1, 0, 1, 1):
        return (
            "S4NoC has one slot for each router, none for links, packets of one slot and one port; solve with "
            "`switching='tdm'` and `ports=1`"
        )
    if problem.collective.kind != "AAS" or not problem.collective.is_plain:
        return f"S4NoC's tables are all-to-alls (AAS) of one packet each, and this is {problem.collective.kind}"
    neighbours = {(router, _neighbour(router, way, side)) for router in range(side * side) for way in COMPASS}
    if (
        side < 2
        or side * side != network.num_routers
        or sorted(neighbours) != sorted(map(tuple, network.channels.tolist()))
    ):
        return f"S4NoC's tables are those of tori of n x n, and this is {network.name}"
    if network.router_of.tolist() != list(range(side * side)) or network.capacities is not None:
        return "every router of S4NoC has one processor of the same number, and channels of capacity 1"
    tables = _rows_of_s4noc(ordered)
    other = next((router for router, table in enumerate(tables) if table != tables[0]), None)
    if other is not None:
        return (
            f"router {network.routers[other]} has another table than router {network.routers[0]}, and S4NoC has one "
            "for all; `method='translation'` finds such tables, the more with `wrap=False`"
        )
    return None


COMPASS = {"e": (0, 1), "w": (0, -1), "s": (1, 0), "n": (-1, 0)}
"""The change of row and column."""


def _neighbour(router: int, way: str, side: int) -> int:
    row, column = divmod(router, side)
    down, right = COMPASS[way]
    return (row + down) % side * side + (column + right) % side


def _rows_of_s4noc(ordered: OrderedResult) -> list[list[tuple[int, str]]]:
    """Return the slot and the letters of each packet of every router; of two ways to a neighbour the first is taken."""
    problem, schedule = ordered.problem, ordered.schedule
    side = isqrt(problem.network.num_routers)
    way_between = {
        (router, _neighbour(router, way, side)): way for router in range(side * side) for way in reversed(COMPASS)
    }
    tables: list[list[tuple[int, str]]] = [[] for _ in range(side * side)]
    for transfer in schedule:
        ends = problem.network.channels[list(transfer.path)].tolist()
        tables[transfer.sender].append((transfer.start, "".join(way_between[tail, head] for tail, head in ends)))
    return [sorted(table) for table in tables]


def _s4noc(ordered: OrderedResult, _: Options) -> str:
    return "".join(f"{' ' * start}{word}l|\n" for start, word in _rows_of_s4noc(ordered)[0])


def _form(ending: str, render: Callable[[OrderedResult, Options], str], *, is_rom: bool = False) -> Export:
    """Return a form for programs, or for hardware."""
    form = Export(NAME, ABOUT, ending, render, _refuse_crowded if is_rom else partial(refuse_trees, who=NAME))
    return replace(form, of_table=lambda result: form if has_one_table(result) else None)


_rom = partial(_form, is_rom=True)

SLOT_TABLES = replace(
    _form(".tables.txt", _text),
    forms=(
        *(_form(".csv", _csv), _form(".json", _json)),
        *(_rom(".v", _verilog), _rom(".vhd", _vhdl), _rom(".vhdl", _vhdl), _rom(".hex", _hex)),
        Export(NAME, ABOUT, ".shd", _s4noc, _refuse_for_s4noc),
    ),
)
