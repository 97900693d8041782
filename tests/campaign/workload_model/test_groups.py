"""Who communicates: rows, columns, neighbours, and the shape that processors are laid out in."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.campaign.workload_model.groups import Layout, layout_of, members_of
from pavane.campaign.workload_model.workload import Communicate
from pavane.campaign.workload_model.workload_file import workload
from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks import network


def shaped(**keys: Any) -> Any:
    """Return a workload with a phase in rows."""
    phase = {"collective": "alltoall", "bytes": 4, "groups": "rows"}
    return workload({"workload": 1, "phases": [phase], **keys})


@pytest.mark.parametrize(
    ("spec", "shape"),
    [
        ("mesh:2x3", (2, 3)),
        ("torus:3x4", (3, 4)),
        ("mesh:2x3x4", (6, 4)),
        ("torus:4x2x4x2", (8, 8)),
        ("kautz:3,2*2", (4, 6)),
        ("ring:7", (1, 7)),
    ],
)
def test_the_shape_is_the_networks_or_nearest_to_a_square(spec: str, shape: tuple[int, int]) -> None:
    """A grid is its own shape; other networks are laid out row by row, and that is said."""
    layout = layout_of(shaped(), network(spec))
    assert layout.shape == shape
    assert bool(layout.why) == ("x" not in spec)


def test_the_workloads_shape_goes_first_where_it_fits() -> None:
    """A shape of as many processors is used; of others it is said what is used instead."""
    mine = shaped(groups={"shape": [2, "P/2"]})
    assert layout_of(mine, network("mesh:4x4")).shape == (2, 8)
    fixed = shaped(groups={"shape": [4, 4]})
    assert layout_of(fixed, network("hypercube:4")) == Layout(4, 4)
    other = layout_of(fixed, network("ring:6"))
    assert other.shape == (2, 3)
    assert other.why == "the shape 4x4 is of 16 processors and ring:6 has 6: they are laid out as 2x3"


def test_rows_columns_and_neighbours() -> None:
    """Processors stand row by row; neighbours are beside, above and below, and around the edges if asked for."""
    layout = Layout(2, 3)
    assert layout.groups("rows") == ((0, 1, 2), (3, 4, 5))
    assert layout.groups("columns") == ((0, 3), (1, 4), (2, 5))
    assert layout.groups("all") == ((0, 1, 2, 3, 4, 5),)
    inside = layout.neighbours(around=False)
    assert {pair for pair in inside if pair[0] == 0} == {(0, 1), (0, 3)}
    assert len(inside) == 2 * (2 * 2 + 3)
    assert (0, 2) in layout.neighbours(around=True)
    assert len(layout.neighbours(around=True)) == 2 * (2 * 3 + 3)


def test_groups_of_missing_processors_are_refused() -> None:
    """A group names processors that the network has, and groups of one have nobody to send to."""
    mine = shaped(groups={"some": [[0], [1, 9]]}, phases=[{"collective": "alltoall", "bytes": 4, "groups": "some"}])
    phase = mine.phases[0]
    assert isinstance(phase, Communicate)
    assert members_of(phase, mine, Layout(2, 5)) == ((1, 9),)
    with pytest.raises(InputError, match=r"groups\.some: there is no processor 9; the network has processors 0 to 3"):
        members_of(phase, mine, Layout(2, 2))


def test_a_grid_whose_processors_stand_elsewhere_is_laid_out_row_by_row() -> None:
    """Processors that are not numbered as their routers are have no rows along the grid, and that is said."""
    mesh = network("mesh:2x3")
    turned = Network("turned", mesh.num_routers, mesh.channels, [5, 4, 3, 2, 1, 0], grid=mesh.grid)
    layout = layout_of(shaped(), turned)
    assert layout.why == "turned is not a grid: processors are laid out row by row as 2x3"


def test_a_phase_lists_its_own_groups() -> None:
    """They are refused by the key of the phase where a processor is missing."""
    mine = shaped(phases=[{"collective": "alltoall", "bytes": 4, "groups": [[0, 1], "2-4", [5]]}])
    phase = mine.phases[0]
    assert isinstance(phase, Communicate)
    assert members_of(phase, mine, Layout(2, 3)) == ((0, 1), (2, 3, 4))
    with pytest.raises(InputError, match=r"phases\[0\]\.groups: there is no processor 4; the network has processors"):
        members_of(phase, mine, Layout(2, 2))
