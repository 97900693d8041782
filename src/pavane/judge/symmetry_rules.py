"""Symmetry: translations keep the kinds of channels and together take router 0 to every router.

What keeps kinds and leaves one router in place leaves its neighbours in place, by kind, and so all routers. So exactly
one translation takes router 0 to router w, and the channels of a kind are the images of one of them, each by exactly
one translation. Nothing more is assumed of the network: the group need not be abelian.

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


def checked_kinds(network: Network, translations: npt.NDArray[np.generic], *, is_whole: bool = True) -> ChannelKinds:
    """Return the kinds of channels that translations make; InputError where they are no symmetry of the network.

    With `is_whole` every channel must have a kind; without, those that have one must join all routers.
    """
    num_routers = network.num_routers
    if translations.ndim != 2 or translations.shape[1] != num_routers or translations.dtype.kind != "i":
        raise InputError("the translations do not have an entry for each router")
    for number, translation in enumerate(translations):
        if not _are_all(translation.astype(np.int64), num_routers):
            raise InputError(f"translation {number} is not a permutation of the routers")
    moves: Ints = translations.astype(np.int32)
    kinds = ChannelKinds.of(network, moves)
    if is_whole and not kinds.is_whole(network):
        raise InputError(f"network {network.name}: its translations do not keep the channels")
    heads, channels = kinds.heads, kinds.channels
    columns = [np.ascontiguousarray(column) for column in heads.T]
    for number, translation in enumerate(moves):
        if any(not np.array_equal(translation.take(to), to.take(translation)) for to in columns):
            raise InputError(f"translation {number} does not keep the kinds of channels")
    if not _reach_all(moves):
        raise InputError("the translations do not take router 0 to every router")
    if not kinds.is_whole(network) and not _reach_all(heads.T):
        raise InputError("the kinds of channels do not join all routers")
    tails, listed = np.repeat(np.arange(num_routers), heads.shape[1]), channels.reshape(-1)
    is_channel = np.array_equal(network.tails[listed], tails)
    is_channel = is_channel and np.array_equal(network.heads[listed], heads.reshape(-1))
    if not is_channel or np.bincount(listed, minlength=network.num_channels).max(initial=0) > 1:
        raise InputError("the kinds are not the channels of the network, each once")
    if network.capacities is not None:
        capacity = network.capacities[channels]
        if not (capacity == capacity[:1]).all():
            raise InputError("channels of one kind differ in capacity")
    return kinds


def _are_all(numbers: Longs, count: int) -> bool:
    """Return whether some numbers are those from 0 on, each once."""
    is_there = np.zeros(count, dtype=bool)
    if len(numbers) != count or (numbers < 0).any() or (numbers >= count).any():
        return False
    is_there[numbers] = True
    return bool(is_there.all())


def _reach_all(moves: Ints) -> bool:
    """Return whether moves of routers, there and back, lead from router 0 to every router, in any number."""
    labels = np.arange(moves.shape[1], dtype=np.int32)
    # Routers that moves exchange have one label in the end: the least of their orbit. A router takes the least label
    # within 2, 4, 8, ... moves. If that changes nothing, all labels along the move are equal.
    while True:
        before = labels
        for move in moves:
            power = move
            while not np.array_equal(labels, lower := np.minimum(labels, labels.take(power))):
                labels, power = lower, power.take(power)
            labels = labels.take(labels)
        if np.array_equal(labels, before):
            return not labels.any()
