"""Reads and writes schedules of SCCL in the JSON of msccl-tools.

SCCL's model is store-and-forward between processors. `links[dst][src]` says how many pieces fit through in one round; a
step of r rounds has room for r times as many. A chunk is a message here, or a unit of one where several begin and end
alike. An instance of k chunks cuts each into k pieces, at k times its address and those that follow.

Reading: `[piece, from, to]` is a transfer over one channel. The collective is read from the chunks, which say which
processors have them before and after, and not from its name. Steps of several rounds are start-ups of combined
transfers, each of at most as many pieces as there are rounds: SCCL's rounds are the TCO. Where `switches` limit ports
or links, rounds are steps of their own, because it matters which transfers share a round. On a network that the user
names, a step ends when all its transfers are done; its own rounds and limits do not matter there. Chunks at one address
are added up; that is a reduction.

Writing: port limits and half duplex become `switches`, which limit what goes from one set of processors to another.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Any

import msgspec
import numpy as np

from pavane.errors import InputError
from pavane.io.files import File, refuse_if_large
from pavane.io.format import Claim, Format
from pavane.io.formats.epochs import Loads, Send, note_unjoined, problem_on, ways_of
from pavane.io.formats.export import Export, Options, problem_and_schedule, refuse_resting
from pavane.io.formats.msccl_topology import Topology, kind_of_json, limits_of, network_of
from pavane.io.formats.point_to_point_paths import numbers_by_piece, remove_copies
from pavane.io.objects import decode
from pavane.io.parsing import MOST_NUMBER
from pavane.io.programs import piece_numbers
from pavane.judge.result import Provenance, Result
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.text import counted

MOST_ROUNDS = 100_000
MOST_LIMITED_ROUNDS = 1000
MOST_SENDS = 20_000_000
MOST_PIECES = 1_000_000


class Piece(msgspec.Struct):
    """A chunk of SCCL: the processors that have it before and must have it after, and its address."""

    pre: list[int]
    post: list[int]
    addr: int


class Pieces(msgspec.Struct):
    """What is used of a collective."""

    chunks: list[Piece]
    name: str = ""
    nodes: int | None = None


class ScclStep(msgspec.Struct):
    """A step, in which nothing is sent on that arrives in it."""

    sends: list[tuple[int, int, int]]
    rounds: int = 1


class Instance(msgspec.Struct):
    """The instance that SCCL solved."""

    chunks: int = 1
    pipeline: Any = None


class Algorithm(msgspec.Struct):
    """What is used of an algorithm file."""

    steps: list[ScclStep]
    collective: Pieces
    topology: Topology
    instance: Instance = msgspec.field(default_factory=Instance)
    name: str = ""


def read_schedule(file: File, network: Network | None = None) -> Claim:
    """Read the problem and the schedule, on the topology of the file or on a network that the user names."""
    algorithm = _algorithm(file)
    if network is None:
        problem, labels = _own_problem(file, algorithm)
        schedule = _schedule(file, problem, labels, algorithm.steps)
    else:
        count = len(algorithm.topology.links)
        if count != network.num_processors:
            raise InputError(
                f"{file}: its topology has {counted(count, 'processor')}, and {network.name} has "
                f"{network.num_processors:,}; name the network that it is for"
            )
        collective, labels = _requested(file, algorithm, count)
        problem = problem_on(network, collective)
        schedule = _schedule_on(file, problem, labels, algorithm.steps)
    return Claim(problem, remove_copies(file, problem, schedule), (), Provenance("SCCL"), is_foreign=True)


def _own_problem(file: File, algorithm: Algorithm) -> tuple[Problem, Labels]:
    """Return the problem on the topology of the file, and its pieces by address."""
    network = network_of(file, algorithm.topology)
    collective, labels = _requested(file, algorithm, network.num_processors)
    limits = limits_of(file, algorithm.topology)
    if limits.left_out:
        file.note(f"{limits.left_out} limits of its switches are not judged: channels and ports cannot say them")
    is_limited = limits.ports != "all" or limits.half_duplex
    combining = not is_limited and any(step.rounds > 1 for step in algorithm.steps)
    rules = Rules("store-and-forward", limits.ports, "half" if limits.half_duplex else "full", combining=combining)
    return Problem(network, collective, rules), labels


def _algorithm(file: File) -> Algorithm:
    """Read a file; refuse what no schedule here can say."""
    refuse_if_large(file)
    found = decode(file.data, Algorithm, file)
    if found.instance.pipeline is not None:
        raise InputError(f"{file}: its steps overlap (pipeline), and steps here follow each other; request none")
    cut = found.instance.chunks
    if cut < 1:
        raise InputError(
            f"{file}: it cuts {len(found.collective.chunks):,} chunks into {cut} pieces each; give 1 or more"
        )
    if cut * len(found.collective.chunks) > MOST_PIECES:
        raise InputError(
            f"{file}: it cuts {len(found.collective.chunks):,} chunks into {cut:,} pieces each, and at most "
            f"{MOST_PIECES:,} in all are read; give fewer"
        )
    return found


# -- the collective


Labels = dict[int, tuple[int, ...]]
"""The ends of the message at each address, perhaps with the number of the piece there."""

NAMED = {"allgather": "AAB", "alltoall": "AAS", "reducescatter": "AAR", "broadcast": "OAB", "scatter": "OAS"}
NAMED |= {"gather": "AOG", "reduce": "AOR", "allreduce": "ALLREDUCE"}


def _requested(file: File, found: Algorithm, count: int) -> tuple[Collective, Labels]:
    """Return the requested collective, and its pieces by address."""
    collective, labels = _in_pieces(*_collective(file, found.collective, count), found.instance.chunks)
    _note_name(file, found.collective.name, collective)
    return collective, labels


def _note_name(file: File, name: str, collective: Collective) -> None:
    """Note where a file requests other messages than its name says, as for those of some processors alone."""
    word = "".join(each for each in name.lower().partition("(")[0] if each.isalpha())
    if word in NAMED and (NAMED[word] != collective.kind or any(not size[-1] for size in collective.sizes)):
        file.note(f"it calls itself {name[:40]}, but requests {collective}; that is what is judged")


def _in_pieces(collective: Collective, ends_at: Labels, cut: int) -> tuple[Collective, Labels]:
    """Number the pieces of each message in the order of their addresses, and let the collective have as many."""
    counts: Counter[tuple[int, ...]] = Counter()
    labels: Labels = {}
    for addr in sorted(ends_at):
        ends = ends_at[addr]
        labels |= {addr * cut + part: (*ends, counts[ends] + part) for part in range(cut)}
        counts[ends] += cut
    pieces = math.gcd(*counts.values())
    sizes = tuple((*ends, count // pieces) for ends, count in counts.items())
    return replace(collective, pieces=pieces, sizes=sizes), labels


def _collective(file: File, pieces: Pieces, count: int) -> tuple[Collective, Labels]:
    """Return the collective of `count` processors, and its messages."""
    for number, piece in enumerate(pieces.chunks):
        ends = (*piece.pre, *piece.post)
        if min(ends, default=0) < 0:
            raise InputError(f"{file}: chunks[{number}] names processor {min(ends)}; they count from 0")
        if max(ends, default=0) >= count:
            raise InputError(f"{file}: chunks[{number}] names a processor beyond {count - 1}, the last of the topology")
        if len(set(piece.pre)) != 1:
            raise InputError(
                f"{file}: chunks[{number}] begins at {len(set(piece.pre))} processors, and a message begins at one; "
                "name one in `pre`"
            )
    addresses = Counter(piece.addr for piece in pieces.chunks)
    if max(addresses.values(), default=1) > 1:
        return _reduction(file, pieces)
    wanted = [piece for piece in pieces.chunks if set(piece.post) - set(piece.pre)]
    if not wanted:
        raise InputError(f"{file}: its collective requests nothing to be sent; name others in `post` of its chunks")
    if all(len(set(piece.post)) == 1 for piece in wanted):
        return _private(wanted, count)
    return _broadcast(file, wanted, count)


def _private(wanted: list[Piece], count: int) -> tuple[Collective, Labels]:
    """Return the collective of messages that each have one target."""
    labels: Labels = {piece.addr: (piece.pre[0], piece.post[0]) for piece in wanted}
    return _of_pairs({(label[0], label[1]) for label in labels.values()}, count), labels


def _broadcast(file: File, wanted: list[Piece], count: int) -> tuple[Collective, Labels]:
    """Return the collective of messages that all have the same targets."""
    labels: Labels = {piece.addr: (piece.pre[0],) for piece in wanted}
    everyone = {end for piece in wanted for end in piece.post}
    for piece in wanted:
        if everyone - {*piece.pre, *piece.post}:
            raise InputError(
                f"{file}: the message of processor {piece.pre[0]} is for others than those of the rest, and "
                "broadcasts here have the same receivers; give each group its own file"
            )
    origins = tuple(sorted({label[0] for label in labels.values()}))
    if len(origins) == 1:
        return Collective("OAB", origins, tuple(sorted(everyone - set(origins)))), labels
    kind = "AAB" if origins == tuple(range(count)) == tuple(sorted(everyone)) else "MNB"
    return Collective(kind, origins, tuple(sorted(everyone))), labels


def _of_pairs(pairs: set[tuple[int, int]], count: int) -> Collective:
    """Return the collective of private messages, by the name it has if it has one."""
    origins, targets = sorted({a for a, _ in pairs}), sorted({b for _, b in pairs})
    if len(origins) == 1:
        return Collective("OAS", tuple(origins), tuple(targets))
    if len(targets) == 1:
        return Collective("AOG", tuple(origins), tuple(targets))
    if len(pairs) == count * (count - 1):
        return Collective("AAS", tuple(origins), tuple(targets))
    if pairs == {(a, b) for a in origins for b in targets if a != b}:
        return Collective("MNS", tuple(origins), tuple(targets))
    return Collective("PAIRS", pairs=tuple(sorted(pairs)))


def _reduction(file: File, pieces: Pieces) -> tuple[Collective, Labels]:
    """Return the reduction, one target for each address."""
    target: dict[int, set[int]] = {}
    origins: dict[int, list[int]] = {}
    for piece in pieces.chunks:
        if target.setdefault(piece.addr, set(piece.post)) != set(piece.post):
            raise InputError(f"{file}: what is added up at address {piece.addr} is for different processors, in part")
        origins.setdefault(piece.addr, []).append(piece.pre[0])
    if not all(target.values()):
        raise InputError(f"{file}: what is added up at some address is for no processor; name one in its `post`")
    senders = {tuple(sorted(ends)) for ends in origins.values()}
    if len(senders) > 1 or len(set(next(iter(senders)))) < len(next(iter(senders))):
        raise InputError(
            f"{file}: it adds up different contributions, or one of them twice; give each address one of each processor"
        )
    (members,) = senders
    if any(len(ends) > 1 for ends in target.values()):
        return _allreduce(file, members, target)
    labels: Labels = {addr: tuple(ends) for addr, ends in target.items()}
    targets = sorted({label[0] for label in labels.values()})
    if len(targets) == 1:
        return Collective("AOR", tuple(end for end in members if end != targets[0]), tuple(targets)), labels
    return Collective("AAR", members, tuple(targets)), labels


def _allreduce(file: File, members: tuple[int, ...], target: dict[int, set[int]]) -> tuple[Collective, Labels]:
    """Return the allreduce, its addresses in parts named after the processors, or in one where they do not divide."""
    for addr, ends in target.items():
        if ends != set(members):
            raise InputError(
                f"{file}: the sum at address {addr} is for {counted(len(ends), 'processor')}, and {len(members)} "
                "contribute to it; in an allreduce all that contribute get it"
            )
    parts = members if len(target) % len(members) == 0 else members[:1]
    labels: Labels = {addr: (parts[at * len(parts) // len(target)],) for at, addr in enumerate(sorted(target))}
    return Collective("ALLREDUCE", members, parts), labels


# -- the schedule


def _schedule(file: File, problem: Problem, labels: Labels, steps: list[ScclStep]) -> Schedule:
    number_of = numbers_by_piece(problem)
    message_at = {addr: number_of.get(label, -1) for addr, label in labels.items()}
    _check_steps(file, steps)
    rounds = Rounds(problem)
    transfers: list[Transfer] = []
    now = 0
    for index, step in enumerate(steps):
        where = f"{file}, steps[{index}]"
        if problem.rules.combining:
            transfers += rounds.together(now, step, message_at)
            now += 1
            continue
        ends = [(source, target) for _, source, target in step.sends]
        laid = rounds.in_turns(where, ends, step.rounds)
        for (addr, source, target), (turn, channel) in zip(step.sends, laid, strict=True):
            route = () if source == target else (channel,)
            transfers.append(Transfer(now + turn, source, target, route, (message_at.get(addr, -1),)))
        now += max((turn for turn, _ in laid), default=0) + 1
    return Schedule.from_transfers(transfers, now)


def _check_steps(file: File, steps: list[ScclStep]) -> None:
    """Refuse steps that cannot be read."""
    if sum(len(step.sends) for step in steps) > MOST_SENDS:
        raise InputError(f"{file}: more than {MOST_SENDS:,} sends; that is too large a schedule")
    for index, step in enumerate(steps):
        where = f"{file}, steps[{index}]"
        if not 1 <= step.rounds <= MOST_ROUNDS:
            raise InputError(f"{where}: {step.rounds} rounds; give 1 to {MOST_ROUNDS:,}")
        for addr, source, target in step.sends:
            if not 0 <= min(source, target) <= max(source, target) < MOST_NUMBER:
                raise InputError(f"{where}: [{addr}, {source}, {target}] names no processors; they count from 0")


def _schedule_on(file: File, problem: Problem, labels: Labels, steps: list[ScclStep]) -> Schedule:
    """Return a schedule in which all that a step sends goes before the next begins."""
    _check_steps(file, steps)
    number_of = numbers_by_piece(problem)
    ways, loads = ways_of(problem), Loads(problem.network.capacity.tolist())
    note_unjoined(file, problem, ways, {(source, target) for step in steps for _, source, target in step.sends})
    transfers: list[Transfer] = []
    now = 0
    for step in steps:
        begun = now
        for addr, source, target in step.sends:
            send = Send(begun, source, target, (), 0, 1)
            (laid,) = loads.place(send, ways.get((source, target), [()]), begin=begun)
            message = number_of.get(labels.get(addr, ()), -1)
            transfers.append(Transfer(laid.step, source, target, laid.way, (message,)))
            now = max(now, laid.step + 1)
    return Schedule.from_transfers(transfers, now)


class Rounds:
    """Gives the sends of a step rounds and channels.

    What cannot fit is put on a channel that is taken, for the judge to see, and what has no channel at all on one that
    does not exist.
    """

    def __init__(self, problem: Problem) -> None:
        network, ports = problem.network, problem.rules.ports
        self.is_limited = ports != "all" or problem.rules.duplex == "half"
        self.has_ports = ports != "all"
        self.units = problem.units.tolist()
        self.nowhere = network.num_channels
        self.between = {(tail, head): channel for channel, (tail, head) in enumerate(network.channels.tolist())}
        """The channel from one processor to another, where there is one."""
        self.capacity = network.capacity.tolist()
        self.limits = [*self.capacity, *([ports] * (2 * network.num_processors) if ports != "all" else [])]
        """What channels carry in a round, then the ports out of processors, and those into them."""

    def _limits_of(self, source: int, target: int) -> tuple[int, ...]:
        """Return the limits that a send counts for: its link and its ports, by their numbers in `limits`."""
        channel = self.between.get((source, target))
        link = () if channel is None else (self.units[channel],)
        first = len(self.capacity)
        count = (len(self.limits) - first) // 2
        return (*link, first + source, first + count + target) if self.has_ports else link

    def together(self, now: int, step: ScclStep, message_at: dict[int, int]) -> list[Transfer]:
        """Combine what goes over a channel in a step of several rounds.

        Of as many transfers as the channel's capacity each carries at most as many pieces as there are rounds, all
        about as many; what is too much is one more transfer, for the judge to see.
        """
        messages: dict[tuple[int, int], list[int]] = {}
        for addr, source, target in step.sends:
            messages.setdefault((source, target), []).append(message_at.get(addr, -1))
        transfers = []
        for (source, target), carried in messages.items():
            channel = self.between.get((source, target), self.nowhere)
            route = () if source == target else (channel,)
            capacity = self.capacity[channel] if channel != self.nowhere else 1
            count = max(min(capacity, len(carried)), -(-len(carried) // step.rounds))
            transfers += [Transfer(now, source, target, route, tuple(carried[at::count])) for at in range(count)]
        return transfers

    def in_turns(self, where: str, sends: list[tuple[int, int]], rounds: int) -> list[tuple[int, int]]:
        """Return a round and a channel for each send: under limits the first round in which link and ports are free."""
        if not self.is_limited:
            return [(0, self.between.get(ends, self.nowhere)) for ends in sends]
        if rounds > MOST_LIMITED_ROUNDS:
            raise InputError(f"{where}: {rounds} rounds under limits of switches; write its rounds as steps")
        loads = Loads(self.limits)
        placed: list[tuple[int, int]] = []
        is_late = False
        for source, target in sends:
            send, limits = Send(0, source, target, (), 0, 1), self._limits_of(source, target)
            has_channel = (source, target) in self.between
            free = (turn for turn in range(rounds) if loads.room(turn, send, limits, 0, 1) > 0)
            turn = next(free, None) if has_channel else 0
            if turn is None:
                is_late, turn = True, rounds - 1
            loads.take(turn, send, limits, 0, 1)
            placed.append((turn, self.between.get((source, target), self.nowhere)))
        if is_late and rounds > 1 and self._fits(sends, rounds):
            raise InputError(
                f"{where}: its sends may fit into {rounds} rounds under the limits of its switches, but which go "
                "together is not said; write its rounds as steps"
            )
        return placed

    def _fits(self, sends: list[tuple[int, int]], rounds: int) -> bool:
        """Return whether no link and no port carries more than the rounds allow."""
        loads = Counter(limit for ends in sends for limit in self._limits_of(*ends))
        return set(sends) <= self.between.keys() and all(
            load <= self.limits[limit] * rounds for limit, load in loads.items()
        )


SCCL = Format(
    "sccl",
    "schedule of SCCL as msccl-tools writes it, in JSON: chunks are messages or their pieces, sends transfers",
    lambda file: kind_of_json(file) == "algorithm",
    lambda file: read_schedule(file).problem,
    read_schedule,
)


RUNTIME_NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter"}
NAMES = {"AAB": "Allgather", "AAS": "Alltoall", "AAR": "ReduceScatter"}


def _refuse(result: Result) -> str | None:
    refused = refuse_resting(result, "SCCL keeps data")
    if refused is not None:
        return refused
    problem, schedule = problem_and_schedule(result)
    if problem.rules.has_slots:
        return "SCCL has steps and no slots; solve with `switching='store-and-forward'`"
    if problem.pattern == "allreduce":
        return (
            "SCCL does not say whether what arrives is added or takes the place of what is there, and msccl-tools "
            "adds; export to msccl-xml, or the reduce-scatter and the allgather each by itself"
        )
    network = problem.network
    for router, processors in enumerate(network.processors_on):
        if len(processors) > 1:
            return (
                f"router {network.routers[router]} carries {len(processors)} processors that share its channels, "
                "and SCCL knows links between processors only"
            )
    longer = np.flatnonzero(schedule.path_lengths != 1)
    if len(longer):
        transfer = schedule.transfer(int(longer[0]))
        through = [router for router in network.heads[list(transfer.path[:-1])].tolist() if problem.is_switch[router]]
        if through:
            return (
                f"the transfer from processor {transfer.sender} to {transfer.receiver} in step {transfer.step + 1} "
                f"runs through the pure switch r{through[0]} (router {network.routers[through[0]]}), and SCCL knows "
                "links between processors only"
            )
        return (
            f"the transfer from processor {transfer.sender} to {transfer.receiver} in step {transfer.step + 1} covers "
            f"{len(transfer.path)} channels, and SCCL covers one in a step; solve with `switching='store-and-forward'`"
        )
    return None


def _chunks(problem: Problem) -> tuple[list[dict[str, Any]], list[int]]:
    """Return SCCL's chunks, units of messages, and the address of each piece; chunks at one address are added up.

    As in msccl-tools, a chunk that is cut into k has its pieces at k times its address, and those that follow.
    """
    collective, num_processors = problem.collective, problem.network.num_processors
    ends = problem.distinct_ends.tolist()
    sizes = {size[:-1]: size[-1] for size in collective.sizes}
    units = [sizes.get(tuple(row), 1) for row in ends]
    starts = [0, *accumulate(units)]
    if collective.kind == "AAS" and not sizes:
        # The numbers that msccl-tools gives the parts of its own Alltoall, one's own part included.
        chunks = [([o], [t], t * num_processors + o) for t in range(num_processors) for o in range(num_processors)]
        starts = [target * num_processors + origin for origin, target in ends]
    else:
        chunks = [
            (pre, post, starts[number] + unit)
            for number, row in enumerate(ends)
            for unit in range(units[number])
            for pre, post in _chunk_ends(problem, row)
        ]
    first = {tuple(row): start * collective.pieces for row, start in zip(ends, starts, strict=False)}
    numbers = piece_numbers(problem).tolist()
    addresses = [first[tuple(row)] + number for row, number in zip(problem.ends.tolist(), numbers, strict=True)]
    return [{"msccl_type": "chunk", "pre": pre, "post": post, "addr": addr} for pre, post, addr in chunks], addresses


def _chunk_ends(problem: Problem, label: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the processors that have a message before and after; for a reduction, of each contribution."""
    targets = sorted(problem.collective.receivers)
    if problem.pattern == "private":
        yield [label[0]], [label[1]]
    elif problem.pattern == "broadcast":
        yield [label[0]], targets
    else:
        yield from (([origin], [label[0]]) for origin in sorted(problem.collective.senders))


def _topology(problem: Problem) -> dict[str, Any]:
    network, ports = problem.network, problem.rules.ports
    count = network.num_processors
    home = {int(router): processor for processor, router in enumerate(network.router_of)}
    links = [[0] * count for _ in range(count)]
    joined: dict[tuple[int, int], int] = {}
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        if tail in home and head in home:
            links[home[head]][home[tail]] += int(network.capacity[channel])
            back = int(network.opposite[channel])
            if problem.rules.duplex == "half" and back > channel:
                ends = (min(home[tail], home[head]), max(home[tail], home[head]))
                joined[ends] = joined.get(ends, 0) + int(network.capacity[channel])
    switches: list[list[Any]] = []
    if ports != "all":
        everyone = list(range(count))
        switches += [[[p], [q for q in everyone if q != p], ports, f"ports out of {p}"] for p in everyone]
        switches += [[[q for q in everyone if q != p], [p], ports, f"ports into {p}"] for p in everyone]
    switches += [[[a, b], [a, b], width, f"link {a}-{b}"] for (a, b), width in sorted(joined.items())]
    return {"msccl_type": "topology", "name": network.name, "switches": switches, "links": links}


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    count, kind = problem.network.num_processors, problem.collective.kind
    chunks, addresses = _chunks(problem)
    cut_into, is_even = problem.collective.pieces, not problem.collective.sizes
    steps: list[dict[str, Any]] = []
    for step in range(schedule.num_steps):
        transfers = [schedule.transfer(number) for number in schedule.of_step(step)]
        sends = [[addresses[m], t.sender, t.receiver] for t in transfers for m in t.messages]
        rounds = max(len(t.messages) for t in transfers)
        steps.append({"msccl_type": "step", "rounds": rounds, "sends": sorted(sends)})
    maps: list[dict[str, list[int]]] = []
    for side in ("pre", "post"):
        found: dict[int, set[int]] = {}
        for chunk in chunks:
            pieces = range(chunk["addr"] * cut_into, (chunk["addr"] + 1) * cut_into)
            for processor in chunk[side]:
                found.setdefault(processor, set()).update(pieces)
        maps.append({str(processor): sorted(found[processor]) for processor in sorted(found)})
    title = f"{NAMES.get(kind, kind) if is_even else kind}(n={count})"
    cut = "" if cut_into == 1 else f",chunks={cut_into}"
    algorithm = {
        "msccl_type": "algorithm",
        "name": f"{title}-{problem.network.name}-steps={schedule.num_steps}{cut}",
        "instance": {
            "msccl_type": "instance",
            "steps": schedule.num_steps,
            "extra_rounds": schedule.tco - schedule.num_steps,
            "chunks": cut_into,
            "pipeline": None,
            "extra_memory": None,
            "allow_exchange": False,
        },
        "input_map": maps[0],
        "output_map": maps[1],
        "steps": steps,
        "collective": {
            "msccl_type": "collective",
            "name": title,
            "nodes": count,
            "chunks": chunks,
            "triggers": {},
            "runtime_name": RUNTIME_NAMES.get(kind, "custom") if is_even else "custom",
        },
        "topology": _topology(problem),
    }
    return json.dumps(algorithm) + "\n"


SCCL_EXPORT = Export(
    "sccl",
    "An algorithm of SCCL as msccl-tools reads it, in JSON: topology, collective, and the sends of each step.",
    ".msccl.json",
    _render,
    _refuse,
)
