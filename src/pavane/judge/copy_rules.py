"""Private and broadcast messages: sent by holders only, received once, and by every target.

A sender must hold what it sends when the step, or the transfer, begins: what arrives in a step can be sent on in the
next, what arrives until a slot in the slot after it, and with start times as soon as it is usable. A copy of a
broadcast message stays where it was sent from. A private message has no copies: it goes from its origin to its target
and no further, and leaves no location twice. So it takes one way, and backwards that is a way, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.violation import Violation
from pavane.model.arrays import Flags, Longs
from pavane.model.problem import Problem

NEVER = np.iinfo(np.int64).max
"""A step later than all others."""

MOST_CELLS_PER_COPY = 8
"""Up to this many times the copies that are sent, a table of all messages and locations is quicker than sorting."""


class Copies(NamedTuple):
    """The copies that are sent, one entry each, and when each location first gets each message."""

    owner: Longs
    """The transfer that carries each copy."""
    messages: Longs
    starts: Longs
    senders: Longs
    receivers: Longs
    is_again: Flags
    """Whether the receiver gets the same message earlier, or by an earlier entry."""
    arrivals: Longs
    """Message times number of locations, plus location, for each message that comes to a location; ascending."""
    usable: Longs
    """When it can first be sent on there."""


def is_flawless(case: Verification) -> bool:
    """Return whether all rules on copies are known to be kept without following each copy, which takes longer."""
    return _all_direct(case) if case.problem.pattern == "private" else _all_arrive(case)


def _all_direct(case: Verification) -> bool:
    """Return whether every private message is sent once, from its origin to its target."""
    problem, size = case.problem, case.num_locations
    if len(case.schedule.messages) != problem.num_messages:
        return False
    ends_sent = np.full(problem.num_messages, -1, dtype=np.int64)
    for part in case.parts():
        owner, messages = part.resting_messages()
        ends_sent[messages] = part.senders[owner] * size + part.receivers[owner]
    origins, targets = problem.ends.T
    return np.array_equal(ends_sent, origins * np.int64(size) + targets)


def _all_arrive(case: Verification) -> bool:
    """Return whether every broadcast message comes to all its targets, nowhere twice, and only from where it was."""
    problem, size = case.problem, case.num_locations
    if (
        case.has_slots
        or problem.has_times
        or problem.num_messages * size > MOST_CELLS_PER_COPY * len(case.schedule.messages)
    ):
        return False
    since = np.full(problem.num_messages * size, case.schedule.num_steps, dtype=np.int32)
    origins = np.arange(problem.num_messages) * size + problem.ends[:, 0]
    since[origins] = -1
    for part in case.parts():
        owner, messages = part.resting_messages()
        steps = part.schedule.starts[owner]
        since[messages * size + part.receivers[owner]] = steps
        if len(owner) < len(part.owner) or (since[messages * size + part.senders[owner]] >= steps).any():
            return False
    comes = (since < case.schedule.num_steps).reshape(-1, size)
    return bool(
        (since[origins] < 0).all()
        and np.count_nonzero(comes) == len(case.schedule.messages) + problem.num_messages
        and comes[:, list(problem.collective.receivers)].all()
    )


def copies_sent(case: Verification) -> Copies:
    """Follow all copies between locations where messages can rest."""
    owner, messages = case.resting_messages()
    starts, usable = case.schedule.starts[owner].astype(np.int64), case.usable[owner]
    senders, receivers = case.senders[owner], case.receivers[owner]
    keys = messages * case.num_locations + receivers
    order = _by_message(messages, case.problem.num_messages)
    if order is None:
        order = _by_key(keys, usable)
    # In order: the first of equal ones is the first to arrive.
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))
    arrivals = keys[order][first]
    is_again = np.ones(len(order), dtype=bool)
    is_again[order[first]] = False
    return Copies(owner, messages, starts, senders, receivers, is_again, arrivals, usable[order][first])


def _by_message(messages: Longs, num_messages: int) -> Longs | None:
    """Return the copies in the order of their messages, without sorting; None where some message has several."""
    index_of = np.full(num_messages, -1, dtype=np.int64)
    index_of[messages] = np.arange(len(messages))
    sent = index_of[index_of >= 0]
    return sent if len(sent) == len(messages) else None


def _by_key(keys: Longs, steps: Longs) -> Longs:
    """Return the order by key, then by step; keys are not negative.

    Where steps ascend already, key and index are the digits of one number: sorting numbers is quicker.
    """
    size = len(keys)
    if (steps[1:] >= steps[:-1]).all() and (int(keys.max(initial=0)) + 1) * size < 2**63:
        return np.sort(keys * size + np.arange(size)) % max(size, 1)
    return np.lexsort((steps, keys))


def not_held(case: Verification, copies: Copies) -> Iterator[Violation]:
    """A sender holds what it sends when the step, or the transfer, begins: from the start, or because it arrived."""
    origins = case.problem.labels[:, 0].astype(np.int64)
    sent_on = np.flatnonzero(copies.senders != origins[copies.messages])
    if not len(sent_on):
        return
    arrivals, keys = copies.arrivals, copies.messages[sent_on] * case.num_locations + copies.senders[sent_on]
    # Looking up in order is quicker by far than here and there.
    order = _by_key(keys, copies.starts[sent_on])
    at_arrival = np.empty(len(keys), dtype=np.int64)
    at_arrival[order] = np.minimum(np.searchsorted(arrivals, keys[order]), len(arrivals) - 1)
    comes = arrivals[at_arrival] == keys
    since = np.where(comes, copies.usable[at_arrival], NEVER)
    missing = since > copies.starts[sent_on]
    text = f"is not held by the sender when the {case.unit} begins"
    yield from case.of_messages("not-held", copies, sent_on[case.first(missing)], text)


def relayed(case: Verification, copies: Copies) -> Iterator[Violation]:
    """Under wormhole without combining a private message goes to its target in one transfer."""
    problem = case.problem
    if problem.pattern != "private" or _has_relays(problem):
        return
    origins, targets = problem.ends.T.astype(np.int64)
    # A relay's own sending on is the consequence, not another fault; a target's is.
    is_astray = (copies.senders == origins[copies.messages]) & (copies.receivers != targets[copies.messages])
    wrong = case.first(is_astray | (copies.senders == targets[copies.messages]))
    text = f"must go to its target in one transfer; {problem.rules.switching} has no relays"
    yield from case.of_messages("wrong-ends", copies, wrong, text)


def delivered_twice(case: Verification, copies: Copies) -> Iterator[Violation]:
    """A message comes to a location once, and never to its origin."""
    origins = case.problem.labels[:, 0].astype(np.int64)
    wrong = case.first(copies.is_again | (copies.receivers == origins[copies.messages]))
    return case.of_messages("delivered-twice", copies, wrong, "comes to a place that has it or gets it anyway")


def copied(case: Verification, copies: Copies) -> Iterator[Violation]:
    """Where a private message may be relayed, a location sends it once: it is not there any more."""
    if case.problem.pattern != "private" or not _has_relays(case.problem):
        return
    keys = copies.messages * case.num_locations + copies.senders
    ordered = np.sort(keys)
    if (ordered[1:] != ordered[:-1]).all():
        return  # as in every valid schedule, and soon known
    order = np.lexsort((copies.starts, keys))
    _, first = np.unique(keys[order], return_index=True)
    is_again = np.ones(len(order), dtype=bool)
    is_again[order[first]] = False
    text = "leaves the sender a second time; a private message is at one location at a time and has no copies"
    yield from case.of_messages("copied", copies, case.first(is_again), text)


def past_target(case: Verification, copies: Copies) -> Iterator[Violation]:
    """Where a private message may be relayed, its target keeps it."""
    if case.problem.pattern != "private" or not _has_relays(case.problem):
        return
    targets = case.problem.labels[:, 1].astype(np.int64)
    text = "is for the sender itself; a private message goes no further than its target"
    yield from case.of_messages("past-target", copies, case.first(copies.senders == targets[copies.messages]), text)


def _has_relays(problem: Problem) -> bool:
    """Return whether a private message may go to its target in several transfers."""
    return problem.rules.combining or problem.rules.switching == "store-and-forward"


def never_delivered(case: Verification, copies: Copies) -> Iterator[Violation]:
    """Every message comes to all its targets."""
    problem = case.problem
    ends = problem.ends.astype(np.int64)
    if problem.pattern == "private":
        wanted = np.arange(len(ends)) * case.num_locations + ends[:, 1]
    else:
        receivers = np.array(sorted(problem.collective.receivers), dtype=np.int64)
        everyone = np.arange(len(ends))[:, None] * case.num_locations + receivers[None, :]
        wanted = everyone[receivers[None, :] != ends]
    # Arrivals ascend, and looking them up is quicker than comparing sets.
    indices = np.minimum(np.searchsorted(copies.arrivals, wanted), max(len(copies.arrivals) - 1, 0))
    missing = copies.arrivals[indices] != wanted if len(copies.arrivals) else np.ones(len(wanted), dtype=bool)
    for key in wanted[missing][: case.most].tolist():
        message, target = divmod(key, case.num_locations)
        yield Violation(
            "never-delivered", f"message {case.label(message)} never reaches processor {target}", message=message
        )
