"""How much the search for a front tries, and when it leaves off: every number that steers it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """The numbers that steer the search for a front; the defaults suit networks of up to about a hundred processors.

    The search goes over the numbers of start-ups in passes, each with more work than the one before. Where a problem is
    large it first scouts: it finds out which groups of symmetries suit, by short searches at one number of start-ups.
    """

    passes: int = 2
    """Passes where no time limit is given."""

    # -- one search at one number of start-ups

    first_work: float = 1e8
    """The work of one search in the first pass, in looks at transfers; about half a second."""
    work_growth: int = 6
    """How many times the work of the pass before each pass takes."""
    scouted_private_work: float = 14
    """After scouting: how many times `first_work` a search for private messages takes in the first two passes."""
    scouted_broadcast_work: float = 9
    """After scouting: how many times `first_work` a search for broadcasts takes in the first pass."""
    scouted_growth: float = 1.5
    """After scouting: by what factor that grows, every other pass for private messages, every pass for broadcasts."""
    first_moves: int = 60_000
    """The most moves of one search in the first pass."""
    moves_per_delivery: int = 150
    """The most moves of one search in the first pass for each arrival of a message."""
    searches_in_time: float = 2.5
    """Of the time left one search takes at most the part that would be enough for this number of searches."""
    scouted_searches_in_time: float = 1.5
    """The same after scouting."""

    # -- which numbers of start-ups are tried

    dense_start_ups: int = 6
    """How many numbers of start-ups from the bound on are all tried; beyond, ever fewer."""
    dense_start_ups_if_large: int = 2
    """The same where many private messages make each search long."""
    most_start_up_ratio: float = 8
    """Beyond this many times the fewest start-ups combining gains too little to be found."""
    scouted_start_up_ratio: float = 2.5
    """The same after scouting."""
    scouted_broadcast_more: int = 3
    """After scouting: how many start-ups above the fewest found are tried for broadcasts."""
    hoped_gain: float = 0.06
    """What part of its TCO a point may lose in later passes; points farther above the hull are given up."""

    # -- scouting

    most_private_unscouted: int = 500
    """With more private messages a problem is large."""
    most_broadcasts_unscouted: int = 32
    """With more broadcast messages a problem is large."""
    scouted_above_bound: tuple[int, ...] = (2, 3, 4, 5, 6)
    """How many start-ups above the bound are scouted, one after the other until some group finds a schedule."""
    scout_work: float = 5e7
    """The work of one search while scouting."""
    scouted_orders: int = 2
    """Groups of how many orders are scouted, the largest ones."""
    doubt: float = 0.1
    """A group whose TCO in the short searches is worse by no more than this part may still be the better one."""

    # -- what else is tried, and bounds

    evaluations_alone: int = 200_000
    """Moves of each solver in the search without combining, where no time limit is given."""
    share_alone: float = 0.3
    """What part of the time left the search without combining may take."""
    scouted_share_alone: float = 0.2
    """The same for private messages where the problem is scouted."""
    share_of_private_lines: float = 0.05
    """What part of the time left the rows of a product of networks may take, and the columns."""
    share_of_broadcast_lines: float = 0.08
    """The same for broadcasts, which mostly gain most."""
    share_of_exchange: float = 0.2
    """What part of the time left the exchange of an allreduce between groups may take."""
    share_of_phases: float = 0.7
    """What part of the time left the fronts of the phases of an allreduce may take."""
    most_deliveries_widened: int = 2_000
    """Up to this number of arrivals widths for the steps are tried, where they apply."""
    share_of_widths: float = 0.4
    """What part of the time left they may take."""
    most_deliveries_of_first_fit: int = 2_000
    """Up to this number of arrivals first fit is tried, too."""
    most_deliveries_bounded: int = 20_000
    """Up to this number of arrivals every number of start-ups has a bound of its own on the TCO, and scouting pays."""
    share_of_bound: float = 0.1
    """What part of the time left the bound on the TCO of any number of start-ups may take."""
