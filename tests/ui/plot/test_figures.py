"""Pictures as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.networks import network
from pavane.ui.plot.figures import COLOURS, figure_bytes, line_look, write_figure
from pavane.ui.plot.networks import plot_network, plot_schedule
from tests.ui.plot.solved import solved


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_same_picture_is_the_same_file(tmp_path: Path, ending: str) -> None:
    """A picture is written as its ending says, and twice the same."""
    result = solved("octagon", "AAS")
    for name in ("a", "b"):
        write_figure(tmp_path / f"{name}.{ending}", plot_schedule(result))
    first = (tmp_path / f"a.{ending}").read_bytes()
    assert first == (tmp_path / f"b.{ending}").read_bytes()
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    """A picture cannot be written into a text file, and nothing is left behind."""
    with pytest.raises(InputError, match="ends in"):
        write_figure(tmp_path / "a.txt", plot_network(network("ring:4")))
    assert not list(tmp_path.iterdir())


def test_bytes_are_those_of_the_file(tmp_path: Path) -> None:
    """A picture can be had without a file."""
    drawn = plot_network(network("ring:4"))
    write_figure(tmp_path / "a.svg", drawn)
    assert figure_bytes(drawn, "svg") == (tmp_path / "a.svg").read_bytes()


def test_lines_look_different() -> None:
    """Where colours are used up the styles differ."""
    looks = [tuple(line_look(index).values()) for index in range(4 * len(COLOURS))]
    assert len(set(looks)) == len(looks)
