"""Where to draw the routers of any network: its own positions, or a force layout.

The force layout seeks positions whose distances are those of the network (stress majorization, Gansner, Koren and North
2004), starting from a circle, so the same network is always drawn alike. All positions fit into the unit square.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Reals
from pavane.model.network import Network

MOST_ROUTERS_BY_FORCE = 1_500
"""Above this many routers all pairs of distances take too long; a circle says as much."""


def positions_of(network: Network) -> Reals:
    """Return a position in the unit square for each router, y upwards."""
    own = network.positions
    if own is not None and len(np.unique(own, axis=0)) == network.num_routers:
        return _in_unit_square(own)
    if network.num_routers <= MOST_ROUTERS_BY_FORCE:
        return _in_unit_square(_majorized(network))
    return _in_unit_square(_circle(network.num_routers))


def _circle(size: int) -> Reals:
    turns = 2 * np.pi * np.arange(size) / size
    return np.column_stack((np.sin(turns), np.cos(turns)))


def _majorized(network: Network) -> Reals:
    size = network.num_routers
    if size < 3:
        return np.column_stack((np.arange(size, dtype=np.float64), np.zeros(size)))
    away = network.distance_rows(np.arange(size)).astype(np.float64)
    # One-way and unreachable pairs: the nearer direction counts; what is not joined at all is put far apart.
    far = away.max() + 2
    away = np.where(away < 0, far, away)
    away = np.minimum(away, away.T)
    np.fill_diagonal(away, 1.0)
    weights = away**-2.0
    np.fill_diagonal(weights, 0.0)
    pull = weights * away
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    at: Reals = _circle(size) * away.mean()
    for _ in range(60 if size > 300 else 200):
        apart = np.sqrt(((at[:, None, :] - at[None, :, :]) ** 2).sum(axis=2))
        np.fill_diagonal(apart, 1.0)
        ratio = pull / np.maximum(apart, 1e-9)
        before, at = at, inverse @ (np.diag(ratio.sum(axis=1)) - ratio) @ at
        if np.abs(at - before).max() < 1e-4:
            break
    return at


def _in_unit_square(at: npt.NDArray[np.floating]) -> Reals:
    low, high = at.min(axis=0), at.max(axis=0)
    span = float((high - low).max()) or 1.0
    centred = (np.asarray(at, dtype=np.float64) - (low + high) / 2) / span
    fitting: Reals = np.round(centred + 0.5, 5)
    return fitting
