"""Gantt charts of channels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.search.synthesis import solve
from pavane.ui.plot.figures import COLOURS
from pavane.ui.plot.gantt import plot_gantt, plot_time_line
from tests.problems import problem_of
from tests.slot_tables import ONE_TO_TWO, ZERO_TO_ONE, two_packets
from tests.ui.timed_rings import timed_ring


def test_a_bar_stands_where_a_packet_is_on_a_channel() -> None:
    """A row is a channel, a column a slot, and a bar has the colour of the packet's origin."""
    ax = plot_gantt(two_packets())
    (bars,) = ax.collections
    assert isinstance(bars, PolyCollection)
    centres = [np.mean(np.asarray(path.vertices)[:4], axis=0) for path in bars.get_paths()]
    cells = {(round(float(y)), round(float(x))) for x, y in centres}
    assert cells == {(ZERO_TO_ONE, 0), (ZERO_TO_ONE, 2), (ONE_TO_TWO, 1)}
    assert {to_hex(colour) for colour in np.asarray(bars.get_facecolor())} == {COLOURS[0]}
    assert ax.get_xlabel() == "slot"
    assert "channels in 4 slots" in ax.get_title()


def test_origins_of_one_colour_differ_in_hatching() -> None:
    """There are more origins than colours, and a legend names each."""
    ax = plot_gantt(solve(problem_of("ring:9", "AAS")))
    legend = ax.get_legend()
    assert legend is not None
    looks = [(to_hex(patch.get_facecolor()), patch.get_hatch()) for patch in legend.get_patches()]
    assert len(set(looks)) == len(looks) == 9
    assert [text.get_text() for text in legend.get_texts()] == [str(number) for number in range(9)]


def test_transfers_that_share_a_channel_share_its_row() -> None:
    """Bars of one channel and step do not overlap, and stay in the row of the channel."""
    wide = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)], capacities=[4, 4, 1, 1, 2, 2])
    result = solve(Problem(wide, named("AAS", wide, pieces=3)))
    (bars,) = plot_gantt(result).collections
    spans: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for path in bars.get_paths():
        corners = np.asarray(path.vertices)[:4]
        (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
        row = round((top + bottom) / 2)
        assert row - 0.5 < top < bottom < row + 0.5
        spans.setdefault((row, round((left + right) / 2)), []).append((top, bottom))
    assert max(map(len, spans.values())) > 1
    for cell in spans.values():
        cell.sort()
        assert all(above[1] <= below[0] + 1e-9 for above, below in pairwise(cell))


def test_bars_of_start_times_are_as_long_as_channels_are_held() -> None:
    """A bar runs from the start of a transfer until its channel is free; a dashed line is the bound."""
    result = timed_ring()
    schedule = result.schedule
    assert schedule is not None
    ax = plot_time_line(result)
    (bars,) = ax.collections
    spans = set()
    for path in bars.get_paths():
        (left, top), (right, bottom) = (
            np.asarray(path.vertices)[:4].min(axis=0),
            np.asarray(path.vertices)[:4].max(axis=0),
        )
        spans.add((round((top + bottom) / 2), round(left, 3), round(right, 3)))
    channels, starts = schedule.path_channels.tolist(), (schedule.starts / 1e6).tolist()
    assert spans == {(at, round(start, 3), round(start + 40, 3)) for at, start in zip(channels, starts, strict=True)}
    assert ax.get_xlabel() == "time [us]"
    assert ax.get_title() == "allgather (AAB) on ring:4: ends after 81.4 us, bound 81.4 us (dashed)"
    (bound,) = (line for line in ax.lines if line.get_linestyle() == "--")
    assert list(np.asarray(bound.get_xdata())) == [81.4, 81.4]
