"""Ports of routers on a grid by the points of the compass, as networks on chip call them.

Column x grows to the east and row y to the south, and a link that leaves the grid enters it on the other side. Between
two routers of a pair of rows or columns the channel that stays inside is the first, a parallel one that which leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

from pavane.model.network import Network

WAYS = {"N": (0, -1), "S": (0, 1), "E": (1, 0), "W": (-1, 0)}
"""The change of column and row."""

OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}


@dataclass(frozen=True)
class GridPorts:
    """The places of routers, and the letters of channels."""

    width: int
    height: int
    place_of: tuple[tuple[int, int], ...]
    """Column and row of each router."""
    letter_of: dict[int, str]
    """N, S, E or W of each channel."""
    channel_of: dict[tuple[int, str], int]
    """The channel that leaves a router by a letter; where only one leads to a neighbour on both sides, by both."""

    @classmethod
    def of(cls, network: Network) -> GridPorts | None:
        """Return the ports of a network; None where it has no grid, or a channel that leads to no neighbour on it."""
        places = _places(network)
        if places is None:
            return None
        width, height = (1 + max(place[axis] for place in places) for axis in (0, 1))
        letters: dict[int, str] = {}
        channels: dict[tuple[int, str], int] = {}
        spare: dict[tuple[int, str], int] = {}
        for channel, (tail, head) in enumerate(network.channels.tolist()):
            near = [letter for letter, way in WAYS.items() if _moved(places[tail], way) == places[head]]
            far = [
                letter
                for letter, way in WAYS.items()
                if letter not in near and _moved(places[tail], way, width, height) == places[head]
            ]
            letter = next((each for each in (*near, *far) if (tail, each) not in channels), None)
            if letter is None:
                return None
            letters[channel] = letter
            channels[tail, letter] = channel
            spare |= {(tail, each): channel for each in (*near, *far)}
        return cls(width, height, tuple(places), letters, spare | channels)

    def neighbour(self, place: tuple[int, int], letter: str) -> tuple[int, int]:
        """Return the place that a letter leads to, round the grid."""
        return _moved(place, WAYS[letter], self.width, self.height)


def _places(network: Network) -> list[tuple[int, int]] | None:
    """Return column and row of each router, where positions are those of a grid."""
    if network.positions is None or not network.num_routers:
        return None
    places = [(round(x), round(-y)) for x, y in network.positions.tolist()]
    exact = all(
        (x, y) == (column, -row) for (x, y), (column, row) in zip(network.positions.tolist(), places, strict=True)
    )
    inside = min(map(min, places)) == 0 and len(set(places)) == len(places)
    return places if exact and inside else None


def _moved(place: tuple[int, int], way: tuple[int, int], width: int = 0, height: int = 0) -> tuple[int, int]:
    x, y = place[0] + way[0], place[1] + way[1]
    return (x % width, y % height) if width else (x, y)
