"""Symmetry: translations keep the kinds of channels and together take processor 0 to every processor.

**Moves.** Some moves of processors commute with every translation, and together lead from processor 0 to every
processor: along the kinds of channels where each router has a processor, and the translations themselves where these
commute. What commutes with the moves and leaves one processor in place leaves all in place. So exactly one translation
takes processor 0 to processor w. Nothing more is assumed: the group need not be abelian where the kinds are the moves.

**Kinds.** A kind has a channel for each processor, all different, and every translation takes the channel of a
processor to that of the processor's image. So the channels of a kind are the images of one of them, each by exactly one
translation. With a processor on each router a channel of a kind leads from its processor to that which the move along
the kind leads to; on networks with switches both its ends are compared.

Where some channels have no kind, the others must join all routers. What a table does not use cannot be overloaded, so
all this holds for the network of the channels that have one. But its distances are not those of the whole network.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.network import Network


def checked_kinds(
    network: Network,
    translations: npt.NDArray[np.generic],
    routers: npt.NDArray[np.generic] | None = None,
    *,
    is_whole: bool = True,
) -> ChannelKinds:
    """Return the kinds of channels that translations make; InputError where they are no symmetry of the network.

    With `is_whole` every channel must have a kind; without, those that have one must join all routers. On a network
    with switches the translations also permute the routers.
    """
    moves = _permutations(translations, network.num_processors, "processor")
    homes = None if routers is None else _permutations(routers, network.num_routers, "router")
    if homes is not None:
        if len(homes) != len(moves):
            raise InputError("the translations do not have an entry for each router and processor")
        for number, (home, move) in enumerate(zip(homes, moves, strict=True)):
            if not np.array_equal(network.router_of[move], home[network.router_of]):
                raise InputError(f"translation {number} takes a processor away from its router")
    kinds = ChannelKinds.of(network, moves, homes)
    if is_whole and not kinds.is_whole(network):
        raise InputError(f"network {network.name}: its translations do not keep the channels")
    heads, channels = kinds.heads, kinds.channels
    columns = [np.ascontiguousarray(column) for column in heads.T]
    for number, translation in enumerate(moves):
        if any(not np.array_equal(translation.take(to), to.take(translation)) for to in columns):
            raise InputError(f"translation {number} does not keep the kinds of channels")
    if not _reach_all(moves):
        raise InputError("the translations do not take processor 0 to every processor")
    if (homes is not None or not kinds.is_whole(network)) and not _reach_all(heads.T):
        raise InputError("the kinds of channels do not join all routers")
    is_kept = _follow(network, kinds) if homes is None else _keep_ends(network, kinds, moves, homes)
    if not is_kept or np.bincount(channels.reshape(-1), minlength=network.num_channels).max(initial=0) > 1:
        raise InputError("the kinds are not the channels of the network, each once")
    if network.capacities is not None:
        capacity = network.capacities[channels]
        if not (capacity == capacity[:1]).all():
            raise InputError("channels of one kind differ in capacity")
    return kinds


def _permutations(rows: npt.NDArray[np.generic], count: int, what: str) -> Ints:
    """Return permutations, a row each; refuses what is none."""
    if rows.ndim != 2 or rows.shape[1] != count or rows.dtype.kind != "i":
        raise InputError(f"the translations do not have an entry for each {what}")
    for number, row in enumerate(rows):
        if not _are_all(row.astype(np.int64), count):
            raise InputError(f"translation {number} is not a permutation of the {what}s")
    found: Ints = rows.astype(np.int32)
    return found


def _follow(network: Network, kinds: ChannelKinds) -> bool:
    """Return whether the channel of each kind leads from its router to that of the move along the kind."""
    tails, listed = np.repeat(np.arange(network.num_routers), kinds.num_kinds), kinds.channels.reshape(-1)
    return np.array_equal(network.tails[listed], tails) and np.array_equal(
        network.heads[listed], kinds.heads.reshape(-1)
    )


def _keep_ends(network: Network, kinds: ChannelKinds, moves: Ints, homes: Ints) -> bool:
    """Return whether translations take both ends of a processor's channel to those of its image's channel."""
    ends = [each[kinds.channels] for each in (network.tails, network.heads)]
    pairs = zip(moves, homes, strict=True)
    return all(np.array_equal(end[move], home[end]) for move, home in pairs for end in ends)


def _are_all(numbers: Longs, count: int) -> bool:
    """Return whether some numbers are those from 0 on, each once."""
    is_there = np.zeros(count, dtype=bool)
    if len(numbers) != count or (numbers < 0).any() or (numbers >= count).any():
        return False
    is_there[numbers] = True
    return bool(is_there.all())


def _reach_all(moves: Ints) -> bool:
    """Return whether moves, there and back, lead from processor 0 to every processor, in any number."""
    labels = np.arange(moves.shape[1], dtype=np.int32)
    # Processors that moves exchange have one label in the end: the least of their orbit. A processor takes the least
    # label within 2, 4, 8, ... moves. If that changes nothing, all labels along the move are equal.
    while True:
        before = labels
        for move in moves:
            power = move
            while not np.array_equal(labels, lower := np.minimum(labels, labels.take(power))):
                labels, power = lower, power.take(power)
            labels = labels.take(labels)
        if np.array_equal(labels, before):
            return not labels.any()
