"""The coated mesh: a mesh of routers with processors around its rim (gecco07 Fig. 6a)."""

from pavane.model.network import Network
from pavane.networks.grids import mesh
from pavane.networks.limits import at_least


def coated_mesh(rows: int, columns: int) -> Network:
    """Return the mesh with a processor for each open side of a router: two at corners, one on the rim, none inside.

    Processors are numbered in the order of their routers, so a 4x4 mesh has P = 16 as in gecco07.
    """
    name = f"coated-mesh:{rows}x{columns}"
    at_least(name, "the number of rows", rows, 2)
    at_least(name, "the number of columns", columns, 2)
    routers = mesh(rows, columns)
    owners = [
        row * columns + column
        for row in range(rows)
        for column in range(columns)
        for _ in range((row in (0, rows - 1)) + (column in (0, columns - 1)))
    ]
    return Network(name, routers.routers, routers.channels, owners, routers.positions, routers.grid)
