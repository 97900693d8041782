"""Files of poseidon, the scheduler of the Argo network on chip: platforms with their communication, and schedules.

A platform is a two-way torus (bitorus), a mesh, or a list of one-way links, of width x height routers with one
processor each. Router y * width + x is (x,y): x counts columns to the east, y rows to the south. `routerDepth` and
`linkDepth` are the router's and the link's delay, `phits` the slots of a packet, and `bandwidth` the packets of a
channel in a period. What poseidon calls a channel is a message here.

A schedule lists for each tile and timeslot what its network adapter sends to (tx) and receives from (rx), and for each
output of the router the input that it takes from. A row of a router is the slot in which a packet is at the input. The
table repeats. Files of poseidon are no XML documents: they have several roots, and begin with `<?xmlversion`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import quoteattr

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Claim, Format
from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.grid_ports import OPPOSITE, WAYS, GridPorts
from pavane.io.network_builder import NetworkBuilder, allow_count
from pavane.io.parsing import children_of, refuse_if_huge, root_of, shown, tag_of, whole
from pavane.io.router_tables import tables_of
from pavane.judge.result import Provenance, Result
from pavane.model.collectives import alltoall, in_pieces, pairs
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Place = tuple[int, int]

PROLOG = re.compile(rb"\A\s*<\?xml.*?\?>", re.DOTALL)
PLATFORM = re.compile(r"(?:<\?xml.*?\?>|<!--.*?-->|\s)*<(?:platform|topology)\b[^>]*\bwidth\s*=", re.DOTALL)
SCHEDULE = re.compile(r"(?:<\?xml.*?\?>|<!--.*?-->|\s)*<schedule\b[^>]*\blength\s*=", re.DOTALL)

MOST_DEPTH = 8
"""The largest router and link depths that are tried where a schedule does not say them."""


def _root(file: File) -> Element:
    """Return an element around all roots of a file."""
    refuse_if_huge(file)
    body = PROLOG.sub(b"", bytes(file.data), count=1)
    return root_of(File.of(b"<poseidon>" + body + b"</poseidon>", file.name), "XML of poseidon")


def _first(element: Element, *tags: str) -> Element | None:
    """Return the first child of an element that has one of some names."""
    return next((child for child in element if tag_of(child) in tags), None)


def _place(text: str | None, what: str) -> Place:
    """Read the place of a router, `(x,y)`."""
    found = re.fullmatch(r"\s*\(\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\)\s*", text or "", re.ASCII)
    if found is None:
        raise InputError(f"{what} is {shown(text)}, where a place like (0,1) was expected")
    return int(found[1]), int(found[2])


# -- platforms


def read_problem(file: File) -> Problem:
    """Read a platform and its communication; without one it is an all-to-all."""
    root = _root(file)
    platform = _first(root, "platform", "topology")
    if platform is None:
        raise InputError(f"{file}: there is no <platform>")
    graph = platform if tag_of(platform) == "topology" else _first(platform, "topology")
    kind = _first(platform, "graph") if graph is platform else graph
    if kind is None:
        raise InputError(f"{file}: the platform has no <topology>; give it one, like <topology type='mesh'/>")
    width, height = (whole(platform.get(side), f"{file}: {side}", 1) for side in ("width", "height"))
    allow_count(file, width * height, "routers")
    link_delay = whole(kind.get("linkDepth", "0"), f"{file}: linkDepth")
    made = _network(file, kind, width, height, link_delay)
    communication = _first(root, "communication", "channels")
    collective, phits = (alltoall(made), 1) if communication is None else _requested(file, communication, made, width)
    if _first(platform, "timeslots") is not None:
        file.note("the number of available timeslots is left out; --steps limits the period")
    rules = Rules(
        "tdm",
        ports=1,
        router_delay=whole(kind.get("routerDepth", "1"), f"{file}: routerDepth", 1),
        link_delay=link_delay,
        packet_slots=phits,
    )
    return Problem(made, collective, rules)


def _network(file: File, kind: Element, width: int, height: int, link_delay: int) -> Network:
    """Return the network of a topology."""
    form = kind.get("type") or kind.get("topoType")
    if form == "mesh" or (form == "bitorus" and min(width, height) > 2):
        return network(f"{'mesh' if form == 'mesh' else 'torus'}:{height}x{width}")
    if form not in ("bitorus", "custom"):
        raise InputError(f"{file}: the topology has type {shown(form)}; known are bitorus, mesh and custom")
    builder = NetworkBuilder(file)
    places = [(x, y) for y in range(height) for x in range(width)]
    for x, y in places:
        builder.router(f"({x},{y})")
    for tail, head in _links(file, kind, link_delay) if form == "custom" else _around(width, height):
        if max(tail[0], head[0]) >= width or max(tail[1], head[1]) >= height:
            raise InputError(f"{file}: the link from {tail} to {head} leaves the platform of {width} x {height}")
        builder.channel(tail[1] * width + tail[0], head[1] * width + head[0])
    return builder.network([(float(x), float(-y)) for x, y in places])


def _links(file: File, kind: Element, link_delay: int) -> Iterator[tuple[Place, Place]]:
    """Yield the links of a custom topology."""
    for link in children_of(kind, "link"):
        if whole(link.get("depth", str(link_delay)), f"{file}: the depth of a link") != link_delay:
            raise InputError(f"{file}: links have depths of their own, and here all have one; set linkDepth instead")
        yield _place(link.get("source"), f"{file}: source"), _place(link.get("sink"), f"{file}: sink")


def _around(width: int, height: int) -> Iterator[tuple[Place, Place]]:
    """Yield the links of a torus with two rows or columns, where two lead to a neighbour."""
    for y in range(height):
        for x in range(width):
            for right, down in WAYS.values():
                head = (x + right) % width, (y + down) % height
                if head != (x, y):
                    yield (x, y), head


def _requested(file: File, communication: Element, made: Network, width: int) -> tuple[Collective, int]:
    """Return what is sent, and the slots of a packet."""
    form = communication.get("type") or communication.get("comType")
    channels = children_of(communication, "channel")
    phits = whole(communication.get("phits", "1"), f"{file}: phits", 1)
    bandwidth = communication.get("bandwidth", "1")
    if communication.get("reconfig") is not None:
        raise InputError(
            f"{file}: channels of a reconfiguration master are not read; list them, and leave out reconfig"
        )
    if form == "all2all" or (form is None and not channels):
        return in_pieces(alltoall(made), whole(bandwidth, f"{file}: bandwidth", 1)), phits
    if form not in ("custom", "arbitrary", None):
        raise InputError(f"{file}: the communication has type {shown(form)}; known are all2all and custom")
    packets: Counter[tuple[int, int]] = Counter()
    lengths = {whole(each.get("phits", str(phits)), f"{file}: phits of a channel", 1) for each in channels}
    if len(lengths) > 1:
        raise InputError(f"{file}: packets have {min(lengths)} to {max(lengths)} phits, and here all have as many")
    for each in channels:
        ends = []
        for end in ("from", "to"):
            x, y = _place(each.get(end), f"{file}: {end} of a channel")
            if x >= width or y * width + x >= made.num_routers:
                raise InputError(f"{file}: a channel names router ({x},{y}), which the platform does not have")
            ends.append(y * width + x)
        packets[ends[0], ends[1]] += whole(each.get("bandwidth", bandwidth), f"{file}: bandwidth of a channel", 1)
    return _collective(made, packets), max(lengths, default=phits)


def _collective(made: Network, packets: Counter[tuple[int, int]]) -> Collective:
    """Return the collective of so many packets between pairs: an all-to-all where every pair has as many."""
    count = made.num_processors
    if len(packets) == count * (count - 1) and len(set(packets.values())) == 1:
        return in_pieces(alltoall(made), next(iter(packets.values())))
    return in_pieces(pairs(list(packets)), sizes=[(*ends, size) for ends, size in packets.items() if size > 1])


POSEIDON = Format(
    "poseidon",
    "platform and communication of poseidon: routers on a grid with a processor each, bandwidths are sizes",
    lambda file: PLATFORM.match(file.head) is not None,
    read_problem,
)


# -- schedules


class Adapter(NamedTuple):
    """What a tile's network adapter does in a timeslot."""

    source: Place
    """Where a packet comes from; its own place where none does."""
    target: Place
    packet: tuple[str, ...]
    """What distinguishes packets to one target."""
    route: str
    """The letters of the ways it goes; empty where the file does not say them."""


@dataclass(frozen=True)
class Tables:
    """A schedule file as it stands."""

    width: int
    height: int
    length: int
    adapters: dict[tuple[Place, int], Adapter]
    inputs: dict[tuple[Place, int], dict[str, str]]
    """The input of each output that is used, by tile and timeslot."""
    phits: int
    depths: tuple[int, int] | None
    """Router and link depth; None where the file does not say them, as those of poseidon."""

    def moved(self, place: Place, letter: str) -> Place:
        """Return the neighbour of a place, round the grid."""
        return (place[0] + WAYS[letter][0]) % self.width, (place[1] + WAYS[letter][1]) % self.height

    def packets(self) -> Iterator[tuple[Place, int, Adapter]]:
        """Yield tile, first slot and adapter of every packet."""
        for (place, slot), adapter in self.adapters.items():
            if adapter.target == place:
                continue
            before = 0
            while before < self.length and self._sends(place, slot - before - 1, adapter):
                before += 1
            if (before if before < self.length else slot) % self.phits == 0:
                yield place, slot, adapter

    def _sends(self, place: Place, slot: int, adapter: Adapter) -> bool:
        other = self.adapters.get((place, slot % self.length))
        return other is not None and (other.target, other.packet) == (adapter.target, adapter.packet)

    def route(self, place: Place, slot: int, adapter: Adapter, hop: int) -> str | None:
        """Return the letters of a packet's path: as the file says it, or by the tables; None where they end."""
        if adapter.route:
            return adapter.route
        entered, letters = "L", ""
        while len(letters) <= self.width * self.height:
            rows = self.inputs.get((place, slot % self.length), {})
            output = next((each for each, taken in rows.items() if taken == entered), None)
            if output in (None, "L"):
                return letters if output == "L" and place == adapter.target else None
            assert output is not None
            letters += output
            place, slot, entered = self.moved(place, output), slot + hop, OPPOSITE[output]
        return None


def _tables(file: File) -> Tables:
    """Read the tables of a schedule."""
    schedule = _first(_root(file), "schedule")
    if schedule is None:
        raise InputError(f"{file}: there is no <schedule>")
    length = whole(schedule.get("length"), f"{file}: length", 1)
    adapters: dict[tuple[Place, int], Adapter] = {}
    inputs: dict[tuple[Place, int], dict[str, str]] = {}
    lengths = {element.get("pkt-len") for element in schedule.iter("destination")} - {None}
    tiles = [(_place(tile.get("id"), f"{file}: id of a tile"), tile) for tile in children_of(schedule, "tile")]
    width, height = (1 + max((place[axis] for place, _ in tiles), default=0) for axis in (0, 1))
    allow_count(file, width * height, "routers")
    for place, tile in tiles:
        for row in children_of(tile, "timeslot"):
            key = place, whole(row.get("value"), f"{file}: value of a timeslot")
            if key[1] >= length:
                raise InputError(f"{file}: timeslot {key[1]} of tile {place} lies behind the length, {length}")
            adapters[key] = _adapter(file, place, _first(row, "na"))
            router = _first(row, "router")
            for output in () if router is None else children_of(router, "output"):
                letter, taken = (output.get(name, "") for name in ("id", "input"))
                if letter in (*WAYS, "L") and taken in (*WAYS, "L"):
                    inputs.setdefault(key, {})[letter] = taken
    if length > len(adapters):
        raise InputError(f"{file}: the length is {length:,}, and no tile has as many timeslots")
    if len(lengths) > 1:
        raise InputError(f"{file}: packets have different lengths (pkt-len), and here all have as many slots")
    phits = whole(next(iter(lengths), "1"), f"{file}: pkt-len", 1)
    depths = None
    if schedule.get("routerDepth") is not None:
        link_delay = whole(schedule.get("linkDepth", "0"), f"{file}: linkDepth")
        depths = whole(schedule.get("routerDepth"), f"{file}: routerDepth", 1), link_delay
    return Tables(width, height, length, adapters, inputs, phits, depths)


def _adapter(file: File, place: Place, element: Element | None) -> Adapter:
    """Read what a network adapter does."""
    if element is None:
        return Adapter(place, place, (), "")
    source, target = (
        place if element.get(name) is None else _place(element.get(name), f"{file}: {name}") for name in ("rx", "tx")
    )
    route = (element.get("route") or "").strip().upper()
    if re.fullmatch(r"[NESW]*L?", route) is None:
        raise InputError(f"{file}: the route {shown(route)} has other letters than N, E, S, W and L")
    packet = tuple(element.get(name, "") for name in ("chan-id", "pkt-id"))
    return Adapter(source, target, packet, route.removesuffix("L"))


def _depths(file: File, tables: Tables) -> tuple[int, int]:
    """Return router and link depth: those of the file, or the smallest with which packets arrive when expected.

    poseidon leaves out what arrives behind the end of its table.
    """
    packets = list(tables.packets())
    hops = range(1, 2 * MOST_DEPTH + 1) if tables.depths is None else (sum(tables.depths),)
    for hop in hops:
        routes = [tables.route(*packet, hop) for packet in packets]
        if None in routes:
            continue
        for router_delay in range(min(hop, MOST_DEPTH), 0, -1) if tables.depths is None else tables.depths[:1]:
            if all(
                route is not None and _is_expected(tables, packet, packet[1] + len(route) * hop + router_delay)
                for packet, route in zip(packets, routes, strict=True)
            ):
                return router_delay, hop - router_delay
    raise InputError(f"{file}: packets do not arrive where and when the tables say, with any depths up to {MOST_DEPTH}")


def _is_expected(tables: Tables, packet: tuple[Place, int, Adapter], arrival: int) -> bool:
    place, _, adapter = packet
    for slot in range(arrival, arrival + tables.phits):
        receiver = tables.adapters.get((adapter.target, slot % tables.length))
        expected = adapter.target if receiver is None else receiver.source
        if expected != place and (slot < tables.length or expected != adapter.target):
            return False
    return True


def read_schedule(file: File, on: Network | None = None) -> Claim:
    """Read a schedule; where no packet crosses the border of the grid it is a mesh, otherwise a two-way torus."""
    tables = _tables(file)
    router_delay, link_delay = _depths(file, tables)
    routes = [
        (place, slot, adapter.target, tables.route(place, slot, adapter, router_delay + link_delay) or "")
        for place, slot, adapter in tables.packets()
    ]
    made = on
    if made is None:
        form = "torus" if any(_leaves(tables, place, route) for place, _, _, route in routes) else "mesh"
        made = network(f"{form}:{tables.height}x{tables.width}")
    ports = GridPorts.of(made)
    if (
        ports is None
        or (ports.width, ports.height) != (tables.width, tables.height)
        or made.num_processors != len(ports.place_of)
    ):
        raise InputError(f"{file}: it is for a grid of {tables.width} x {tables.height}, not for {made.name}")
    router_at = {place: router for router, place in enumerate(ports.place_of)}
    packets = Counter((router_at[place], router_at[target]) for place, _, target, _ in routes)
    distances = made.distances
    is_minimal = all(len(route) == distances[router_at[a], router_at[b]] for a, _, b, route in routes)
    routing: Routing = "minimal" if is_minimal else "any"
    rules = Rules(
        "tdm", ports=1, routing=routing, router_delay=router_delay, link_delay=link_delay, packet_slots=tables.phits
    )
    problem = Problem(made, _collective(made, packets), rules)
    numbers = {tuple(label): number for number, label in enumerate(problem.labels.tolist())}
    seen: Counter[tuple[int, int]] = Counter()
    transfers = []
    for place, slot, target, route in sorted(routes, key=lambda each: each[1]):
        path, at = [], router_at[place]
        for letter in route:
            if (at, letter) not in ports.channel_of:
                raise InputError(f"{file}: a packet leaves router {made.routers[at]} by {letter}, where no channel is")
            path.append(ports.channel_of[at, letter])
            at = int(made.heads[path[-1]])
        ends = router_at[place], router_at[target]
        label = (*ends, seen[ends]) if problem.has_pieces else ends
        seen[ends] += 1
        transfers.append(Transfer(slot, *ends, tuple(path), (numbers[label],)))
    schedule = Schedule.from_transfers(transfers, tables.length)
    return Claim(problem, schedule, (), Provenance("poseidon"), is_foreign=True)


def _leaves(tables: Tables, place: Place, route: str) -> bool:
    """Return whether a path leaves the grid on one side."""
    for letter in route:
        inside = place[0] + WAYS[letter][0], place[1] + WAYS[letter][1]
        place = tables.moved(place, letter)
        if place != inside:
            return True
    return False


POSEIDON_SCHEDULE = Format(
    "poseidon-schedule",
    "schedule of poseidon: what network adapters and routers do in each timeslot",
    lambda file: SCHEDULE.match(file.head) is not None,
    lambda file: read_schedule(file).problem,
    read_schedule,
)


def _refuse(result: Result) -> str | None:
    problem, _ = problem_and_schedule(result)
    rules, made = problem.rules, problem.network
    if not rules.has_slots or rules.ports != 1:
        return "poseidon's tables are those of slots and one port; solve with `switching='tdm'` and `ports=1`"
    if problem.pattern != "private":
        return f"poseidon's packets go from one tile to another, and this is {problem.collective.kind}"
    ports = GridPorts.of(made)
    if ports is None or made.capacities is not None:
        return f"poseidon's routers are on a grid with a link to each neighbour, and {made.name} is none"
    if list(made.router_of) != list(range(made.num_routers)):
        return "every router of poseidon has one processor of the same number"
    return None


def _render(result: Result, _: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    made, rules, length = problem.network, problem.rules, schedule.num_steps
    ports = GridPorts.of(made)
    assert ports is not None
    names = [f"({x},{y})" for x, y in ports.place_of]
    receives = [dict[int, int]() for _ in names]
    sends = [dict[int, Transfer]() for _ in names]
    for transfer in schedule:
        arrival = transfer.step + rules.flight(len(transfer.path))
        for later in range(rules.packet_slots):
            sends[transfer.sender][(transfer.step + later) % length] = transfer
            receives[transfer.receiver][(arrival + later) % length] = transfer.sender
    depths = f'routerDepth="{rules.router_delay}" linkDepth="{rules.link_delay}"'
    size = f'length="{length}" width="{ports.width}" height="{ports.height}"'
    lines = ['<?xml version="1.0"?>', f"<schedule {size} {depths}>"]
    rows = _router_rows(result, ports)
    for router, name in enumerate(names):
        lines.append(f'  <tile id="{name}">')
        for slot in range(length):
            source = names[receives[router].get(slot, router)]
            lines.append(f'    <timeslot value="{slot}">')
            lines.append(f'      <na rx="{source}" {_sent(problem, ports, names, name, sends[router].get(slot))}/>')
            taken = rows.get((router, slot), {})
            outputs = "".join(f'<output id="{out}" input="{taken.get(out, "D")}"/>' for out in (*WAYS, "L"))
            lines += [f"      <router>{outputs}</router>", "    </timeslot>"]
        targets = sorted({each.receiver for each in sends[router].values()})
        lengths = (f'<destination id="{names[each]}" pkt-len="{rules.packet_slots}"/>' for each in targets)
        lines += [f"    <latency>{''.join(lengths)}</latency>", "  </tile>"]
    return "\n".join([*lines, "</schedule>", ""])


def _sent(problem: Problem, ports: GridPorts, names: list[str], name: str, transfer: Transfer | None) -> str:
    """Return the attributes of what an adapter sends in a slot."""
    if transfer is None:
        return f'tx="{name}"'
    route = "".join(ports.letter_of[channel] for channel in transfer.path) + "L"
    channel = transfer.sender * problem.network.num_processors + transfer.receiver
    piece = int(problem.labels[transfer.messages[0]][-1]) if problem.has_pieces else 0
    about = {"route": route, "chan-id": channel, "config-ch": "false", "pkt-id": piece}
    return " ".join(
        [f'tx="{names[transfer.receiver]}"', *(f"{key}={quoteattr(str(value))}" for key, value in about.items())]
    )


def _router_rows(result: Result, ports: GridPorts) -> dict[tuple[int, int], dict[str, str]]:
    """Return the input of each output in use, by router and the slot in which a packet is at the input."""
    problem, schedule = problem_and_schedule(result)
    rules = problem.rules
    rows: dict[tuple[int, int], dict[str, str]] = {}
    for table in tables_of(problem, schedule):
        for (slot, output), (taken, *_) in table.entries.items():
            out, into = table.outputs[output], table.inputs[taken]
            is_channel = out.kind == "channel"
            at = (slot - (rules.hop_slots if is_channel else rules.router_delay)) % schedule.num_steps
            letter = ports.letter_of[out.number] if is_channel else "L"
            entered = OPPOSITE[ports.letter_of[into.number]] if into.kind == "channel" else "L"
            rows.setdefault((table.router, at), {})[letter] = entered
    return rows


POSEIDON_EXPORT = Export(
    "poseidon",
    "A schedule of poseidon in XML, for routers on a grid: tiles, timeslots, network adapters and routers.",
    ".poseidon.xml",
    _render,
    _refuse,
)
