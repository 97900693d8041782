"""Allreduces at random: running sums go wherever they may, in no phases at all."""

from __future__ import annotations

from random import Random

from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

MOST_STEPS = 25
Sums = dict[tuple[int, int], int]
"""By piece and processor the contributions, as bits, in the running sum there."""


def random_allreduce(seed: int) -> Result | None:
    """Return a valid allreduce of three or four processors; None where sums have come that no longer fit together."""
    rng = Random(seed)
    made = network(rng.choice(["complete:4", "ring:4", "complete:3", "line:3", "ring:3"]))
    collective = in_pieces(named(rng.choice(["allreduce", "reduce-broadcast"]), made), rng.choice([1, 2]))
    problem = Problem(made, collective, Rules("store-and-forward", combining=True))
    everyone = range(made.num_processors)
    held: Sums = {(piece, p): 1 << p for piece in range(problem.num_messages) for p in everyone}
    transfers: list[Transfer] = []
    num_steps = 0
    for _ in range(MOST_STEPS):
        now, held = _step(rng, problem, held, num_steps)
        transfers += now
        num_steps += bool(now)
        if all(sum_there == 2 ** len(everyone) - 1 for sum_there in held.values()):
            schedule = Schedule.from_transfers(transfers)
            assert verify(problem, schedule) == []
            return Result(problem, schedule)
    return None


def _step(rng: Random, problem: Problem, held: Sums, step: int) -> tuple[list[Transfer], Sums]:
    """Send over some channels some of the sums that can be added where they come, or take the place of another."""
    made: dict[tuple[int, int], tuple[bool, int]] = {}
    """By piece and receiver whether its sum is replaced, and what has come in this step."""
    transfers = []
    ends = [*enumerate(problem.network.channels.tolist())]
    for channel, (sender, receiver) in rng.sample(ends, len(ends)):
        sent = []
        for piece in range(problem.num_messages if rng.random() < 0.6 else 0):
            came, there = held[piece, sender], held[piece, receiver]
            is_replaced, before = made.get((piece, receiver), (False, 0))
            replaces = bool(came & there)
            fits = not came & before and (not replaces or (not is_replaced and came != there and came & there == there))
            if fits and rng.random() < 0.7:
                made[piece, receiver] = (is_replaced or replaces, before | came)
                sent.append(piece)
        if sent:
            transfers.append(Transfer(step, sender, receiver, (channel,), tuple(sent)))
    after = {where: came if replaced else came | held[where] for where, (replaced, came) in made.items()}
    return transfers, held | after
