"""Schedules in which switches copy and add: solved ones for machines, and random ones around two switches."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from random import Random

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.search.synthesis import solve
from tests.io.formats.gpu_schedules import railed, spined, star
from tests.strategies import valid_case

MOST_STEPS = 40
STORED = Rules("store-and-forward", switches="copy")


@cache
def copied(made: Network, kind: str, pieces: int = 1) -> Result:
    """Return a schedule on a network whose switches copy."""
    method = "in-network-sums" if kind.lower() == "allreduce" else "tree-packing"
    return solve(Problem(made, in_pieces(named(kind, made), pieces), STORED), method=method)


TREES: dict[str, Callable[[], Result]] = {
    f"{made.name} {kind} in {pieces}": partial(copied, made, kind, pieces)
    for made, kind, pieces in (
        *((network("nvl:8"), kind, pieces) for kind in ("aab", "aar", "allreduce") for pieces in (1, 3)),
        *((star(5), kind, 2) for kind in ("aab", "aar", "allreduce")),
        *((railed(), kind, 1) for kind in ("aab", "aar")),
        *((spined(), kind, 2) for kind in ("aab", "aar")),
        (star(18), "allreduce", 1),
    )
}


def random_tree_schedule(kind: str, seed: int) -> Result | None:
    """Return a valid schedule of three to five GPUs on two wide switches; None where sums no longer fit together."""
    rng = Random(seed)
    count = rng.randint(3, 5)
    ends = [(gpu, count + hub) for gpu in range(count) for hub in range(2)]
    channels = ends + [(b, a) for a, b in ends]
    made = Network("hubs", count + 2, channels, range(count), capacities=[64] * len(channels))
    problem = Problem(made, in_pieces(named(kind, made), rng.choice([1, 1, 2])), Rules(switches="copy"))
    if kind != "ALLREDUCE":
        return Result(problem, valid_case(problem, seed, packed=True).schedule)
    channel = {ends: number for number, ends in enumerate(channels)}
    held = [{gpu: frozenset([gpu]) for gpu in range(count)} for _ in range(problem.num_messages)]
    transfers: list[Transfer] = []
    for step in range(MOST_STEPS):
        for message, sums in enumerate(held):
            senders, receivers = _meeting(rng, sums, count)
            hub = count + rng.randrange(2)
            transfers += [
                Transfer(step, a, b, (channel[a, hub], channel[hub, b]), (message,))
                for a in senders
                for b in receivers
                if a != b
            ]
        if all(len(there) == count for sums in held for there in sums.values()):
            used = sorted({transfer.start for transfer in transfers})
            in_a_row = [one._replace(start=used.index(one.start)) for one in transfers]
            return Result(problem, Schedule.from_transfers(in_a_row))
    return None


def _meeting(rng: Random, sums: dict[int, frozenset[int]], count: int) -> tuple[list[int], list[int]]:
    """Let sums that have nothing in common go to some GPUs, which add them or replace what they have."""
    senders: list[int] = []
    for gpu in rng.sample(range(count), rng.randint(1, count)):
        if all(not sums[gpu] & sums[other] for other in senders):
            senders.append(gpu)
    after = {}
    for gpu in rng.sample(range(count), rng.randint(0, count)):
        came = [sums[other] for other in senders if other != gpu]
        meeting = [one for one in came if one & sums[gpu]]
        if came and (not meeting or (len(meeting) == 1 and sums[gpu] < meeting[0])):
            after[gpu] = frozenset().union(*came, () if meeting else sums[gpu])
    sums |= after
    return senders, list(after)
