"""Several collectives at once: each obeys its own rules, and all together keep to every capacity."""

from __future__ import annotations

import random

import pytest

from pavane.errors import InvalidSchedule
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.collectives import allgather, allreduce, alltoall, broadcast, pairs, reduce_scatter
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.checker import in_short
from tests.joint_checker import judge_joint, packed_greedily
from tests.strategies import SPOILERS

LINE = network("line:3")
FORTH = tuple([tuple(channel) for channel in LINE.channels.tolist()].index(ends) for ends in ((0, 1), (1, 2)))
BACK = tuple([tuple(channel) for channel in LINE.channels.tolist()].index(ends) for ends in ((1, 0), (2, 1)))


def calls(*ends: tuple[int, int], rules: Rules = Rules()) -> Problem:  # noqa: B008
    """Return one message each as collectives of their own."""
    return Problem(LINE, tuple(pairs([each]) for each in ends), rules)


def together(*transfers: Transfer, num_steps: int | None = None) -> Schedule:
    """Return transfers as a schedule."""
    return Schedule.from_transfers(transfers, num_steps)


def rules_of(problem: Problem, schedule: Schedule) -> list[str]:
    """Return the rules that a schedule breaks; both judges agree on them."""
    violations = verify(problem, schedule)
    assert in_short(violations) == judge_joint(problem, schedule)
    return [violation.rule for violation in violations]


def test_what_does_not_meet_may_share_a_step() -> None:
    """Messages over different channels are one step together."""
    both = together(Transfer(0, 0, 1, FORTH[:1], (0,)), Transfer(0, 1, 2, FORTH[1:], (1,)))
    assert rules_of(calls((0, 1), (1, 2)), both) == []


def test_a_channel_carries_one() -> None:
    """Two messages over one channel in a step are a violation, in two steps they are none."""
    problem = calls((0, 2), (0, 1))
    long, short = Transfer(0, 0, 2, FORTH, (0,)), Transfer(0, 0, 1, FORTH[:1], (1,))
    assert rules_of(problem, together(long, short)) == ["channel-capacity", "port-capacity"]
    assert rules_of(problem, together(long, short._replace(start=1))) == []


def test_links_and_ports_are_shared() -> None:
    """Half duplex and ports hold for all collectives together."""
    there, back = Transfer(0, 0, 1, FORTH[:1], (0,)), Transfer(0, 1, 0, BACK[:1], (1,))
    assert rules_of(calls((0, 1), (1, 0)), together(there, back)) == []
    assert rules_of(calls((0, 1), (1, 0), rules=Rules(duplex="half")), together(there, back)) == ["half-duplex"]
    left, right = Transfer(0, 1, 0, BACK[:1], (0,)), Transfer(0, 1, 2, FORTH[1:], (1,))
    assert rules_of(calls((1, 0), (1, 2)), together(left, right)) == []
    assert rules_of(calls((1, 0), (1, 2), rules=Rules(ports=1)), together(left, right)) == ["port-capacity"]


def test_a_collective_may_pause_and_the_whole_may_not() -> None:
    """A step of the whole without a transfer is a violation, of one collective it is none."""
    first, second = Transfer(0, 0, 1, FORTH[:1], (0,)), Transfer(1, 1, 2, FORTH[1:], (1,))
    problem = calls((0, 1), (1, 2))
    assert rules_of(problem, together(first, second)) == []
    assert rules_of(problem, together(first, second._replace(start=2))) == ["empty-step"]


def test_each_is_judged_by_its_own_rules() -> None:
    """A message of one collective is not delivered by one of another, and violations name the collective."""
    problem = calls((0, 1), (1, 2))
    schedule = together(Transfer(0, 0, 1, FORTH[:1], (0,)))
    assert rules_of(problem, schedule) == ["never-delivered"]
    (violation,) = verify(problem, schedule)
    assert violation.text.startswith("collective 1, ")
    assert violation.message == 1
    with pytest.raises(InvalidSchedule, match="never-delivered"):
        Result(problem, schedule)


def test_messages_of_no_collective() -> None:
    """A transfer carries messages that there are."""
    problem = calls((0, 1), (1, 2))
    good = [Transfer(0, 0, 1, FORTH[:1], (0,)), Transfer(0, 1, 2, FORTH[1:], (1,))]
    assert rules_of(problem, together(*good, Transfer(1, 1, 0, BACK[:1], (2,)))) == ["unknown-message"]
    assert rules_of(problem, together(*good, Transfer(1, 1, 0, BACK[:1], ()))) == ["carries-nothing"]


def test_a_transfer_carries_messages_of_one_collective() -> None:
    """Under combining, too."""
    problem = calls((0, 1), (0, 1), rules=Rules(combining=True))
    mixed = together(Transfer(0, 0, 1, FORTH[:1], (0, 1)))
    assert "carries-several" in [violation.rule for violation in verify(problem, mixed)]


def test_trees_of_different_collectives_count_apart() -> None:
    """A tree counts once on its channels; that of another collective over the same channel counts again."""
    star = network("star:4")
    problem = Problem(star, (broadcast([1, 2, 3]), broadcast([1, 2])), Rules(multicast=True))
    ends = [tuple(channel) for channel in star.channels.tolist()]

    def path(sender: int, receiver: int) -> tuple[int, ...]:
        return ends.index((sender, 0)), ends.index((0, receiver))

    tree = [Transfer(0, 1, receiver, path(1, receiver), (0,)) for receiver in (2, 3)]
    other = Transfer(0, 1, 2, path(1, 2), (1,))
    assert "channel-capacity" in rules_of(problem, together(*tree, other))
    assert rules_of(problem, together(*tree, other._replace(start=1))) == []


@pytest.mark.parametrize("seed", range(60))
def test_spoiled_schedules_are_refused_by_both_judges(seed: int) -> None:
    """Two judges, written apart, find the same rules broken in schedules that were spoiled at random."""
    rng = random.Random(seed)
    ring = network(rng.choice(["ring:5", "mesh:2x3", "star:5"]))
    rules = Rules(
        rng.choice(["wormhole", "store-and-forward"]), rng.choice(["all", 1]), duplex=rng.choice(["full", "half"])
    )
    size = ring.num_processors
    chosen = rng.sample([allgather, alltoall, reduce_scatter, allreduce, broadcast], 2)
    groups = [rng.sample(range(size), rng.randint(2, 3)) for _ in chosen]
    problem = Problem(ring, tuple(make(group) for make, group in zip(chosen, groups, strict=True)), rules)
    schedule = packed_greedily(problem)
    assert verify(problem, schedule) == []
    assert judge_joint(problem, schedule) == set()
    changed, num_steps = rng.choice(SPOILERS)(rng, problem.parts[0], list(schedule), schedule.num_steps)
    # The second judge reads transfers of one message.
    spoiled = Schedule.from_transfers([t._replace(messages=t.messages[:1]) for t in changed], num_steps)
    violations = verify(problem, spoiled)
    assert in_short(violations) == judge_joint(problem, spoiled)
