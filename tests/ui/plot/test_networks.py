"""Pictures of networks and schedules."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.path import Path

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.networks import network
from pavane.networks.positions import positions_of
from pavane.search.synthesis import solve
from pavane.ui.plot.link_shapes import link_lines
from pavane.ui.plot.network_drawing import NetworkDrawing, panel_side
from pavane.ui.plot.networks import MOST_PATHS_DRAWN, MOST_STEPS_DRAWN, origin_looks, plot_network, plot_schedule
from pavane.ui.plot.sketch import Sketch
from tests.problems import problem_of
from tests.slot_tables import two_packets
from tests.ui.joint_rings import joint_ring

WIDE = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)], capacities=[4, 4, 1, 1, 2, 1])


def titles_of(figure: Figure) -> list[str]:
    """Return what stands above each step."""
    return [text.get_text() for text in figure.axes[0].texts if re.match("(step|slot) ", text.get_text())]


def sketched(made: Network, look_of: dict[int, tuple[str, str]] | None = None, letters: float = 8.0) -> Sketch:
    """Return the shapes of a network."""
    sketch, drawing = Sketch(), NetworkDrawing(made, panel_side(made, letters, 2.1, 3.2), letters)
    drawing.add_links(sketch, (0.0, 0.0))
    drawing.add_routers(sketch, (0.0, 0.0), look_of)
    return sketch


def test_each_step_is_a_small_picture() -> None:
    """There is one picture per step, with the number of its transfers above it, one in the singular."""
    result = solve(problem_of("kautz:2,2", "AAS"))
    schedule = result.schedule
    assert schedule is not None
    counts = [len(schedule.of_step(s)) for s in range(schedule.num_steps)]
    expected = [f"step {step}: {n} transfer{'s' * (n != 1)}" for step, n in enumerate(counts, 1)]
    assert titles_of(plot_schedule(result)) == expected
    assert titles_of(plot_schedule(solve(problem_of("line:3", "OAB"))))[0] == "step 1: 1 transfer"
    assert plot_network(Network("lonely", 1, [], [0])).get_title() == "lonely: 1 router, 0 channels"


def test_a_schedule_has_few_artists() -> None:
    """Shapes of one look are one artist, however many routers, channels and steps there are."""
    (ax,) = plot_schedule(solve(problem_of("torus:10x10", "OAB"))).axes
    assert len([*ax.patches, *ax.collections]) < 20


def test_channels_of_one_direction_have_heads() -> None:
    """A link of two directions is a plain line; a channel without the way back has a head at its end."""
    made = Network("one-way", 3, [(0, 1), (1, 0), (1, 2)])
    sketch = sketched(made)
    assert sum(map(len, sketch.links.values())) == 2
    (heads,) = sketch.heads.values()
    (tip, *_) = heads[0]
    places = [place for shown in sketch.circles.values() for place in shown]
    assert len(heads) == 1
    assert min(range(3), key=lambda router: math.dist(places[router], tip)) == 2
    assert sketched(network("ring:5")).heads == {}
    assert sum(map(len, sketched(network("kautz:3,2")).heads.values())) > 20


@pytest.mark.parametrize("names", [["a", "b", "c"], ["memory", "ddr-west", "a router with a very long name"]])
def test_every_name_can_be_read(names: list[str]) -> None:
    """A name stands inside its router or, where it does not fit, beside it; no letter is smaller than 7 points."""
    sketch = sketched(Network("named", names, [(0, 1), (1, 0), (1, 2), (2, 1)]))
    assert [label.text for label in sketch.labels] == names
    assert all(label.size >= 7 for label in sketch.labels)
    assert [bool(label.beside) for label in sketch.labels] == [len(name) > 3 for name in names]


def test_all_is_inside_the_panel() -> None:
    """Names beside routers, processors and bowed links stay inside the size of the drawing."""
    made = Network("named", ["ddr-west-bank", "b", "c" * 30], [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 0, 1, 2])
    drawing = NetworkDrawing(made, 2.1, 8.0)
    sketch = Sketch()
    drawing.add_routers(sketch, (0.0, 0.0))
    for (radius, _), places in sketch.circles.items():
        for x, y in places:
            assert radius <= x <= drawing.width - radius
            assert radius <= y <= drawing.height - radius


def test_routers_are_filled_with_the_colour_of_their_messages() -> None:
    """In a slim network a router has the look of what it sends; no legend is needed, and a caption says so."""
    figure = plot_schedule(solve(problem_of("ring:5", "AAS")))
    made = network("ring:5")
    looks = origin_looks(made, range(5))
    assert {rim.face for _, rim in sketched(made, looks).circles} == {colour for colour, _ in looks.values()}
    assert figure.legends == []
    assert [text.get_text() for text in figure.texts][-1].startswith("An arrow has the colour of the processor")


def test_processors_of_fat_routers_have_numbers() -> None:
    """Where a router has several processors, each is a dot with its number and the look of its messages."""
    made = Network("fat", ["cpu", "gpu", "io"], [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 0, 1, 1, 2])
    looks = origin_looks(made, range(5))
    sketch = sketched(made, looks)
    numbers = {label.text: label.at for label in sketch.labels if label.text.isdigit()}
    assert sorted(numbers) == ["0", "1", "2", "3", "4"]
    for processor, place in numbers.items():
        (rim,) = (rim for (_, rim), places in sketch.circles.items() if place in places)
        assert looks[int(processor)][0] in (rim.face, rim.edge)
    assert plot_schedule(solve(Problem(made, named("AAS", made)))).legends == []


def test_a_legend_names_processors_whose_numbers_do_not_fit() -> None:
    """Where dots are too small for numbers a legend names each processor and its router, row by row."""
    (legend,) = plot_schedule(solve(problem_of("fat-tree:4", "AAS"))).legends
    names = [text.get_text() for text in legend.get_texts()]
    assert len(names) == 16
    assert names[:3] == ["0 (0)", "8 (4)", "1 (0)"]  # columns of two: they are read in rows


def test_links_bend_around_routers() -> None:
    """A wrap-around link of a torus passes no router but its own two; other links are straight."""
    made = network("torus:4x4")
    at = positions_of(made)
    pairs = np.array(sorted({(min(ends), max(ends)) for ends in made.channels.tolist()}))
    lines = link_lines(at, pairs, 0.045)
    bent = [(pair, line) for pair, line in zip(pairs.tolist(), lines, strict=True) if len(line) > 2]
    assert len(bent) == 8
    for pair, line in bent:
        others = np.delete(at, pair, axis=0)
        assert min(math.dist(corner, place) for corner in line for place in others) > 0.045


def test_steps_with_many_transfers_show_busy_channels() -> None:
    """Above a limit a step is drawn as the channels that are busy in it, and the picture still comes quickly."""
    result = solve(problem_of("hypercube:8", "AAS"))
    schedule = result.schedule
    assert schedule is not None
    step = max(range(MOST_STEPS_DRAWN), key=lambda step: len(schedule.of_step(step)))
    assert len(schedule.of_step(step)) > MOST_PATHS_DRAWN
    busy = {c for i in schedule.of_step(step) for c in schedule.transfer(i).path}
    (ax,) = plot_schedule(result, range(step, step + 1)).axes
    assert len(busy) in {len(lines_of(patch)) for patch in ax.patches}


def lines_of(patch: Patch) -> list[tuple[tuple[float, ...], ...]]:
    """Return the lines that a patch consists of."""
    path = patch.get_path()
    starts = np.flatnonzero(path.codes == Path.MOVETO)
    return [tuple(map(tuple, part.tolist())) for part in np.split(np.asarray(path.vertices), starts[1:])]


def widths_of(sketch: Sketch) -> list[float]:
    """Return the widths of all links, in order."""
    return sorted(pen.width for pen, lines in sketch.links.items() for _ in lines)


def test_lines_are_as_wide_as_capacities() -> None:
    """A link is one line, as many times as wide as its capacity; where its ways differ, each has its own."""
    ax = plot_network(WIDE)
    assert widths_of(sketched(WIDE)) == pytest.approx([0.8, 0.8, 1.6, 3.2])
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["x1", "x2", "x4"]
    assert plot_network(network("ring:5")).get_legend() is None


def test_large_capacities_stay_narrow() -> None:
    """However large capacities are, lines have a largest width, and the legend a few entries."""
    capacities = [1, 300, 20, 150, 7, 90, 45, 250, 60, 12]
    made = Network("steep", 5, [(i, (i + d) % 5) for i in range(5) for d in (1, 4)], capacities=capacities)
    ax = plot_network(made)
    widths = widths_of(sketched(made))
    assert (min(widths), max(widths)) == pytest.approx((0.8, 4.0))
    legend = ax.get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    assert len(shown) == 5
    assert {shown[0], shown[-1]} == {"x1", "x300"}


def test_transfers_that_share_a_channel_stand_side_by_side() -> None:
    """No two transfers of a step are drawn on one line; the title says message times."""
    result = solve(Problem(WIDE, named("AAB", WIDE, pieces=4)))
    schedule = result.schedule
    assert schedule is not None
    figure = plot_schedule(result)
    paths = [patch for patch in figure.axes[0].patches if patch.get_zorder() == 2]
    drawn = [line for patch in paths for line in lines_of(patch)]
    assert len(drawn) == len(set(drawn)) == sum(len(transfer.path) for transfer in schedule)
    times = {4: "1", 5: "5/4", 6: "3/2"}[schedule.num_steps]
    assert f"{schedule.num_steps} steps (4 pieces a message: {times} message times)" in figure.get_suptitle()
    (capacities,) = (legend.get_texts() for legend in figure.legends)
    assert len(capacities) == 3


def test_parallel_channels_are_side_by_side() -> None:
    """As many lines as there are links, none upon another; so are transfers in one step from a router to the next."""
    (lines,) = sketched(Network("double", 3, [(0, 1), (0, 1), (1, 0), (1, 0), (1, 2)])).links.values()
    assert len({tuple(line) for line in lines}) == len(lines) == 3
    transfers = [Transfer(0, 0, 1, (channel,), (0,)) for channel in (0, 1)]
    sketch, drawing = Sketch(), NetworkDrawing(Network("double", 2, [(0, 1), (0, 1)]), 2.0, 8.0)
    drawing.add_paths(sketch, (0.0, 0.0), transfers, [("red", "-"), ("red", "-")])
    (lines,) = sketch.paths.values()
    assert len({tuple(line) for line in lines}) == 2


@pytest.mark.parametrize("spec", ["torus:4x4", "kautz:3,2", "petersen"])
def test_colours_differ_between_neighbours(spec: str) -> None:
    """No two neighbours have one colour, and of one colour no two origins the same style while styles last."""
    made = network(spec)
    looks = origin_looks(made, range(made.num_processors))
    assert all(looks[tail][0] != looks[head][0] for tail, head in made.channels.tolist())
    assert len(set(looks.values())) == made.num_processors


def test_a_single_step_beyond_the_first_is_drawn() -> None:
    """Of a long schedule any step can be drawn alone, large."""
    figure = plot_schedule(solve(problem_of("ring:16", "AAS")), range(29, 30))
    assert [title.partition(":")[0] for title in titles_of(figure)] == ["step 30"]
    assert "not drawn" not in figure.get_suptitle()
    # The one panel is as wide as the figure, and the title is above its middle.
    width = figure.get_size_inches()[0]
    places = [x for patch in figure.axes[0].patches for x, _ in np.asarray(patch.get_path().vertices)]
    assert max(places) - min(places) > 0.75 * width


def test_a_slot_shows_the_channels_that_packets_are_on() -> None:
    """Under tdm a picture shows the channels in use in its slot, not the paths of the packets injected in it."""
    figure = plot_schedule(two_packets())
    assert titles_of(figure) == ["slot 1: 1 channel", "slot 2: 1 channel", "slot 3: 1 channel", "slot 4: 0 channels"]
    assert "4 slots" in str(figure.get_suptitle())
    for step, ends in enumerate(((0, 1), (1, 2), (0, 1))):
        (ax,) = plot_schedule(two_packets(), range(step, step + 1)).axes
        (paths,) = (patch for patch in ax.patches if patch.get_zorder() == 2)
        (line,) = lines_of(paths)
        names = {text.get_text(): text.get_position() for text in ax.texts}
        middle = np.mean([names[str(end)] for end in ends], axis=0)
        assert math.dist(np.mean(line, axis=0), middle) < 0.5


def test_several_collectives_have_colours_and_a_legend() -> None:
    """A panel for each step, and a legend that names each collective with the colour of its transfers."""
    result = joint_ring()
    figure = plot_schedule(result)
    assert len(titles_of(figure)) == result.num_steps
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "0: ALLREDUCE of 0-2",
        "1: allgather (AAB) of 3-5",
        "2: alltoall (AAS) of 6-8",
    ]
    assert len({line.get_color() for line in legend.get_lines()}) == 3
    assert len(titles_of(plot_schedule(result, range(1)))) == 1
