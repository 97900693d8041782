"""The picture of the success rates of the papers' figures."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from papers.plots import plot_success

from pavane.errors import InputError


def test_what_the_paper_printed_stands_beside_what_was_found() -> None:
    """A bar for every figure, and a mark at the paper's rate where it says one."""
    lines = [
        {"where": "one", "success": "80 %", "evaluations": 100, "paper's success": "95 %"},
        {"where": "two", "success": "100 %", "evaluations": None},
        {"where": "no search"},
    ]
    rate = plot_success([{"lines": lines}]).axes[0]
    assert [bar.get_width() for bar in rate.patches if isinstance(bar, Rectangle)] == [80, 100]
    (marks,) = rate.lines
    assert np.asarray(marks.get_xydata()).tolist() == [[95, 0]]
    legend = rate.get_legend()
    assert legend is not None
    assert {text.get_text() for text in legend.get_texts()} == {"here", "paper"}


def test_nothing_to_draw_is_refused() -> None:
    """A method that does none of the figures has no picture."""
    with pytest.raises(InputError, match="there is nothing to draw: the method does none of these figures"):
        plot_success([{"lines": [{"where": "one"}]}])
