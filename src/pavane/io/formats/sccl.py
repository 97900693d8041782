"""Schedules of SCCL, as msccl-tools writes them in JSON: `pavane verify` judges them, `pavane show` plays them.

What SCCL calls a chunk is a message here, or a unit of one where several begin and end alike. An instance of k chunks
cuts each into k pieces, at k times its address and those that follow. `[piece, from, to]` is a transfer over one
channel under store-and-forward. What is wanted is read from the chunks themselves, which say who has them before and
after, and not from the name of the collective. In a round a channel carries as many pieces as its capacity says. Where
steps have several rounds they are start-ups of combined transfers, each of at most as many pieces
as there are rounds: SCCL's rounds are the TCO. Where switches limit ports or links, rounds are steps of their own,
because it matters which go together. On a network that the user names, over switches too, a step is over when all
that it sends has gone; its own rounds and limits do not matter there. Chunks at one address are added up; that is a
reduction.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import msgspec

from pavane.errors import InputError
from pavane.io.claim import Claim
from pavane.io.file_notes import note
from pavane.io.files import File, refuse_if_large
from pavane.io.format import Format
from pavane.io.formats.epochs import Loads, Send, rules_on, tell_unjoined, ways_of
from pavane.io.formats.msccl_topology import Topology, kind_of_json, limits_of, network_of
from pavane.io.formats.point_to_point_paths import numbers_by_piece, without_copies
from pavane.io.objects import decoded
from pavane.io.parsing import MOST_NUMBER
from pavane.judge.result import Provenance
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
    found = _algorithm(file)
    network = network_of(file, found.topology)
    collective, labels = _asked(file, found, network.num_processors)
    limits = limits_of(file, found.topology)
    if limits.left_out:
        note(file, f"{limits.left_out} limits of its switches are not judged: channels and ports cannot say them")
    is_limited = limits.ports != "all" or limits.half_duplex
    combining = not is_limited and any(step.rounds > 1 for step in found.steps)
    rules = Rules("store-and-forward", limits.ports, "half" if limits.half_duplex else "full", combining=combining)
    problem = Problem(network, collective, rules)
    schedule = without_copies(file, problem, _schedule(file, problem, labels, found.steps))
    return Claim(problem, schedule, (), Provenance("SCCL"), is_foreign=True)


def read_schedule_on(file: File, network: Network) -> Claim:
    """Read what was asked and what was answered, on another network than the file has."""
    found = _algorithm(file)
    if len(found.topology.links) != network.num_processors:
        raise InputError(
            f"{file}: its topology has {counted(len(found.topology.links), 'processor')}, and {network.name} has "
            f"{network.num_processors:,}; name the network that it is for"
        )
    collective, labels = _asked(file, found, network.num_processors)
    problem = Problem(network, collective, rules_on(network))
    schedule = without_copies(file, problem, _schedule_on(file, problem, labels, found.steps))
    return Claim(problem, schedule, (), Provenance("SCCL"), is_foreign=True)


def _algorithm(file: File) -> Algorithm:
    """Read a file; refuse what no schedule here can say."""
    refuse_if_large(file)
    found = decoded(file.data, Algorithm, file)
    if found.instance.pipeline is not None:
        raise InputError(f"{file}: its steps overlap (pipeline), and steps here follow each other; ask for none")
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


def _asked(file: File, found: Algorithm, count: int) -> tuple[Collective, Labels]:
    """Return the collective that is asked for, and its pieces by address."""
    collective, labels = _in_pieces(*_collective(file, found.collective, count), found.instance.chunks)
    _tell_name(file, found.collective.name, collective)
    return collective, labels


def _tell_name(file: File, name: str, collective: Collective) -> None:
    """Tell where a file asks for other messages than its name says, as for those of some processors alone."""
    word = "".join(each for each in name.lower().partition("(")[0] if each.isalpha())
    if word in NAMED and (NAMED[word] != collective.kind or any(not size[-1] for size in collective.sizes)):
        note(file, f"it calls itself {name[:40]}, but asks for {collective}; that is what is judged")


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
        raise InputError(f"{file}: its collective asks for nothing to be sent; name others in `post` of its chunks")
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
        raise InputError(f"{file}: what is added up at some address is for nobody; name a processor in its `post`")
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
                "contribute to it; in an allreduce all who contribute get it"
            )
    parts = members if len(target) % len(members) == 0 else members[:1]
    labels: Labels = {addr: (parts[at * len(parts) // len(target)],) for at, addr in enumerate(sorted(target))}
    return Collective("ALLREDUCE", members, parts), labels


# -- the schedule


def _schedule(file: File, problem: Problem, labels: Labels, steps: list[Step]) -> Schedule:
    number_of = numbers_by_piece(problem)
    message_at = {addr: number_of.get(label, -1) for addr, label in labels.items()}
    _check_steps(file, steps)
    room = Room(problem)
    transfers: list[Transfer] = []
    now = 0
    for index, step in enumerate(steps):
        where = f"{file}, steps[{index}]"
        if problem.rules.combining:
            transfers += room.together(now, step, message_at)
            now += 1
            continue
        ends = [(source, target) for _, source, target in step.sends]
        laid = room.in_turns(where, ends, step.rounds)
        for (addr, source, target), (turn, channel) in zip(step.sends, laid, strict=True):
            route = () if source == target else (channel,)
            transfers.append(Transfer(now + turn, source, target, route, (message_at.get(addr, -1),)))
        now += max((turn for turn, _ in laid), default=0) + 1
    return Schedule.from_transfers(transfers, now)


def _check_steps(file: File, steps: list[Step]) -> None:
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


def _schedule_on(file: File, problem: Problem, labels: Labels, steps: list[Step]) -> Schedule:
    """Return a schedule in which all that a step sends goes before the next begins."""
    _check_steps(file, steps)
    number_of = numbers_by_piece(problem)
    ways, loads = ways_of(problem), Loads(problem.network.capacity.tolist())
    tell_unjoined(file, problem, ways, {(source, target) for step in steps for _, source, target in step.sends})
    transfers: list[Transfer] = []
    now = 0
    for step in steps:
        begun = now
        for addr, source, target in step.sends:
            send = Send(begun, source, target, (), 0, 1)
            (laid,) = loads.laid_from(begun, send, ways.get((source, target), [()]))
            message = number_of.get(labels.get(addr, ()), -1)
            transfers.append(Transfer(laid.step, source, target, laid.way, (message,)))
            now = max(now, laid.step + 1)
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
        self.between: dict[tuple[int, int], int] = {}
        """The channel from one processor to another, where there is one."""
        for channel, (tail, head) in enumerate(network.channels.tolist()):
            self.between[tail, head] = channel
        self.capacity = network.capacity.tolist()

    def together(self, now: int, step: Step, message_at: dict[int, int]) -> list[Transfer]:
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
        """Return a turn and a channel for each send."""
        if self.ports != "all" or self.half:
            return self._first_fit(where, sends, rounds)
        return [(0, self.between.get(ends, self.nowhere)) for ends in sends]

    def _first_fit(self, where: str, sends: list[tuple[int, int]], rounds: int) -> list[tuple[int, int]]:
        """Take the first turn in which link and ports are free."""
        if rounds > MOST_LIMITED_ROUNDS:
            raise InputError(f"{where}: {rounds} rounds under limits of switches; write its rounds as steps")
        taken: Counter[tuple[int, int]] = Counter()
        busy: Counter[tuple[int, str, int]] = Counter()
        laid: list[tuple[int, int]] = []
        late = False
        for source, target in sends:
            channel = self.between.get((source, target), self.nowhere)
            turn = self._free(source, target, rounds, taken, busy)
            if turn is None:
                late |= channel != self.nowhere
                turn = rounds - 1 if channel != self.nowhere else 0
            if channel != self.nowhere:
                taken[turn, self.units[channel]] += 1
            busy[turn, "out", source] += 1
            busy[turn, "in", target] += 1
            laid.append((turn, channel))
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
        taken: Counter[tuple[int, int]],
        busy: Counter[tuple[int, str, int]],
    ) -> int | None:
        """Return the first turn in which the channel and the ports have room; None where there is none."""
        channel = self.between.get((source, target))
        for turn in range(rounds) if channel is not None else ():
            if self.ports != "all" and max(busy[turn, "out", source], busy[turn, "in", target]) >= self.ports:
                continue
            if taken[turn, self.units[channel]] < self.capacity[channel]:
                return turn
        return None

    def _fits(self, sends: list[tuple[int, int]], rounds: int) -> bool:
        """Tell whether no link and no port has more to do than the rounds allow."""
        loads: Counter[tuple[str, int, int]] = Counter()
        room: dict[tuple[str, int, int], int] = {}
        for source, target in sends:
            channel = self.between.get((source, target))
            ends = (min(source, target), max(source, target)) if self.half else (source, target)
            loads["link", *ends] += 1
            room["link", *ends] = 0 if channel is None else self.capacity[channel]
            for side, end in (("out", source), ("in", target)):
                if self.ports != "all":
                    loads[side, end, 0] += 1
                    room[side, end, 0] = self.ports
        return all(load <= room[key] * rounds for key, load in loads.items())


SCCL = Format(
    "sccl",
    "schedule of SCCL as msccl-tools writes it, in JSON: chunks are messages or their pieces, sends transfers",
    recognizes,
    lambda file: read_schedule(file).problem,
    read_schedule,
    read_schedule_on=read_schedule_on,
)
