"""Broadcasts of which one message of each orbit is scheduled; symmetries carry its transfers over to the others.

A cyclic group of symmetries takes senders to senders and receivers to receivers. Where it moves a sender, the messages
of an orbit of senders have the same tree, each at its own place. Where t members of the group do not move a sender, t
pieces of its message form an orbit. So a broadcast from one processor in 8 pieces is 2 pieces under the turns of a
hypercube of 16 routers.

All messages of an orbit travel in the same steps. What they use of a unit of capacity together is what one of them uses
of all units of the unit's orbit, as many times as members of the group keep the unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.messages import Collective
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.symmetry.automorphisms import random_automorphisms
from pavane.symmetry.involutions import Symmetry

MOST_ROUTERS = 128
"""Above this symmetries take longer to find than they save."""

NUM_TRIES = 60
"""How many random automorphisms are looked for; half of those that exist would suffice."""


@dataclass(frozen=True, eq=False)
class MessageOrbits:
    """A broadcast and a group of its symmetries, the identity first."""

    problem: Problem
    group: tuple[Symmetry, ...]

    @cached_property
    def images(self) -> Longs:
        """Where each member takes each processor."""
        return np.stack([symmetry.processors for symmetry in self.group])

    @cached_property
    def num_keeping(self) -> int:
        """The members that keep a sender; 0 where that is not the same number for all senders."""
        senders = np.array(self.problem.collective.senders, dtype=np.int64)
        keeping = np.unique((self.images[:, senders] == senders).sum(axis=0))
        return int(keeping[0]) if len(keeping) == 1 else 0

    @cached_property
    def unit_images(self) -> Longs:
        """Where each member takes each unit of capacity: of channels, injections and ejections."""
        network, units = self.problem.network, self.problem.units
        ports = network.num_channels + self.images
        channels = [units[symmetry.channels] for symmetry in self.group]
        return np.hstack([np.stack(channels), ports, network.num_processors + ports])

    @cached_property
    def unit_of(self) -> Longs:
        """The unit that stands for the orbit of each unit."""
        first: Longs = self.unit_images.min(axis=0)
        return first

    @cached_property
    def num_uses(self) -> Longs:
        """How many images of one use of a unit are uses of the same unit."""
        uses: Longs = (self.unit_images == self.unit_images[0]).sum(axis=0)
        return uses

    @property
    def is_usable(self) -> bool:
        """Whether messages fall into orbits as large as the group, and every unit has room for the images of a use."""
        collective, network = self.problem.collective, self.problem.network
        if collective.sizes or not self.num_keeping or collective.pieces % self.num_keeping:
            return False
        room = np.concatenate((network.capacity, self.problem.injection, self.problem.ejection))
        return bool((room >= self.num_uses).all())

    @cached_property
    def part(self) -> Problem:
        """The problem of one message of each orbit."""
        collective = self.problem.collective
        senders = tuple(sorted({int(self.images[:, sender].min()) for sender in collective.senders}))
        kind = collective.kind if len(senders) == len(collective.senders) else "MNB"
        pieces = collective.pieces // self.num_keeping
        return replace(self.problem, collective=Collective(kind, senders, collective.receivers, pieces=pieces))

    def whole(self, schedule: Schedule) -> Schedule:
        """Carry a schedule of one message of each orbit over to all messages."""
        return Schedule.from_transfers(
            Transfer(
                transfer.step,
                _image(symmetry, transfer.sender),
                _image(symmetry, transfer.receiver),
                tuple(symmetry.channels[list(transfer.path)].tolist()),
                (self._message(transfer.messages[0], number),),
            )
            for transfer in schedule
            for number, symmetry in enumerate(self.group)
        )

    def _message(self, message: int, number: int) -> int:
        """Return the message to which a member of the group takes a message of the part.

        Members that take the sender to the same processor take its pieces to different ones.
        """
        sender, *piece = self.part.labels[message].tolist()
        images = self.images[:, sender]
        first = int((images[:number] == images[number]).sum())
        label = [int(images[number]), self.num_keeping * (piece[0] if piece else 0) + first]
        (whole,) = self.problem.message_numbers(np.array(label[: self.problem.labels.shape[1]])).tolist()
        return int(whole)


def _image(symmetry: Symmetry, location: int) -> int:
    return int(symmetry.processors[location] if location >= 0 else ~symmetry.routers[~location])


@lru_cache(maxsize=8)
def message_orbits(problem: Problem) -> tuple[MessageOrbits, ...]:
    """Return orbits of the messages of a broadcast under cyclic groups, one group of each order, the largest first."""
    if problem.pattern != "broadcast" or problem.rules.has_slots or problem.network.num_routers > MOST_ROUTERS:
        return ()
    orbits: dict[int, MessageOrbits] = {}
    for powers in _cyclic_groups(problem):
        for step in range(1, len(powers)):
            if len(powers) % step == 0 and len(powers) // step not in orbits:
                some = MessageOrbits(problem, powers[::step])
                if some.is_usable:
                    orbits[len(powers) // step] = some
    return tuple(orbits[order] for order in sorted(orbits, reverse=True))


def _cyclic_groups(problem: Problem) -> Iterator[tuple[Symmetry, ...]]:
    """Yield the powers of random symmetries, each from the identity on."""
    network, collective = problem.network, problem.collective
    roles = [
        np.bincount(network.router_of[list(some)], minlength=network.num_routers)
        for some in (collective.senders, collective.receivers)
    ]
    identity = Symmetry.of(problem, np.arange(network.num_routers))
    for routers in random_automorphisms(network, np.random.default_rng(0), NUM_TRIES, roles):
        symmetry = Symmetry.of(problem, routers)
        if identity is None or symmetry is None:
            continue
        powers = [identity]
        while not np.array_equal((following := powers[-1].then(symmetry)).routers, identity.routers):
            powers.append(following)
        yield tuple(powers)
