"""Random networks with translations, valid tables for them, ways to spoil a table, and a second judge of tables.

The second judge writes a table out by plain Python, from the definition: it looks for the translation that takes router
0 to each router, translates every hop by itself, and gives the schedule to the second judge of schedules. Valid tables
are made as slowly: rows one after the other, at the first time at which the whole schedule has no conflict.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from pavane.judge.symmetric_rules import verify_symmetric
from pavane.judge.violation import Violation
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.model.symmetric_schedule import Clock, SymmetricSchedule
from pavane.symmetry.cayley import CayleyNetwork
from tests.checker import judge, length, links, uses

Move = tuple[int, ...]


# -- networks


class Group(NamedTuple):
    """A group by its table: products[a][b]; element 0 is the neutral one."""

    products: list[list[int]]
    generators: tuple[int, ...]
    sizes: tuple[int, ...] | None


def grid_group(sizes: tuple[int, ...]) -> Group:
    """Return the sums of coordinates, numbered row by row."""
    points = list(product(*(range(size) for size in sizes)))
    number = {point: at for at, point in enumerate(points)}
    sums = [
        [number[tuple((x + y) % size for x, y, size in zip(a, b, sizes, strict=True))] for b in points] for a in points
    ]
    units = [tuple(int(i == axis) % sizes[axis] for i in range(len(sizes))) for axis in range(len(sizes))]
    return Group(sums, tuple(number[unit] for unit in units), sizes)


def permutation_group() -> Group:
    """Return the permutations of three things, which do not commute."""
    elements = list(permutations(range(3)))
    number = {element: at for at, element in enumerate(elements)}
    products = [[number[tuple(a[b[i]] for i in range(3))] for b in elements] for a in elements]
    return Group(products, (1, 2), None)


GROUPS = [
    *(grid_group(sizes) for sizes in ((2,), (3,), (4,), (5,), (6,), (7,), (2, 2), (2, 3), (3, 3), (2, 4), (2, 2, 2))),
    permutation_group(),
]


def random_cayley(rng: random.Random) -> CayleyNetwork:
    """Return a network with translations: perhaps one-way, with parallel channels and with capacities."""
    group = rng.choice(GROUPS)
    size = len(group.products)
    kinds = list(group.generators) + [rng.randrange(1, size) for _ in range(rng.choice((0, 0, 1, 2)))]
    if rng.random() < 0.75:
        inverse = [row.index(0) for row in group.products]
        kinds += [inverse[kind] for kind in kinds if inverse[kind] not in kinds]
    carries = {kind: 2 if rng.random() < 0.2 else 1 for kind in kinds}
    for kind in kinds:  # a link carries the same both ways
        carries[group.products[kind].index(0)] = carries[kind]
    channels = [(router, kind) for router in range(size) for kind in kinds]
    rng.shuffle(channels)
    network = Network(
        "drawn",
        size,
        [(router, group.products[router][kind]) for router, kind in channels],
        capacities=[carries[kind] for _, kind in channels] if set(carries.values()) != {1} else None,
    )
    moves = np.array([group.products[generator] for generator in group.generators], dtype=np.int32)
    return CayleyNetwork(network, moves, group.sizes)


def with_more_channels(cayley: CayleyNetwork, rng: random.Random) -> CayleyNetwork:
    """Return a network with some channels more, from other routers than 0, that its translations do not keep."""
    network = cayley.network
    channels = network.channels.tolist()
    others = [(a, b) for a in range(1, network.num_routers) for b in range(network.num_routers)]
    free = [each for each in others if each[0] != each[1] and list(each) not in channels]
    more = rng.sample(free, min(len(free), rng.choice((1, 2, 5))))
    carries = None if network.capacities is None else [*network.capacities.tolist(), *(1 for _ in more)]
    wider = Network("wider", network.num_routers, [*map(tuple, channels), *more], capacities=carries)
    return CayleyNetwork(wider, cayley.translations, cayley.sizes)


@st.composite
def cayley_networks(draw: st.DrawFn) -> CayleyNetwork:
    """Draw a network with translations."""
    return random_cayley(random.Random(draw(st.integers(0, 2**32 - 1))))


# -- a table written out


class Row(NamedTuple):
    """One row of a table, in plain numbers."""

    step: int
    tail: int
    message: int
    word: tuple[int, ...]
    clock: int = 0
    phase: tuple[int, ...] = ()


@dataclass
class PlainKinds:
    """The translations of a network, one for each router, and what a hop of a kind is there."""

    network: Network
    generators: list[Move]

    @cached_property
    def moves(self) -> dict[int, Move]:
        """The translation that takes router 0 to each router."""
        size = self.network.num_routers
        found: dict[int, Move] = {0: tuple(range(size))}
        queue = [found[0]]
        for move in queue:
            for generator in self.generators:
                after = tuple(generator[move[router]] for router in range(size))
                if found.setdefault(after[0], after) is after:
                    queue.append(after)
                elif found[after[0]] != after:
                    raise ValueError("two translations take router 0 to the same router")
        if len(found) < size:
            raise ValueError("some router is not reached")
        return found

    @cached_property
    def first_hops(self) -> list[tuple[int, int]]:
        """For each kind where it leads from router 0, and which of the parallel channels it is."""
        hops: list[tuple[int, int]] = []
        for tail, head in self.network.channels.tolist():
            if tail == 0:
                hops.append((head, sum(other == head for other, _ in hops)))
        return hops

    @cached_property
    def between(self) -> dict[tuple[int, int], list[int]]:
        """The channels from one router to another, in order."""
        found: dict[tuple[int, int], list[int]] = {}
        for channel, (tail, head) in enumerate(self.network.channels.tolist()):
            found.setdefault((tail, head), []).append(channel)
        return found

    def hop(self, router: int, kind: int) -> tuple[int, int]:
        """Return the channel of a kind at a router, and where it leads."""
        head, number = self.first_hops[kind]
        there = self.moves[router][head]
        parallel = self.between[router, there]
        if len(parallel) != len(self.between[0, head]):
            raise ValueError("translations do not keep the channels")
        return parallel[number], there

    def phases(self, clock: Clock) -> dict[int, tuple[int, ...]]:
        """Return the phase of each router; ValueError where two paths give it different ones."""
        found = {0: tuple(0 for _ in clock.moduli)}
        queue = [0]
        for router in queue:
            for kind in range(len(self.first_hops)):
                added = zip(found[router], clock.increments[kind].tolist(), clock.moduli, strict=True)
                phase = tuple((old + more) % modulus for old, more, modulus in added)
                _, there = self.hop(router, kind)
                if there not in found:
                    queue.append(there)
                if found.setdefault(there, phase) != phase:
                    raise ValueError("a clock adds different phases")
        return found


def rows_of(table: SymmetricSchedule) -> list[Row]:
    """Return the rows of a table in plain numbers."""
    rows = []
    for at in range(len(table)):
        runs = range(int(table.run_offsets[at]), int(table.run_offsets[at + 1]))
        if not runs or any(not 1 <= table.run_lengths[run] <= table.num_processors for run in runs):
            raise ValueError("a row has no path, or a run no length")
        word = [int(table.run_kinds[run]) for run in runs for _ in range(int(table.run_lengths[run]))]
        clock = int(table.row_clocks[at])
        phase = table.row_phases[at].tolist()[: len(table.clocks[clock].moduli)] if table.clocks else []
        rows.append(
            Row(int(table.steps[at]), int(table.senders[at]), int(table.messages[at]), tuple(word), clock, tuple(phase))
        )
    return rows


def written_out(problem: Problem, table: SymmetricSchedule) -> Schedule:
    """Return the schedule of a table, by plain Python."""
    kinds = PlainKinds(problem.network, [tuple(move) for move in table.translations.tolist()])
    phases = [kinds.phases(clock) for clock in table.clocks]
    columns = (table.steps, table.senders, table.messages, table.run_kinds, table.run_offsets, table.row_clocks)
    if any((column < 0).any() for column in columns):
        raise ValueError("nothing has a number below 0")
    transfers = [one for row in rows_of(table) for one in transfers_of(problem, kinds, row, table.clocks, phases)]
    if any(not 0 <= one.start < table.num_steps for one in transfers):
        raise ValueError("a transfer is not in a step of the schedule")
    return Schedule.from_transfers(transfers, num_steps=table.num_steps)


def transfers_of(
    problem: Problem, kinds: PlainKinds, row: Row, clocks: tuple[Clock, ...] = (), phases: Any = ()
) -> Iterator[Transfer]:
    """Yield what every router does by a row."""
    for router, move in kinds.moves.items():
        step, here, path = row.step, move[row.tail], []
        if clocks:
            moduli = clocks[row.clock].moduli
            own = zip(phases[row.clock][router], row.phase, moduli, strict=True)
            step += sum((a + b) % modulus for a, b, modulus in own) % max(moduli, default=1)
        message, start = number_of(problem, row.message, router, move), here
        for hop, kind in enumerate(row.word):
            channel, there = kinds.hop(here, kind)
            if problem.rules.switching == "store-and-forward":
                yield Transfer(step + hop, here, there, (channel,), (message,))
            path.append(channel)
            here = there
        if problem.rules.switching != "store-and-forward":
            yield Transfer(step, start, here, tuple(path), (message,))


@cache
def pair_numbers(size: int) -> dict[tuple[int, int], int]:
    """Return the number of each pair of routers, in their order."""
    return {pair: number for number, pair in enumerate(permutations(range(size), 2))}


def number_of(problem: Problem, message: int, router: int, move: Move) -> int:
    """Return the number that a message of a table has, where it belongs to a router."""
    pieces, size = problem.collective.pieces, problem.network.num_routers
    if problem.pattern == "private":
        target, piece = divmod(message, pieces)
        return pair_numbers(size)[router, move[target]] * pieces + piece
    piece = message // 2 if problem.pattern == "allreduce" else message
    if not 0 <= piece < pieces:
        raise ValueError("no such piece")
    return router * pieces + piece


def second_verdict(problem: Problem, table: SymmetricSchedule) -> bool:
    """Return whether a table is valid: it can be written out, and the second judge of schedules finds nothing."""
    try:
        schedule = written_out(problem, table)
    except (ArithmeticError, LookupError, ValueError, TypeError, MemoryError):
        return False
    return not judge(problem, schedule)


# -- valid tables


RULES = [
    Rules(switching, ports, duplex, routing)
    for switching in ("wormhole", "store-and-forward")
    for ports in ("all", 1, 2)
    for duplex in ("full", "half")
    for routing in ("minimal", "any")
]
SLOTS = [
    Rules("tdm", ports, duplex, wrap=wrap, router_delay=router, link_delay=link, packet_slots=slots)
    for ports in ("all", 1)
    for duplex in ("full", "half")
    for wrap in (True, False)
    for router, link, slots in ((1, 0, 1), (1, 2, 1), (2, 1, 3))
]


class TableCase(NamedTuple):
    """A problem and a table for it."""

    problem: Problem
    table: SymmetricSchedule


def random_problem(rng: random.Random, network: Network) -> Problem:
    """Return a collective of all routers under random rules."""
    rules = rng.choice(rng.choice((RULES, RULES, SLOTS)))
    kinds = ["AAS", "AAS"]
    if not rules.has_slots:
        kinds += ["AAB", "AAR", "ALLREDUCE"]
    elif not rules.wrap:
        kinds += ["AAB", "AAR"]
    collective = in_pieces(named(rng.choice(kinds), network), rng.choice((1, 1, 2)))
    return Problem(network, collective, rules)


def random_case(rng: random.Random) -> TableCase:
    """Return a problem on a random network with translations, and a valid table for it."""
    while True:
        cayley = random_cayley(rng)
        problem = random_problem(rng, cayley.network)
        # Copies and sums need translations that keep the channels which they use, and no others.
        if problem.pattern != "private" and problem.rules.duplex == "full" and rng.random() < 0.3:
            cayley = with_more_channels(cayley, rng)
            problem = replace(problem, network=cayley.network)
        maker = Maker(problem, cayley, rng)
        # Under half duplex both ends of a link with a kind of its own would send at once.
        made = maker.table() if maker.can_send_everywhere else None
        if made is not None:
            return TableCase(problem, made)


class Loads:
    """What channels and ports carry, in all steps of a schedule or round the slots of a period."""

    def __init__(self, problem: Problem, period: int | None = None) -> None:
        self.problem, self.period = problem, period
        network, rules = problem.network, problem.rules
        self.load: Counter[tuple[str, int, int]] = Counter()
        self.carries = [1] * network.num_channels if network.capacities is None else network.capacities.tolist()
        degree = sum(self.carries[c] for c, (tail, _) in enumerate(network.channels.tolist()) if tail == 0)
        self.ports = degree if rules.ports == "all" else rules.ports
        self.other = {}
        if rules.duplex == "half":
            self.other = {a: b for pair in links(problem) for a, b in (pair, pair[::-1])}

    def take(self, transfers: list[Transfer]) -> bool:
        """Add transfers, and return whether nothing is overloaded; if something is, nothing is added."""
        added: Counter[tuple[str, int, int]] = Counter()
        for use in (use for transfer in transfers for use in uses(self.problem, transfer)):
            for slot in range(use.slot, use.slot + length(self.problem)):
                added[use.kind, use.number, slot if self.period is None else slot % self.period] += 1
        self.load.update(added)
        if all(self._carried(*key) for key in added):
            return True
        self.load.subtract(added)
        return False

    def _carried(self, kind: str, number: int, slot: int) -> bool:
        if kind != "channel":
            return self.load[kind, number, slot] <= self.ports
        back = self.load["channel", self.other[number], slot] if number in self.other else 0
        return self.load["channel", number, slot] + back <= self.carries[number]


class Maker:
    """Makes a valid table row by row, each at the first time at which nothing is overloaded."""

    def __init__(self, problem: Problem, cayley: CayleyNetwork, rng: random.Random) -> None:
        self.problem, self.rng, self.cayley = problem, rng, cayley
        self.kinds = PlainKinds(problem.network, [tuple(move) for move in cayley.translations.tolist()])
        self.num_kinds = len(self.kinds.first_hops)
        self.is_stored = problem.rules.switching == "store-and-forward"
        self.size = problem.network.num_routers
        self.usable = list(range(self.num_kinds))
        if problem.rules.duplex == "half":
            both = set(links(problem))
            self.usable = [kind for kind in self.usable if not self._meets_itself(kind, both)]

    def _meets_itself(self, kind: int, both: set[tuple[int, int]]) -> bool:
        used = {self.kinds.hop(router, kind)[0] for router in range(self.size)}
        carries = self.problem.network.capacities
        return any(a in used and b in used and (carries is None or carries[a] < 2) for a, b in both)

    @cached_property
    def words(self) -> dict[int, list[tuple[int, ...]]]:
        """Some shortest words to each router over usable kinds."""
        found: dict[int, list[tuple[int, ...]]] = {0: [()]}
        level = {0}
        while level:
            ahead: dict[int, list[tuple[int, ...]]] = {}
            for router, kind in product(sorted(level), self.usable):
                there = self.kinds.hop(router, kind)[1]
                if there not in found:
                    ahead.setdefault(there, []).extend((*word, kind) for word in found[router][:4])
            found |= ahead
            level = set(ahead)
        return found

    @property
    def can_send_everywhere(self) -> bool:
        """Whether usable kinds lead everywhere, as short as all kinds do where that matters."""
        if len(self.words) < self.size:
            return False
        whole = replace_usable(self)
        return all(len(self.words[router][0]) == len(whole[router][0]) for router in whole)

    def table(self) -> SymmetricSchedule | None:
        """Return a table; None where a row meets itself, or a period gets too long."""
        if self.problem.rules.repeats:
            return self._round()
        if self.problem.pattern == "private" and self.problem.rules.switching == "wormhole" and self.rng.random() < 0.6:
            made = self._clocked()
            if made is not None:
                return made
        rows = self._fitted(self._parts())
        return None if rows is None else self._as_table(rows)

    def _as_table(self, rows: list[Row], num_steps: int = 0, clocks: tuple[Clock, ...] = ()) -> SymmetricSchedule:
        if not num_steps:
            num_steps = 1 + max(self._last(row) for row in rows)
        self.rng.shuffle(rows)
        return table_of(rows, num_steps, self.cayley.translations, clocks)

    def _last(self, row: Row) -> int:
        rules = self.problem.rules
        if rules.has_slots:
            return row.step + int(rules.flight(len(row.word))) + rules.packet_slots - 1
        return row.step + (len(row.word) - 1 if self.is_stored else 0)

    # -- what is to be sent, in an order in which it can be

    def _parts(self) -> Iterator[tuple[Row, tuple[int, ...]]]:
        """Yield rows without a step, and the earlier rows that each comes after."""
        pieces, pattern = self.problem.collective.pieces, self.problem.pattern
        number = 0
        if pattern == "private":
            listed = [(target, piece) for target in range(1, self.size) for piece in range(pieces)]
            self.rng.shuffle(listed)
            for target, piece in listed:
                word = self.rng.choice(self.words[target])
                cut = self.rng.randrange(len(word)) if self.is_stored else 0
                here = 0
                for part in (word[:cut], word[cut:]):
                    if part:
                        yield Row(0, here, target * pieces + piece, part), (number - 1,) if here else ()
                        number += 1
                        for kind in part:
                            here = self.kinds.hop(here, kind)[1]
            return
        for piece in range(pieces):
            into: list[int] = []
            if pattern in ("reduction", "allreduce"):
                rows = self._tree_in(2 * piece if pattern == "allreduce" else piece)
                for row, before in rows:
                    yield row, tuple(number + one for one in before)
                into = [number + at for at, (row, _) in enumerate(rows) if self._end(row) == 0]
                number += len(rows)
            if pattern in ("broadcast", "allreduce"):
                rows = self._tree_out(2 * piece + 1 if pattern == "allreduce" else piece)
                for row, before in rows:
                    yield row, (*into, *(number + one for one in before))
                number += len(rows)

    def _end(self, row: Row) -> int:
        here = row.tail
        for kind in row.word:
            here = self.kinds.hop(here, kind)[1]
        return here

    def _tree_out(self, message: int) -> list[tuple[Row, tuple[int, ...]]]:
        """Return the rows of a random tree from router 0."""
        informed: dict[int, int] = {0: -1}
        rows: list[tuple[Row, tuple[int, ...]]] = []
        while len(informed) < self.size:
            router, kind = self.rng.choice(sorted(informed)), self.rng.choice(self.usable)
            there = self.kinds.hop(router, kind)[1]
            if there not in informed:
                rows.append((Row(0, router, message, (kind,)), (informed[router],) if router else ()))
                informed[there] = len(rows) - 1
        return rows

    def _tree_in(self, message: int) -> list[tuple[Row, tuple[int, ...]]]:
        """Return the rows of a random tree to router 0, the farthest first."""
        parent: dict[int, int] = {0: -1}
        kind_of: dict[int, int] = {}
        while len(parent) < self.size:
            router, kind = self.rng.randrange(self.size), self.rng.choice(self.usable)
            there = self.kinds.hop(router, kind)[1]
            if router not in parent and there in parent:
                parent[router], kind_of[router] = there, kind
        rows: list[tuple[Row, tuple[int, ...]]] = []
        number: dict[int, int] = {}
        for router in reversed(list(parent)[1:]):
            before = tuple(number[child] for child in number if parent[child] == router)
            number[router] = len(rows)
            rows.append((Row(0, router, message, (kind_of[router],)), before))
        return rows

    # -- when

    def _fitted(self, parts: Iterable[tuple[Row, tuple[int, ...]]]) -> list[Row] | None:
        """Return rows at the first steps at which nothing is overloaded and what they send is there."""
        done: list[Row] = []
        loads = Loads(self.problem)
        for row, before in parts:
            first = max((self._last(done[one]) + 1 for one in before), default=0)
            # After all others it fits, or nowhere.
            last = max((self._last(one) for one in done), default=-1)
            options = (row._replace(step=step) for step in range(first, max(first, last + 1) + 1))
            fitting = next((one for one in options if loads.take(self._all(one))), None)
            if fitting is None:
                return None
            done.append(fitting)
        return done

    def _all(self, row: Row, clocks: tuple[Clock, ...] = (), phases: Any = ()) -> list[Transfer]:
        return list(transfers_of(self.problem, self.kinds, row, clocks, phases))

    def _round(self) -> SymmetricSchedule | None:
        """Return a table of slots that repeats: of the least period that works out, from a low one on."""
        rows = [row for row, _ in self._parts()]
        period = max(self.problem.rules.packet_slots, len(rows) // self.num_kinds, 1)
        for _ in range(50):
            done: list[Row] = []
            loads = Loads(self.problem, period)
            for row in rows:
                at = self.rng.randrange(period)
                options = (row._replace(step=(at + later) % period) for later in range(period))
                fitting = next((one for one in options if loads.take(self._all(one))), None)
                if fitting is None:
                    break
                done.append(fitting)
            if len(done) == len(rows):
                return self._as_table(done, period)
            period += self.rng.choice((1, 2, 3)) + period // 8
        return None

    def _clocked(self) -> SymmetricSchedule | None:
        """Return a table with clocks: rows at random phases, each in the first stage where nothing is overloaded."""
        sizes = self.cayley.sizes
        if sizes is None:
            return None
        clocks = self._random_clocks(sizes)
        phases = [self.kinds.phases(clock) for clock in clocks]
        stages: list[tuple[int, list[Row], Loads]] = []
        for row, _ in self._parts():
            number = self.rng.randrange(len(clocks))
            moduli = clocks[number].moduli
            own = row._replace(
                word=tuple(sorted(row.word)), clock=number, phase=tuple(self.rng.randrange(m) for m in moduli)
            )
            options = [stage for stage in stages if stage[0] == number and self.rng.random() < 0.7]
            transfers = self._all(own, clocks, phases)
            for stage in [*options, (number, [], Loads(self.problem))]:
                if stage[2].take(transfers):
                    stages += [] if stage[1] else [stage]
                    stage[1].append(own)
                    break
            else:
                return None
        rows, step = [], 0
        for number, together, _ in stages:
            rows += [row._replace(step=step) for row in together]
            step += clocks[number].num_steps
        return self._as_table(rows, step, clocks)

    def _random_clocks(self, sizes: tuple[int, ...]) -> tuple[Clock, ...]:
        """Return one or two clocks of an abelian group: some coordinates, modulo divisors of the sizes."""
        clocks = []
        for _ in range(self.rng.choice((1, 2))):
            moduli = tuple(self.rng.choice([m for m in range(1, size + 1) if size % m == 0][-2:]) for size in sizes)
            heads = [head for head, _ in self.kinds.first_hops]
            increments = np.stack(np.unravel_index(np.array(heads), sizes), axis=1).astype(np.int64)
            increments -= np.array(moduli) * np.array([[self.rng.choice((0, 1)) for _ in sizes] for _ in heads])
            clocks.append(Clock(moduli, increments))
        return tuple(clocks)


def replace_usable(maker: Maker) -> dict[int, list[tuple[int, ...]]]:
    """Return the words over all kinds."""
    other = Maker.__new__(Maker)
    vars(other).update({key: value for key, value in vars(maker).items() if key != "words"})
    other.usable = list(range(maker.num_kinds))
    return other.words


def table_of(rows: list[Row], num_steps: int, translations: Any, clocks: tuple[Clock, ...] = ()) -> SymmetricSchedule:
    """Return the columns of plain rows; equal kinds one after the other are a run."""
    runs: list[tuple[int, int]] = []
    offsets = [0]
    for row in rows:
        for at, kind in enumerate(row.word):
            if at and row.word[at - 1] == kind:
                runs[-1] = (kind, runs[-1][1] + 1)
            else:
                runs.append((kind, 1))
        offsets.append(len(runs))
    most = max((len(clock.moduli) for clock in clocks), default=0)
    phases = [[*row.phase, *(0 for _ in range(most - len(row.phase)))] for row in rows]
    columns = np.array(runs, dtype=np.int32).reshape(-1, 2)
    return SymmetricSchedule(
        num_steps,
        translations,
        np.array([row.step for row in rows], dtype=np.int64),
        np.array([row.tail for row in rows], dtype=np.int32),
        np.array([row.message for row in rows], dtype=np.int64),
        np.array(offsets, dtype=np.int64),
        columns[:, 0].copy(),
        columns[:, 1].copy(),
        clocks,
        np.array([row.clock for row in rows], dtype=np.int32) if clocks else None,
        np.array(phases, dtype=np.int64).reshape(len(rows), most) if clocks else None,
    )


# -- spoiled tables


def _changed(
    table: SymmetricSchedule, name: str, rng: random.Random, values: Callable[[int], list[int]]
) -> SymmetricSchedule:
    column = getattr(table, name).copy()
    if not column.size:
        return table
    at = rng.randrange(column.size)
    column.reshape(-1)[at] = rng.choice(values(int(column.reshape(-1)[at])))
    return replace(table, **{name: column})


def _nearby(value: int) -> list[int]:
    return [value - 1, value + 1, value + 2, 0]


def _far(value: int) -> list[int]:
    return [-1, 2**31 - 1, -(2**31)]


def _very_far(value: int) -> list[int]:
    return [2**63 - 1, -(2**63), 2**62, -(2**62), 2**40]


def _without_row(table: SymmetricSchedule, rng: random.Random) -> SymmetricSchedule:
    if len(table) < 2:
        return table
    kept = list(range(len(table)))
    kept.pop(rng.randrange(len(table)))
    return _rows_at(table, kept)


def _row_twice(table: SymmetricSchedule, rng: random.Random) -> SymmetricSchedule:
    kept = list(range(len(table)))
    return _rows_at(table, [*kept, rng.choice(kept)])


def _rows_at(table: SymmetricSchedule, chosen: list[int]) -> SymmetricSchedule:
    rows = rows_of(table)
    return table_of([rows[at] for at in chosen], table.num_steps, table.translations, table.clocks)


def _steps_exchanged(table: SymmetricSchedule, rng: random.Random) -> SymmetricSchedule:
    steps = table.steps.copy()
    one, other = rng.randrange(len(table)), rng.randrange(len(table))
    steps[[one, other]] = steps[[other, one]]
    return replace(table, steps=steps)


def _other_clock(table: SymmetricSchedule, rng: random.Random) -> SymmetricSchedule:
    if not table.clocks:
        return table
    clocks = list(table.clocks)
    at = rng.randrange(len(clocks))
    moduli, increments = list(clocks[at].moduli), clocks[at].increments.copy()
    if rng.random() < 0.5:
        moduli[rng.randrange(len(moduli))] = rng.choice((0, 1, 2, 3, -1, 2**62))
    else:
        entry = rng.randrange(increments.size)
        old = int(increments.reshape(-1)[entry])
        increments.reshape(-1)[entry] = rng.choice((old - 1, old + 1, old + 2, 2**62, -(2**63)))
    clocks[at] = Clock(tuple(moduli), increments)
    return replace(table, clocks=tuple(clocks))


def _early(table: SymmetricSchedule, rng: random.Random) -> SymmetricSchedule:
    """A stage, or all rows from a step on, moved forward by one."""
    first = int(rng.choice(table.steps.tolist()))
    return replace(table, steps=table.steps - (table.steps >= max(first, 1)), num_steps=table.num_steps - 1)


SPOILERS: dict[str, Callable[[SymmetricSchedule, random.Random], SymmetricSchedule]] = {
    "step": lambda table, rng: _changed(table, "steps", rng, _nearby),
    "far step": lambda table, rng: _changed(table, "steps", rng, _very_far),
    "tail": lambda table, rng: _changed(table, "senders", rng, _nearby),
    "far tail": lambda table, rng: _changed(table, "senders", rng, _far),
    "message": lambda table, rng: _changed(table, "messages", rng, _nearby),
    "far message": lambda table, rng: _changed(table, "messages", rng, _very_far),
    "kind": lambda table, rng: _changed(table, "run_kinds", rng, _nearby),
    "far kind": lambda table, rng: _changed(table, "run_kinds", rng, _far),
    "length": lambda table, rng: _changed(table, "run_lengths", rng, _nearby),
    "far length": lambda table, rng: _changed(table, "run_lengths", rng, lambda _: [-1, -(2**31)]),
    "offset": lambda table, rng: _changed(table, "run_offsets", rng, lambda value: [value - 1, value + 1, -1]),
    "phase": lambda table, rng: table if table.phases is None else _changed(table, "phases", rng, _nearby),
    "far phase": lambda table, rng: table if table.phases is None else _changed(table, "phases", rng, _very_far),
    "clock of a row": lambda table, rng: table if table.clock_of is None else _changed(table, "clock_of", rng, _nearby),
    "clock": _other_clock,
    "translation": lambda table, rng: _changed(table, "translations", rng, _nearby),
    "fewer steps": lambda table, rng: replace(table, num_steps=table.num_steps - 1),
    "more steps": lambda table, rng: replace(table, num_steps=table.num_steps + 1),
    "no row": _without_row,
    "row twice": _row_twice,
    "steps exchanged": _steps_exchanged,
    "early": _early,
    "nothing": lambda table, rng: table,
}
"""Ways to spoil a table; some do no harm."""

CONSERVATIVE = (
    "overlap, and both use",
    "rows meet at",
    "in all phases",
    "too large a number",
    "one channel at a time",
)
"""Texts of rules that may refuse a table whose schedule is valid: those of clocks and stages, and that copies and sums
go over one channel at a time."""

ABOUT_SUMS = ("not-held", "delivered-twice", "past-target", "never-delivered")
"""Rules that may refuse a table of a valid allreduce: its rows must say whether a sum comes in or goes out."""


def spoiled(table: SymmetricSchedule, rng: random.Random, times: int = 1) -> SymmetricSchedule:
    """Return a table after some random changes."""
    for _ in range(times):
        try:
            table = SPOILERS[rng.choice(sorted(SPOILERS))](table, rng)
        except (ArithmeticError, LookupError, ValueError):
            return table  # it cannot be read as rows any more
    return table


def is_conservative(problem: Problem, violations: list[Violation]) -> bool:
    """Return whether all objections to a table are of rules that may refuse a valid one."""
    about_sums = ABOUT_SUMS if problem.pattern == "allreduce" else ()
    return all(one.rule in about_sums or any(text in one.text for text in CONSERVATIVE) for one in violations)


def disagreement(problem: Problem, table: SymmetricSchedule) -> str | None:
    """Return how the judge of tables and the second judge differ; None where they agree."""
    violations = verify_symmetric(problem, table)
    is_valid = second_verdict(problem, table)
    if not violations and not is_valid:
        return f"accepted, and not valid: {problem}"
    if violations and is_valid and not is_conservative(problem, violations):
        return f"refused ({violations[0].text}), and valid: {problem}"
    return None
