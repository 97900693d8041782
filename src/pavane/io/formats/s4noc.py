"""Tables of S4NoC: one for all routers of a two-way torus of n x n, a row a packet.

A letter n, e, s or w is the port by which the packet leaves a router, and l the local port at the receiver; its column
is the slot of that output. Spaces stand before a row's first letter. So a row reads `   nel|`; .shd files of S4NoC
leave out `l|`, and its Scala source puts rows in quotes. Router y * n + x is in row y from the north and in column x
from the west.

S4NoC does not count the slot in which a packet is at the sender's local port, one before its first letter. Here it
counts: column c is slot c + 1, and a table whose longest row, with its l, has c columns is a schedule of c + 1 slots
without wrap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count, pairwise
from math import isqrt

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Claim, Format
from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.grid_ports import WAYS, GridPorts
from pavane.io.parsing import shown, text_of
from pavane.judge.result import Provenance, Result
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

ROW = re.compile(r'(?:\s*")?( *)([nesw]+)l?\|?"?\s*\+?\s*', re.ASCII)
MOST_BYTES = 2**20
"""Larger files are refused: a table of 30 x 30 has half of it."""

MOST_SIDE = 40
"""Larger tori are refused: an all-to-all of 40 x 40 has 2.5 million packets."""


def _recognizes(file: File) -> bool:
    """Return whether all lines are rows, each of a later slot than the one before."""
    rows = [ROW.fullmatch(line) for line in file.head_lines if line.strip()]
    starts = [len(row[1]) for row in rows if row is not None]
    return len(starts) == len(rows) > 2 and all(a < b for a, b in pairwise(starts))


def _rows(file: File) -> list[tuple[int, str]]:
    """Return the injection slot and the letters of each row."""
    rows = []
    for number, line in enumerate(text_of(file, MOST_BYTES).splitlines(), 1):
        row = ROW.fullmatch(line)
        if row is not None:
            rows.append((len(row[1]), row[2].upper()))
        elif line.strip():
            raise InputError(f"{file}, line {number}: {shown(line)} expected a row like `  nel|`")
    return rows


def _offset(word: str) -> tuple[int, ...]:
    """Return the columns and rows that a path of letters moves."""
    letters = Counter(word)
    return tuple(sum(WAYS[way][axis] * letters[way] for way in WAYS) for axis in (0, 1))


def _is_minimal(side: int, word: str) -> bool:
    """Return whether no path to where letters lead is shorter."""
    return len(word) == sum(min(moved % side, -moved % side) for moved in _offset(word))


def _problem(file: File, rows: list[tuple[int, str]], on: Network | None) -> Problem:
    """Return the all-to-all of the torus that has as many destinations as there are rows."""
    side = isqrt(len(rows) + 1)
    if side * side != len(rows) + 1 or not 2 <= side <= MOST_SIDE:
        raise InputError(
            f"{file}: {len(rows)} rows are no table for a torus of n x n, which has n * n - 1 of them, n up to "
            f"{MOST_SIDE}"
        )
    longest = max(rows, key=lambda row: len(row[1]))[1]
    if len(longest) > side * side:
        raise InputError(f"{file}: a row of {len(longest):,} letters visits routers twice; there are {side * side}")
    torus = network(f"torus:{side}x{side}")
    if on is not None and on != torus:
        raise InputError(f"{file}: a table of {len(rows)} rows is for torus:{side}x{side}, not for {on.name}")
    routing: Routing = "minimal" if all(_is_minimal(side, word) for _, word in rows) else "any"
    return Problem(torus, alltoall(torus), Rules("tdm", ports=1, routing=routing, wrap=False))


def _transfers(file: File, problem: Problem, rows: list[tuple[int, str]]) -> Iterator[Transfer]:
    """Yield every row at every router."""
    ports, heads = GridPorts.of(problem.network), problem.network.heads
    assert ports is not None
    numbers = {tuple(label): number for number, label in enumerate(problem.labels.tolist())}
    for start, word in rows:
        for router in range(problem.network.num_routers):
            path, at = [], router
            for letter in word:
                path.append(ports.channel_of[at, letter])
                at = int(heads[path[-1]])
            if at == router:
                raise InputError(f"{file}: the row {shown(word.lower())} leads back to where it starts; leave it out")
            yield Transfer(start, router, at, tuple(path), (numbers[router, at],))


def _wrapped_period(rows: list[tuple[int, str]]) -> int:
    """Return the smallest period in which no two rows use the same port in a slot; all routers do the same."""
    side = isqrt(len(rows) + 1)
    same = {"S": "N", "W": "E"} if side == 2 else {}  # one channel leads to a neighbour on both sides
    uses = [
        (same.get(port, port), start + index)
        for start, word in rows
        for index, port in enumerate(("injection", *word, "ejection"))
    ]
    return next(
        period for period in count(len(rows)) if len({(port, slot % period) for port, slot in uses}) == len(uses)
    )


def read_schedule(file: File, on: Network | None = None) -> Claim:
    """Read a table as published, without wrap; a note says in which period it may repeat."""
    rows = _rows(file)
    problem = _problem(file, rows, on)
    length = max(start + len(word) + 1 for start, word in rows)
    uses = Counter((letter, start + index) for start, word in rows for index, letter in enumerate((*word, "L")))
    if max(uses.values()) == 1 and len({start for start, _ in rows}) == len(rows):
        period = _wrapped_period(rows)
        file.note(
            f"{length} columns and the injection slot are {length + 1} slots without wrap; the wrapped period is "
            f"{period}: the table may repeat every {period} slots"
        )
    schedule = Schedule.from_transfers(_transfers(file, problem, rows), length + 1)
    return Claim(problem, schedule, (), Provenance("S4NoC"), is_foreign=True)


S4NOC = Format(
    "s4noc",
    "table of S4NoC, the same for all routers of a two-way torus: a row is a packet, its letters the ports",
    _recognizes,
    lambda file: read_schedule(file).problem,
    read_schedule,
)


def _refuse(result: Result) -> str | None:
    problem, _ = problem_and_schedule(result)
    rules, side = problem.rules, isqrt(problem.network.num_routers)
    if not rules.has_slots or (rules.router_delay, rules.link_delay, rules.packet_slots, rules.ports) != (1, 0, 1, 1):
        return (
            "S4NoC has one slot for each router, none for links, packets of one slot and one port; solve with "
            "`switching='tdm'` and `ports=1`"
        )
    if problem.collective.kind != "AAS" or not problem.collective.is_plain:
        return f"S4NoC's tables are all-to-alls (AAS) of one packet each, and this is {problem.collective.kind}"
    torus = network(f"torus:{side}x{side}") if side > 1 else None
    same = torus is not None and torus.num_routers == problem.network.num_routers
    if torus is None or not same or sorted(torus.channels.tolist()) != sorted(problem.network.channels.tolist()):
        return f"S4NoC's tables are those of tori of n x n, and this is {problem.network.name}"
    if list(problem.network.router_of) != list(range(side * side)) or problem.network.capacities is not None:
        return "every router of S4NoC has one processor of the same number, and channels of capacity 1"
    rows = _table(result)
    if isinstance(rows, str):
        return rows
    return None


def _table(result: Result) -> list[tuple[int, str]] | str:
    """Return the rows that all routers share; or the reason in words that there are none."""
    problem, schedule = problem_and_schedule(result)
    own = network(f"torus:{isqrt(problem.network.num_routers)}x{isqrt(problem.network.num_routers)}")
    ports = GridPorts.of(own)
    assert ports is not None
    letters = {tuple(own.channels[channel].tolist()): letter for channel, letter in ports.letter_of.items()}
    tables: list[set[tuple[int, str]]] = [set() for _ in range(own.num_routers)]
    for transfer in schedule:
        ends = problem.network.channels[list(transfer.path)].tolist()
        tables[transfer.sender].add((transfer.step, "".join(letters[tuple(each)] for each in ends).lower()))
    for router, table in enumerate(tables):
        if table != tables[0]:
            return (
                f"router {problem.network.routers[router]} has another table than router {problem.network.routers[0]}, "
                "and S4NoC has one for all; `method='translation'` finds such tables, the more with `wrap=False`"
            )
    return sorted(tables[0])


def _render(result: Result, _: Options) -> str:
    rows = _table(result)
    assert not isinstance(rows, str)
    return "".join(f"{' ' * start}{word}l|\n" for start, word in rows)


S4NOC_EXPORT = Export(
    "s4noc", "A table of S4NoC, one for all routers of a two-way torus: a row per packet.", ".shd", _render, _refuse
)
