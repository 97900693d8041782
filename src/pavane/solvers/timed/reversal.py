"""Timed reductions from broadcasts read backwards, and allreduces from a reduction and a broadcast."""

from __future__ import annotations

from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.solvers.timed.retiming import SumTransfers, booked, causal_order


def backwards(timed: TimedProblem, spread: TimedSchedule) -> TimedSchedule:
    """Return the reduction that a broadcast of the dual problem is when it is read backwards."""
    return booked(timed, reversed_transfers(spread))


def reversed_transfers(spread: TimedSchedule) -> SumTransfers:
    """Return the transfers of a broadcast backwards, each after all that arrive at its sender."""
    # Backwards all inputs come first.
    order = causal_order(spread, is_sum=False)[0][::-1]
    arrived: dict[tuple[int, int], list[int]] = {}
    transfers = SumTransfers([], [], [], [], [])
    for number, source in enumerate(order):
        one = spread.transfer(source)
        message = one.messages[0]
        back = one._replace(sender=one.receiver, receiver=one.sender, path=one.path[::-1])
        transfers.add(back, arrived.pop((one.receiver, message), []))
        arrived.setdefault((one.sender, message), []).append(number)
    return transfers


def in_two_phases(timed: TimedProblem, gathered: TimedSchedule, spread: TimedSchedule) -> TimedSchedule:
    """Return an allreduce: the sums of a reduction, and a broadcast of each when it is complete, as soon as it can be.

    Both have the message numbers of the allreduce.
    """
    return booked(timed, joined_phases(gathered, spread))


def joined_phases(gathered: TimedSchedule, spread: TimedSchedule) -> SumTransfers:
    """Return the transfers of a reduction, and behind them those of a broadcast of its sums."""
    first, second = causal_order(gathered, is_sum=True)[0], causal_order(spread, is_sum=False)[0]
    transfers = SumTransfers([], [], [], [], [])
    number_of = {source: number for number, source in enumerate(first)}
    arrived: dict[tuple[int, int], list[int]] = {}
    for source in first:
        one = gathered.transfer(source)
        transfers.add(one, [number_of[each] for each in one.inputs])
        arrived.setdefault((one.receiver, one.messages[0]), []).append(len(transfers.paths) - 1)
    whole: dict[tuple[int, int], int] = {}
    for source in second:
        one = spread.transfer(source)
        key = one.sender, one.messages[0]
        # A broadcast begins where the sum is complete.
        inputs = [whole[key]] if key in whole else arrived.get(key, [])
        transfers.add(one, inputs)
        whole[one.receiver, one.messages[0]] = len(transfers.paths) - 1
    return transfers
