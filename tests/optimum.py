"""The true optimum of a small problem, by a depth-first search that goes one step deeper until it succeeds.

Written from the model alone, and unlike `tests.bounds.exhaustive`, which tries every set of transfers: copies are never
a burden, so only sets to which no useful transfer can be added are tried; states that failed are remembered; and a
state is given up when some location lacks more than can still come in, or lies farther away than steps are left.
Reductions are read backwards, which is how the model defines them. The periods of tdm have a search of their own
(`tests.shortest_period`), and so have routers that copy and add (`tests.tree_optimum`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product

from pavane.model.duals import dual
from pavane.model.problem import Problem
from tests.bounds.exhaustive import Action, State, TooMany, _Search
from tests.shortest_period import shortest_period
from tests.tree_optimum import fewest_steps_of_trees

FAR = 1_000


@lru_cache(maxsize=8)  # it is asked for every bound of a problem
def optimum(problem: Problem, most_tried: int = 50_000) -> int | None:
    """Return the least number of steps, or slots, of any schedule; None where that takes too many trials."""
    try:
        if problem.rules.switching == "tdm":
            return shortest_period(problem, most_tried)
        if problem.has_trees:
            return fewest_steps_of_trees(problem, most_tried)
        if problem.pattern == "allreduce":
            return _Search(problem, most_tried).run()
        return _Deepening(dual(problem) if problem.pattern == "reduction" else problem, most_tried).run()
    except (TooMany, RecursionError):
        return None


def least_occupancy(problem: Problem, num_steps: int, most_tried: int = 20_000) -> int | None:
    """Return the least TCO of any schedule of `num_steps` steps, None where there is none; TooMany may be raised."""
    return _Occupancies(problem, most_tried).least(num_steps)


class _Deepening(_Search):
    """All schedules of a problem in which copies stay, and none that another one makes needless."""

    def run(self) -> int:
        """Allow one step more until that is enough."""
        self.wanted, first = self.wants(), self.first()
        self.hops = self._hops()
        self.failed: list[set[State]] = []
        # In failed[n] are the states from which n + 1 steps are not enough.
        while not self.is_solved(first, len(self.failed)):
            self.failed.append(set())
        return len(self.failed)

    def _hops(self) -> list[list[int]]:
        """Count the moves from every location to every other."""
        size = len(self.homes)
        hops = [[0 if a == b else FAR for b in range(size)] for a in range(size)]
        for move in self.moves:
            hops[move.sender][move.receiver] = 1
        for via in range(size):
            for a in range(size):
                for b in range(size):
                    hops[a][b] = min(hops[a][b], hops[a][via] + hops[via][b])
        return hops

    def is_solved(self, state: State, steps_left: int) -> bool:
        """Whether everything can get where it belongs in the steps that are left."""
        lacking = [wanted & ~held for wanted, held in zip(self.wanted, state, strict=True)]
        if not any(lacking):
            return True
        if self.is_hopeless(state, lacking, steps_left):
            return False
        if state in self.failed[steps_left - 1]:
            return False
        if any(self.is_solved(later, steps_left - 1) for later in self.fullest(state)):
            return True
        self.failed[steps_left - 1].add(state)
        return False

    def is_hopeless(self, state: State, lacking: list[int], steps_left: int) -> bool:
        """Whether some location lacks more than can come in, or something lies too far away from it."""
        for location, lacks in enumerate(lacking):
            if not lacks:
                continue
            if not self.problem.rules.combining and lacks.bit_count() > steps_left * self.into[location]:
                return True
            near = 0
            for other, held in enumerate(state):
                near |= held if self.hops[other][location] <= steps_left else 0
            if lacks & ~near:
                return True
        return False

    def fullest(self, state: State) -> Iterator[State]:
        """Yield the states after a step to which no useful transfer can be added."""
        actions = self.actions(state)
        size = len(self.homes)
        left_out: list[Action] = []
        ports = [0] * (2 * size)
        rows = list(state)
        seen: set[State] = set()

        def fits(action: Action, used: int) -> bool:
            (sender, receiver, units, _), carried = action
            has_port = ports[sender] < self.out[sender] and ports[size + receiver] < self.into[receiver]
            return has_port and self.has_room(used, units) and bool(carried & ~rows[receiver])

        def grow(at: int, used: int) -> Iterator[State]:
            self.count_a_try()
            # What does not fit now will not fit later in the step either.
            while at < len(actions) and not fits(actions[at], used):
                at += 1
            if at == len(actions):
                later = tuple(rows)
                if later not in seen and not any(fits(action, used) for action in left_out):
                    seen.add(later)
                    yield later
                return
            (sender, receiver, units, _), carried = actions[at]
            before = rows[receiver]
            ports[sender] += 1
            ports[size + receiver] += 1
            rows[receiver] |= carried
            yield from grow(at + 1, used + units)
            rows[receiver] = before
            ports[sender] -= 1
            ports[size + receiver] -= 1
            left_out.append(actions[at])
            yield from grow(at + 1, used)
            left_out.pop()

        return grow(0, 0)


class _Occupancies(_Search):
    """Every schedule of a tiny problem, by start-ups and occupancy."""

    def least(self, num_steps: int) -> int | None:
        """Return the least occupancy of any schedule of `num_steps` steps; None where there is none."""
        labels = self.problem.ends.tolist()
        wanted, first = self.wants(), self.first()
        reached: dict[int, set[State]] = {0: {first}}
        for _ in range(num_steps):
            later: dict[int, set[State]] = {}
            for spent, states in reached.items():
                for state in states:
                    for width in range(1, len(labels) + 1):
                        later.setdefault(spent + width, set()).update(self.after(state, width))
            reached = {spent: self.largest(states) for spent, states in later.items() if states}
        done = [
            spent
            for spent, states in reached.items()
            if any(all(w & ~s == 0 for w, s in zip(wanted, state, strict=True)) for state in states)
        ]
        return min(done, default=None)

    def after(self, state: State, width: int) -> set[State]:
        """Return the states after a step in which every transfer carries at most `width` messages."""
        actions = [
            Action(move, 0)
            for move in self.moves
            for _ in range(min(move.room, len(self.problem.ends)))
            if state[move.sender] & ~state[move.receiver]
        ]
        found: set[State] = set()
        for chosen in self.fitting(actions, 0, 0, (0,) * (2 * len(self.homes))):
            payloads = []
            for move, _ in chosen:
                fresh = state[move.sender] & ~state[move.receiver]
                bits = [1 << m for m in range(fresh.bit_length()) if fresh >> m & 1]
                payloads.append([sum(some) for some in combinations(bits, min(width, len(bits)))])
            for carried in product(*payloads):
                self.count_a_try()
                rows = list(state)
                for (move, _), load in zip(chosen, carried, strict=True):
                    rows[move.receiver] |= load
                if chosen:
                    found.add(tuple(rows))
        return found
