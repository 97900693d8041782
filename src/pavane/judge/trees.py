"""Trees: transfers of one message that share channels, because routers on their ways copy and add.

In one step the transfers of one message are joined by the channels that they share. Such a set is a tree if

- each sender has one way to each channel of the set, each receiver one way from it, and the senders and receivers over
  a channel are joined all with all (a processor with itself excepted): what runs over it is then one stream of data,
  the sum of what these senders send, for all these receivers;
- a router where the set parts is one that copies, and one where it meets is one that adds. A broadcast only parts, a
  reduction only meets, an allreduce may do both: sums go up, and the finished one comes down in the same step.

A tree counts once on each of its channels, and as one transfer at the ports of a processor whose router copies. The
transfers of a set that is no tree count one by one. So copying changes loads alone: holders of messages and
paths are judged transfer by transfer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.judge.case import Verification
from pavane.model.arrays import Flags, Longs


class CountedUses(NamedTuple):
    """What counts of the uses of channels and ports, where transfers of one message form trees."""

    on_channels: Flags
    """Of each listed channel of all paths, whether its use counts."""
    at_senders: Flags
    """Of each transfer, whether it counts at its sender's ports."""
    at_receivers: Flags
    """Of each transfer, whether it counts at its receiver's ports."""
    tree_of: Longs
    """Of each transfer the number of the first one of its tree; its own where it is in none."""


def counted_uses(case: Verification) -> CountedUses | None:
    """Return which uses of channels and ports count; None: all do, because no router copies."""
    if not case.problem.has_trees or (case.schedule.payloads != 1).any() or not case.exists.all():
        return None
    ends = np.concatenate((case.schedule.senders, case.schedule.receivers))
    if ends.size and not 0 <= ends.min() <= ends.max() < case.network.num_processors:
        return None  # what comes from nowhere is no part of a tree
    size = len(case.schedule)
    group = _numbered(np.unique(case.schedule.starts, return_inverse=True)[1], case.schedule.messages)
    cell = _numbered(group[case.path_owner], case.channels)
    part = _joined(cell, case.path_owner, size)
    is_tree = _is_tree(SharedUses(case, group, cell, part))
    # Equal uses lie side by side when sorted: the first of them counts.
    uses = _numbered(part[case.path_owner], cell)
    on_channels = ~is_tree[part[case.path_owner]] | _is_first(uses)
    at_ends = []
    for processors, is_once in (
        (case.schedule.senders, case.problem.pattern != "reduction"),
        (case.schedule.receivers, case.problem.pattern != "broadcast"),
    ):
        router = case.network.router_of[np.clip(processors, 0, case.network.num_processors - 1)]
        # A router that copies has one message of a processor for all its channels; another one for a tree at a time.
        stream = np.where(case.problem.is_copying[router], -1, part)
        is_known = is_once & is_tree[part]
        at_ends.append(~is_known | _is_first(_numbered(group, processors, stream, is_known)))
    first = np.full(int(part.max(initial=-1)) + 1, size)
    np.minimum.at(first, part, np.arange(size))
    return CountedUses(on_channels, at_ends[0], at_ends[1], np.where(is_tree[part], first[part], np.arange(size)))


def _joined(cell: Longs, owner: Longs, num_transfers: int) -> Longs:
    """Return for each transfer the number of its set: of those joined by channels of the same message and step."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    num_cells = int(cell.max(initial=-1)) + 1
    ends = (owner, num_transfers + cell)
    joins = coo_array((np.ones(len(cell), dtype=np.int8), ends), shape=(num_transfers + num_cells,) * 2)
    _, number = connected_components(joins, directed=False)
    return np.asarray(number[:num_transfers], dtype=np.int64)


class SharedUses(NamedTuple):
    """The uses of channels by transfers that may share them, for the rules of trees."""

    case: Verification
    group: Longs
    """Of each transfer, a number for its message and step."""
    cell: Longs
    """Of each listed channel of all paths, a number for it and its group."""
    part: Longs
    """Of each transfer, the number of its set."""

    @property
    def ends(self) -> tuple[Longs, Longs]:
        """Return the sender and the receiver of each listed channel's transfer."""
        owner, schedule = self.case.path_owner, self.case.schedule
        return schedule.senders[owner].astype(np.int64), schedule.receivers[owner].astype(np.int64)

    def sets(self, is_broken: Flags) -> Longs:
        """Return the sets with a channel, of those that cells number, that breaks a rule."""
        return self.part[self.case.path_owner[is_broken[self.cell]]]


def _is_tree(uses: SharedUses) -> Flags:
    """Return for each set of transfers whether it is a tree; one rule is one function."""
    is_tree = np.ones(int(uses.part.max(initial=-1)) + 1, dtype=bool)
    for breaking in (two_ways_from, two_ways_to, not_all_with_all, parts_uncopied, meets_unadded):
        is_tree[np.asarray(breaking(uses), dtype=np.int64)] = False
    return is_tree


def two_ways_from(uses: SharedUses) -> Longs:
    """Return the sets in which a sender has two ways to a channel."""
    case, owner = uses.case, uses.case.path_owner
    number = np.arange(len(owner)) - case.schedule.path_offsets[owner]
    before = _ways(case, _numbered(uses.group, case.schedule.senders), number)
    return uses.sets(_distinct(uses.cell, before) != _distinct(uses.cell, uses.ends[0]))


def two_ways_to(uses: SharedUses) -> Longs:
    """Return the sets in which a receiver has two ways from a channel."""
    case, owner = uses.case, uses.case.path_owner
    number = case.lengths[owner] - 1 - (np.arange(len(owner)) - case.schedule.path_offsets[owner])
    after = _ways(case, _numbered(uses.group, case.schedule.receivers), number)
    return uses.sets(_distinct(uses.cell, after) != _distinct(uses.cell, uses.ends[1]))


def not_all_with_all(uses: SharedUses) -> Longs:
    """Return the sets in which some sender over a channel does not reach some receiver over it."""
    senders, receivers = uses.ends
    num_senders, num_receivers = _distinct(uses.cell, senders), _distinct(uses.cell, receivers)
    either = _distinct(np.concatenate((uses.cell, uses.cell)), np.concatenate((senders, receivers)))
    num_both = num_senders + num_receivers - either
    return uses.sets(np.bincount(uses.cell) != num_senders * num_receivers - num_both)


def parts_uncopied(uses: SharedUses) -> Longs:
    """Return the sets that part at a router that does not copy, or though they are reduced."""
    return _turning_wrong(uses, "reduction", backwards=False)


def meets_unadded(uses: SharedUses) -> Longs:
    """Return the sets that meet at a router that does not add, or though they are broadcast."""
    return _turning_wrong(uses, "broadcast", backwards=True)


def _turning_wrong(uses: SharedUses, never: str, *, backwards: bool) -> Longs:
    """Return the sets in which something comes by one way and goes by several where it may not; or backwards.

    A turn leads from the sender or a channel to the next channel or the receiver: a path has one more than channels.
    """
    case = uses.case
    lengths, offsets = case.lengths, case.schedule.path_offsets[:-1]
    ends = case.schedule.senders, case.schedule.receivers
    codes = [end.min(initial=0) - 1 - end.astype(np.int64) for end in ends]  # below 0, as no channel is
    came_by = np.insert(case.channels, offsets, codes[0])
    goes_by = np.insert(case.channels, offsets + lengths, codes[1])
    turning = np.repeat(uses.part, lengths + 1)
    homes = case.network.router_of[np.clip(ends[0], 0, case.network.num_processors - 1)]
    heads = np.append(case.network.heads, 0)  # a network may have no channels
    routers = np.where(came_by < 0, np.repeat(homes, lengths + 1), heads[np.maximum(came_by, 0)])
    near, far = (goes_by, came_by) if backwards else (came_by, goes_by)
    place = _numbered(turning, near)
    is_allowed = case.problem.is_copying[routers] & (case.problem.pattern != never)
    return turning[(_distinct(place, far) > 1)[place] & ~is_allowed]


def _ways(case: Verification, start: Longs, number: Longs) -> Longs:
    """Return a number for each listed channel that says by which channels its path has come there from a start.

    `start` has one entry per transfer, and `number` counts the channels of each path from there.
    """
    ways, so_far, num_ways = np.zeros(len(number), dtype=np.int64), start.copy(), 0
    for at in range(int(number.max(initial=-1)) + 1):
        here = np.flatnonzero(number == at)
        ways[here] = num_ways + _numbered(so_far[case.path_owner[here]], case.channels[here])
        so_far[case.path_owner[here]] = ways[here]
        num_ways = int(ways[here].max()) + 1
    return ways


def _numbered(*columns: npt.NDArray[np.integer | np.bool_]) -> Longs:
    """Return numbers from 0 that are equal for equal rows of some columns."""
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns if len(numbers) else ():
        least = column.min()
        keys = numbers * (np.int64(column.max()) - least + 1) + (column.astype(np.int64) - least)
        numbers = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return numbers


def _is_first(numbers: Longs) -> Flags:
    """Return whether each number is the first of its kind."""
    is_first = np.zeros(len(numbers), dtype=bool)
    is_first[np.unique(numbers, return_index=True)[1]] = True
    return is_first


def _distinct(places: Longs, values: npt.NDArray[np.integer]) -> Longs:
    """Return how many different values each place has."""
    if not len(places):
        return np.zeros(0, dtype=np.int64)
    width = np.int64(values.max()) - values.min() + 1
    keys = np.sort(places * width + (values - values.min()))
    return np.bincount(keys[np.flatnonzero(np.diff(keys, prepend=-1))] // width)
