"""Dispatching several collectives: all is in order, nothing waits that has room, exchanges stay together."""

from pavane.judge.rules import verify
from pavane.model.collectives import allreduce, broadcast, pairs
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.solvers.joint_packing import TransferJobs
from tests.joint_checker import packed_greedily


def test_collectives_that_do_not_meet_take_as_long_as_one() -> None:
    """Two broadcasts on different ends of a line run at the same time."""
    problem = Problem(network("line:6"), (broadcast([0, 1, 2]), broadcast([5, 4, 3])))
    assert packed_greedily(problem).num_steps == 2


def test_collectives_that_meet_wait_for_each_other() -> None:
    """Two messages over one channel take a step each; under half duplex in opposite ways, too."""
    line = network("line:4")
    assert packed_greedily(Problem(line, (pairs([(0, 3)]), pairs([(1, 2)])))).num_steps == 2
    for duplex, num_steps in (("full", 1), ("half", 2)):
        problem = Problem(line, (pairs([(0, 2)]), pairs([(3, 1)])), Rules(duplex=duplex))  # type: ignore[arg-type]
        assert packed_greedily(problem).num_steps == num_steps


def test_sums_that_are_exchanged_are_one_job() -> None:
    """Two members that send each other their sums do so in one step, or each would count twice."""
    ring = network("ring:4")
    problem = Problem(ring, (allreduce([0, 1]), pairs([(0, 1)])), Rules(ports=1))
    ends = [tuple(channel) for channel in ring.channels.tolist()]
    there, back = ends.index((0, 1)), ends.index((1, 0))
    both = [Transfer(0, 0, 1, (there,), (0,)), Transfer(0, 1, 0, (back,), (0,))]
    again = [Transfer(1, 0, 1, (there,), (1,)), Transfer(1, 1, 0, (back,), (1,))]
    jobs = TransferJobs.of(problem, Schedule.from_transfers([*both, *again, Transfer(0, 0, 1, (there,), (2,))]))
    assert len(jobs.uses) == 3
    packed = jobs.packed([0.0] * 3)
    assert packed.num_steps == 3
    assert verify(problem, packed) == []


def test_a_sum_that_contains_another_arrives_no_later() -> None:
    """Of two sums that arrive together, one may contain what is there: the other is not dispatched before it."""
    full = network("complete:3")
    problem = Problem(full, (allreduce([0, 1, 2]),))
    ends = [tuple(channel) for channel in full.channels.tolist()]

    def sent(step: int, sender: int, receiver: int) -> Transfer:
        return Transfer(step, sender, receiver, (ends.index((sender, receiver)),), (0,))

    # Processor 1 adds what it has to what processor 0 has, and sends that back.
    transfers = [sent(0, 0, 1), sent(1, 1, 0), sent(1, 2, 0), sent(2, 0, 1), sent(2, 0, 2)]
    jobs = TransferJobs.of(problem, Schedule.from_transfers(transfers))
    packed = jobs.packed([0.0] * 5)
    assert [transfer.start for transfer in packed if transfer[1:3] == (2, 0)] == [1]
    rules = {violation.rule for violation in verify(problem, packed) if violation.message in (0, None)}
    assert rules <= {"never-delivered"}
