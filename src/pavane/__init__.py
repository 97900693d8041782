"""Synthesizes conflict-free schedules of collective communications for any interconnection network.

import pavane

network = pavane.network("kautz:3,2")
problem = pavane.Problem(network, pavane.alltoall(network))
result = pavane.synthesize(problem)
print(result.num_steps, result.status)
pavane.write_schedule("schedule.json", result)
"""

from pavane.bisection import bisection
from pavane.bounds import Bound, explain, lower_bounds
from pavane.collectives import (
    allgather,
    alltoall,
    broadcast,
    dual,
    gather,
    many_to_many_broadcast,
    many_to_many_scatter,
    named,
    pairs,
    permutation,
    reduce,
    reduce_scatter,
    scatter,
)
from pavane.errors import InputError, InvalidSchedule, PavaneError
from pavane.formats import (
    read_network,
    read_problem,
    read_schedule,
    write_network,
    write_problem,
    write_schedule,
)
from pavane.network import Network
from pavane.networks import network
from pavane.problem import Collective, Problem, Rules
from pavane.result import Result
from pavane.schedule import Schedule, Transfer
from pavane.synthesize import synthesize
from pavane.verify import verify
from pavane.version import VERSION

__version__ = VERSION

__all__ = [
    "Bound",
    "Collective",
    "InputError",
    "InvalidSchedule",
    "Network",
    "PavaneError",
    "Problem",
    "Result",
    "Rules",
    "Schedule",
    "Transfer",
    "__version__",
    "allgather",
    "alltoall",
    "bisection",
    "broadcast",
    "dual",
    "explain",
    "gather",
    "lower_bounds",
    "many_to_many_broadcast",
    "many_to_many_scatter",
    "named",
    "network",
    "pairs",
    "permutation",
    "read_network",
    "read_problem",
    "read_schedule",
    "reduce",
    "reduce_scatter",
    "scatter",
    "synthesize",
    "verify",
    "write_network",
    "write_problem",
    "write_schedule",
]
