"""Links: a channel each way."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Links = npt.NDArray[np.int64]


def two_way(links: Iterable[tuple[int, int]] | Links) -> Links:
    """Return the channels of links: for each link a channel there, then the channel back."""
    there = np.array(links if isinstance(links, np.ndarray) else list(links), dtype=np.int64).reshape(-1, 2)
    return np.stack([there, there[:, ::-1]], axis=1).reshape(-1, 2)


def cycle(routers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the links that close routers into a ring: two routers get one link, a single one none."""
    members = list(routers)
    links = list(pairwise(members))
    return [*links, (members[-1], members[0])] if len(members) > 2 else links
