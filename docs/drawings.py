"""The figures of the documentation, drawn as SVG text from the positions of networks and from real schedules.

Colours are those of Okabe and Ito, which people with any kind of colour vision can distinguish. Nothing here depends on
the clock or the machine, so the same figure is the same text.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from pavane import (
    Network,
    Problem,
    Result,
    Rules,
    Schedule,
    Transfer,
    allgather,
    alltoall,
    bisection,
    broadcast,
    network,
    pairs,
    solve,
    verify,
)
from pavane.io import read_network
from pavane.model.collectives import named
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.networks import FAMILIES
from pavane.networks.layout import circle
from pavane.ui.plot.figures import write_figure
from pavane.ui.plot.loads import plot_load
from pavane.ui.plot.networks import plot_schedule

Point = tuple[float, float]

INK, MUTED, FAINT, PAPER = "#222222", "#767676", "#c8c8c8", "#ffffff"
BLUE, ORANGE, GREEN, RED, PINK, SKY, BLACK = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#000000",
)
SENDERS = (BLUE, ORANGE, GREEN, RED, PINK, SKY, BLACK)
"""The colour of each sender, in turn."""

RADIUS = 15.0
"""Of a router with its name in it."""

ASIDE = 5.5
"""Transfers keep so far to the right of the line between two routers, as on a road."""


class Drawing:
    """An SVG under construction."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" '
            f'width="{_n(width)}" height="{_n(height)}" role="img" font-family="Helvetica, Arial, sans-serif">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_n(width)}" height="{_n(height)}" fill="{PAPER}"/>',
        ]

    def line(
        self, points: Iterable[Point], colour: str, width: float = 1.5, dashes: str = "", *, fill: str = "none"
    ) -> None:
        """Draw a line through points; with a fill, an area."""
        where = "M" + " L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self.path(where, colour, width, dashes, fill=fill)

    def path(self, where: str, colour: str, width: float = 1.5, dashes: str = "", *, fill: str = "none") -> None:
        """Draw an SVG path."""
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(
            f'<path d="{where}" fill="{fill}" stroke="{colour}" stroke-width="{_n(width)}" '
            f'stroke-linejoin="round" stroke-linecap="round"{dashed}/>'
        )

    def circle(self, place: Point, radius: float, fill: str = PAPER, colour: str = INK, width: float = 1.5) -> None:
        """Draw a circle."""
        self.parts.append(
            f'<circle cx="{_n(place[0])}" cy="{_n(place[1])}" r="{_n(radius)}" fill="{fill}" '
            f'stroke="{colour}" stroke-width="{_n(width)}"/>'
        )

    def box(self, place: Point, width: float, height: float, fill: str = PAPER, colour: str = INK) -> None:
        """Draw a box with rounded corners around a point."""
        x, y = place[0] - width / 2, place[1] - height / 2
        self.parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="4" fill="{fill}" '
            f'stroke="{colour}" stroke-width="1.5"/>'
        )

    def text(
        self, place: Point, words: str, size: float = 13, colour: str = INK, anchor: str = "middle", weight: str = ""
    ) -> None:
        """Write words, their middle line at the place."""
        bold = f' font-weight="{weight}"' if weight else ""
        self.parts.append(
            f'<text x="{_n(place[0])}" y="{_n(place[1] + 0.35 * size)}" font-size="{_n(size)}" fill="{colour}" '
            f'text-anchor="{anchor}"{bold}>{escape(words)}</text>'
        )

    def arrow(self, points: Sequence[Point], colour: str, width: float = 2.5, dashes: str = "") -> None:
        """Draw a line that ends in an arrowhead."""
        (x0, y0), (x, y) = points[-2], points[-1]
        length = math.hypot(x - x0, y - y0) or 1.0
        u, v = (x - x0) / length, (y - y0) / length
        back = (x - 8 * u, y - 8 * v)
        self.line([*points[:-1], back], colour, width, dashes)
        wings = [(back[0] - 4.5 * v, back[1] + 4.5 * u), (back[0] + 4.5 * v, back[1] - 4.5 * u)]
        self.line([(x, y), *wings, (x, y)], colour, 1, fill=colour)

    def finished(self) -> str:
        """Return the SVG."""
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def _n(value: float) -> str:
    """Write a number shortly."""
    return f"{value:.1f}".removesuffix(".0").replace("-0.0", "0")


def places_of(network: Network, left: float, top: float, width: float, height: float) -> list[Point]:
    """Fit the positions of a network into a box; routers without a position are placed on a circle."""
    positions = circle(network.num_routers) if network.positions is None else network.positions
    low, high = positions.min(axis=0), positions.max(axis=0)
    extent = np.maximum(high - low, 1e-9)
    scale = min(s for s in (width / extent[0], height / extent[1]))
    middle = (low + high) / 2
    return [
        (left + width / 2 + scale * float(x - middle[0]), top + height / 2 - scale * float(y - middle[1]))
        for x, y in positions
    ]


def draw_links(
    drawing: Drawing, network: Network, places: Sequence[Point], colour: str = FAINT, width: float = 1.5
) -> None:
    """Draw a line for each link or one-way channel; one that would run over a third router is bent."""
    seen = set()
    for tail, head in network.channels.tolist():
        ends = (min(tail, head), max(tail, head))
        if ends in seen:
            continue
        seen.add(ends)
        a, b = places[ends[0]], places[ends[1]]
        if any(_is_between(places[r], a, b) for r in range(network.num_routers) if r not in ends):
            bulge = 0.18
            middle = ((a[0] + b[0]) / 2 + bulge * (b[1] - a[1]), (a[1] + b[1]) / 2 - bulge * (b[0] - a[0]))
            where = f"M{_n(a[0])} {_n(a[1])} Q{_n(middle[0])} {_n(middle[1])} {_n(b[0])} {_n(b[1])}"
            drawing.path(where, colour, width)
        else:
            drawing.line([a, b], colour, width)


def _is_between(place: Point, a: Point, b: Point) -> bool:
    length = math.hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    u, v = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    along = (place[0] - a[0]) * u + (place[1] - a[1]) * v
    across = abs((place[0] - a[0]) * v - (place[1] - a[1]) * u)
    return across < 2 and 0 < along < length


def draw_routers(
    drawing: Drawing,
    network: Network,
    places: Sequence[Point],
    fill: Callable[[int], str] = lambda _: PAPER,
    radius: float = RADIUS,
) -> None:
    """Draw each router as a circle with its name."""
    for router, place in enumerate(places):
        filled = fill(router)
        drawing.circle(place, radius, filled)
        dark = filled in (BLUE, GREEN, RED, BLACK)
        drawing.text(place, network.routers[router], 13, PAPER if dark else INK, weight="bold")


def draw_transfer(
    drawing: Drawing, network: Network, places: Sequence[Point], transfer: Transfer, colour: str, dashes: str = ""
) -> None:
    """Draw a transfer along its path; it passes beneath the routers on its way and ends at the receiver's."""
    points: list[Point] = []
    last = len(transfer.path) - 1
    for hop, channel in enumerate(transfer.path):
        a, b = (places[r] for r in network.channels[channel].tolist())
        length = math.hypot(b[0] - a[0], b[1] - a[1])
        u, v = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        skip_start = RADIUS * 0.9 if hop == 0 else 0
        skip_end = RADIUS if hop == last else 0
        points.append((a[0] - ASIDE * v + skip_start * u, a[1] + ASIDE * u + skip_start * v))
        points.append((b[0] - ASIDE * v - skip_end * u, b[1] + ASIDE * u - skip_end * v))
    drawing.arrow(points, colour, 2.8, dashes)


def draw_step(
    drawing: Drawing,
    result: Result,
    step: int | None,
    box: tuple[float, float, float, float],
    heading: str,
    colour: Callable[[Transfer], str],
    fill: Callable[[int], str],
) -> None:
    """Draw the network with the transfers of one step, under a heading."""
    left, top, width, height = box
    net = result.problem.network
    places = places_of(net, left + 26, top + 44, width - 52, height - 70)
    drawing.text((left + width / 2, top + 14), heading, 15, weight="bold")
    draw_links(drawing, net, places)
    if step is not None:
        assert result.schedule is not None
        for number in result.schedule.of_step(step):
            transfer = result.schedule.transfer(number)
            draw_transfer(drawing, net, places, transfer, colour(transfer))
    draw_routers(drawing, net, places, fill)


def steps() -> str:
    """Draw a whole all-to-all on the ring of 5, step by step."""
    net = network("ring:5")
    result = solve(Problem(net, alltoall(net)))
    assert result.schedule is not None
    assert result.num_steps == 3, "the caption says three steps"
    drawing = Drawing(780, 300, "An all-to-all on a ring of 5 processors in three steps without conflicts")
    for step in range(3):
        count = len(result.schedule.of_step(step))
        draw_step(
            drawing,
            result,
            step,
            (260 * step, 8, 260, 250),
            f"step {step + 1}: {count} transfers",
            lambda transfer: SENDERS[transfer.sender],
            lambda router: SENDERS[router],
        )
    drawing.text((390, 278), "An arrow has the colour of its sender and points at its receiver.", 14, MUTED)
    return drawing.finished()


def spread() -> str:
    """Draw a broadcast on the octagon: the informed processors and the transfers."""
    net = network("octagon")
    result = solve(Problem(net, broadcast(net)))
    assert result.schedule is not None
    assert result.num_steps == 2, "the caption says two steps"
    heard = [{0}]
    for step in range(2):
        heard.append(heard[-1] | {result.schedule.transfer(i).receiver for i in result.schedule.of_step(step)})
    drawing = Drawing(780, 300, "A broadcast on the octagon in two steps")
    for panel in range(3):
        know = heard[max(panel - 1, 0)]
        words = "at the start: 1 knows" if panel == 0 else f"step {panel}: then {len(heard[panel])} know"
        draw_step(
            drawing,
            result,
            None if panel == 0 else panel - 1,
            (260 * panel, 8, 260, 250),
            words,
            lambda transfer: RED,
            lambda router: BLUE if router in know else PAPER,  # noqa: B023
        )
    drawing.circle((232, 279), 8, BLUE)
    drawing.text((248, 279), "has the message when the step begins", 14, MUTED, "start")
    return drawing.finished()


def conflict() -> str:
    """Draw two transfers that conflict in one step, and the schedule that parts them."""
    net = network("line:4")
    problem = Problem(net, pairs([(0, 2), (1, 3)]))
    both = Schedule.from_transfers([Transfer(0, 0, 2, (0, 2), (0,)), Transfer(0, 1, 3, (2, 4), (1,))])
    assert {v.rule for v in verify(problem, both)} == {"channel-capacity"}
    result = solve(problem)
    assert result.schedule is not None
    assert result.num_steps == 2, "the caption says two steps"
    drawing = Drawing(780, 250, "Two transfers that need the same channel must run in different steps")
    colour = {0: BLUE, 1: ORANGE}

    def row(top: float, left: float, transfers: Iterable[Transfer], apart: bool = False) -> list[Point]:
        places = [(left + 80 * router, top) for router in range(4)]
        draw_links(drawing, net, places)
        for transfer in transfers:
            nudge = 7 if apart and transfer.sender == 0 else 0
            shifted = [(x, y + nudge) for x, y in places]
            draw_transfer(drawing, net, shifted, transfer, colour[transfer.sender])
        draw_routers(drawing, net, places)
        return places

    drawing.text((195, 30), "one step: a conflict", 15, weight="bold")
    places = row(120, 75, both, apart=True)
    middle = (places[1][0] + places[2][0]) / 2
    drawing.path(f"M{_n(middle - 8)} 120 L{_n(middle + 8)} 138 M{_n(middle + 8)} 120 L{_n(middle - 8)} 138", RED, 3.5)
    drawing.text((195, 182), "0 to 2 and 1 to 3 both need the channel from 1 to 2.", 13, MUTED)
    drawing.text((605, 30), "two steps: no conflict", 15, weight="bold")
    for step in range(2):
        drawing.text((425, 80 + 70 * step), f"step {step + 1}", 13, MUTED, "start")
        row(80 + 70 * step, 490, [result.schedule.transfer(i) for i in result.schedule.of_step(step)])
    drawing.text((605, 205), "The same transfers, one after the other.", 13, MUTED)
    return drawing.finished()


def switching() -> str:
    """Draw one message under wormhole and under store-and-forward switching."""
    net = network("line:4")
    message = pairs([(0, 3)])
    drawing = Drawing(780, 270, "Wormhole covers a whole path in one step, store-and-forward one channel")

    def rows(left: float, rules: Rules, heading: str) -> None:
        result = solve(Problem(net, message, rules))
        assert result.schedule is not None
        drawing.text((left + 200, 30), heading, 15, weight="bold")
        for step in range(result.schedule.num_steps):
            top = 85 + 60 * step
            places = [(left + 90 + 80 * router, top) for router in range(4)]
            drawing.text((left + 18, top), f"step {step + 1}", 13, MUTED, "start")
            draw_links(drawing, net, places)
            held = set()
            for transfer in (result.schedule.transfer(i) for i in result.schedule.of_step(step)):
                draw_transfer(drawing, net, places, transfer, RED)
                held.add(transfer.sender)
            draw_routers(drawing, net, places, lambda router: BLUE if router in held else PAPER)  # noqa: B023

    rows(0, Rules(), "wormhole")
    rows(390, Rules(switching="store-and-forward"), "store-and-forward")
    drawing.circle((262, 250), 8, BLUE)
    drawing.text((278, 250), "holds the message when the step begins", 14, MUTED, "start")
    return drawing.finished()


def slots() -> str:
    """Draw the uses of two packets, in linear time and in a table of two slots."""
    net = Network("line", 3, [(0, 1), (1, 2)], router_of=[0, 1, 2, 2])
    problem = Problem(net, pairs([(0, 2), (1, 3)]), Rules("tdm", ports=1))
    packets = [Transfer(0, 0, 2, (0, 1), (0,)), Transfer(0, 1, 3, (1,), (1,))]
    assert not verify(problem, Schedule.from_transfers(packets, num_steps=2))
    units = ["injection 0", "injection 1", "channel 0>1", "channel 1>2", "ejection 2", "ejection 3"]
    uses = [[(0, 0), (2, 1), (3, 2), (4, 3)], [(1, 0), (3, 1), (5, 2)]]
    drawing = Drawing(780, 290, "Two packets in linear time, and in a table of two slots")

    def table(left: float, period: int, heading: str) -> None:
        drawing.text((left + 25 * period, 24), heading, 15, weight="bold")
        for slot in range(period):
            drawing.text((left + 25 + 50 * slot, 52), f"{slot}", 13, MUTED)
            for row in range(len(units)):
                drawing.box((left + 25 + 50 * slot, 80 + 34 * row), 46, 30, PAPER, FAINT)
        for colour, name, used in zip((BLUE, ORANGE), "AB", uses, strict=True):
            for row, slot in used:
                drawing.box((left + 25 + 50 * (slot % period), 80 + 34 * row), 46, 30, colour)
                drawing.text((left + 25 + 50 * (slot % period), 80 + 34 * row), name, 14, PAPER, weight="bold")

    for row, unit in enumerate(units):
        drawing.text((150, 80 + 34 * row), unit, 13, INK, "end")
    table(170, 4, "slots as they pass")
    table(480, 2, "the table, P = 2")
    drawing.text((620, 100), "A: from 0 to 2", 13, BLUE, "start")
    drawing.text((620, 130), "B: from 1 to 3", 13, ORANGE, "start")
    return drawing.finished()


def tables() -> str:
    """Draw a row of one router's table, the same row at other routers, and one hop of it at all routers."""
    side, gap, width = 5, 46.0, 300.0
    torus = network(f"torus:{side}x{side}")
    result = solve(Problem(torus, alltoall(torus), Rules(switching="tdm")), form="table")
    assert isinstance(result.table, SymmetricSchedule)
    table, kinds = result.table, result.table.kinds(torus)
    # Down and to the right, as rows and columns are numbered.
    moves = [divmod(int(head), side) for head in kinds.heads[0].tolist()]
    shifts = [(x if x < 2 else x - side, y if y < 2 else y - side) for y, x in moves]
    words = [[kind for kind, length in table.row_path(row) for _ in range(length)] for row in range(len(table))]
    row = next(at for at, word in enumerate(words) if len(word) == 3 and len(set(word)) == 2)
    drawing = Drawing(3 * width, 320, "One row, translated to every router")
    texts = f"its word: kinds {', '.join(map(str, words[row]))}"

    def panel(number: int, heading: str, below: str, paths: dict[int, str], hops: slice) -> None:
        left, top = number * width + (width - (side - 1) * gap) / 2, 66.0
        at = [(left + gap * (router % side), top + gap * (router // side)) for router in range(side * side)]
        drawing.text(((number + 0.5) * width, 18), heading, 14, weight="bold")
        draw_links(drawing, mesh, at)
        for router, colour in paths.items():
            x, y = at[router]
            points = [(x, y)]
            for kind in words[row][hops]:
                points.append((points[-1][0] + gap * shifts[kind][0], points[-1][1] + gap * shifts[kind][1]))
            u, v = ((points[-1][0] - points[-2][0]) / gap, (points[-1][1] - points[-2][1]) / gap)
            points[-1] = (points[-1][0] - 11 * u, points[-1][1] - 11 * v)
            drawing.arrow(points, colour, 2.6)
        for router, place in enumerate(at):
            drawing.circle(place, 10, paths.get(router, PAPER) if len(paths) < len(at) else PAPER)
        drawing.text(((number + 0.5) * width, 300), below, 12, MUTED)

    mesh = network(f"mesh:{side}x{side}")
    ends = [shifts[kind] for kind in words[row]]
    across, down = sum(x for x, _ in ends), sum(y for _, y in ends)
    fitting = [
        router
        for router in range(side * side)
        if 0 <= router % side + across < side and 0 <= router // side + down < side
    ]
    panel(0, "a row of one router", texts, {fitting[0]: BLUE}, slice(None))
    some = dict(zip(fitting[:: max(1, len(fitting) // 3)], (BLUE, ORANGE, GREEN), strict=False))
    panel(1, "its translates", "every router does the same", some, slice(None))
    below = "each channel of the kind is used once"
    panel(2, "its first hop, at all routers", below, dict.fromkeys(range(25), BLUE), slice(1))
    return drawing.finished()


def cut() -> str:
    """Draw the two halves of a mesh and the links between them."""
    net = network("mesh:4x4")
    side = set(bisection(net).side)
    drawing = Drawing(460, 330, "Two halves of the 4 by 4 mesh, joined by four links")
    places = places_of(net, 60, 30, 340, 240)
    draw_links(drawing, net, places)
    for tail, head in net.channels.tolist():
        if (tail in side) != (head in side):
            drawing.line([places[tail], places[head]], RED, 4)
    draw_routers(drawing, net, places, lambda router: BLUE if router in side else ORANGE)
    drawing.text((230, 308), "8 processors here, 8 there; 4 channels each way between them", 14, MUTED)
    return drawing.finished()


def parts() -> str:
    """Draw the parts of a network: routers slim, fat and pure, processors, channels and ports."""
    drawing = Drawing(780, 290, "The parts of a network: routers, processors, channels and ports")
    routers = {"A": (150.0, 190.0), "B": (390.0, 190.0), "C": (630.0, 190.0)}
    processors = {"0": (150.0, 80.0), "1": (575.0, 80.0), "2": (685.0, 80.0)}

    def pair(a: Point, b: Point, gap_a: float, gap_b: float, colour: str) -> None:
        for start, end, skip, stop in ((a, b, gap_a, gap_b), (b, a, gap_b, gap_a)):
            length = math.hypot(end[0] - start[0], end[1] - start[1])
            u, v = (end[0] - start[0]) / length, (end[1] - start[1]) / length
            drawing.arrow(
                [
                    (start[0] + skip * u - 6 * v, start[1] + skip * v + 6 * u),
                    (end[0] - stop * u - 6 * v, end[1] - stop * v + 6 * u),
                ],
                colour,
                2.2,
            )

    pair(routers["A"], routers["B"], 21, 21, BLUE)
    pair(routers["B"], routers["C"], 21, 21, BLUE)
    for processor, router in (("0", "A"), ("1", "C"), ("2", "C")):
        pair(processors[processor], routers[router], 17, 21, RED)
    for name, place in routers.items():
        drawing.circle(place, 20)
        drawing.text(place, name, 16, weight="bold")
    for name, place in processors.items():
        drawing.box(place, 32, 30, "#eeeeee")
        drawing.text(place, name, 16, weight="bold")
    for place, words in (
        ((150.0, 232.0), "slim router: one processor"),
        ((390.0, 232.0), "pure switch: no processor"),
        ((630.0, 232.0), "fat router: several"),
        ((150.0, 48.0), "processor"),
        ((630.0, 48.0), "processors"),
    ):
        drawing.text(place, words, 14, MUTED)
    drawing.text((270, 166), "channels", 14, BLUE)
    drawing.text((270, 212), "a link: one each way", 13, BLUE)
    drawing.text((170, 122), "ports: channels too,", 14, RED, "start")
    drawing.text((170, 140), "with a capacity", 14, RED, "start")
    drawing.text((390, 270), "A network channel carries one transfer in a step.", 14, MUTED)
    return drawing.finished()


def catalogue() -> str:
    """Draw one member of each family."""
    columns, cell, label = 6, 140.0, 30.0
    families = list(FAMILIES.values())
    num_rows = -(-len(families) // columns)
    drawing = Drawing(columns * cell, num_rows * (cell + label) + 10, "One network of each family of the catalogue")
    for place, family in enumerate(families):
        left, top = place % columns * cell, 6 + place // columns * (cell + label)
        net = network(family.example)
        places = places_of(net, left + 17, top + 13, cell - 34, cell - 26)
        links = 1.4 if net.num_channels < 150 else 0.5
        draw_links(drawing, net, places, MUTED, links)
        radius = 4.5 if net.num_routers <= 24 else 3.2
        for router, spot in enumerate(places):
            count = len(net.processors_on[router])
            drawing.circle(spot, radius + 1.5 * (count > 1), (PAPER, BLUE, RED)[min(count, 2)], INK, 1)
        drawing.text((left + cell / 2, top + cell + 4), family.example, 11)
    for place, (colour, words) in enumerate(
        ((BLUE, "router with one processor"), (RED, "router with several"), (PAPER, "pure switch, no processor"))
    ):
        left, top = (columns - 2) * cell + 20, num_rows * (cell + label) - 110 + 30 * place
        drawing.circle((left, top), 6, colour, INK, 1)
        drawing.text((left + 16, top), words, 13, MUTED, "start")
    return drawing.finished()


def picture_steps() -> str:
    """Draw every step of a schedule the way `pavane show` does."""
    return _picture(plot_schedule(_octagon()))


def picture_load() -> str:
    """Draw channels against steps the way `Result.plot("load")` does."""
    return _picture(plot_load(_octagon()))


def picture_pieces() -> str:
    """Draw every step of a schedule in pieces, on links of two capacities."""
    made = read_network(Path(__file__).parent / "examples" / "square.txt")
    return _picture(plot_schedule(solve(Problem(made, named("AAB", made, pieces=2)))))


def picture_several() -> str:
    """Draw an allgather in each row and column of a mesh as `pavane show -o` does."""
    mesh = network("mesh:4x4")
    lines = [range(4 * row, 4 * row + 4) for row in range(4)] + [range(column, 16, 4) for column in range(4)]
    return _picture(plot_schedule(solve(Problem(mesh, [allgather(line) for line in lines]))))


def _octagon() -> Result:
    made = network("octagon")
    return solve(Problem(made, alltoall(made)))


def _picture(drawn: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.svg"
        write_figure(path, drawn)
        return path.read_text(encoding="utf-8")


def benchmark(name: str, package: str = "benchmarks") -> Any:
    """Return a module of the benchmarks or of the papers, which is not part of the package, with its stored results."""
    root = str(Path(__file__).parent.parent)
    sys.path.insert(0, root)
    try:
        return import_module(f"{package}.{name}")
    finally:
        sys.path.remove(root)


def scale_time() -> str:
    """Draw how searches on large networks came down to their bounds."""
    measured = benchmark("scale")
    return _picture(measured.ratio_against_time(measured.stored_rows()))


def scale_size() -> str:
    """Draw how near to the bound searches on large networks came, and in what time."""
    measured = benchmark("scale")
    return _picture(measured.ratio_against_size(measured.stored_rows()))


FIGURES: dict[str, Callable[[], str]] = {
    "steps": steps,
    "parts": parts,
    "conflict": conflict,
    "switching": switching,
    "slots": slots,
    "tables": tables,
    "spread": spread,
    "cut": cut,
    "networks": catalogue,
    "picture-steps": picture_steps,
    "picture-load": picture_load,
    "picture-pieces": picture_pieces,
    "picture-several": picture_several,
    "scale-time": scale_time,
    "scale-size": scale_size,
}
"""Every figure by its file's name."""
