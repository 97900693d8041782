"""Pictures of a network, and of a schedule as one small picture per step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pavane.io.several_texts import colour_groups
from pavane.judge.refusal import Refusal
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.several import collective_of
from pavane.model.slots import ChannelUses, channel_uses
from pavane.text import counted
from pavane.ui.plot.figures import COLOURS, INK, LETTERS, LINK, MUTED, STYLES, in_message_times, new_figure, styled
from pavane.ui.plot.network_drawing import THIN, Look, NetworkDrawing, carried_between, line_widths, panel_side
from pavane.ui.plot.sketch import Label, Point, Sketch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

MOST_STEPS_DRAWN = 24
"""More steps than these are not drawn one by one; the heat map of loads shows them all."""

MOST_PATHS_DRAWN = 300
"""A step with more transfers shows its busy channels, without saying whose they are."""

MOST_CAPACITIES_SHOWN = 5
"""A legend shows this many widths at most."""

MOST_ORIGINS_SHOWN = 32
"""Origins that a legend names; of more it would be as large as the picture."""

GAP = 0.12
"""Inches between panels, and around them."""

CAPTIONS = {
    "reduction": "An arrow has the colour of the processor whose sum it carries.",
    "allreduce": "An arrow has the colour of the processor whose part of the sum it carries.",
}
ORDINARY_CAPTION = "An arrow has the colour of the processor that its message comes from."


@styled
def plot_network(network: Network, ax: Axes | None = None) -> Axes:
    """Draw the routers (circles; pure switches are squares), their processors and the channels between them.

    A channel of one direction has a head. A line is as wide as its channel's capacity; a legend says which width is
    which. The processors of a router that has several are dots with their numbers.
    """
    side = panel_side(network, LETTERS, 4.6, 7.0)
    if ax is not None:
        box, inches = ax.get_position(), ax.figure.get_figure(root=True).get_size_inches()
        side = 0.85 * float(min(inches[0] * box.width, inches[1] * box.height))
    drawing = NetworkDrawing(network, side, LETTERS)
    title = f"{network.name}: {counted(network.num_routers, 'router')}, {counted(network.num_channels, 'channel')}"
    if ax is None:
        below = 0.5 if network.capacities is not None else 0.1
        wide, tall = drawing.width + 0.2, drawing.height + below + 3.5 * LETTERS / 72
        wide = max(wide, 0.58 * (LETTERS + 1) * len(title) / 72)
        figure = new_figure(wide, tall, layout=None)
        ax = figure.add_axes((0.1 / wide, below / tall, 1 - 0.2 / wide, drawing.height / tall))
    sketch = Sketch()
    drawing.add_links(sketch, (0.0, 0.0))
    drawing.add_routers(sketch, (0.0, 0.0))
    sketch.draw(ax)
    ax.set(xlim=(0, drawing.width), ylim=(0, drawing.height), aspect="equal", xticks=[], yticks=[])
    ax.set_axis_off()
    ax.set_title(title)
    if network.capacities is not None:
        ax.legend(handles=capacity_lines(network), **_widths_legend(), loc="upper center", bbox_to_anchor=(0.5, 0.02))
    return ax


@styled
def plot_schedule(result: Result | Refusal, steps: range | None = None) -> Figure:
    """Draw each step, or those of `steps`, as a small picture, transfers coloured by the origin of what they carry.

    Of several collectives at once transfers are coloured by collective, and a legend names them. Routers of few origins
    are filled with the colour of their messages. Under tdm a picture shows the channels that
    packets are on in a slot. Transfers that share a channel stand side by side. At most `MOST_STEPS_DRAWN` steps are
    drawn; the title says which are not.
    """
    schedule, network = result.schedule, result.problem.network
    if schedule is None:
        raise ValueError("only a result with a schedule can be drawn")
    requested = range(schedule.num_steps) if steps is None else steps
    shown = requested[:MOST_STEPS_DRAWN]
    is_alone = len(shown) == 1
    side = panel_side(network, LETTERS, 4.2 if is_alone else 2.1, 6.0 if is_alone else 3.2)
    drawing = NetworkDrawing(network, side, LETTERS)
    left = requested[len(shown) :]
    word = result.problem.rules.step_word
    more = f"; {word}s {left[0] + 1} to {left[-1] + 1} are not drawn" if left else ""
    reached = counted(schedule.num_steps, word)
    pictures: _StepPictures
    if result.problem.has_several:
        kind, times = result.problem.title, ""
        pictures = _CollectivePictures(result.problem, schedule, drawing)
    else:
        kind, times = result.problem.collective.title, in_message_times(result) if isinstance(result, Result) else ""
        owners = [int(owner) for owner in dict.fromkeys(result.problem.ends[:, 0].tolist())]
        pictures = _StepPictures(result.problem, schedule, drawing, origin_looks(network, owners))
    title = f"{kind} on {network.name}: {reached}{times}, {result.status_text}{more}"
    if isinstance(result, Refusal):
        pictures.conflicts, pictures.first_rule = result.conflicts, result.violations[0].text
    return pictures.drawn(shown, title)


class _StepPictures:
    """Panels of steps side by side, in one pair of axes whose unit is the inch: quick, and a small file."""

    legend_columns = 8
    conflicts: Mapping[int, frozenset[int]] = {}
    """The channels of each step at which a rule is broken."""
    first_rule = ""
    """What is wrong first, where a rule is broken."""

    def __init__(
        self, problem: Problem, schedule: Schedule, drawing: NetworkDrawing, look_of: Mapping[int, Look]
    ) -> None:
        self.problem, self.schedule, self.drawing, self.look_of = problem, schedule, drawing, look_of
        self.uses: ChannelUses = channel_uses(problem, schedule)
        self.heading = 2.0 * LETTERS / 72

    def drawn(self, steps: range, title: str) -> Figure:
        """Return the figure of some steps, with its titles and legends."""
        wide, tall = self.drawing.width + 2 * GAP, self.drawing.height + self.heading + GAP
        # About as wide as high, so that it fits a page.
        columns = min(max(1, len(steps)), math.ceil(math.sqrt(max(1, len(steps)) * 1.4 * tall / wide)))
        rows = math.ceil(len(steps) / columns)
        below = self._legend_rows() * 1.7 * LETTERS / 72 + 0.1
        above = 2.6 * LETTERS / 72
        width = max(
            columns * wide,
            0.58 * (LETTERS + 1) * len(title) / 72,
            0.55 * LETTERS * len(self._caption()) / 72,
            self._names_width(),
        )
        height = above + rows * tall + below
        figure = new_figure(width, height, layout=None)
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, width), ylim=(0, height), xticks=[], yticks=[])
        ax.set_axis_off()
        figure.suptitle(title, fontsize=LETTERS + 1, y=1 - 0.6 * LETTERS / 72 / height)
        sketch = Sketch()
        start = (width - columns * wide) / 2 + GAP
        for index, step in enumerate(steps):
            row, column = divmod(index, columns)
            corner = start + column * wide, height - above - (row + 1) * tall + GAP
            self._add_step(sketch, step, corner)
        sketch.draw(ax)
        self._add_legends(figure, height)
        return figure

    def _add_step(self, sketch: Sketch, step: int, corner: Point) -> None:
        """Add one step: the network, its transfers, and how many they are."""
        problem, drawing = self.problem, self.drawing
        drawing.add_links(sketch, corner)
        now = self.uses.steps == step
        has_slots = problem.rules.has_slots
        numbers = self.uses.transfers[now].tolist() if has_slots else self.schedule.of_step(step)
        if len(numbers) > MOST_PATHS_DRAWN:
            drawing.add_busy(sketch, corner, self.uses.channels[now])
        else:
            transfers = [self.schedule.transfer(number) for number in numbers]
            if has_slots:  # of each packet the channel that it is on
                here = self.uses.channels[now].tolist()
                transfers = [whole._replace(path=(channel,)) for whole, channel in zip(transfers, here, strict=True)]
            looks = [self.look_of[self._owner(transfer)] for transfer in transfers]
            drawing.add_paths(sketch, corner, transfers, looks)
        drawing.add_conflicts(sketch, corner, self.conflicts.get(step, frozenset()))
        drawing.add_routers(sketch, corner, self.look_of if self._has_looks else None)
        what = counted(len(numbers), "channel" if has_slots else "transfer")
        place = corner[0] + drawing.width / 2, corner[1] + drawing.height + 0.7 * self.heading
        text = f"{problem.rules.step_word} {step + 1}: {what}"
        sketch.labels.append(Label(place, text, LETTERS, INK, weight="bold"))

    def _owner(self, transfer: Transfer) -> int:
        """Return whose look a transfer has: the origin of what it carries."""
        return int(self.problem.ends[transfer.messages[0]][0])

    @property
    def _has_looks(self) -> bool:
        """Whether routers and processors have the looks of their messages: all of them differ."""
        return not self._hides_paths and len(set(self.look_of.values())) == len(self.look_of)

    @property
    def _is_keyed(self) -> bool:
        """Whether the drawing shows whose a message is, so that it needs no legend."""
        return self._has_looks and (self.drawing.has_numbers if self.drawing.is_fat else self.drawing.has_names)

    @property
    def _hides_paths(self) -> bool:
        """Whether some step is drawn as busy channels alone."""
        return int(np.bincount(self.schedule.starts, minlength=1).max()) > MOST_PATHS_DRAWN

    def _caption(self) -> str:
        if self.first_rule:
            return f"Broken, first of all: {self.first_rule}."
        if self._hides_paths:
            return f"A step of more than {MOST_PATHS_DRAWN} transfers shows its busy channels."
        return CAPTIONS.get(self.problem.pattern, ORDINARY_CAPTION) if self._is_keyed else ""

    def _legend_rows(self) -> int:
        """Return how many lines of text stand below the panels."""
        has_names = not self._caption() and len(self.look_of) <= MOST_ORIGINS_SHOWN
        return 1 + (math.ceil(len(self.look_of) / self.legend_columns) if has_names else 0)

    def _names_width(self) -> float:
        """Return how many inches the legend needs; that of origins is narrower than any picture."""
        return 0.0

    def _add_legends(self, figure: Figure, height: float) -> None:
        """Add what the colours and the widths mean."""
        if self._caption():
            figure.text(0.02, 0.08 / height, self._caption(), color=MUTED)
        elif len(self.look_of) <= MOST_ORIGINS_SHOWN:
            columns, lines = min(self.legend_columns, len(self.look_of)), self._legend_lines()
            # A legend fills columns; names are read in rows.
            lines = [line for column in range(columns) for line in lines[column::columns]]
            figure.legend(handles=lines, title=self._legend_title, ncols=columns, loc="lower left", alignment="left")
        if self.problem.network.capacities is not None:
            figure.legend(handles=capacity_lines(self.problem.network), **_widths_legend(), loc="lower right")

    @property
    def _legend_title(self) -> str:
        return {"reduction": "for", "allreduce": "part"}.get(self.problem.pattern, "from")

    def _legend_lines(self) -> list[Line2D]:
        """Return lines with the look of each origin."""
        from matplotlib.lines import Line2D

        network, lines = self.problem.network, []
        is_slim = all(len(processors) == 1 for processors in network.processors_on)
        for owner, (colour, style) in self.look_of.items():
            look: dict[str, Any] = {"color": colour, "linestyle": style}
            router = network.routers[network.router_of[owner]]
            lines.append(Line2D([], [], **look, label=router if is_slim else f"{owner} ({router})"))
        return lines


class _CollectivePictures(_StepPictures):
    """Panels of steps of several collectives: transfers have the colour of their collective."""

    legend_columns = 3

    def __init__(self, problem: Problem, schedule: Schedule, drawing: NetworkDrawing) -> None:
        self.several = problem
        self.names, self.group_of = colour_groups(problem)
        look_of = {
            group: (COLOURS[group % len(COLOURS)], STYLES[group // len(COLOURS) % len(STYLES)])
            for group in range(len(self.names))
        }
        super().__init__(problem.parts[0], schedule, drawing, look_of)

    def _owner(self, transfer: Transfer) -> int:
        """Return the group of the collective of what a transfer carries."""
        return self.group_of[int(collective_of(self.several, transfer.messages[0]))]

    @property
    def _has_looks(self) -> bool:
        """Routers have no colours: they take part in several collectives."""
        return False

    def _names_width(self) -> float:
        return self.legend_columns * (0.6 * LETTERS * max(map(len, self.names)) / 72 + 0.5)

    @property
    def _legend_title(self) -> str:
        return "collectives"

    def _legend_lines(self) -> list[Line2D]:
        from matplotlib.lines import Line2D

        looks: list[dict[str, Any]] = [{"color": colour, "linestyle": style} for colour, style in self.look_of.values()]
        return [Line2D([], [], label=name, **look) for name, look in zip(self.names, looks, strict=True)]


def _widths_legend() -> dict[str, Any]:
    return {"title": "capacity", "ncols": MOST_CAPACITIES_SHOWN}


def origin_looks(network: Network, origins: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return the colour and the style of the lines of each origin.

    Neighbours have different colours as far as there are any; where a colour repeats, the style of the line differs.
    """
    near: list[set[int]] = [{router} for router in range(network.num_routers)]
    for tail, head in network.channels.tolist():
        near[tail].add(head)
        near[head].add(tail)
    used = [0] * len(COLOURS)
    beside: list[Counter[int]] = [Counter() for _ in range(network.num_routers)]
    looks = {}
    for origin in origins:
        router = int(network.router_of[origin])
        colour = min(range(len(COLOURS)), key=lambda number: (beside[router][number], used[number], number))
        for other in near[router]:
            beside[other][colour] += 1
        looks[origin] = COLOURS[colour], STYLES[used[colour] % len(STYLES)]
        used[colour] += 1
    return looks


def capacity_lines(network: Network) -> list[Line2D]:
    """Return the lines of a legend: the widths of some capacities of a network, the least and the largest with them."""
    from matplotlib.lines import Line2D

    known = np.unique(list(carried_between(network).values()))
    shown = known[np.unique(np.linspace(0, len(known) - 1, MOST_CAPACITIES_SHOWN).astype(int))].tolist()
    widths = line_widths(np.array(shown), int(known.max())) if len(known) > 1 else np.array([THIN])
    return [
        Line2D([], [], color=LINK, linewidth=width, label=f"x{capacity}")
        for capacity, width in zip(shown, widths.tolist(), strict=True)
    ]
