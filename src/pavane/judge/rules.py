"""The judge: which rules of the problem does a schedule break?

It reads a schedule as columns and shares no code with the solvers: it measures distances, follows the messages and
counts the loads itself. An empty answer means that the schedule is valid.

A sender must hold what it sends when the step begins; what arrives in a step can be sent on in the next. A copy of a
message stays where it was sent from. A partial result of a reduction moves: it is sent once, with all that was combined
into it, and judged by what matters, that every contribution reaches the target exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

Rule = Literal[
    "broken-path",
    "wrong-ends",
    "not-simple",
    "too-many-hops",
    "not-minimal",
    "forbidden-turn",
    "unknown-message",
    "carries-nothing",
    "carries-several",
    "not-held",
    "channel-capacity",
    "port-capacity",
    "half-duplex",
    "delivered-twice",
    "never-delivered",
    "empty-step",
]
RULES: tuple[Rule, ...] = get_args(Rule)

Mask = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Violation:
    """One broken rule: where, and in words."""

    rule: Rule
    text: str
    step: int | None = None
    message: int | None = None
    channel: int | None = None


def verify(problem: Problem, schedule: Schedule, most: int = 100) -> list[Violation]:
    """Return the violations of a schedule, at most so many of each rule; none means that it is valid."""
    case = _Case(problem, schedule, most)
    found = list(case.empty_steps())
    sound, broken = case.paths()
    found += broken
    found += case.lengths(sound)
    found += case.loads(sound)
    found += case.payloads()
    if problem.pattern == "reduction":
        found += case.contributions()
    else:
        found += case.copies()
    return found


class _Case:
    """One schedule before the judge."""

    def __init__(self, problem: Problem, schedule: Schedule, most: int) -> None:
        self.problem, self.schedule, self.most = problem, schedule, most
        network = problem.network
        self.network = network
        self.num_locations = network.num_processors + network.num_routers
        self.senders = self._location(schedule.senders)
        self.receivers = self._location(schedule.receivers)
        # Which transfer each listed channel, and each carried message, belongs to.
        self.path_owner = np.repeat(np.arange(len(schedule)), schedule.path_lengths)
        self.owner = np.repeat(np.arange(len(schedule)), schedule.payloads)
        self.known = (schedule.messages >= 0) & (schedule.messages < problem.num_messages)

    def _location(self, ends: npt.NDArray[np.int32]) -> Longs:
        """Number processors first, then routers as pure switches; -1 for what is neither."""
        num_processors, network = self.network.num_processors, self.network
        code = np.where(ends >= 0, ends.astype(np.int64), num_processors + ~ends.astype(np.int64))
        is_switch = np.bincount(network.router_of, minlength=network.num_routers) == 0
        may_rest = self.problem.rules.switching == "store-and-forward"
        allowed = np.concatenate((np.ones(num_processors, dtype=bool), is_switch & may_rest))
        inside = np.where(ends >= 0, ends < num_processors, ~ends < network.num_routers)
        return np.where(inside & allowed[np.where(inside, code, 0)], code, -1)

    def _router(self, locations: Longs) -> Longs:
        homes = np.concatenate((self.network.router_of, np.arange(self.network.num_routers))).astype(np.int64)
        return np.where(locations >= 0, homes[locations], -1)

    # -- paths

    def empty_steps(self) -> Iterator[Violation]:
        """Every step must do something."""
        used = np.bincount(self.schedule.steps, minlength=self.schedule.num_steps)
        for step in np.flatnonzero(used == 0)[: self.most].tolist():
            yield Violation("empty-step", f"step {step + 1} has no transfer; leave it out", step)

    def paths(self) -> tuple[Mask, list[Violation]]:
        """Paths must be made of joined channels and run from the sender's router to the receiver's."""
        schedule, network = self.schedule, self.network
        size = len(schedule)
        found: list[Violation] = []
        channels = schedule.path_channels
        exists = (channels >= 0) & (channels < network.num_channels)
        unbroken = np.ones(size, dtype=bool)
        unbroken[self.path_owner[~exists]] = False
        safe = np.where(exists, channels, 0)
        # A network without channels has no channel 0 to stand in for one that does not exist.
        tails = network.tails[safe] if network.num_channels else safe
        heads = network.heads[safe] if network.num_channels else safe
        within = self.path_owner[1:] == self.path_owner[:-1]
        parted = within & (heads[:-1] != tails[1:])
        unbroken[self.path_owner[1:][parted]] = False
        found += self._say(
            "broken-path",
            ~unbroken,
            lambda i: "its channels do not join into a path; each must start where the last ends",
        )

        here, there = self._router(self.senders), self._router(self.receivers)
        start, end = here.copy(), here.copy()
        some = schedule.path_lengths > 0
        start[some] = tails[schedule.path_offsets[:-1][some]]
        end[some] = heads[schedule.path_offsets[1:][some] - 1]
        placed = (self.senders >= 0) & (self.receivers >= 0) & (self.senders != self.receivers)
        right = placed & (start == here) & (end == there)
        found += self._say("wrong-ends", ~right & unbroken, self._ends_text)

        # A router met twice: sort each path's routers and look for equal neighbours.
        sound = unbroken & right
        visited = np.concatenate((self.path_owner[sound[self.path_owner]] * network.num_routers, []))
        visited = visited.astype(np.int64) + heads[sound[self.path_owner]]
        first = np.flatnonzero(sound) * network.num_routers + here[sound]
        stops = np.sort(np.concatenate((visited, first)))
        winding = np.zeros(size, dtype=bool)
        winding[stops[1:][stops[1:] == stops[:-1]] // max(network.num_routers, 1)] = True
        found += self._say("not-simple", winding, lambda i: "its path meets a router twice; paths must be simple")
        return sound & ~winding, found

    def _ends_text(self, i: int) -> str:
        transfer = self.schedule.transfer(i)
        if self.senders[i] < 0 or self.receivers[i] < 0:
            return "a message cannot rest at its ends: only at processors, and under store-and-forward at pure switches"
        if transfer.sender == transfer.receiver:
            return "it goes to where it comes from"
        return "its path does not run from the sender's router to the receiver's"

    def lengths(self, sound: Mask) -> Iterator[Violation]:
        """Store-and-forward covers one channel a step; all but any routing takes shortest paths."""
        schedule, lengths = self.schedule, self.schedule.path_lengths
        if self.problem.rules.switching == "store-and-forward":
            yield from self._say(
                "too-many-hops",
                lengths > 1,
                lambda i: f"it covers {lengths[i]} channels; store-and-forward covers one in a step",
            )
            return
        if self.problem.rules.routing == "any":
            return
        if self.problem.rules.routing != "minimal":
            yield from self._turns(np.flatnonzero(sound & (lengths > 1)))
            return
        # One channel between two routers is always shortest.
        asked = np.flatnonzero(sound & (lengths > 1))
        starts = self.network.tails[schedule.path_channels[schedule.path_offsets[asked]]]
        ends = self.network.heads[schedule.path_channels[schedule.path_offsets[asked + 1] - 1]]
        shortest = self._distances(starts.astype(np.int64), ends.astype(np.int64), lengths[asked])
        longer = np.zeros(len(schedule), dtype=bool)
        longer[asked] = lengths[asked] > shortest
        least = dict(zip(asked.tolist(), shortest.tolist(), strict=True)) if longer.any() else {}
        yield from self._say(
            "not-minimal",
            longer,
            lambda i: (
                f"its path has {lengths[i]} channels where {least[i]} are enough; minimal routing takes shortest paths"
            ),
        )

    def _turns(self, asked: Longs) -> Iterator[Violation]:
        """Restricted routing takes shortest paths of the grid without faults, in an order (noc section 2)."""
        schedule, routing = self.schedule, self.problem.rules.routing
        grid = self.network.grid
        if grid is None:
            raise ValueError(f"{routing} routing on {self.network.name}, which is no grid")
        sizes = grid.sizes
        mine = np.isin(self.path_owner, asked)
        owner, channels = self.path_owner[mine], schedule.path_channels[mine]
        ends = self.network.channels[channels].astype(np.int64)
        if grid.is_reversed:
            # Read backwards, so that hops go and follow each other as on the network itself.
            owner, ends = owner[::-1], ends[::-1, ::-1]
        tails, heads = (np.array(np.unravel_index(ends[:, side], sizes)) for side in (0, 1))
        axis = (tails != heads).argmax(axis=0)
        hop = (heads - tails)[axis, np.arange(len(axis))]
        # A hop of more than one wraps around: it goes the other way than the numbers do.
        forward = (hop == 1) | (hop < -1)

        firsts, lasts = schedule.path_offsets[asked], schedule.path_offsets[asked + 1] - 1
        start = np.array(np.unravel_index(self.network.tails[schedule.path_channels[firsts]], sizes))
        end = np.array(np.unravel_index(self.network.heads[schedule.path_channels[lasts]], sizes))
        apart = np.abs(start - end)
        around = np.array(sizes)[:, None] - apart
        apart = np.where(np.array(grid.wraps)[:, None], np.minimum(apart, around), apart)
        shortest = np.zeros(len(schedule), dtype=np.int64)
        shortest[asked] = apart.sum(axis=0)
        longer = np.zeros(len(schedule), dtype=bool)
        longer[asked] = schedule.path_lengths[asked] > shortest[asked]
        yield from self._say(
            "not-minimal",
            longer,
            lambda i: (
                f"its path has {schedule.path_lengths[i]} channels, but the grid without faults has one of "
                f"{shortest[i]}; {routing} routing takes only those"
            ),
        )

        if routing == "dimension-order":
            wrong = axis[1:] > axis[:-1]
            text = "it turns back to an earlier dimension; dimension-order routing goes in x first, then in y and so on"
        elif routing == "west-first":
            west = (axis == 1) & ~forward
            wrong = west[1:] & ~west[:-1]
            text = "it turns to the west; west-first routing goes west before all else"
        else:
            north = (axis == 0) & ~forward
            wrong = north[:-1] & ~north[1:]
            text = "it turns from the north; north-last routing goes north after all else"
        turned = np.zeros(len(schedule), dtype=bool)
        turned[owner[1:][wrong & (owner[1:] == owner[:-1])]] = True
        yield from self._say("forbidden-turn", turned & ~longer, lambda i: text)

    def _distances(self, starts: Longs, ends: Longs, limits: Longs) -> Longs:
        """Measure the distance of each pair, up to its limit: a flood from 512 routers at a time."""
        network = self.network
        answer = limits.copy()
        sources, source_of = np.unique(starts, return_inverse=True)
        reach = np.zeros(len(sources), dtype=np.int64)
        np.maximum.at(reach, source_of, limits)
        by_head = np.argsort(network.heads, kind="stable")
        heads, groups = np.unique(network.heads[by_head], return_index=True)
        nearest_first = np.argsort(reach, kind="stable")
        column_of = np.empty_like(nearest_first)
        column_of[nearest_first] = np.arange(len(sources))
        for begin in range(0, len(sources), 512):
            batch = nearest_first[begin : begin + 512]
            mine = np.flatnonzero((column_of[source_of] >= begin) & (column_of[source_of] < begin + 512))
            columns = column_of[source_of[mine]] - begin
            wet = np.zeros((network.num_routers, len(batch)), dtype=bool)
            wet[sources[batch], np.arange(len(batch))] = True
            flood = np.packbits(wet, axis=1)
            for distance in range(1, int(reach[batch].max())):
                spread = np.bitwise_or.reduceat(flood[network.tails[by_head]], groups, axis=0)
                flood[heads] |= spread
                hit = (flood[ends[mine], columns >> 3] >> (7 - (columns & 7)).astype(np.uint8)) & 1 == 1
                closer = mine[hit]
                answer[closer] = np.minimum(answer[closer], distance)
        return answer

    # -- loads

    def loads(self, sound: Mask) -> Iterator[Violation]:
        """No channel, link or port carries more in a step than its capacity."""
        schedule, network = self.schedule, self.network
        listed = schedule.path_channels.astype(np.int64)
        usable = (listed >= 0) & (listed < network.num_channels)
        steps = schedule.steps[self.path_owner].astype(np.int64)[usable]
        used, loads = np.unique(steps * max(network.num_channels, 1) + listed[usable], return_counts=True)
        for key, load in zip(used[loads > 1][: self.most].tolist(), loads[loads > 1].tolist(), strict=False):
            step, channel = divmod(key, network.num_channels)
            yield Violation(
                "channel-capacity",
                f"step {step + 1}: {load} transfers share channel {self._channel(channel)}; it carries one",
                step,
                channel=channel,
            )
        if self.problem.rules.duplex == "half":
            yield from self._half_duplex(used)
        for ends, degrees, verb in (
            (schedule.senders, network.out_degrees, "sends"),
            (schedule.receivers, network.in_degrees, "receives"),
        ):
            yield from self._port_loads(ends, degrees, verb)

    def _half_duplex(self, used: Longs) -> Iterator[Violation]:
        """The two channels of a link must not both be used in one step."""
        network = self.network
        step, channel = np.divmod(used, max(network.num_channels, 1))
        back = network.opposite[channel].astype(np.int64)
        both = (back > channel) & np.isin(step * network.num_channels + back, used)
        for at in np.flatnonzero(both)[: self.most].tolist():
            yield Violation(
                "half-duplex",
                f"step {step[at] + 1}: link {self._channel(int(channel[at]))} is used both ways under half duplex",
                int(step[at]),
                channel=int(channel[at]),
            )

    def _port_loads(
        self, ends: npt.NDArray[np.int32], degrees: npt.NDArray[np.int32], verb: str
    ) -> Iterator[Violation]:
        network, ports = self.network, self.problem.rules.ports
        at_processor = (ends >= 0) & (ends < network.num_processors)
        width = max(network.num_processors, 1)
        keys = self.schedule.steps[at_processor].astype(np.int64) * width + ends[at_processor]
        used, loads = np.unique(keys, return_counts=True)
        capacity = degrees[network.router_of[used % width]] if ports == "all" else np.full(len(used), ports)
        for at in np.flatnonzero(loads > capacity)[: self.most].tolist():
            step, processor = divmod(int(used[at]), width)
            yield Violation(
                "port-capacity",
                f"step {step + 1}: processor {processor} {verb} {loads[at]} transfers at once; "
                f"it has {capacity[at]} ports",
                step,
            )

    # -- messages

    def payloads(self) -> Iterator[Violation]:
        """A transfer carries messages of the problem: one, or under combining one or more."""
        payloads = self.schedule.payloads
        for at in np.flatnonzero(~self.known)[: self.most].tolist():
            owner, number = int(self.owner[at]), int(self.schedule.messages[at])
            yield Violation(
                "unknown-message",
                f"{self._transfer(owner)}: the collective has no message {number}; they are numbered 0 to "
                f"{self.problem.num_messages - 1}",
                int(self.schedule.steps[owner]),
                number,
            )
        yield from self._say("carries-nothing", payloads == 0, lambda i: "it carries no message; leave it out")
        if not self.problem.rules.combining:
            yield from self._say(
                "carries-several",
                payloads > 1,
                lambda i: f"it carries {payloads[i]} messages; without combining a transfer carries one",
            )

    def copies(self) -> Iterator[Violation]:
        """Private and broadcast messages: sent by holders, received once, and by every target."""
        problem, schedule = self.problem, self.schedule
        rested = self.known & (self.senders[self.owner] >= 0) & (self.receivers[self.owner] >= 0)
        owner, messages = self.owner[rested], schedule.messages[rested].astype(np.int64)
        steps = schedule.steps[owner].astype(np.int64)
        senders, receivers = self.senders[owner], self.receivers[owner]
        origins = problem.labels[:, 0].astype(np.int64)

        # When does each place first get each message? Origins have theirs from the start.
        arrivals = messages * self.num_locations + receivers
        order = np.lexsort((steps, arrivals))
        places, first = np.unique(arrivals[order], return_index=True)
        first_step = steps[order][first]
        asked = messages * self.num_locations + senders
        at_place = np.minimum(np.searchsorted(places, asked), len(places) - 1)
        since = np.where(places[at_place] == asked, first_step[at_place], schedule.num_steps) if len(places) else asked
        missing = (senders != origins[messages]) & (since >= steps)
        for at in np.flatnonzero(missing)[: self.most].tolist():
            yield self._about("not-held", owner[at], messages[at], "is not held by the sender when the step begins")

        if problem.pattern == "private" and not problem.rules.combining and problem.rules.switching == "wormhole":
            targets = problem.labels[:, 1].astype(np.int64)
            # A relay's own sending on is the consequence, not another fault; a target's is.
            astray = (senders == origins[messages]) & (receivers != targets[messages])
            relayed = astray | (senders == targets[messages])
            text = "must go to its target in one transfer; wormhole has no relays"
            for at in np.flatnonzero(relayed)[: self.most].tolist():
                yield self._about("wrong-ends", owner[at], messages[at], text)

        repeated = np.ones(len(order), dtype=bool)
        repeated[first] = False
        again = np.zeros(len(order), dtype=bool)
        again[order] = repeated
        again |= receivers == origins[messages]
        for at in np.flatnonzero(again)[: self.most].tolist():
            yield self._about(
                "delivered-twice", owner[at], messages[at], "comes to a place that has it or gets it anyway"
            )

        for message, target in self._undelivered(places):
            yield Violation(
                "never-delivered",
                f"message {self._label(message)} never reaches processor {target}",
                message=message,
            )

    def _undelivered(self, places: Longs) -> Iterator[tuple[int, int]]:
        """Yield messages and targets that never meet."""
        problem = self.problem
        labels = problem.labels.astype(np.int64)
        if problem.pattern == "private":
            wanted = np.arange(len(labels)) * self.num_locations + labels[:, 1]
        else:
            receivers = np.array(sorted(problem.collective.receivers), dtype=np.int64)
            grid = np.arange(len(labels))[:, None] * self.num_locations + receivers[None, :]
            wanted = grid[receivers[None, :] != labels]
        for key in wanted[~np.isin(wanted, places)][: self.most].tolist():
            yield divmod(key, self.num_locations)

    def contributions(self) -> Iterator[Violation]:
        """Reductions: partial results move until every contribution is at its target, each once."""
        problem, schedule = self.problem, self.schedule
        targets = problem.labels[:, 0]
        held = np.zeros((problem.num_messages, self.num_locations), dtype=np.int32)
        held[:, list(problem.collective.senders)] = 1
        rested = self.known & (self.senders[self.owner] >= 0) & (self.receivers[self.owner] >= 0)
        owner, messages = self.owner[rested], schedule.messages[rested].astype(np.int64)
        steps = schedule.steps[owner]
        bounds = np.searchsorted(steps, np.arange(schedule.num_steps + 1))
        empty_handed: list[int] = []
        repeated: list[int] = []
        for step in range(schedule.num_steps):
            now = np.arange(bounds[step], bounds[step + 1])
            keys = messages[now] * self.num_locations + self.senders[owner[now]]
            _, first = np.unique(keys, return_index=True)
            again = np.ones(len(now), dtype=bool)
            again[first] = False
            repeated += now[again].tolist()
            now = now[~again]
            moved = held[messages[now], self.senders[owner[now]]]
            empty_handed += now[moved == 0].tolist()
            held[messages[now], self.senders[owner[now]]] = 0
            np.add.at(held, (messages[now], self.receivers[owner[now]]), moved)
        for at in empty_handed[: self.most]:
            yield self._about("not-held", owner[at], messages[at], "has no partial result at the sender to send on")
        for at in repeated[: self.most]:
            yield self._about(
                "delivered-twice",
                owner[at],
                messages[at],
                "is sent twice in one step, so its contributions count twice",
            )
        arrived = held[np.arange(problem.num_messages), targets]
        for message in np.flatnonzero(arrived < len(problem.collective.senders))[: self.most].tolist():
            lost = len(problem.collective.senders) - int(arrived[message])
            yield Violation(
                "never-delivered",
                f"{lost} contributions to processor {targets[message]} never reach it",
                message=message,
            )

    # -- words

    def _say(self, rule: Rule, wrong: Mask, text: Callable[[int], str]) -> list[Violation]:
        found = []
        for i in np.flatnonzero(wrong)[: self.most].tolist():
            transfer = self.schedule.transfer(i)
            found.append(
                Violation(
                    rule,
                    f"{self._transfer(i)}: {text(i)}",
                    transfer.step,
                    transfer.messages[0] if transfer.messages else None,
                    transfer.path[0] if transfer.path else None,
                )
            )
        return found

    def _about(self, rule: Rule, owner: np.int64, message: np.int64, text: str) -> Violation:
        return Violation(
            rule,
            f"{self._transfer(int(owner))}: message {self._label(int(message))} {text}",
            int(self.schedule.steps[owner]),
            int(message),
        )

    def _transfer(self, i: int) -> str:
        transfer = self.schedule.transfer(i)
        return f"step {transfer.step + 1}, transfer {self._end(transfer.sender)} to {self._end(transfer.receiver)}"

    def _end(self, location: int) -> str:
        return str(location) if location >= 0 else f"r{~location}"

    def _label(self, message: int) -> str:
        return "-".join(str(p) for p in self.problem.labels[message].tolist())

    def _channel(self, channel: int) -> str:
        tail, head = self.network.channels[channel].tolist()
        return f"{self.network.routers[tail]}>{self.network.routers[head]}"
