"""The tuned numbers of searches: those of `auto`, and those of the search for a Pareto front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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


@dataclass(frozen=True)
class Tuning:
    """The numbers that steer `auto`; each says what it trades."""

    # -- sizes: arrivals of messages, messages, routers

    tiny: int = 60
    """Up to this many arrivals first fit takes milliseconds, and nothing is quicker."""
    small: int = 1_000
    """Up to this many arrivals several passes of first fit take less than a second."""
    leisurely: int = 5_000
    """With more arrivals and a time limit only counted bounds come before a first schedule."""
    quick: int = 10_000
    """With more arrivals even one attempt of rarest first is not quick, and no better bound ends a search sooner."""
    spread_at_once: int = 20_000
    """With more arrivals many pieces are spread a few at a time first; all at once they take five seconds and more."""
    constructed_first: int = 20_000
    """With more arrivals rarest first takes seconds and may miss the bound; constructions come before it."""
    few_messages: int = 5_000
    """With more messages even first fit takes seconds, and many pieces are tried a few at a time."""
    bounded_first: int = 1_000
    """With more messages under store-and-forward better bounds take a while, and a quick plan comes before them."""
    least_detoured: int = 500
    """With fewer messages ejection search along picked paths is as good as plans with detours, and quick."""
    phases_first: int = 5_000
    """With more arrivals and a time limit trees come before the phases of an allreduce, which may take too long."""
    grown: int = 200_000
    """With more arrivals a tree for each part of an allreduce takes more than half a minute to grow; phases do not."""
    translated_routers: int = 300
    """In larger networks translations take tens of seconds, and find nothing at the bound."""
    messages_in_steps: int = 50_000_000
    """With more messages times steps one ejection search through time takes minutes; plans do without."""

    # -- efforts, counted

    quick_trials: int = 4_000_000
    """Pairs of a path and a step that a quick ejection search tries: under a second."""
    long_trials: int = 20_000_000
    """The same of a long one: a few seconds."""
    slot_trials: int = 60_000_000
    """What a long search in slots tries for one period: a shorter one misses the 19 slots of `mesh:4x4`."""
    slot_searches: int = 8
    """Long searches in slots for one period without a time limit."""
    quick_tables: Mapping[str, int] = field(
        default_factory=lambda: {"most_trials": 4_000_000, "most_paths": 24, "most_homomorphisms": 2}
    )
    """The effort of a quick search for one table of slots for all routers; every run draws new paths."""
    long_tables: Mapping[str, int] = field(
        default_factory=lambda: {"most_trials": 40_000_000, "most_paths": 24, "most_homomorphisms": 2}
    )
    """That of a long one: three seconds for each kind of table."""
    table_searches: int = 4
    """Long searches for tables of one period without a time limit."""
    long_searches: int = 16
    """Long searches for one number of steps without a time limit; a new start beats a longer search."""
    orbit_cells: int = 10_000_000_000
    """What packing of orbits looks at without a time limit; packing of all messages follows."""
    detour_cells: int = 2_000_000_000
    """What filling along plans with detours looks at in small problems without a time limit: two seconds."""
    quick_effort: int = 50_000
    """Effort of rarest first before better bounds, and before a small problem is decided exactly: under a second."""
    small_variables: int = 20_000
    """CP-SAT decides programs up to this size in a second; a long search could only find, never refute."""
    quick_trees: int = 200_000
    """Effort of trees before a small allreduce is decided exactly: a fraction of a second."""
    quick_sums: float = 0.5
    """Effort of CP-SAT for one number of steps of a small allreduce, in its units: about four seconds at most."""
    long_sums: float = 2.0
    """The same after all else."""
    plan_passes: int = 10
    """Passes over all messages of a plan that gives a first schedule on a large network."""
    glance_cells: int = 20_000_000
    """Pairs of a hop and a step that ejection search through time looks at before anything is planned."""
    quick_cells: int = 100_000_000
    """The same of a quick ejection search through time: half a second."""

    # -- shares of the time left

    before_first: float = 0.5
    """An attempt takes at most this share while there is no schedule, so that first fit has its turn."""
    of_detours: float = 0.5
    """Filling along plans with detours; ejection search follows."""
    of_orbits: float = 0.5
    """Packing of orbits; packing of all messages follows."""
    of_phases: float = 0.8
    """The phases of an allreduce by a chosen solver, or where there are many trees; the rest is for their overlap."""
    of_phases_before_trees: float = 0.4
    """The phases by `auto`; trees follow."""
    of_exchange: float = 0.2
    """The exchange of few pieces of an allreduce in few steps, which comes first."""
    of_small_sums: float = 0.5
    """The exact decision of a small allreduce; phases and trees follow."""
    of_first_trees: float = 0.4
    """The trees of the phases, before others are grown."""


TUNING = Tuning()
