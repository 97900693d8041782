"""Pictures as files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from matplotlib.text import Text

from pavane.errors import InputError
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.ui.plot import figures
from pavane.ui.plot.figures import COLOURS, figure_bytes, new_figure, write_figure
from pavane.ui.plot.gantt import plot_gantt
from pavane.ui.plot.loads import plot_load
from pavane.ui.plot.networks import plot_network, plot_schedule
from tests.problems import problem_of


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_same_picture_is_the_same_file(tmp_path: Path, ending: Literal["svg", "png", "pdf"]) -> None:
    """A picture is written as its ending says, twice the same, and can be had without a file."""
    result = solve(problem_of("octagon", "AAS"))
    for name in ("a", "b"):
        write_figure(tmp_path / f"{name}.{ending}", plot_schedule(result))
    first = (tmp_path / f"a.{ending}").read_bytes()
    assert first == (tmp_path / f"b.{ending}").read_bytes()
    assert first == figure_bytes(plot_schedule(result), ending)
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    """A picture cannot be written into a text file, and nothing is left behind."""
    with pytest.raises(InputError, match="ends in"):
        write_figure(tmp_path / "a.txt", plot_network(network("ring:4")))
    assert not list(tmp_path.iterdir())


def test_pictures_have_no_frame_and_letters_that_can_be_read() -> None:
    """A plot has no line above or to the right of it, and no text smaller than 8 points."""
    result = solve(problem_of("octagon", "AAS"))
    for axes in (plot_load(result), plot_gantt(result)):
        axes.figure.canvas.draw()
        assert not axes.spines["top"].get_visible()
        assert not axes.spines["right"].get_visible()
        sizes = {
            float(text.get_fontsize()) for text in axes.findobj(Text) if isinstance(text, Text) and text.get_text()
        }
        assert min(sizes) >= 8


def test_text_stays_text() -> None:
    """In SVG names are text to be searched and edited; PDF has the fonts in a form that editors read."""
    drawn = plot_network(network("ring:4"))
    assert b">ring:4: 4 routers, 8 channels</text>" in figure_bytes(drawn, "svg")
    assert b"/Type3" not in figure_bytes(drawn, "pdf")


def test_lines_look_different() -> None:
    """Where colours are used up the styles differ."""
    looks = [tuple(figures.line_look(index).values()) for index in range(4 * len(COLOURS))]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("end", [50, 1_000, 60_000, 2_000_000])
def test_numbers_on_a_logarithmic_axis_have_room(end: int) -> None:
    """A long range has the powers of ten alone, so that no label lies on another."""
    axes = new_figure(4, 3).add_subplot()
    axes.plot([1, end], [0, 1])
    axes.set_xscale("log")
    figures.plain_log_ticks(axes.xaxis)
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels() if low <= label.get_position()[0] <= high]
    assert len(boxes) >= 2
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_names_move_aside_only_where_lines_end_together() -> None:
    """The name of a line that ends by itself stands at its end, and others keep clear of each other."""
    axes = new_figure(6, 4).add_subplot()
    axes.set(xlim=(0, 100), ylim=(0, 10))
    figures.label_ends(axes, [(10, 1, "early", "b"), (90, 1, "one", "r"), (92, 1, "two", "g")])
    raised = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert raised["early"] == 0
    assert abs(raised["two"] - raised["one"]) >= 8
