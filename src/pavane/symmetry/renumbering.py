"""Renumberings of a problem: schedules and certificates under other numbers of routers, processors and channels.

Translated schedules and certificates are verified by their users, so nothing here has to be trusted. Numbers out of
range raise ValueError.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.channel_kinds import grid_translations
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

ONE = {"router": "routers"} | dict.fromkeys(("origin", "from", "to", "processor", "sender", "receiver"), "processors")
"""The keys of certificates that name one router or processor."""

SETS = {"routers": "routers", "senders": "processors", "kinds": "channels"}
"""The keys of certificates that list routers, processors or channels."""

SETS_OF_ROUTERS = ("blocks", "joining", "classes")
"""The keys of certificates that list sets of routers."""

PRICES = {"channels": "channels", "injection": "processors", "ejection": "processors"}
"""The keys of certificates that put prices on channels or on ports of processors."""


@dataclass(frozen=True, eq=False)
class Renumbering:
    """New numbers for a problem: entry i is the new number of i."""

    routers: Longs
    processors: Longs
    channels: Longs
    list_messages: Callable[[], Longs]

    @classmethod
    def of(cls, problem: Problem, routers: Longs, processors: Longs, channels: Longs) -> Renumbering:
        """Add the new numbers of messages: their order by labels with the new numbers of processors."""

        def messages() -> Longs:
            labels = problem.labels.astype(np.int64)
            labels[:, : problem.ends.shape[1]] = processors[problem.ends]
            numbers = np.empty(len(labels), dtype=np.int64)
            numbers[np.lexsort(labels.T[::-1])] = np.arange(len(labels))
            return numbers

        return cls(routers, processors, channels, messages)

    @cached_property
    def messages(self) -> Longs:
        """The new numbers of messages; there may be millions, so they are computed when first needed."""
        return self.list_messages()

    def back(self) -> Renumbering:
        """Return the renumbering that undoes this one."""
        routers, processors, channels = (np.argsort(image) for image in (self.routers, self.processors, self.channels))
        return Renumbering(routers, processors, channels, lambda: np.argsort(self.messages))

    def schedule(self, schedule: Schedule) -> Schedule:
        """Return a schedule under the new numbers."""
        return schedule.with_columns(
            senders=self._locations(schedule.senders),
            receivers=self._locations(schedule.receivers),
            path_channels=_take(self.channels, schedule.path_channels),
            messages=_take(self.messages, schedule.messages),
        )

    def _locations(self, locations: npt.NDArray[np.integer]) -> Longs:
        """Renumber processors, and pure switches, which are written as ~router."""
        is_switch = locations < 0
        others = locations.astype(np.int64)
        others[~is_switch] = _take(self.processors, others[~is_switch])
        others[is_switch] = ~_take(self.routers, ~others[is_switch])
        return others

    def bound(self, bound: Bound) -> Bound:
        """Return a bound whose certificate has the new numbers."""
        listed = bound.certificate
        if "sizes" in listed:
            # Routers are not numbered row by row any more, so that what a grid shows is listed.
            listed = listed | {"translations": grid_translations(listed["sizes"]).tolist()}
            del listed["sizes"]
        certificate = {key: self._part(key)(value) for key, value in listed.items()}
        return Bound(bound.steps, bound.argument, certificate, bound.exact)

    def _part(self, key: str) -> Callable[[Any], Any]:
        """Return a function that renumbers the entry of a certificate with a key; plain figures stay as they are."""
        if key in PRICES:
            image: Longs = getattr(self, PRICES[key])
            return lambda groups: [[price, *_numbers(image, members)] for price, *members in groups]
        if key in SETS_OF_ROUTERS:
            return lambda sets: [_numbers(self.routers, routers) for routers in sets]
        if key == "translations":
            return lambda moves: [self._conjugate(move) for move in moves]
        if key in SETS:
            listed: Longs = getattr(self, SETS[key])
            return lambda numbers: _numbers(listed, numbers)
        if key in ONE:
            numbers_of: Longs = getattr(self, ONE[key])
            return lambda number: _numbers(numbers_of, [number])[0]
        return lambda figure: figure

    def _conjugate(self, translation: Any) -> list[int]:
        """Return a translation under the new numbers of routers."""
        images = _take(self.routers, np.array(translation, dtype=np.int64))
        if len(images) != len(self.routers):
            raise ValueError(f"its certificate has a translation that is not of {len(self.routers):,} routers")
        moved: Longs = np.empty_like(images)
        moved[self.routers] = images
        listed: list[int] = moved.tolist()
        return listed


def _take(image: Longs, numbers: npt.NDArray[np.integer]) -> Longs:
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(image):
        raise ValueError(f"it has a number that is not below {len(image):,}")
    new_numbers: Longs = image[numbers]
    return new_numbers


def _numbers(image: Longs, numbers: Any) -> list[int]:
    """Renumber a list of a certificate and sort it, as bounds do."""
    listed = list(numbers)
    if not all(type(number) is int and 0 <= number < len(image) for number in listed):
        raise ValueError(f"its certificate has a number that is not below {len(image):,}")
    return sorted(image[listed].tolist()) if listed else []
