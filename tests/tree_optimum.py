"""The true optimum of a tiny problem whose routers copy and add, by trying everything.

Written from the model and the second judge alone. Of each message every set of transfers that a step may have is
listed with what the judge counts of channels and ports; the sets of different messages then share a step if their
counts fit together. A reduction is tried as the broadcast that it is when read backwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from tests.bounds.exhaustive import TooMany, transfer_paths
from tests.checker import all_uses, links

Row = tuple[int, ...]
"""Of one message what each processor has, as bits: 1 for a copy, or the contributions in a running sum."""

MOST_SETS = 5_000
"""Sets of transfers of one message: with more, the judge takes seconds for a step."""


class Option(NamedTuple):
    """What a step may do with one message."""

    after: Row
    uses: tuple[tuple[tuple[str, int], int], ...]
    """How often each channel and port is used."""


@lru_cache(maxsize=8)  # it is asked for every bound of a problem
def fewest_steps_of_trees(problem: Problem, most_tried: int) -> int | None:
    """Return the least number of steps of any schedule; None where that takes too many trials."""
    try:
        return _TreeSearch(dual(problem) if problem.pattern == "reduction" else problem, most_tried).run()
    except TooMany:
        return None


class _TreeSearch:
    def __init__(self, problem: Problem, most_tried: int) -> None:
        self.problem, self.tries_left = problem, most_tried
        self.size = problem.network.num_processors
        self.ways: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for sender, receiver, path in transfer_paths(problem, problem.network.router_of.tolist()):
            self.ways.setdefault((sender, receiver), []).append(path)
        self.most = self._limits()
        self.options = cache(self._options)

    def _limits(self) -> Counter[tuple[str, int]]:
        """Return what channels, links under half duplex, and ports carry in a step."""
        network, rules = self.problem.network, self.problem.rules
        carries = [1] * network.num_channels if network.capacities is None else network.capacities.tolist()
        most = Counter({("channel", channel): room for channel, room in enumerate(carries)})
        for side, kind in enumerate(("sends", "receives")):
            for processor, home in enumerate(network.router_of.tolist()):
                rooms = zip(network.channels.tolist(), carries, strict=True)
                degree = sum(room for ends, room in rooms if ends[side] == home)
                most[kind, processor] = degree if rules.ports == "all" else rules.ports
        return most

    def run(self) -> int:
        """Go step by step until in some state everything is where it belongs."""
        problem = self.problem
        members, labels = problem.collective.senders, problem.ends[:, 0].tolist()
        if problem.pattern == "allreduce":
            everyone = sum(1 << member for member in members)
            start = (tuple(1 << p if p in members else 0 for p in range(self.size)),) * problem.num_messages
            goals = [dict.fromkeys(members, everyone)] * problem.num_messages
        else:
            start = tuple(tuple(int(p == origin) for p in range(self.size)) for origin in labels)
            goals = [dict.fromkeys(problem.collective.receivers, 1) for _ in labels]
        steps, states = 0, {start}
        while not any(self._is_done(state, goals) for state in states):
            steps, states = steps + 1, self._largest({later for state in states for later in self._later(state)})
        return steps

    def _is_done(self, state: tuple[Row, ...], goals: list[dict[int, int]]) -> bool:
        return all(row[p] == wanted for row, goal in zip(state, goals, strict=True) for p, wanted in goal.items())

    def _largest(self, states: set[tuple[Row, ...]]) -> set[tuple[Row, ...]]:
        """Drop broadcasts' states that have no more than another."""
        if self.problem.pattern == "allreduce":
            return states
        kept: list[tuple[Row, ...]] = []
        for state in sorted(states, key=lambda one: -sum(map(sum, one))):
            self._count_tries(1 + len(kept) // 8)
            if not any(
                all(a <= b for r, s in zip(state, o, strict=True) for a, b in zip(r, s, strict=True)) for o in kept
            ):
                kept.append(state)
        return set(kept)

    def _count_tries(self, number: int) -> None:
        self.tries_left -= number
        if self.tries_left < 0:
            raise TooMany

    def _later(self, state: tuple[Row, ...]) -> Iterator[tuple[Row, ...]]:
        """Yield the states after one more step."""

        def share(message: int, used: Counter[tuple[str, int]], rows: tuple[Row, ...]) -> Iterator[tuple[Row, ...]]:
            self._count_tries(1)
            if message == len(state):
                yield rows if self.problem.pattern != "allreduce" else tuple(sorted(rows))
                return
            for option in self.options(state[message]):
                more = used + Counter(dict(option.uses))
                if self._fits(more):
                    yield from share(message + 1, more, (*rows, option.after))

        yield from share(0, Counter(), ())

    def _fits(self, used: Counter[tuple[str, int]]) -> bool:
        if any(times > self.most[use] for use, times in used.items()):
            return False
        pairs = links(self.problem) if self.problem.rules.duplex == "half" else ()
        return all(used["channel", a] + used["channel", b] <= self.most["channel", a] for a, b in pairs)

    def _options(self, row: Row) -> list[Option]:
        """List what a step may do with a message, but for what does the same with more."""
        found: dict[Row, list[Counter[tuple[str, int]]]] = {}
        for transfers in self._sets(row):
            after = self._after(row, transfers)
            if after is None:
                continue
            uses = Counter((use.kind, use.number) for use in all_uses(self.problem, transfers))
            if self._fits(uses) and not any(other <= uses for other in found.get(after, ())):
                found.setdefault(after, []).append(uses)
        return [Option(after, tuple(sorted(uses.items()))) for after, each in found.items() for uses in each]

    def _sets(self, row: Row) -> Iterator[list[Transfer]]:
        """Yield every set of transfers of a message in one step: of a broadcast, one to a receiver at most."""
        if self.problem.pattern == "allreduce":
            each = [
                [None, *(Transfer(0, *ends, path, (0,)) for path in paths)]
                for ends, paths in self.ways.items()
                if row[ends[0]] & ~row[ends[1]] and row[ends[0]] & row[ends[1]] in (0, row[ends[1]])
            ]
        else:
            each = [
                [
                    None,
                    *(
                        Transfer(0, s, r, path, (0,))
                        for (s, r), ps in self.ways.items()
                        if r == to and row[s]
                        for path in ps
                    ),
                ]
                for to in range(self.size)
                if not row[to]
            ]
        number = 1
        for choices in each:
            number *= len(choices)
        if number > MOST_SETS:
            raise TooMany
        for chosen in product(*each):
            self._count_tries(1)
            yield [transfer for transfer in chosen if transfer is not None]

    def _after(self, row: Row, transfers: list[Transfer]) -> Row | None:
        """Return what processors have after some transfers; None where a contribution would count twice."""
        after = list(row)
        if self.problem.pattern != "allreduce":
            for transfer in transfers:
                after[transfer.receiver] = 1
            return tuple(after)
        for receiver in {transfer.receiver for transfer in transfers}:
            arriving = [row[transfer.sender] for transfer in transfers if transfer.receiver == receiver]
            holds_old = any(row[receiver] & one for one in arriving)
            total = sum(one.bit_count() for one in arriving) + (0 if holds_old else row[receiver].bit_count())
            for one in arriving:
                after[receiver] |= one
            if total != after[receiver].bit_count():
                return None
        return tuple(after)
