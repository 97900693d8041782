"""What the player knows of a schedule, as plain values for JSON.

Up to `MOST_TRANSFERS` every transfer is listed. Above that a page would be too large to open, and only what can be seen
is kept: which channels are busy in which step (a bit each; where channels have capacities, a byte with the load), and
how many transfers a step has; and beside it the transfers of the first origins, up to `MOST_CHOSEN`, to be followed.
"""

from __future__ import annotations

import base64
from fractions import Fraction
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.io.result_texts import proof_sentences
from pavane.io.several_texts import collective_name, colour_groups
from pavane.judge.refusal import Refusal
from pavane.judge.result import Provenance, Result
from pavane.judge.timed_case import TimedCase
from pavane.model.allreduce import arrivals
from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.several import label_of, owners_of, split, steps_of
from pavane.model.slots import channel_uses
from pavane.networks.positions import positions_of
from pavane.ui.description import link_text, title_of

MOST_TRANSFERS = 40_000
"""More are summarised; 128 processors that scatter to all make 16,256."""

MOST_OF_A_TABLE = 1_000_000
"""Transfers of a table that are written out for the player: seconds, and some hundred megabytes."""

MOST_CHOSEN = 8_000
"""Transfers that a summary lists, all those of as many origins as fit."""

MOST_LOADS = 8_000_000
"""Channels times steps up to which loads are listed; above that only which channels are busy."""


def contents_of(result: Result | Refusal, most_transfers: int = MOST_TRANSFERS) -> dict[str, Any]:
    """Return the network, the schedule and its proof, or broken rules, as the player reads them.

    A table is written out. A label of one of several collectives begins with the number of its collective.
    """
    if isinstance(result, Result):
        result = _written_out(result)
    problem, schedule = result.problem, result.schedule
    if schedule is None:
        raise ValueError("only a result with a schedule can be played")
    contents = {
        "title": title_of(result),
        **_about_problem(problem),
        "status": result.status,
        "statusText": result.status_text,
        **(_broken_rules(result) if isinstance(result, Refusal) else {"proof": list(proof_sentences(result))}),
        **_provenance_figures(result.provenance),
        **drawn_network(problem.network),
        "numTransfers": len(schedule),
        **({"numSteps": schedule.num_steps, "tco": schedule.tco} if not problem.has_times else {}),
    }
    if problem.has_times:
        contents["times"] = _times(result)
    elif "pieces" in contents:
        contents["messageTimes"] = str(Fraction(schedule.num_steps, problem.collective.pieces))
    if problem.has_several:
        contents |= _collectives(result)
    if len(schedule) > most_transfers:
        return (
            contents | summary(problem.parts[0], schedule) | ({} if problem.has_several else _chosen(problem, schedule))
        )
    contents["labels"] = _labels(problem) if problem.has_several else problem.labels.tolist()
    contents["transfers"] = [listed_transfer(transfer) for transfer in schedule]
    if isinstance(result, Result) and not problem.has_times and "allreduce" in {part.pattern for part in problem.parts}:
        contents |= _sums(problem, schedule)
    return contents


def _written_out(result: Result) -> Result:
    """Return a result whose schedule is listed; refuse those that have too many transfers."""
    if result.problem.has_times and len(result.schedule or ()) > MOST_TRANSFERS:
        count = len(result.schedule or ())
        raise InputError(f"{count:,} transfers are too many for a page, which plays {MOST_TRANSFERS:,} at most")
    count = 0 if result.table is None else result.table.num_transfers(result.problem)
    if count > MOST_OF_A_TABLE:
        raise InputError(
            f"{count:,} transfers in {result.num_steps or 0:,} steps are too many for the player, which shows "
            f"tables up to {MOST_OF_A_TABLE:,}; `pavane show FILE --router R` prints the rows of a router"
        )
    return result.expanded()


def _broken_rules(refusal: Refusal) -> dict[str, Any]:
    """Return the broken rules, and where: channels by step, or transfers of a timed schedule."""
    if len(refusal.schedule) > MOST_TRANSFERS:
        raise InputError(f"a schedule that breaks rules is drawn up to {MOST_TRANSFERS:,} transfers; verify names them")
    keys = ("rule", "text", "step", "transfer")
    texts = [{key: getattr(each, key) for key in keys} for each in refusal.violations]
    if refusal.problem.has_times:
        return {"proof": [], "violations": texts, "wrong": sorted(refusal.wrong)}
    conflicts = [sorted(refusal.conflicts.get(step, ())) for step in range(refusal.num_steps)]
    return {"proof": [], "violations": texts, "conflicts": conflicts}


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


def _about_problem(problem: Problem) -> dict[str, Any]:
    """Return what is said of a problem, and where messages have pieces their figures."""
    about = {
        "network": problem.network.name,
        "collective": problem.title if problem.has_several else str(problem.collective),
        "pattern": "joint" if problem.has_several else problem.pattern,
        "rules": str(problem.rules),
        "combining": problem.rules.combining,
        "numMessages": problem.num_messages,
        **_slots_of(problem),
    }
    if problem.has_several:
        return about
    pieces = {"pieces": problem.collective.pieces} if problem.collective.pieces > 1 else {}
    is_cut = not problem.collective.is_plain
    return {
        **about,
        **({"hasPieces": problem.has_pieces, "numWhole": problem.num_whole_messages, **pieces} if is_cut else {}),
    }


def _labels(problem: Problem) -> list[list[int]]:
    """Return the labels of the messages of several collectives."""
    return [label_of(problem, message) for message in range(problem.num_messages)]


def _times(result: Result | Refusal) -> dict[str, Any]:
    """Return when transfers end, and how long they hold channels, in picoseconds."""
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    case = TimedCase(problem, schedule, 1)
    return {
        "finish": result.finish or 0,
        "bound": result.bound.figure if isinstance(result, Result) and result.bound is not None else None,
        "holds": case.holds.tolist(),
        "usable": case.usable.tolist(),
        "links": link_text(problem),
    }


def _collectives(result: Result | Refusal) -> dict[str, Any]:
    """Return each collective, its name, its steps and the bound on them, and the groups that share a colour."""
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    bounds = result.bounds_alone if isinstance(result, Result) else ["unknown"] * len(problem.parts)
    groups, group_of = colour_groups(problem)
    listed = [
        {
            "name": collective_name(part.collective),
            "pattern": part.pattern,
            "hasPieces": part.has_pieces,
            "numMembers": len(part.collective.senders),
            "steps": steps,
            "bound": bound,
        }
        for part, steps, bound in zip(problem.parts, steps_of(problem, schedule), bounds, strict=True)
    ]
    return {"collectives": listed, "groups": groups, "groupOf": group_of}


def _provenance_figures(about: Provenance) -> dict[str, Any]:
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


def _slots_of(problem: Problem) -> dict[str, Any]:
    """Return how packets move through slots; nothing where there are steps."""
    rules = problem.rules
    if not rules.has_slots:
        return {}
    delays = {"hop": rules.hop_slots, "router": rules.router_delay, "busy": rules.packet_slots}
    return {"slots": {**delays, "wraps": rules.wrap}}


def _sums(problem: Problem, schedule: Schedule) -> dict[str, Any]:
    """Return what becomes of each sum of allreduces, in the order of the transfers and of what each carries."""
    added, heard = np.zeros((2, len(schedule.messages)), dtype=np.int64)
    members = np.repeat(owners_of(problem, schedule), schedule.payloads)
    for number, (part, own) in enumerate(zip(problem.parts, split(problem, schedule), strict=True)):
        if part.pattern == "allreduce":
            found = arrivals(part, own)
            added[members == number], heard[members == number] = found.added, found.heard
    one = {} if problem.has_several else {"numMembers": len(problem.collective.senders)}
    return {"added": added.tolist(), "heard": heard.tolist(), **one}


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
