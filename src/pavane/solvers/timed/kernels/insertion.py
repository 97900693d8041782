"""Messages inserted into gaps: each takes the path or tree that arrives first between what is booked already.

A calendar has the intervals in which every unit is held; ports have room for several at a time. A private message is
inserted by a shortest-path search in which a hop starts in the first gap of its units that is long enough; a broadcast
by a tree that grows by the hop that arrives first, and often enters a group of routers once. A sum has a root at
random: backwards in time from where it is complete, a tree grows by the hop that starts last, and a broadcast follows.
Ruin and recreate: a late message and a few others are taken out and inserted again in another order. Annealing accepts
a later end with falling probability.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pavane.solvers.kernels.random_numbers import draw, draw_real
from pavane.solvers.timed.kernels.event_greedy import NEVER, HopArrays

Array = np.ndarray[Any, Any]

MOST_TRIES = 24
"""How often a sum is planned to be complete later because its tree would begin before time 0; half double the time."""

WEIGHT_OF_LAST = 8.0
"""How many messages the last one counts for."""


class InsertedMessages(NamedTuple):
    """The messages to insert; nothing in it changes."""

    origins: Array
    """int32 [message]: router."""
    targets: Array
    """int32 [message]: router; of a broadcast none."""
    wants: Array
    """bool [message, router]: whether the router is to receive a broadcast; without rows for private messages."""
    group_of: Array
    """int32 [router]: its group, which a broadcast may enter once only."""
    sizes: Array
    """int64 [message]: which size it has."""
    offsets: Array
    """int64 [router + 1]: hops[offsets[r]:offsets[r + 1]] leave router r; where paths are whole, [message + 1]: its
    paths."""
    hops: Array
    """int64 [entry]."""
    is_whole: bool
    """Whether a message goes from its origin to its target in one hop."""
    is_sum: bool
    """Whether all routers that want a message have a part of it, which are summed up."""
    remaining: Array
    """int64 [router, router]: the least time from router to router, for the order of the search."""


class Calendar(NamedTuple):
    """When units are held, in order."""

    starts: Array
    """int64 [unit, interval]."""
    ends: Array
    """int64 [unit, interval]."""
    holders: Array
    """int32 [unit, interval]: the message or transfer that holds it."""
    counts: Array
    """int64 [unit]."""


def empty_calendar(num_units: int, most: int) -> Calendar:
    """Return a calendar with room for so many intervals of each unit."""
    shape = num_units, most
    return Calendar(
        np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int32), np.zeros(num_units, np.int64)
    )


class Plans(NamedTuple):
    """The hops of each message: of a path the last one first; of a sum those to its root, the last ones first."""

    counts: Array
    """int64 [message]."""
    gathers: Array
    """int64 [message]: how many of its hops bring a sum together."""
    hops: Array
    """int64 [message, entry]."""
    starts: Array
    """int64 [message, entry]."""
    finish: Array
    """int64 [message]."""


class MoveLimits(NamedTuple):
    """How far some moves may go."""

    num_moves: int
    lowest: int
    """The end below which nothing is sought."""
    heat: float
    """The picoseconds that a move may lose with a probability of 1/e."""
    blur: float
    """The most picoseconds by which chance favours a router in a tree."""


class KeptPlans(NamedTuple):
    """Plans beside the current ones."""

    best: Plans
    before: Plans
    """Room for the plans that a move takes out."""


class PathSearch(NamedTuple):
    """Room for the search of a path."""

    times: Array
    """int64 [router]: the earliest arrival."""
    hops: Array
    """int64 [router]: the hop by which it arrives."""
    starts: Array
    """int64 [router]: the start of that hop."""
    is_done: Array
    """bool [router]; for trees [group]: whether the message has entered it."""
    hop_starts: Array
    """int64 [hop]: when it could start at the earliest, as far as is known."""
    branches: Array
    """int64 [hop]: the hops from routers that a tree has reached."""
    is_open: Array
    """bool [1]: whether broadcasts may enter a group several times."""
    favours: Array
    """float64 [router]: by how much earlier a tree takes it to be reached, in picoseconds."""


class InsertionWork(NamedTuple):
    """What an insertion reads and changes."""

    hops: HopArrays
    messages: InsertedMessages
    calendar: Calendar
    plans: Plans
    search: PathSearch


def first_gap(hops: HopArrays, calendar: Calendar, hop: int, ready: int, hold: int) -> int:
    """Return the earliest start of a hop, from a time on, at which all its units are free for long enough."""
    start = ready
    is_moved = True
    while is_moved:
        is_moved = False
        for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
            unit = hops.units[entry]
            if hops.rooms[unit] > 1:
                later = first_room(calendar, unit, hops.rooms[unit], start, hold)
                is_moved = is_moved or later > start
                start = later
                continue
            low, high = 0, calendar.counts[unit]
            while low < high:
                middle = (low + high) // 2
                if calendar.ends[unit, middle] > start:
                    high = middle
                else:
                    low = middle + 1
            while low < calendar.counts[unit] and calendar.starts[unit, low] < start + hold:
                start = calendar.ends[unit, low]
                low += 1
                is_moved = True
    return start


def last_gap(hops: HopArrays, calendar: Calendar, hop: int, latest: int, hold: int) -> int:
    """Return the last start of a hop, up to a time, at which all its units are free for long enough."""
    start = latest
    is_moved = True
    while is_moved:
        is_moved = False
        for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
            unit = hops.units[entry]
            if hops.rooms[unit] > 1:
                sooner = last_room(calendar, unit, hops.rooms[unit], start, hold)
                is_moved = is_moved or sooner < start
                start = sooner
                continue
            low, high = 0, calendar.counts[unit]
            while low < high:
                middle = (low + high) // 2
                if calendar.starts[unit, middle] < start + hold:
                    low = middle + 1
                else:
                    high = middle
            while low > 0 and calendar.ends[unit, low - 1] > start:
                start = calendar.starts[unit, low - 1] - hold
                low -= 1
                is_moved = True
    return start


def first_room(calendar: Calendar, unit: int, room: int, start: int, hold: int) -> int:
    """Return the earliest time, from a start on, from which a unit has room for one more for long enough."""
    at = crowd(calendar, unit, room, start, hold)
    while at >= 0:
        time = max(start, calendar.starts[unit, at])
        start = NEVER
        for other in range(calendar.counts[unit]):
            if calendar.starts[unit, other] <= time < calendar.ends[unit, other]:
                start = min(start, calendar.ends[unit, other])
        at = crowd(calendar, unit, room, start, hold)
    return start


def last_room(calendar: Calendar, unit: int, room: int, start: int, hold: int) -> int:
    """Return the last time, up to a start, from which a unit has room for one more for long enough."""
    at = crowd(calendar, unit, room, start, hold)
    while at >= 0:
        # Of those that hold the unit together, the interval `at` begins last.
        start = calendar.starts[unit, at] - hold
        at = crowd(calendar, unit, room, start, hold)
    return start


def crowd(calendar: Calendar, unit: int, room: int, start: int, hold: int) -> int:
    """Return the first interval with which as many as a unit has room for hold it at a time of a window; -1: none."""
    for at in range(calendar.counts[unit]):
        if calendar.starts[unit, at] >= start + hold:
            break
        time, beside = max(start, calendar.starts[unit, at]), 0
        for other in range(at + 1):
            beside += calendar.ends[unit, other] > time
        if beside >= room and calendar.ends[unit, at] > time:
            return at
    return -1


def book(hops: HopArrays, calendar: Calendar, hop: int, start: int, hold: int, holder: int) -> None:
    """Hold the units of a hop for a message or transfer."""
    for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
        unit = hops.units[entry]
        at = calendar.counts[unit]
        while at > 0 and calendar.starts[unit, at - 1] > start:
            calendar.starts[unit, at] = calendar.starts[unit, at - 1]
            calendar.ends[unit, at] = calendar.ends[unit, at - 1]
            calendar.holders[unit, at] = calendar.holders[unit, at - 1]
            at -= 1
        calendar.starts[unit, at], calendar.ends[unit, at], calendar.holders[unit, at] = start, start + hold, holder
        calendar.counts[unit] += 1


def cancel(hops: HopArrays, calendar: Calendar, hop: int, start: int, hold: int, holder: int) -> None:
    """Free the units of a hop that are held from a start on."""
    for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
        unit = hops.units[entry]
        at = 0
        while (
            calendar.starts[unit, at] != start
            or calendar.ends[unit, at] != start + hold
            or calendar.holders[unit, at] != holder
        ):
            at += 1
        calendar.counts[unit] -= 1
        for later in range(at, calendar.counts[unit]):
            calendar.starts[unit, later] = calendar.starts[unit, later + 1]
            calendar.ends[unit, later] = calendar.ends[unit, later + 1]
            calendar.holders[unit, later] = calendar.holders[unit, later + 1]


def insert(work: InsertionWork, random: Array, message: int) -> None:
    """Book the path or the tree of a message that arrives first."""
    messages = work.messages
    if messages.is_sum:
        insert_sum(work, random, message)
    elif len(messages.wants):
        work.plans.counts[message] = 0
        insert_tree(work, message, messages.origins[message], 0)
    else:
        insert_path(work, random, message)


def insert_path(work: InsertionWork, random: Array, message: int) -> None:
    """Book the path of a message that arrives first."""
    hops, messages, calendar, plans, search = work
    size, origin, target = messages.sizes[message], messages.origins[message], messages.targets[message]
    search.times[:] = NEVER
    search.is_done[:] = False
    search.times[origin] = 0
    here = origin
    while here != target:
        search.is_done[here] = True
        row = message if messages.is_whole else here
        for entry in range(messages.offsets[row], messages.offsets[row + 1]):
            hop = messages.hops[entry]
            head = hops.heads[hop]
            hold = hops.holds[hop, size]
            if search.is_done[head] or search.times[here] + hold + hops.delays[hop] > search.times[head]:
                continue
            start = first_gap(hops, calendar, hop, search.times[here], hold)
            end = start + hold + hops.delays[hop]
            if end < search.times[head] or (end == search.times[head] and draw(random, 2)):
                search.times[head], search.hops[head], search.starts[head] = end, hop, start
        here, least = -1, NEVER
        for router in range(len(search.times)):
            if not search.is_done[router] and search.times[router] < NEVER:
                estimate = search.times[router] + messages.remaining[router, target]
                if estimate < least:
                    here, least = router, estimate
        if here < 0:
            break
    plans.finish[message], plans.counts[message] = search.times[target], 0
    while target != origin:
        hop = search.hops[target]
        add_hop(work, message, hop, search.starts[target])
        target = hops.tails[hop]


def add_hop(work: InsertionWork, message: int, hop: int, start: int) -> None:
    """Book one more hop of a message."""
    hops, messages, calendar, plans, _ = work
    book(hops, calendar, hop, start, hops.holds[hop, messages.sizes[message]], message)
    count = plans.counts[message]
    plans.hops[message, count], plans.starts[message, count] = hop, start
    plans.counts[message] = count + 1


def insert_sum(work: InsertionWork, random: Array, message: int) -> None:
    """Book a tree that sums up a message at a root, and one that brings the sum to all others."""
    messages, plans = work.messages, work.plans
    root = messages.origins[message]
    if draw(random, 4):
        root = messages.origins[draw(random, len(messages.origins))]
    complete = 0
    for router in range(len(work.search.times)):
        if messages.wants[message, router]:
            complete = max(complete, messages.remaining[router, root])
    for number in range(MOST_TRIES):
        plans.counts[message], plans.gathers[message] = 0, 0
        first = gather(work, message, root, complete)
        if first >= 0:
            break
        take_out(work, message)
        plans.counts[message], plans.finish[message] = 0, NEVER
        complete += max(-first, complete // 16) if number < MOST_TRIES // 2 else complete
    if plans.counts[message] == 0:
        return
    drop_idle_branches(work, message)
    plans.gathers[message] = plans.counts[message]
    insert_tree(work, message, root, complete)


def gather(work: InsertionWork, message: int, root: int, complete: int) -> int:
    """Book a tree to a root from its end on, each hop the one that can start last; return when the first one starts.

    The sum is complete at a time. What begins before time 0 says by how much that is too early.
    """
    messages, search = work.messages, work.search
    search.times[:] = NEVER
    search.is_done[:] = False
    search.hop_starts[:] = NEVER
    search.times[root] = complete
    search.is_done[messages.group_of[root]] = True
    num_left = messages.wants[message].sum() - messages.wants[message, root]
    first = complete
    while num_left > 0:
        hop = last_branch(work, message)
        if hop < 0:
            return -1
        tail, start = work.hops.tails[hop], search.hop_starts[hop]
        add_hop(work, message, hop, start)
        search.times[tail] = start
        search.is_done[messages.group_of[tail]] = True
        num_left -= messages.wants[message, tail]
        first = min(first, start)
    return first


def last_branch(work: InsertionWork, message: int) -> int:
    """Return the hop by which one more router joins a tree to a root, as late as it can; -1 where none does."""
    hops, messages, calendar, _, search = work
    best, latest = -1, -1e300
    for hop in range(len(hops.tails)):
        tail, head = hops.tails[hop], hops.heads[hop]
        if search.times[tail] != NEVER or search.times[head] == NEVER:
            continue
        group = messages.group_of[tail]
        if group != messages.group_of[head] and search.is_done[group] and not search.is_open[0]:
            continue
        hold = hops.holds[hop, messages.sizes[message]]
        start = min(search.hop_starts[hop], search.times[head] - hold - hops.delays[hop])
        if start + search.favours[tail] <= latest:
            continue
        search.hop_starts[hop] = last_gap(hops, calendar, hop, start, hold)
        if search.hop_starts[hop] + search.favours[tail] > latest:
            best, latest = hop, search.hop_starts[hop] + search.favours[tail]
    return best


def insert_tree(work: InsertionWork, message: int, origin: int, ready: int) -> None:
    """Book hop after hop of a broadcast from when its origin has it, each the one that reaches a router first."""
    hops, messages, _, plans, search = work
    search.times[:] = NEVER
    search.is_done[:] = False
    plans.finish[message] = 0
    num_branches = reach(work, origin, ready, 0)
    num_left = messages.wants[message].sum() - messages.wants[message, origin]
    while num_left > 0:
        hop, num_branches = next_branch(work, message, num_branches)
        if hop < 0:
            plans.finish[message] = NEVER
            break
        head, start = hops.heads[hop], search.hop_starts[hop]
        add_hop(work, message, hop, start)
        end = start + hops.holds[hop, messages.sizes[message]] + hops.delays[hop]
        if messages.wants[message, head]:
            num_left -= 1
            plans.finish[message] = max(plans.finish[message], end)
        num_branches = reach(work, head, end, num_branches)
    drop_idle_branches(work, message)


def reach(work: InsertionWork, router: int, time: int, num_branches: int) -> int:
    """Note when a broadcast reaches a router; return the number of branches with the hops from there."""
    hops, messages, search = work.hops, work.messages, work.search
    search.times[router] = time
    search.is_done[messages.group_of[router]] = True
    for entry in range(messages.offsets[router], messages.offsets[router + 1]):
        hop = messages.hops[entry]
        if search.times[hops.heads[hop]] == NEVER:
            search.hop_starts[hop] = time
            search.branches[num_branches] = hop
            num_branches += 1
    return num_branches


def next_branch(work: InsertionWork, message: int, num_branches: int) -> tuple[int, int]:
    """Return the hop by which a broadcast reaches one more router first, or -1, and the number of branches left."""
    hops, messages, calendar, _, search = work
    best, least, num_kept = -1, 1e300, 0
    for at in range(num_branches):
        hop = search.branches[at]
        tail, head = hops.tails[hop], hops.heads[hop]
        if search.times[head] != NEVER:
            continue
        search.branches[num_kept] = hop
        num_kept += 1
        group = messages.group_of[head]
        if group != messages.group_of[tail] and search.is_done[group] and not search.is_open[0]:
            continue
        hold = hops.holds[hop, messages.sizes[message]]
        later = hold + hops.delays[hop] - search.favours[head]
        if search.hop_starts[hop] + later >= least:
            continue
        # The start is the earliest one known: gaps are looked for where it matters.
        search.hop_starts[hop] = first_gap(hops, calendar, hop, search.hop_starts[hop], hold)
        if search.hop_starts[hop] + later < least:
            best, least = hop, search.hop_starts[hop] + later
    return best, num_kept


def drop_idle_branches(work: InsertionWork, message: int) -> None:
    """Cancel the hops of a tree to routers that neither want it nor forward it; before it is joined, from routers."""
    hops, messages, _, plans, _ = work
    is_joined = plans.gathers[message] > 0 or not messages.is_sum
    ends, others = (hops.heads, hops.tails) if is_joined else (hops.tails, hops.heads)
    for at in range(plans.counts[message] - 1, plans.gathers[message] - 1, -1):
        router = ends[plans.hops[message, at]]
        is_needed = messages.wants[message, router]
        for other in range(at + 1, plans.counts[message]):
            is_needed = is_needed or others[plans.hops[message, other]] == router
        if is_needed:
            continue
        drop(work, message, at)
        plans.counts[message] -= 1
        for other in range(at, plans.counts[message]):
            plans.hops[message, other] = plans.hops[message, other + 1]
            plans.starts[message, other] = plans.starts[message, other + 1]


def take_out(work: InsertionWork, message: int) -> None:
    """Free all that a message holds."""
    plans = work.plans
    for at in range(plans.counts[message]):
        drop(work, message, at)


def drop(work: InsertionWork, message: int, at: int) -> None:
    """Free the units of one hop of a message."""
    hops, messages, calendar, plans, _ = work
    hop = plans.hops[message, at]
    cancel(hops, calendar, hop, plans.starts[message, at], hops.holds[hop, messages.sizes[message]], message)


def put_back(work: InsertionWork, before: Plans, message: int, row: int) -> None:
    """Book the former plan of a message again."""
    hops, messages, calendar, plans, _ = work
    copy_plan(before, row, plans, message)
    for at in range(plans.counts[message]):
        hop = plans.hops[message, at]
        book(hops, calendar, hop, plans.starts[message, at], hops.holds[hop, messages.sizes[message]], message)


def latest_message(plans: Plans, current: int, random: Array) -> int:
    """Return one of the messages that arrive last, at random."""
    late, num_late = 0, 0
    for message in range(len(plans.finish)):
        if plans.finish[message] >= current:
            num_late += 1
            if draw(random, num_late) == 0:
                late = message
    return late


def choose_messages(work: InsertionWork, chosen: Array, current: int, random: Array) -> int:
    """Choose different messages to take out: mostly one of the latest, and others at random; return their number.

    Half of the choices are among messages that hold a unit of one chosen before.
    """
    num_messages = len(work.plans.finish)
    late = latest_message(work.plans, current, random)
    wanted = 1 + draw(random, min(len(chosen), num_messages))
    is_near = draw(random, 2)
    count = 0
    for _ in range(4 * wanted):
        message = draw(random, num_messages)
        if count == 0 and draw_real(random) < 0.8:
            message = late
        elif count > 0 and is_near:
            message = neighbour(work, chosen[draw(random, count)], random)
        is_new = count < wanted
        for at in range(count):
            is_new = is_new and chosen[at] != message
        if is_new:
            chosen[count] = message
            count += 1
    return count


def neighbour(work: InsertionWork, message: int, random: Array) -> int:
    """Return a message that holds a unit of another one, at random."""
    hops, _, calendar, plans, _ = work
    if plans.counts[message] == 0:
        return message
    hop = plans.hops[message, draw(random, plans.counts[message])]
    unit = hops.units[hops.offsets[hop] + draw(random, hops.offsets[hop + 1] - hops.offsets[hop])]
    return int(calendar.holders[unit, draw(random, calendar.counts[unit])])


def lateness(plans: Plans, goal: int) -> float:
    """Return by how much messages arrive after a time, in all, and the last one several times more."""
    total, last = 0.0, 0
    for message in range(len(plans.finish)):
        total += max(0, plans.finish[message] - goal)
        last = max(last, plans.finish[message])
    return total + WEIGHT_OF_LAST * max(0, last - goal)


def copy_plan(source: Plans, row: int, target: Plans, place: int) -> None:
    """Copy the plan of one row to another place."""
    target.counts[place], target.finish[place] = source.counts[row], source.finish[row]
    target.gathers[place] = source.gathers[row]
    for at in range(source.counts[row]):
        target.hops[place, at], target.starts[place, at] = source.hops[row, at], source.starts[row, at]


def ruin_and_recreate(work: InsertionWork, kept: KeptPlans, limits: MoveLimits, random: Array) -> None:
    """Improve the plans by some moves; `kept.best` has the best plans so far, and receives better ones."""
    plans, search = work.plans, work.search
    num_messages = len(work.messages.origins)
    chosen = np.zeros(len(kept.before.counts), dtype=np.int64)
    record = kept.best.finish.max()
    goal = limits.lowest + (record - limits.lowest) // 2
    current, late = plans.finish.max(), lateness(plans, goal)
    for _ in range(limits.num_moves):
        if record <= limits.lowest:
            break
        count = choose_messages(work, chosen, current, random)
        for at in range(count):
            copy_plan(plans, chosen[at], kept.before, at)
            take_out(work, chosen[at])
        is_blurred, search.is_open[0] = draw(random, 2), draw(random, 2)
        for router in range(len(search.favours)):
            search.favours[router] = limits.blur * draw_real(random) if is_blurred else 0.0
        shift = 0 if draw(random, 2) else draw(random, count)
        for at in range(count):
            insert(work, random, chosen[(at + shift) % count])
        later = lateness(plans, goal)
        if later > late and draw_real(random) >= math.exp((late - later) / limits.heat):
            for at in range(count):
                take_out(work, chosen[at])
            for at in range(count):
                put_back(work, kept.before, chosen[at], at)
            continue
        current, late = plans.finish.max(), later
        if current < record:
            record = current
            goal = limits.lowest + (record - limits.lowest) // 2
            late = lateness(plans, goal)
            for message in range(num_messages):
                copy_plan(plans, message, kept.best, message)
