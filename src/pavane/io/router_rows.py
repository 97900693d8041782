"""What one router does by a table: its rows, translated to it, in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.mesh_table import AnyTable
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule


class RouterRow(NamedTuple):
    """A row of a table, for the messages of one router."""

    step: int
    """Its first step, from 0."""
    sender: int
    receiver: int
    message: str
    """The name of its message, as `Problem.message_name` has it; + marks a sum on its way to the router."""
    path: str
    """Its path in kinds of channels, 2 for a hop of kind 2 and 0*64 for 64 of kind 0; without kinds, routers."""


def router_named(network: Network, text: str) -> int | None:
    """Return the number of the router that a text names, or numbers; None where there is no such router."""
    if text in network.routers:
        return network.routers.index(text)
    is_number = text.isascii() and text.isdecimal() and len(text) < 10 and int(text) < network.num_routers
    return int(text) if is_number else None


def rows_of_router(problem: Problem, table: AnyTable, router: int, *, most: int | None = None) -> list[RouterRow]:
    """Return the rows of a router in the order of their steps: all, or the first ones."""
    if not isinstance(table, SymmetricSchedule) or table.routers is not None:
        return _transfers(problem, table, router)[:most]
    kinds = table.kinds(problem.network)
    steps, places = table.steps_at(kinds, router), kinds.translation_to(router)
    rows = np.argsort(steps, kind="stable")[:most]
    senders, receivers = places[table.senders], places[table.ends(kinds)]
    return [
        RouterRow(
            int(steps[row]),
            int(senders[row]),
            int(receivers[row]),
            _message_name(problem, table, router, places, row),
            " ".join(f"{kind}*{length}" if length > 1 else str(kind) for kind, length in table.row_path(row)),
        )
        for row in rows.tolist()
    ]


def _transfers(problem: Problem, table: AnyTable, router: int) -> list[RouterRow]:
    """Return the transfers of a router's messages by a table without kinds of channels."""
    network = problem.network
    names, heads = network.routers, network.heads
    rows = []
    for processor in network.processors_on[router]:
        transfers = table.transfers_of(problem, processor)
        labels = problem.labels_among_all(np.array([transfer.messages[0] for transfer in transfers]))
        num_ends = 2 if problem.pattern == "private" else 1
        for transfer, label in zip(transfers, labels.tolist(), strict=True):
            start = names[network.router_of[transfer.sender]]
            path = "-".join((start, *(names[heads[channel]] for channel in transfer.path)))
            message = ">".join(map(str, label[:num_ends])) + "".join(f".{number}" for number in label[num_ends:])
            rows.append(RouterRow(transfer.start, transfer.sender, transfer.receiver, message, path))
    return sorted(rows)


def _message_name(problem: Problem, table: SymmetricSchedule, router: int, places: Longs, row: int) -> str:
    """Return the name of the message of a row; a problem of any size has no list of them."""
    pieces, message = problem.collective.pieces, int(table.messages[row])
    if problem.pattern == "private":
        target, piece = divmod(message, pieces)
        name = f"{router}>{places[target]}"
    elif problem.pattern == "allreduce":
        piece, is_out = divmod(message, 2)
        name = f"{'' if is_out else '+'}{router}"
    else:
        name, piece = str(router), message
    return f"{name}.{piece}" if pieces > 1 else name
