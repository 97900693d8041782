"""Times of schedules of steps."""

from dataclasses import replace

from pavane.model.collectives import broadcast
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.solvers.timed.retiming import barrier_time

STAR = network("star:4")
ENDS = [tuple(channel) for channel in STAR.channels.tolist()]


def test_a_tree_holds_a_channel_once_before_a_barrier() -> None:
    """Two copies of a message share the channel to the router that copies; two messages do not."""
    links = Links.uniform(STAR, latency_ps=1_000, bytes_per_second=10**9)
    copies = [Transfer(0, 1, to, (ENDS.index((1, 0)), ENDS.index((0, to))), (0,)) for to in (2, 3)]
    for is_copied, busy in ((True, 1), (False, 2)):
        problem = Problem(STAR, broadcast([1, 2, 3]), Rules(multicast=is_copied))
        problem = replace(problem, links=links, num_bytes=1_000)
        assert barrier_time(problem, Schedule.from_transfers(copies)) == 2 * 1_000 + busy * 1_000_000
