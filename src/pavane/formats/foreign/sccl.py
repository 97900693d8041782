"""Schedules of SCCL, as msccl-tools writes them in JSON: `pavane verify` judges them, `pavane show` plays them.

What SCCL calls a chunk is a message here, `[chunk, from, to]` a transfer over one channel under store-and-forward. What
is wanted is read from the chunks themselves, which say who has them before and after, and not from the name of the
collective. A step of several rounds is as many steps: in a round a link carries as many messages as it has channels.
Chunks at one address are added up; that is a reduction.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from pavane.errors import InputError
from pavane.formats.claim import Claim
from pavane.formats.file_notes import note
from pavane.formats.files import File, refuse_if_large
from pavane.formats.foreign.msccl_topology import Topology, kind_of_json, limits_of, network_of
from pavane.formats.foreign.private_ways import without_copies
from pavane.formats.format import Format
from pavane.formats.objects import decoded
from pavane.formats.parsing import MOST_NUMBER
from pavane.judge.result import Provenance
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer

MOST_ROUNDS = 100_000
MOST_LIMITED_ROUNDS = 1000
MOST_SENDS = 20_000_000


class Piece(msgspec.Struct):
    """What SCCL calls a chunk: who has it before, who must have it after, and where it lies."""

    pre: list[int]
    post: list[int]
    addr: int


class Pieces(msgspec.Struct):
    """What is used of a collective."""

    chunks: list[Piece]
    name: str = ""
    nodes: int | None = None


class Step(msgspec.Struct):
    """A step, in which nothing is sent on that arrives in it."""

    sends: list[tuple[int, int, int]]
    rounds: int = 1


class Instance(msgspec.Struct):
    """What was asked of SCCL."""

    chunks: int = 1
    pipeline: Any = None


class Algorithm(msgspec.Struct):
    """What is used of an algorithm file."""

    steps: list[Step]
    collective: Pieces
    topology: Topology
    instance: Instance = msgspec.field(default_factory=Instance)
    name: str = ""


def recognizes(file: File) -> bool:
    """Tell whether a file says it is an algorithm."""
    return kind_of_json(file) == "algorithm"


def read_schedule(file: File) -> Claim:
    """Read what was asked and what was answered."""
    refuse_if_large(file)
    found = decoded(file.data, Algorithm, file)
    if found.instance.chunks != 1:
        raise InputError(
            f"{file}: it cuts every message into {found.instance.chunks} parts that go their own ways, and messages "
            "here are whole; ask SCCL for one (--chunks 1)"
        )
    if found.instance.pipeline is not None:
        raise InputError(f"{file}: its steps overlap (pipeline), and steps here follow each other; ask for none")
    network = network_of(file, found.topology)
    collective, labels = _collective(file, found.collective, network.num_processors)
    limits = limits_of(file, found.topology)
    if limits.left_out:
        note(file, f"{limits.left_out} limits of its switches are not judged: channels and ports cannot say them")
    rules = Rules("store-and-forward", limits.ports, "half" if limits.half_duplex else "full")
    problem = Problem(network, collective, rules)
    schedule = without_copies(file, problem, _schedule(file, problem, labels, found.steps))
    return Claim(problem, schedule, (), Provenance("SCCL"))


# -- the collective


Labels = dict[int, tuple[int, ...]]
"""The label of the message at each address."""


def _collective(file: File, pieces: Pieces, count: int) -> tuple[Collective, Labels]:
    """Return the collective of `count` processors, and its messages."""
    for number, piece in enumerate(pieces.chunks):
        if not all(0 <= end < count for end in (*piece.pre, *piece.post)):
            raise InputError(f"{file}: chunks[{number}] names a processor beyond {count - 1}, the last of the topology")
        if len(set(piece.pre)) != 1:
            raise InputError(
                f"{file}: chunks[{number}] begins at {len(set(piece.pre))} processors, and a message begins at one"
            )
    addresses = Counter(piece.addr for piece in pieces.chunks)
    if max(addresses.values(), default=1) > 1:
        return _reduction(file, pieces)
    wanted = [piece for piece in pieces.chunks if set(piece.post) - set(piece.pre)]
    if not wanted:
        raise InputError(f"{file}: its collective asks for nothing to be sent")
    if all(len(set(piece.post)) == 1 for piece in wanted):
        return _private(file, wanted, count)
    return _broadcast(file, wanted, count)


def _private(file: File, wanted: list[Piece], count: int) -> tuple[Collective, Labels]:
    """Return the collective of messages that each have one target."""
    labels: Labels = {piece.addr: (piece.pre[0], piece.post[0]) for piece in wanted}
    if len(set(labels.values())) < len(labels):
        double = Counter(labels.values()).most_common(1)[0][0]
        raise InputError(f"{file}: two messages go from {double[0]} to {double[1]}, and here one does; join them")
    return _of_pairs({(label[0], label[1]) for label in labels.values()}, count), labels


def _broadcast(file: File, wanted: list[Piece], count: int) -> tuple[Collective, Labels]:
    """Return the collective of messages that all have the same targets."""
    labels: Labels = {piece.addr: (piece.pre[0],) for piece in wanted}
    if len(set(labels.values())) < len(labels):
        double = Counter(labels.values()).most_common(1)[0][0]
        raise InputError(f"{file}: processor {double[0]} broadcasts several messages, and here one; join them")
    everyone = {end for piece in wanted for end in piece.post}
    for piece in wanted:
        if everyone - {*piece.pre, *piece.post}:
            raise InputError(
                f"{file}: the message of processor {piece.pre[0]} is for others than those of the rest, and "
                "broadcasts here have the same receivers"
            )
    origins = tuple(sorted(label[0] for label in labels.values()))
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
    if any(len(ends) > 1 for ends in target.values()):
        raise InputError(
            f"{file}: its sums are for several processors (allreduce), which is two collectives here: a "
            "reduce-scatter, then an allgather; give each its own file"
        )
    if not all(target.values()):
        raise InputError(f"{file}: what is added up at some address is for nobody; name a processor in its `post`")
    labels: Labels = {addr: tuple(ends) for addr, ends in target.items()}
    senders = {tuple(sorted(ends)) for ends in origins.values()}
    targets = sorted(label[0] for label in labels.values())
    if len(senders) > 1 or len(set(targets)) < len(targets) or len(set(next(iter(senders)))) < len(next(iter(senders))):
        raise InputError(
            f"{file}: it adds up different contributions, or several sums for one processor; that is no AAR"
        )
    (members,) = senders
    if len(targets) == 1:
        return Collective("AOR", tuple(end for end in members if end != targets[0]), tuple(targets)), labels
    return Collective("AAR", members, tuple(targets)), labels


# -- the schedule


def _schedule(file: File, problem: Problem, labels: Labels, steps: list[Step]) -> Schedule:
    number_of = {tuple(label): number for number, label in enumerate(problem.labels.tolist())}
    message_at = {addr: number_of.get(label, -1) for addr, label in labels.items()}
    if sum(len(step.sends) for step in steps) > MOST_SENDS:
        raise InputError(f"{file}: more than {MOST_SENDS:,} sends; that is too large a schedule")
    room = Room(problem)
    transfers: list[Transfer] = []
    now = 0
    for index, step in enumerate(steps):
        where = f"{file}, steps[{index}]"
        if not 1 <= step.rounds <= MOST_ROUNDS:
            raise InputError(f"{where}: {step.rounds} rounds; give 1 to {MOST_ROUNDS:,}")
        for addr, source, target in step.sends:
            if not 0 <= min(source, target) <= max(source, target) < MOST_NUMBER:
                raise InputError(f"{where}: [{addr}, {source}, {target}] names no processors; they count from 0")
        ends = [(source, target) for _, source, target in step.sends]
        laid = room.in_turns(where, ends, step.rounds)
        for (addr, source, target), (turn, channel) in zip(step.sends, laid, strict=True):
            route = () if source == target else (channel,)
            transfers.append(Transfer(now + turn, source, target, route, (message_at.get(addr, -1),)))
        now += max((turn for turn, _ in laid), default=0) + 1
    return Schedule.from_transfers(transfers, now)


class Room:
    """Gives the sends of a step turns and channels.

    What cannot fit is put on a channel that is taken, for the judge to see, and what has no channel at all on one that
    does not exist.
    """

    def __init__(self, problem: Problem) -> None:
        network = problem.network
        self.ports = problem.rules.ports
        self.half = problem.rules.duplex == "half"
        self.units = problem.units.tolist()
        self.nowhere = network.num_channels
        self.between: dict[tuple[int, int], list[int]] = {}
        for channel, (tail, head) in enumerate(network.channels.tolist()):
            self.between.setdefault((tail, head), []).append(channel)

    def in_turns(self, where: str, sends: list[tuple[int, int]], rounds: int) -> list[tuple[int, int]]:
        """Return a turn and a channel for each send."""
        if self.ports != "all" or self.half:
            return self._first_fit(where, sends, rounds)
        seen: Counter[tuple[int, int]] = Counter()
        laid = []
        for ends in sends:
            channels = self.between.get(ends)
            if channels is None:
                laid.append((0, self.nowhere))
                continue
            laid.append((min(seen[ends] // len(channels), rounds - 1), channels[seen[ends] % len(channels)]))
            seen[ends] += 1
        return laid

    def _first_fit(self, where: str, sends: list[tuple[int, int]], rounds: int) -> list[tuple[int, int]]:
        """Take the first turn in which link and ports are free."""
        if rounds > MOST_LIMITED_ROUNDS:
            raise InputError(f"{where}: {rounds} rounds under limits of switches; write its rounds as steps")
        taken: set[tuple[int, int]] = set()
        busy: Counter[tuple[int, str, int]] = Counter()
        laid: list[tuple[int, int]] = []
        late = False
        for source, target in sends:
            channels = self.between.get((source, target), [])
            found = self._free(source, target, rounds, taken, busy)
            if found is None:
                late |= bool(channels)
                found = (rounds - 1, channels[0]) if channels else (0, self.nowhere)
            turn, channel = found
            if channels:
                taken.add((turn, self.units[channel]))
            busy[turn, "out", source] += 1
            busy[turn, "in", target] += 1
            laid.append(found)
        if late and rounds > 1 and self._fits(sends, rounds):
            raise InputError(
                f"{where}: its sends may fit into {rounds} rounds under the limits of its switches, but which go "
                "together is not said; write its rounds as steps"
            )
        return laid

    def _free(
        self,
        source: int,
        target: int,
        rounds: int,
        taken: set[tuple[int, int]],
        busy: Counter[tuple[int, str, int]],
    ) -> tuple[int, int] | None:
        """Return the first turn with a free channel and free ports, and the channel; None where there is none."""
        channels = self.between.get((source, target), [])
        for turn in range(rounds) if channels else ():
            if self.ports != "all" and max(busy[turn, "out", source], busy[turn, "in", target]) >= self.ports:
                continue
            free = next((channel for channel in channels if (turn, self.units[channel]) not in taken), None)
            if free is not None:
                return turn, free
        return None

    def _fits(self, sends: list[tuple[int, int]], rounds: int) -> bool:
        """Tell whether no link and no port has more to do than the rounds allow."""
        loads: Counter[tuple[str, int, int]] = Counter()
        room: dict[tuple[str, int, int], int] = {}
        for source, target in sends:
            ends = (min(source, target), max(source, target)) if self.half else (source, target)
            loads["link", *ends] += 1
            room["link", *ends] = len(self.between.get((source, target), []))
            for side, end in (("out", source), ("in", target)):
                if self.ports != "all":
                    loads[side, end, 0] += 1
                    room[side, end, 0] = self.ports
        return all(load <= room[key] * rounds for key, load in loads.items())


SCCL = Format(
    "sccl",
    "schedule of SCCL as msccl-tools writes it, in JSON: chunks are messages, sends transfers",
    recognizes,
    lambda file: read_schedule(file).problem,
    read_schedule,
)
