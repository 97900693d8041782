"""What the player knows of a schedule, as plain values for JSON.

Up to `MOST_TRANSFERS` every transfer is listed. Above that a page would be too large to open, and only what can be seen
is kept: which channels are busy in which step (a bit each; where channels have capacities, a byte with the load), and
how many transfers a step has; and beside it the transfers of the first origins, up to `MOST_CHOSEN`, to be followed.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.io.result_texts import bound_figures, overlap_text, proof_sentences
from pavane.judge.refusal import Refusal
from pavane.judge.result import Provenance, Result
from pavane.model.allreduce import arrivals
from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.slots import channel_uses
from pavane.networks.positions import positions_of
from pavane.text import counted

MOST_TRANSFERS = 40_000
"""More are summarised; 128 processors that scatter to all make 16,256."""

MOST_CHOSEN = 8_000
"""Transfers that a summary lists, all those of as many origins as fit."""

MOST_LOADS = 8_000_000
"""Channels times steps up to which loads are listed; above that only which channels are busy."""


def contents_of_refusal(refusal: Refusal) -> dict[str, Any]:
    """Return a schedule that breaks rules as the player reads it, with the rules and the channels where it does."""
    problem, schedule = refusal.problem, refusal.schedule
    assert isinstance(problem, Problem)
    figures = counted(schedule.num_steps, problem.rules.step_word)
    return {
        "title": f"{problem.collective.title} on {problem.network.name} in {figures}",
        **about_problem(problem),
        "status": refusal.status,
        "statusText": refusal.status_text,
        "bounds": [],
        **broken_rules(refusal),
        **provenance_figures(refusal.provenance),
        "numSteps": schedule.num_steps,
        "tco": schedule.tco,
        **drawn_network(problem.network),
        "numTransfers": len(schedule),
        "labels": problem.labels.tolist(),
        "transfers": [listed_transfer(transfer) for transfer in schedule],
    }


def broken_rules(refusal: Refusal) -> dict[str, Any]:
    """Return the broken rules, and where: channels by step, or transfers of a timed schedule."""
    if len(refusal.schedule) > MOST_TRANSFERS:
        raise InputError(f"a schedule that breaks rules is drawn up to {MOST_TRANSFERS:,} transfers; verify names them")
    keys = ("rule", "text", "step", "transfer")
    texts = [{key: getattr(each, key) for key in keys} for each in refusal.violations]
    if refusal.problem.has_times:
        return {"proof": [], "violations": texts, "wrong": sorted(refusal.wrong)}
    conflicts = [sorted(refusal.conflicts.get(step, ())) for step in range(refusal.num_steps)]
    return {"proof": [], "violations": texts, "conflicts": conflicts}


def contents_of_schedule(result: Result, most_transfers: int = MOST_TRANSFERS) -> dict[str, Any]:
    """Return the network, the schedule and its proof as the player reads them."""
    problem, schedule = result.problem, result.schedule
    if schedule is None:
        raise ValueError("only a result with a schedule can be played")
    contents = {
        **about_result(result),
        "numSteps": schedule.num_steps,
        "tco": schedule.tco,
        **drawn_network(problem.network),
        "numTransfers": len(schedule),
    }
    if len(schedule) <= most_transfers:
        contents["labels"] = problem.labels.tolist()
        contents["transfers"] = [listed_transfer(transfer) for transfer in schedule]
        if problem.pattern == "allreduce":
            contents |= _sums(problem, schedule)
    else:
        contents |= summary(problem, schedule) | _chosen(problem, schedule)
    return contents


def drawn_network(network: Network) -> dict[str, Any]:
    """Return what it takes to draw a network."""
    return {
        "routers": list(network.routers),
        "places": positions_of(network).tolist(),
        "processors": network.router_of.tolist(),
        "channels": network.channels.tolist(),
        **({} if network.capacities is None else {"capacities": network.capacities.tolist()}),
    }


def summary(problem: Problem, schedule: Schedule) -> dict[str, Any]:
    """Return what is seen of a schedule that is too large to be listed: busy channels, and transfers of each step."""
    network, uses = problem.network, channel_uses(problem, schedule)
    shape = schedule.num_steps, network.num_channels
    return {
        **channel_loads(uses.steps, uses.channels, shape, has_capacities=network.capacities is not None),
        "perStep": np.bincount(schedule.starts, minlength=schedule.num_steps).tolist(),
    }


def about_result(result: Result) -> dict[str, Any]:
    """Return what is said of a result, whatever gives its schedule: the problem, the proof and where it came from."""
    problem, about = result.problem, result.provenance
    return {
        "title": f"{problem.collective.title} on {problem.network.name} in {_steps_text(result)}",
        **about_problem(problem),
        "status": result.status,
        "statusText": result.status_text,
        "bounds": bound_figures(result),
        "proof": [*proof_sentences(result), *_phase_sentences(result)],
        **provenance_figures(about),
        **_pieces_of(result),
    }


def about_problem(problem: Problem) -> dict[str, Any]:
    """Return what is said of a problem."""
    return {
        "network": problem.network.name,
        "collective": str(problem.collective),
        "kind": problem.collective.kind,
        "pattern": problem.pattern,
        "rules": str(problem.rules),
        "combining": problem.rules.combining,
        "numMessages": problem.num_messages,
        **_slots_of(problem),
    }


def provenance_figures(about: Provenance) -> dict[str, Any]:
    """Return where a schedule came from."""
    made = {"solver": about.solver, "seed": about.seed, "seconds": round(about.seconds, 3), "version": about.version}
    return {"made": made, "isMadeClaimed": about.is_claimed}


def listed_transfer(transfer: Transfer) -> list[Any]:
    """Return a transfer as the player reads it; where it carries one message, that is no list."""
    carried = transfer.messages[0] if len(transfer.messages) == 1 else list(transfer.messages)
    return [transfer.start, transfer.sender, transfer.receiver, list(transfer.path), carried]


def _chosen(problem: Problem, schedule: Schedule, most: int = MOST_CHOSEN) -> dict[str, Any]:
    """Return the transfers of the first origins of a large schedule, whose messages are counted from 0.

    Nothing where transfers carry several messages: they belong to several origins.
    """
    owners = problem.ends[:, 0]
    if len(schedule) == 0 or (schedule.payloads != 1).any():
        return {}
    owner_of = owners[schedule.messages]
    numbers, counts = np.unique(owner_of, return_counts=True)
    fitting = numbers[np.cumsum(counts) <= most]
    if not len(fitting):
        return {}
    chosen = np.flatnonzero(np.isin(owner_of, fitting))
    messages, renumbered = np.unique(schedule.messages[chosen], return_inverse=True)
    transfers = [
        [*listed_transfer(schedule.transfer(number))[:4], carried]
        for number, carried in zip(chosen.tolist(), renumbered.tolist(), strict=True)
    ]
    return {"chosen": {"labels": problem.labels[messages].tolist(), "transfers": transfers}}


def _pieces_of(result: Result) -> dict[str, Any]:
    """Return the figures of pieces; nothing where every message is one piece."""
    problem, pieces = result.problem, result.problem.collective.pieces
    if problem.collective.is_plain:
        return {}
    cut = {"pieces": pieces, "messageTimes": str(result.per_message)} if pieces > 1 else {}
    return {"hasPieces": problem.has_pieces, "numWhole": problem.num_whole_messages, **cut}


def _slots_of(problem: Problem) -> dict[str, Any]:
    """Return how packets move through slots; nothing where there are steps."""
    rules = problem.rules
    if not rules.has_slots:
        return {}
    delays = {"hop": rules.hop_slots, "router": rules.router_delay, "busy": rules.packet_slots}
    return {"slots": {**delays, "wraps": rules.wrap}}


def _phase_sentences(result: Result) -> list[str]:
    """Return what is said of the phases of an allreduce."""
    if result.problem.pattern != "allreduce" or result.schedule is None:
        return []
    return [f"Phases: {overlap_text(result.problem, result.schedule)}."]


def _sums(problem: Problem, schedule: Schedule) -> dict[str, Any]:
    """Return what becomes of each sum of an allreduce, in the order of the transfers and of what each carries."""
    found = arrivals(problem, schedule)
    return {
        "added": found.added.astype(int).tolist(),
        "heard": found.heard.tolist(),
        "numMembers": len(problem.collective.senders),
    }


def _steps_text(result: Result) -> str:
    steps = counted(result.num_steps or 0, result.problem.rules.step_word)
    return steps if result.problem.collective.pieces == 1 else f"{steps} ({result.per_message} message times)"


def channel_loads(
    steps: Longs, channels: Ints | Longs, shape: tuple[int, int], *, has_capacities: bool
) -> dict[str, Any]:
    """Return which channels are busy in which steps; where channels have capacities, how much they carry.

    A bit for every step and channel, step by step, lowest bit first, each step filled up to whole bytes; or a byte with
    the load, where more than 255 is 255.
    """
    num_steps, num_channels = shape
    if has_capacities and num_steps * num_channels <= MOST_LOADS:
        counts = np.bincount(steps * num_channels + channels, minlength=num_steps * num_channels)
        return {"loads": base64.b64encode(np.minimum(counts, 255).astype(np.uint8).tobytes()).decode()}
    table = np.zeros(shape, dtype=bool)
    table[steps, channels] = True
    return {"busy": base64.b64encode(np.packbits(table, axis=1, bitorder="little").tobytes()).decode()}
