"""All-to-all schedules of one transfer per message, put together from blocks of transfers with equally long paths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


class PathBlocks:
    """Collects transfers block by block."""

    def __init__(self) -> None:
        self._blocks: list[tuple[npt.NDArray[np.integer], ...]] = []

    def add(
        self, steps: Longs | int, senders: Longs, receivers: Longs, messages: Longs | int, paths: npt.ArrayLike
    ) -> None:
        """Add a transfer for each row of `paths`, which has the channels; one step or message may be that of all."""
        rows = np.asarray(paths)
        size, length = rows.shape
        steps, messages = (np.broadcast_to(column, size) for column in (steps, messages))
        ends = (column.astype(np.int32) for column in (steps, senders, receivers, messages))
        self._blocks.append((*ends, np.full(size, length, dtype=np.int32), rows.reshape(-1).astype(np.int32)))

    def schedule(self, num_steps: int | None = None) -> Schedule:
        """Return the schedule of so many steps, or without steps that have no transfer; no block is left."""
        columns = [list(column) for column in zip(*self._blocks, strict=True)]
        self._blocks.clear()
        whole = []
        while columns:
            # Each column is forgotten once it is whole: the channels of all paths take gigabytes.
            whole.append(np.concatenate(columns.pop()))
        channels, lengths, messages, receivers, senders, steps = whole
        return Schedule.from_columns(num_steps, steps, senders, receivers, (lengths, channels), messages)


def exchange_numbers(size: int, senders: Longs, receivers: Longs) -> Longs:
    """Return the numbers of messages of an all-to-all: by sender and receiver, without those to the sender itself."""
    return senders * (size - 1) + receivers - (receivers > senders)


def is_exchange(problem: Problem) -> bool:
    """Return whether this is an all-to-all scatter between all processors, one on each router, full duplex, any paths.

    Messages may have several pieces, all of them equally many, and channels carry one a step.
    """
    network, rules, collective = problem.network, problem.rules, problem.collective
    return (
        collective.kind == "AAS"
        and not collective.sizes
        and network.capacities is None
        and network.is_slim
        and problem.num_messages == network.num_routers * (network.num_routers - 1) * collective.pieces
        and problem.restriction is None
        and rules.duplex == "full"
        and not rules.combining
    )


def is_wormhole_exchange(problem: Problem) -> bool:
    """Return whether this is an all-to-all scatter as in `is_exchange`, wormhole and all-port."""
    return problem.rules.switching == "wormhole" and problem.rules.ports == "all" and is_exchange(problem)
