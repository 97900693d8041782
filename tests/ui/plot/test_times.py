"""The picture of predicted times."""

from __future__ import annotations

from matplotlib.colors import to_hex

from pavane.timing import Costs, Profile, decision_table, sweep_sizes
from pavane.ui.plot.times import plot_times

COSTS = Costs(10, 1)
PROFILES = [Profile((1,) * 7, (1,) * 7), Profile((4, 4, 4), (1, 1, 1))]


def test_regions_are_named_by_their_winner() -> None:
    """In each range of sizes stands which schedule is the fastest in it, in the colour of its line."""
    axes = plot_times(COSTS, PROFILES, ["seven", "three"], sweep_sizes(1, 1024))
    winners = [stretch.fastest for stretch in decision_table(COSTS, PROFILES)]
    assert winners == [1, 0]
    assert [text.get_text() for text in axes.texts] == ["fastest: three", "fastest: seven"]
    assert [to_hex(text.get_color()) for text in axes.texts] == [
        to_hex(axes.lines[winner].get_color()) for winner in winners
    ]


def test_one_winner_names_the_whole_picture() -> None:
    """Where one schedule is the fastest at every size, it is named once; ranges beyond the sizes are not."""
    axes = plot_times(COSTS, PROFILES[:1], ["seven"], sweep_sizes(1, 64))
    assert [text.get_text() for text in axes.texts] == ["fastest: seven"]
    small = plot_times(COSTS, PROFILES, ["seven", "three"], sweep_sizes(1, 4))
    assert [text.get_text() for text in small.texts] == ["fastest: three"]
