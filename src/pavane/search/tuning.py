"""The tuned numbers of searches: those of `auto`, and those of the search for a Pareto front."""

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
    """The work of one search in the first pass, in looks at transfers, about half a second; of one while scouting
    half."""
    work_growth: int = 6
    """How many times the work of the pass before each pass takes."""
    scouted_work: float = 14
    """After scouting: how many times `first_work` a search for private messages takes in the first two passes, or one
    for broadcasts in the second."""
    scouted_growth: float = 1.5
    """After scouting: by what factor that grows, every other pass for private messages, every pass for broadcasts."""
    first_moves: int = 60_000
    """The most moves of one search in the first pass; in proportion less for fewer than 400 arrivals of messages."""
    searches_in_time: float = 2.5
    """Of the time left one search takes at most the part that would be enough for this number of searches; after
    scouting for one less."""

    # -- which numbers of start-ups are tried

    dense_start_ups: int = 6
    """How many numbers of start-ups from the bound on are all tried; beyond, ever fewer. A third of them where many
    private messages make each search long; after scouting half of them for broadcasts, from the fewest found on."""
    most_start_up_ratio: float = 8
    """Beyond this many times the fewest start-ups combining gains too little to be found."""
    scouted_start_up_ratio: float = 2.5
    """The same after scouting."""
    hoped_gain: float = 0.06
    """What part of its TCO a point may lose in later passes; points farther above the hull are given up."""

    # -- scouting

    most_unscouted: int = 500
    """With more private messages, or twice as many arrivals of broadcasts, a problem is large."""
    doubt: float = 0.1
    """A group whose TCO in the short searches is worse by no more than this part may still be the better one."""

    # -- what else is tried, and bounds

    evaluations_alone: int = 200_000
    """Moves of each solver in the search without combining, where no time limit is given."""
    share_alone: float = 0.3
    """What part of the time left the search without combining may take, or the
    exchange of an allreduce between groups; the fronts of its phases take the rest."""
    most_deliveries_bounded: int = 20_000
    """Up to this number of arrivals every number of start-ups has a bound of its own on the TCO, and scouting pays. Up
    to a tenth of it first fit is tried, too."""
    share_aside: float = 0.1
    """What part of the time left the bound on the TCO of any number of start-ups may take, and the rows of a product
    of networks, and the columns."""


@dataclass(frozen=True)
class Tuning:
    """The numbers that steer `auto`; each says what it trades. Others are multiples of them."""

    # -- sizes: arrivals of messages, messages, routers

    tiny: int = 60
    """Up to this many arrivals first fit takes milliseconds, and nothing is quicker."""
    small: int = 1_000
    """Up to this many arrivals several passes of first fit take less than a second. With more messages under
    store-and-forward better bounds take a while, and a quick plan comes before them."""
    few: int = 5_000
    """With more messages even first fit takes seconds, and many pieces are tried a few at a time. With more arrivals
    and a time limit only counted bounds come before a first schedule, and trees before the phases of an allreduce."""
    quick: int = 10_000
    """With more arrivals even one attempt of rarest first is not quick, and no better bound ends a search sooner."""
    many: int = 20_000
    """With more arrivals rarest first takes seconds and may miss the bound: constructions come before it, and many
    pieces are spread a few at a time first."""
    least_detoured: int = 500
    """With fewer messages ejection search along picked paths is as good as plans with detours, and quick."""
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
    """The same of a long one: a few seconds. A table of slots for all routers takes twice as many, a period of slots
    three times: with less, the 19 slots of `mesh:4x4` are missed."""
    long_searches: int = 16
    """Long searches for one number of steps without a time limit; a new start beats a longer search. Half as many for
    one period of slots, a quarter for tables of one."""
    detour_cells: int = 2_000_000_000
    """What filling along plans with detours looks at in small problems without a time limit: two seconds. Packing of
    orbits looks at five times as many, and packing of all messages follows."""
    quick_effort: int = 50_000
    """Effort of rarest first before better bounds, and before a small problem is decided exactly: under a second.
    Trees of a small allreduce take four times as much."""
    small_variables: int = 20_000
    """CP-SAT decides programs up to this size in a second; a long search could only find, never refute."""
    glance_cells: int = 20_000_000
    """Pairs of a hop and a step that ejection search through time looks at before anything is planned; later five
    times as many, half a second."""

    # -- shares of the time left

    half: float = 0.5
    """An attempt takes at most this share while there is no schedule, so that first fit has its turn; so do detours,
    orbits, and the exact decision of a small allreduce, which others follow."""
    of_exchange: float = 0.2
    """The exchange of few pieces of an allreduce in few steps, which comes first; the phases take the rest, or twice
    as much where trees follow, and so do first trees."""


TUNING = Tuning()
