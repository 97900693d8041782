"""Validation of network data; reports the first error, in one line."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.arrays import Ints, Reals
from pavane.model.grid import Grid


def check_name(name: object) -> None:
    """Refuse a name that could end the line that it is printed on, or do something to a terminal."""
    if not isinstance(name, str) or not name.isprintable():
        raise InputError(f"the network's name {name!r:.80} is not printable text; rename the network")


def check_routers(name: str, routers: tuple[str, ...]) -> None:
    """Refuse a network without routers, and routers whose names are alike or cannot be printed."""
    if not routers:
        raise InputError(f"network {name}: it has no routers; give at least one")
    if len(set(routers)) < len(routers):
        seen: set[str] = set()
        double = next(r for r in routers if r in seen or seen.add(r))  # type: ignore[func-returns-value]
        raise InputError(f"network {name}: two routers are named {double!r}; give each its own name")
    for router in routers:
        if not isinstance(router, str) or not router or not router.isprintable():
            raise InputError(f"network {name}: router name {router!r} is empty or not printable; rename that router")


def check_channels(name: str, routers: tuple[str, ...], channels: Ints) -> None:
    """Refuse channels between routers that do not exist, and from a router to itself."""
    bad = np.flatnonzero(((channels < 0) | (channels >= len(routers))).any(axis=1))
    if len(bad):
        tail, head = channels[bad[0]].tolist()
        raise InputError(
            f"network {name}: channel {bad[0]} runs from router {tail} to {head}, "
            f"but routers are numbered 0 to {len(routers) - 1}"
        )
    loops = np.flatnonzero(channels[:, 0] == channels[:, 1])
    if len(loops):
        router = routers[channels[loops[0], 0]]
        raise InputError(f"network {name}: channel {loops[0]} runs from router {router} to itself; leave it out")


MOST_CAPACITY = 1_000_000
"""The most that one channel carries in a step; ratios of real links are far below."""


def check_capacities(name: str, num_channels: int, capacities: Iterable[int] | npt.NDArray[np.integer]) -> Ints | None:
    """Return capacities as a read-only column, or None if all are 1; refuse invalid ones."""
    try:
        column = np.array(capacities if isinstance(capacities, np.ndarray) else list(capacities))
    except (ValueError, TypeError, OverflowError):
        column = np.array(None)  # of a shape that is refused below
    if column.shape != (num_channels,):
        given = f"{column.size} were given" if column.ndim == 1 else "something else was given"
        raise InputError(f"network {name}: capacities are one number per channel, {num_channels} in all; {given}")
    if column.dtype.kind == "O" and all(isinstance(each, (int, float)) for each in column):
        column = column.astype(np.float64)  # a number beyond 64 bits, which is refused below
    if column.size and column.dtype.kind not in "iuf":
        raise InputError(f"network {name}: capacities are whole numbers from 1 up, one per channel")
    if column.dtype.kind == "f":
        broken = np.flatnonzero(column != np.floor(column))
        if len(broken):
            raise InputError(
                f"network {name}: channel {broken[0]} has capacity {column[broken[0]]:g}, which is not whole; "
                f"{_whole_advice(column)}"
            )
    wrong = np.flatnonzero(~((column >= 1) & (column <= MOST_CAPACITY)))
    if len(wrong):
        raise InputError(
            f"network {name}: channel {wrong[0]} has capacity {column[wrong[0]]:.12g}; give whole numbers from 1 to "
            f"{MOST_CAPACITY:,}, and leave channels out that carry nothing"
        )
    if (column == 1).all():
        return None
    if column.sum(dtype=np.int64) >= 2**31:
        raise InputError(f"network {name}: its capacities add up to more than 2,147,483,647; divide all by a number")
    small = column.astype(np.int32)
    small.flags.writeable = False
    return small


def _whole_advice(capacities: npt.NDArray[np.floating]) -> str:
    """Return the advice by which number to multiply, if a small one makes all of them whole."""
    for factor in (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 40, 50, 80, 100, 1000):
        times = capacities * factor
        if np.isfinite(times).all() and np.allclose(times, np.rint(times), rtol=0, atol=1e-6):
            return f"multiply all by {factor}"
    return "multiply all by a number that makes them whole"


def check_processors(name: str, num_routers: int, router_of: Ints) -> None:
    """Refuse processors on routers that do not exist."""
    stray = np.flatnonzero((router_of < 0) | (router_of >= num_routers))
    if len(stray):
        raise InputError(
            f"network {name}: processor {stray[0]} is on router {router_of[stray[0]]}, "
            f"but routers are numbered 0 to {num_routers - 1}"
        )


def check_positions(name: str, num_routers: int, positions: Reals) -> None:
    """Refuse positions that are not x and y of every router."""
    if positions.shape != (num_routers, 2) or not np.isfinite(positions).all():
        raise InputError(f"network {name}: positions must be {num_routers} pairs of finite numbers, one per router")


def check_boxes(name: str, num_routers: int, boxes: Ints) -> None:
    """Refuse boxes that are not a number for each router, -1 for what is in none."""
    if boxes.shape != (num_routers,) or (boxes.size and boxes.min() < -1):
        raise InputError(
            f"network {name}: boxes must be {num_routers} whole numbers, the machine of each router, or -1 for a "
            "switch between machines"
        )


def check_grid(name: str, num_routers: int, channels: Ints, grid: Grid) -> None:
    """Refuse a grid that the network is not."""
    if not grid.fits(num_routers, channels):
        sizes = "x".join(map(str, grid.sizes))
        raise InputError(
            f"network {name}: it is said to be a grid of sizes {sizes}, but it does not have {grid.num_routers} "
            "routers with channels between neighbours alone; leave the grid out"
        )
