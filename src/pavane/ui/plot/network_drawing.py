"""A network on paper, in inches: its links, its routers with their names, its processors, and paths along its links."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Ints, Reals
from pavane.model.network import Network
from pavane.model.schedule import Transfer
from pavane.networks.positions import positions_of
from pavane.ui.plot.figures import COLOURS, INK, LINK, PAPER, WRONG
from pavane.ui.plot.link_shapes import arrow_head, beside, link_lines, nearest_distance, trimmed
from pavane.ui.plot.sketch import Label, Line, Pen, Point, Rim, Sketch

MOST_NAMES = 64
"""Names of routers are written up to this many; above that they would hide the network."""

THIN, WIDE = 0.8, 4.0
"""The widths of lines for a capacity of one and for the largest, where in proportion they would be wider."""

ASIDE = 0.35
"""How far beside a link, in radii of routers, what goes one way is drawn."""

PARALLEL = 0.5
"""How far apart parallel links are drawn, in radii of routers."""

LINE_ROOM = 0.02
"""Inches between a bowed link and the edge of the picture: otherwise half of its width is cut off."""

LETTER_WIDTH = 0.62
"""The width of a letter by its height; measured on names in digits and small letters, with room to spare."""

LEAST_LETTERS = 7.0
"""Names inside routers have this many points at least; smaller ones stand below their routers."""

LEAST_NUMBERS = 5.0
"""Numbers of processors have this many points at least; smaller ones are left out, and a legend has them."""

DOT = 0.55
"""The radius of a processor's dot at a router that has several, in radii of routers."""

SIDES = {
    "below": (1.5 * math.pi, 0.9),
    "above": (0.5 * math.pi, 0.9),
    "right": (0.0, 0.5),
    "left": (math.pi, 0.5),
}
"""Where a name may stand beside its router, in the order of preference: the direction, and the angle to either side of
it in which no link should leave; names are wider than high."""

Look = tuple[str, str]
"""The colour and the style of the lines of an origin."""

PLAIN = Rim(PAPER, INK)


class Lanes:
    """Where the transfers of a step that go from one router to the next together are drawn, side by side."""

    def __init__(self, network: Network, transfers: Sequence[Transfer]) -> None:
        self._ends = network.channels
        used = Counter(self._link(channel) for transfer in transfers for channel in transfer.path)
        self._width = min(1.0, 2.4 / max(used.values(), default=1))
        self._taken: Counter[tuple[int, int]] = Counter()

    def _link(self, channel: int) -> tuple[int, int]:
        return int(self._ends[channel, 0]), int(self._ends[channel, 1])

    def taken(self, path: tuple[int, ...]) -> list[float]:
        """Take a lane on each channel of a path; return how far aside they are, the first by one."""
        links = [self._link(channel) for channel in path]
        lanes = [1 + self._width * self._taken[link] for link in links]
        self._taken.update(links)
        return lanes


class NetworkDrawing:
    """Where everything of a network is drawn, in inches from the lower left corner of its panel."""

    def __init__(self, network: Network, side: float, letters: float) -> None:
        self.network, self.letters = network, letters
        self.is_fat = any(len(processors) > 1 for processors in network.processors_on)
        self.radius = side * _radius(network, positions_of(network))
        self.has_names = network.num_routers <= MOST_NAMES
        widest = 2 * 72 * self.radius
        fitting = [widest * min(0.62, 0.92 / (LETTER_WIDTH * max(1, len(name)))) for name in network.routers]
        is_inside = [size >= LEAST_LETTERS for size in fitting]
        self._inside_size = min([letters + 1, *(size for size in fitting if size >= LEAST_LETTERS)])
        at = side * positions_of(network)
        self._pairs = [(a, b) for a, b in dict.fromkeys(_pair(*ends) for ends in network.channels.tolist())]
        lines = link_lines(at, np.array(self._pairs, dtype=np.int32).reshape(-1, 2), self.radius)
        self._lines = dict(zip(self._pairs, lines, strict=True))
        self.at: Reals = at
        self._sides = [
            self._name_side(router) if self.has_names and not inside else "" for router, inside in enumerate(is_inside)
        ]
        corner, top = self._extent(lines)
        self.width, self.height = (top - corner).tolist()
        self.at = at - corner
        self._lines = {pair: _moved(line, (-corner[0], -corner[1])) for pair, line in self._lines.items()}
        self._along = cache(self._channel_line)

    def _extent(self, lines: Sequence[Line]) -> tuple[Reals, Reals]:
        """Return the lower left and the upper right corner of what is drawn."""
        margin = self.radius * (1 + 2 * DOT if self.is_fat else 1.0) + 0.04
        drawn = [self.at - margin, self.at + margin]
        drawn += [np.asarray(line) + aside for line in lines for aside in (-LINE_ROOM, LINE_ROOM)]
        for router, side in enumerate(self._sides):
            if side:
                half, high = LETTER_WIDTH * self.letters * len(self.network.routers[router]) / 144, self.letters / 72
                across = {"right": (0.0, 2 * half), "left": (-2 * half, 0.0)}.get(side, (-half, half))
                up = {"below": (-1.3 * high, 0.0), "above": (0.0, 1.3 * high)}.get(side, (-high / 2, high / 2))
                place = self._name_place(router)
                drawn.append(
                    np.array([(place[0] + across[0], place[1] + up[0]), (place[0] + across[1], place[1] + up[1])])
                )
        corners = np.concatenate(drawn)
        return corners.min(axis=0), corners.max(axis=0)

    def _name_side(self, router: int) -> str:
        """Return the side of a router on which its name covers no link: below it where that is free."""
        links = self._directions(router)
        free = {
            side: min((abs((angle - link + math.pi) % math.tau - math.pi) for link in links), default=math.pi) / needed
            for side, (angle, needed) in SIDES.items()
        }
        return next((side for side, gap in free.items() if gap > 1), max(free, key=lambda side: free[side]))

    def _name_place(self, router: int) -> Point:
        """Return where the name of a router begins, on its side."""
        angle, far = SIDES[self._sides[router]][0], self.radius + 0.03
        return float(self.at[router, 0] + far * math.cos(angle)), float(self.at[router, 1] + far * math.sin(angle))

    def _directions(self, router: int) -> list[float]:
        """Return the directions in which links leave a router."""
        found = []
        for tail, head in self._ends_at[router]:
            (x, y), (ax, ay) = self._line(router, tail + head - router)[:2]
            found.append(math.atan2(ay - y, ax - x))
        return found

    @cached_property
    def _ends_at(self) -> list[list[tuple[int, int]]]:
        """The links of each router."""
        ends: list[list[tuple[int, int]]] = [[] for _ in range(self.network.num_routers)]
        for pair in self._pairs:
            for router in pair:
                ends[router].append(pair)
        return ends

    def _line(self, tail: int, head: int) -> Line:
        """Return the line of a link from one of its routers to the other."""
        line = self._lines[_pair(tail, head)]
        return line if tail < head else line[::-1]

    def _channel_line(self, channel: int, lane: float, first: float, last: float) -> Line:
        """Return the line of a channel to the right of its link; `first` and `last` are radii that are left out."""
        tail, head = self.network.channels[channel].tolist()
        line = beside(self._line(tail, head), self.radius * ASIDE * lane)
        return trimmed(line, first * self.radius, last * self.radius)

    def add_links(self, sketch: Sketch, corner: Point) -> None:
        """Add the links, as wide as their capacities; those of one direction have a head."""
        if self.network.capacities is not None:
            self._add_capacities(sketch, corner)
            return
        ways = Counter(tuple(ends) for ends in self.network.channels.tolist())
        for low, high in self._pairs:
            forth, back = ways[low, high], ways[high, low]
            count = max(forth, back)
            for number in range(count):
                tail, head = (low, high) if forth >= back else (high, low)
                line = beside(self._line(tail, head), self.radius * PARALLEL * (number - (count - 1) / 2))
                self._add_link(sketch, corner, line, THIN, has_head=number >= min(forth, back))

    def _add_capacities(self, sketch: Sketch, corner: Point) -> None:
        """Add links as wide as their capacities; where the two ways differ, each beside the link with a head."""
        carried = carried_between(self.network)
        # Many lines of the same width are clearer as thin ones.
        most = max(carried.values()) if len(set(carried.values())) > 1 else 0
        for (tail, head), capacity in carried.items():
            back = carried.get((head, tail))
            if back == capacity and tail > head:
                continue  # both ways alike: one line in the middle
            width = float(line_widths(np.array([capacity]), most)[0]) if most else THIN
            line = beside(self._line(tail, head), self.radius * ASIDE if back not in (None, capacity) else 0.0)
            self._add_link(sketch, corner, line, width, has_head=back != capacity)

    def _add_link(self, sketch: Sketch, corner: Point, line: Line, width: float, *, has_head: bool) -> None:
        shown = trimmed(line, 0.8 * self.radius, (1.0 if has_head else 0.8) * self.radius)
        sketch.link(Pen(LINK, width), _moved(shown, corner))
        if has_head:
            long = min(0.12, max(0.8 * self.radius, 0.05))
            sketch.head(LINK, _moved(arrow_head(shown, long, 0.4 * long), corner))

    def add_routers(self, sketch: Sketch, corner: Point, look_of: Mapping[int, Look] | None = None) -> None:
        """Add routers and processors, with the look of their messages where one is given; squares have no processor.

        Of a fat network each processor is a dot with its number.
        """
        looks = look_of or {}
        for router, (x, y) in enumerate((self.at + corner).tolist()):
            own, name = self.network.processors_on[router], self.network.routers[router]
            rim = rim_of(looks[own[0]]) if own and not self.is_fat and own[0] in looks else PLAIN
            (sketch.circle if own else sketch.square)((x, y), self.radius, rim)
            if self.is_fat:
                self._add_processors(sketch, router, (x, y), looks)
            if self._sides[router]:
                place = self._name_place(router)
                at = place[0] + corner[0], place[1] + corner[1]
                sketch.labels.append(Label(at, name, self.letters, INK, self._sides[router]))
            elif self.has_names:
                weight = "normal" if rim.face == PAPER else "bold"
                sketch.labels.append(Label((x, y), name, self._inside_size, rim.ink, weight=weight))

    def _add_processors(self, sketch: Sketch, router: int, place: Point, looks: Mapping[int, Look]) -> None:
        own = self.network.processors_on[router]
        angles, radius = self._dots(router, len(own))
        size = self._number_size(radius)
        for processor, angle in zip(own, angles, strict=True):
            far = self.radius + 0.8 * radius
            x, y = place[0] + far * math.cos(angle), place[1] + far * math.sin(angle)
            rim = rim_of(looks[processor]) if processor in looks else PLAIN
            sketch.circle((x, y), radius, rim._replace(width=min(rim.width, 1.2), style="-"))
            if self.has_numbers:
                sketch.labels.append(Label((x, y), str(processor), size, rim.ink))

    def _number_size(self, radius: float) -> float:
        """Return the letters of a processor's number in a dot of a radius."""
        digits = len(str(self.network.num_processors - 1))
        return min(self.letters, 2 * 72 * radius * min(0.7, 0.9 / (LETTER_WIDTH * digits)))

    @cached_property
    def has_numbers(self) -> bool:
        """Whether the processors of a fat network have their numbers: there is room in every dot."""
        counts = map(len, self.network.processors_on)
        radii = [self._dots(router, count)[1] for router, count in enumerate(counts) if count]
        return self.is_fat and self.has_names and self._number_size(min(radii)) >= LEAST_NUMBERS

    def _dots(self, router: int, count: int) -> tuple[list[float], float]:
        """Return the directions of a router's processors, in the widest gap between its links, and their radius."""
        taken, radius = self._directions(router), DOT * self.radius
        if self._sides[router]:
            direction, angle = SIDES[self._sides[router]]
            taken += [direction - angle, direction, direction + angle]
        bounds = sorted({round(angle % math.tau, 6) for angle in taken}) or [0.0]
        ends = [*bounds[1:], bounds[0] + math.tau]
        gap, start = max((after - before, before) for before, after in zip(bounds, ends, strict=True))
        apart = 2.1 * radius / (self.radius + 0.8 * radius)
        if apart * (count + 0.6) <= gap:
            middle = start + gap / 2
            return [middle - apart * (number - (count - 1) / 2) for number in range(count)], radius
        # No gap is wide enough: all around, clockwise from the top.
        radius = min(radius, 0.9 * math.pi * self.radius / max(count, 1))
        return [math.pi / 2 - math.tau * (number + 0.5) / count for number in range(count)], radius

    def add_paths(self, sketch: Sketch, corner: Point, transfers: Sequence[Transfer], looks: Sequence[Look]) -> None:
        """Add paths to the right of their links, as on a road, with a head at each end."""
        lanes, wide = Lanes(self.network, transfers), 1.3 if self.radius < 0.1 else 1.7
        for transfer, (colour, style) in zip(transfers, looks, strict=True):
            path, pen = transfer.path, Pen(colour, wide * (1 if len(transfer.messages) == 1 else 1.6), style)
            for index, (channel, lane) in enumerate(zip(path, lanes.taken(path), strict=True)):
                is_last = index == len(path) - 1
                line = _moved(self._along(channel, lane, 0.9 if index == 0 else 0.6, 1.0 if is_last else 0.6), corner)
                if is_last:
                    long = min(0.14, 0.75 * self.radius)
                    sketch.head(colour, arrow_head(line, long, 0.42 * long))
                    line = trimmed(line, 0.0, 0.8 * long)  # no line beside the tip
                sketch.path(pen, line)

    def add_busy(self, sketch: Sketch, corner: Point, channels: Ints) -> None:
        """Add channels, as often as they are used in a step, each to the right of its link; wider for more."""
        busy, loads = np.unique(channels, return_counts=True)
        widths = 0.75 * line_widths(loads, int(self.network.capacity.max()))
        for channel, width in zip(busy.tolist(), widths.tolist(), strict=True):
            sketch.path(Pen(COLOURS[0], width), _moved(self._along(channel, 1.0, 0.9, 0.9), corner))

    def add_conflicts(self, sketch: Sketch, corner: Point, channels: Iterable[int]) -> None:
        """Add channels at which a rule is broken, in red above what runs on them."""
        for channel in sorted(channels):
            sketch.path(Pen(WRONG, 2.6, ":"), _moved(self._along(channel, 1.0, 0.9, 0.9), corner))


def rim_of(look: Look) -> Rim:
    """Return how the router of an origin looks: filled with its colour, or where its lines are dashed so is its rim."""
    colour, style = look
    return Rim(colour, INK, ink=PAPER) if style == "-" else Rim(PAPER, colour, 2.0, style)


def panel_side(network: Network, letters: float, least: float, most: float) -> float:
    """Return how many inches a network needs so that the names of its routers can be read."""
    if network.num_routers > MOST_NAMES:
        return least
    at = positions_of(network)
    longest = max(map(len, network.routers), default=1)
    inside = LETTER_WIDTH * LEAST_LETTERS * max(longest, 2) / 0.9 / 144 / _radius(network, at)
    beside = LETTER_WIDTH * letters * longest / 72 / nearest_distance(at)
    return min(most, max(least, min(inside, beside) if longest > 2 else inside))


def carried_between(network: Network) -> Counter[tuple[int, int]]:
    """Return what the channels from each router to each other carry in a step, parallel ones together."""
    carried: Counter[tuple[int, int]] = Counter()
    for (tail, head), capacity in zip(network.channels.tolist(), network.capacity.tolist(), strict=True):
        carried[tail, head] += capacity
    return carried


def line_widths(loads: npt.NDArray[np.integer], most: int) -> Reals:
    """Return the width of the line for each load or capacity, where `most` is the largest of all."""
    slope = min(THIN, (WIDE - THIN) / max(most - 1, 1))
    return np.asarray(THIN + slope * (loads - 1))


def _radius(network: Network, at: Reals) -> float:
    """Return a radius, in the unit square, at which neighbouring routers and their processors do not touch."""
    share = 0.22 if any(len(processors) > 1 for processors in network.processors_on) else 0.3
    return min(0.06 if network.num_routers <= 8 else 0.048, max(0.004, share * nearest_distance(at)))


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _moved(line: Line, corner: Point) -> Line:
    return [(x + corner[0], y + corner[1]) for x, y in line]
