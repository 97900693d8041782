"""How values look in a notebook."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import pavane
from pavane.ui.notebook import notebook_views
from pavane.ui.notebook.notebook_views import MOST_ROUTERS_DRAWN
from tests.campaign.comparisons import made_up, run
from tests.slot_tables import two_packets
from tests.ui.notebook.test_saving import octagon


class Balance(HTMLParser):
    """Holds the elements that are open; closing another one is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Open an element; pictures have no end."""
        self.seen.add(tag)
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the element that was opened last."""
        assert self.open.pop() == tag


def tags(html: str) -> set[str]:
    """Return the elements of a text whose elements are all closed."""
    balance = Balance()
    balance.feed(html)
    assert balance.open == []
    return balance.seen


def test_a_result_shows_its_picture_its_steps_and_its_proof() -> None:
    """All that is known stands below the cell."""
    html = octagon()._repr_html_()
    assert {"img", "table", "li"} <= tags(html)
    assert "4 steps: optimal" in html
    assert "Proven optimal: no schedule has fewer steps." in html
    assert html.count("<tr>") == 5


def test_a_result_without_a_schedule_says_what_is_known() -> None:
    """The bound is told."""
    nothing = pavane.solve(pavane.Problem(pavane.network("octagon"), "alltoall"), num_steps=3)
    html = nothing._repr_html_()
    tags(html)
    assert "No schedule in 3 steps: impossible" in html
    assert "The bound is 4 steps." in html


def test_networks_and_schedules_show_themselves() -> None:
    """A network has a picture and figures, a schedule a table of steps."""
    html = pavane.network("rails:2,2,3,1")._repr_html_()
    assert {"img", "table"} <= tags(html)
    assert "Network rails:2,2,3,1" in html
    assert "capacity" in html
    schedule = octagon().schedule
    assert schedule is not None
    assert "Schedule of 4 steps, 56 transfers" in schedule._repr_html_()
    assert tags(schedule._repr_html_()) >= {"table"}


def test_a_table_of_slots_shows_its_latency() -> None:
    """Under tdm a result speaks of slots, and has a line with latency, use and table size."""
    html = two_packets()._repr_html_()
    assert {"img", "table"} <= tags(html)
    assert "4 slots: feasible" in html
    assert "Latency at most 7 slots, mean flight 2.5; channels 9.4% busy" in html
    assert "step" not in re.sub("<img[^>]*>", "", html)
    assert repr(two_packets()) == "<Result: PAIRS on ring:4 in 4 slots, feasible>"


def test_many_transfers_are_drawn_as_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the steps would be too full to read, a picture shows what each channel carries; here with a small limit."""
    monkeypatch.setattr(notebook_views, "MOST_TRANSFERS_DRAWN", 55)
    monkeypatch.setattr("pavane.ui.plot.networks.plot_schedule", None)
    assert "img" in tags(octagon()._repr_html_())


def test_what_is_large_is_told_in_words() -> None:
    """No notebook waits for a picture that nobody could read, and tables end."""
    large = pavane.network(f"ring:{MOST_ROUTERS_DRAWN + 1}")
    assert "img" not in tags(large._repr_html_())
    problem = pavane.Problem(pavane.network("ring:60"), pavane.scatter([0, *range(1, 60)]), pavane.Rules(ports=1))
    html = pavane.solve(problem)._repr_html_()
    assert "and 35 steps more" in html
    tags(html)


def test_names_cannot_add_elements() -> None:
    """What a network is called is text, whatever it says."""
    network = pavane.Network("<script>", ["<b>", "<i>"], [(0, 1), (1, 0)])
    assert "script" not in tags(network._repr_html_())
    result = pavane.solve(pavane.Problem(network, "alltoall"))
    assert not {"script", "i"} & tags(result._repr_html_())


def test_without_matplotlib_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is shown all the same."""
    result = octagon()
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    html = result._repr_html_()
    assert "img" not in tags(html)
    assert "Proven optimal" in html


def test_a_comparison_is_a_table() -> None:
    """The networks of the Pareto set stand in bold."""
    view = made_up({"ring:8": (run(8),), "mesh:2x4": (run(8),)})._repr_html_()
    assert "2 networks compared for AAS" in view
    assert "<td><b>ring:8</b></td>" in view
    assert "<td>mesh:2x4</td>" in view


def test_tables_are_saved_as_pages_and_small_ones_drawn(tmp_path: Path) -> None:
    """A view has the first rows and what symmetry proves; a page or a picture of too many transfers is refused."""
    small = pavane.solve(pavane.Problem(pavane.network("torus:4x4"), "alltoall"), form="table")
    large = pavane.solve(pavane.Problem(pavane.network("torus:64x64x4"), "alltoall"), form="table")
    for result in (small, large):
        view = result._repr_html_()
        assert "Proven by symmetry: " in view
        assert "more rows of router 0" in view
    small.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000
    with pytest.raises(pavane.InputError, match="too many for the player"):
        large.save(tmp_path / "large.html")
    with pytest.raises(pavane.InputError, match="use the table, or single steps of it"):
        large.plot("load")
