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
    channel = {ends: number for number, ends in enumerate(channels)}
    step_of = {"AAB": _broadcast, "AAR": _reduce, "ALLREDUCE": _allreduce}[kind]
    targets = problem.ends[:, 0].tolist()
    everyone = frozenset(range(count))
    held = [
        {gpu: frozenset([gpu]) for gpu in everyone if kind != "AAB" or gpu == targets[message]}
        for message in range(problem.num_messages)
    ]
    transfers: list[Transfer] = []
    for step in range(MOST_STEPS):
        for message, sums in enumerate(held):
            for senders, receivers in step_of(rng, sums, count, targets[message]):
                hub = count + rng.randrange(2)
                transfers += [
                    Transfer(step, a, b, (channel[a, hub], channel[hub, b]), (message,))
                    for a in senders
                    for b in receivers
                    if a != b
                ]
        if all(_is_done(kind, sums, everyone, target) for sums, target in zip(held, targets, strict=True)):
            used = sorted({transfer.step for transfer in transfers})
            result = Result(
                problem, Schedule.from_transfers([one._replace(step=used.index(one.step)) for one in transfers])
            )
            assert result.num_steps is not None
            return result
    return None


Sums = dict[int, frozenset[int]]
"""By GPU the contributions in its sum; of a broadcast something where it has come."""
Ends = tuple[list[int], list[int]]


def _is_done(kind: str, sums: Sums, everyone: frozenset[int], target: int) -> bool:
    if kind == "AAB":
        return len(sums) == len(everyone)
    return all(sums.get(gpu) == everyone for gpu in (everyone if kind == "ALLREDUCE" else (target,)))


def _some(rng: Random, gpus: list[int]) -> list[int]:
    return rng.sample(gpus, rng.randint(1, len(gpus))) if gpus and rng.random() < 0.8 else []


def _broadcast(rng: Random, sums: Sums, count: int, target: int) -> list[Ends]:
    """Let one or two holders send the message to some that do not have it."""
    trees = []
    holders = list(sums)
    for _ in range(rng.randint(1, 2)):
        sender = rng.choice(holders)
        receivers = _some(rng, [gpu for gpu in range(count) if gpu not in sums])
        if receivers:
            trees.append(([sender], receivers))
            sums |= {gpu: frozenset([target]) for gpu in receivers}
    return trees


def _reduce(rng: Random, sums: Sums, count: int, target: int) -> list[Ends]:
    """Let the sums of some move to one GPU that has not sent its own."""
    receiver = rng.choice([target, *sums])
    senders = _some(rng, [gpu for gpu in sums if gpu not in (receiver, target)])
    if not senders:
        return []
    came = frozenset().union(*(sums.pop(gpu) for gpu in senders))
    sums[receiver] |= came
    # Two trees meet at one GPU.
    middle = rng.randint(0, len(senders))
    return [(part, [receiver]) for part in (senders[:middle], senders[middle:]) if part]


def _allreduce(rng: Random, sums: Sums, count: int, target: int) -> list[Ends]:
    """Let sums that have nothing in common go to some GPUs, which add them or replace what they have."""
    senders: list[int] = []
    for gpu in rng.sample(range(count), rng.randint(1, count)):
        if all(not sums[gpu] & sums[other] for other in senders):
            senders.append(gpu)
    receivers = []
    after = {}
    for gpu in _some(rng, list(range(count))):
        came = [sums[other] for other in senders if other != gpu]
        meeting = [one for one in came if one & sums[gpu]]
        if came and (not meeting or (len(meeting) == 1 and sums[gpu] < meeting[0])):
            receivers.append(gpu)
            after[gpu] = frozenset().union(*came, () if meeting else sums[gpu])
    if not receivers or not any(a != b for a in senders for b in receivers):
        return []
    sums |= after
    return [(senders, receivers)]
