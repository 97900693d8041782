"""Grids recognized by the network's name, for networks that come from a file.

A file has no key for the grid. In most cases the channels determine it, whatever the name. The name adds what they
cannot show: that `mesh:1x4` has two dimensions, that `torus:1x5 less 0-4` is a torus although its channels make a
line, that a network called `... less ...` has faults, and that one called `... reversed` is read backwards.
"""

from __future__ import annotations

import re

from pavane.model.grid import MOST_DIMENSIONS, Grid
from pavane.model.grid_recognition import recognized_grid
from pavane.model.network import Network
from pavane.networks.grids import GRIDS


def with_named_grid(network: Network) -> Network:
    """Return a network with the grid that its name states, if it states one and the channels agree."""
    name, num_turns = re.subn(r" reversed(?=$|\*| less )", "", network.name)
    grid = _named_grid(name, network) or network.grid
    if grid is None and " less " in name:
        grid = recognized_grid(network.num_routers, network.channels, is_known_faulty=True)
    if grid is not None and num_turns % 2:
        grid = grid.read_backwards()
    return network if grid is None or grid == network.grid else network.with_grid(grid)


def _named_grid(name: str, network: Network) -> Grid | None:
    """Return the grid that a name such as `mesh:4x4*2 less 0-1` states, if the channels agree."""
    number = "[0-9]{1,9}"
    match = re.fullmatch(rf"({'|'.join(GRIDS)}):({number}(?:x{number})*)(?:\*[0-9]+)?(?: less .*)?", name)
    if match is None:
        return None
    sizes = tuple(map(int, match[2].split("x")))
    if len(sizes) > MOST_DIMENSIONS or min(sizes) < 1:
        return None
    grid = GRIDS[match[1]](sizes)
    return grid if grid.fits(network.num_routers, network.channels) else None
