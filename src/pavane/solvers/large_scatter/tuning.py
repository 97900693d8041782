"""The tuned numbers of large scatter, each with what it trades.

They were measured by `benchmarks.scale` on tori, meshes, hypercubes, Kautz networks and random regular networks of 64
to 1,024 routers. Constants inside compiled loops stand in the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

from pavane.solvers.rerouting import ReroutingEffort


@dataclass(frozen=True)
class ScatterTuning:
    """Thresholds, shares of the time and annealing temperatures; times are those of one core."""

    # Units of effort, see `effort`.
    cells_per_probe: int = 33
    """A probe of a channel while a step is filled along a plan takes as long as examining this many cells."""
    cells_per_move: int = 25_000
    """A move of filling along any shortest paths takes as long as examining this many cells."""
    cells_per_orbit_move: int = 6_250
    """A move with one message of each orbit is a quarter of that work."""
    probes_per_free_move: int = 110
    """A move of filling along any shortest paths, with even loads, takes as long as this many probes."""
    probes_per_uneven_move: int = 1_500
    """With uneven loads steps are never full, so that no move is saved, and rerouting takes a third of the time."""
    probes_per_visit: int = 3
    """A visit of a sweep to one message takes as long as this many probes."""
    cells_between_clock_reads: int = 40_000_000
    """Path ejection reads the clock after this many cells: some hundredths of a second."""
    placements_between_clock_reads: int = 1_000
    """First fit reads the clock after this many messages."""
    window_placements_between_clock_reads: int = 8_192
    """Windowed first fit reads the clock after this many messages."""
    least_compiled: int = 600
    """Fewer messages are placed before machine code is even loaded."""
    bytes_per_cell: int = 8
    """The two tables of path ejection, occupant and weight, for one unit in one step."""

    # Shares of the time, and speed.
    probes_per_second: int = 70_000_000
    """Up to `most_cached_routers` routers."""
    most_cached_routers: int = 512
    """Up to so many routers the tables between all pairs are cached; with twice as many a probe takes twice as long."""
    seconds_per_message: float = 1.6e-5
    """Planning, ejection and judging of one message, however few probes there are."""
    seconds_per_planned_message: float = 5e-6
    """The plan alone."""
    seconds_per_filled_message: float = 1.5e-5
    """Filling without any probes to spare."""
    thread_gain: float = 0.7
    """Probes grow with the number of threads to this power."""
    share_of_time: float = 0.75
    """Plans and filling may take this part of the time limit; the rest is for bounds and a first answer."""
    careful_share: float = 0.86
    """Steps are filled with probes for this part of the remaining time, then greedily."""
    least_measured: float = 0.3
    """After this part of the steps the speed so far is reliable enough to reduce the probes of later steps."""
    least_speed: float = 0.65
    """Probes are reduced if fewer than this part of them fits into the time; early steps are the slowest."""
    speed_memory: float = 0.15
    """The speed is averaged over about this part of the steps."""

    # Strategies of packing.
    orbit_moves_factor: int = 2
    """Without a time limit filling by orbits has this many times the moves of filling."""
    share_of_orbits: float = 0.85
    """Filling by orbits may take this part of the time on networks rich in shortest paths."""
    share_of_poor_orbits: float = 0.25
    """The same on other networks, where plans do better."""
    most_channels_per_move: int = 5
    """With more channels for each move of a step, filling is no better than first fit."""
    least_probes_per_hop: int = 60
    """Without a time limit plans are not filled with fewer probes for each channel of a path."""
    most_probes_in_one_attempt: int = 2_500
    """With more probes for each channel of a path a quick attempt precedes the careful one: an answer sooner."""
    quick_part: int = 12
    """A quick attempt has one part in this many of the probes of a careful one."""
    least_strides_after_filling: int = 16
    """Filled steps are emptiest at the end: short strides remove the last few within a second each."""

    # Detours: longer paths lower the busiest load but leave fewer channels idle, so that steps are harder to fill.
    most_detoured: int = 300_000
    """With more messages plans with detours take too long."""
    most_detoured_twice: int = 20_000
    """With more messages plans with detours by two channels take too long."""
    least_gain_of_detours: float = 0.97
    """Detours are used if the busiest channel carries at most this part of its load without them."""
    detour_attempts: int = 3
    """Attempts with detours where no time limit is given; the first is quick."""
    share_of_detour_plans: float = 0.4
    """Plans with and without detours may take this part of the time."""
    detour_effort: ReroutingEffort = ReroutingEffort(100, patience=20, most_sharpness=3.0, noise=0.95)  # noqa: RUF009 (it is frozen)
    """Passes of a plan with detours: paths are many, and a load less is a step less."""
    many_with_detours: int = 20_000
    """With more messages plans with detours have no more passes than others."""
    detour_sweeps: int = 600
    """Sweeps after which the last steps of a plan with detours do not fit."""
    detour_patience: int = 150
    """Sweeps without fewer unplaced messages after which they do not fit."""
    detour_gain: float = 0.3
    """A message that a sweep leaves unplaced gains up to twice this worth, in channels."""

    # Filling along any shortest paths.
    most_routers: int = 2_048
    """Above this the tables between all pairs of routers become too large."""
    rich: float = 3.0
    """From this many channels on shortest paths for each channel of a path, a network is rich in paths."""
    sampled_sources: int = 8
    """Routers from which that is measured."""
    most_unevenness: float = 1.02
    """Loads are even if the largest is at most this many times the mean; else the busiest channels decide."""
    free_bonus: float = 0.03
    """Each channel of a path adds this to the factor of its worth: long paths first."""
    free_hottest: float = 1.0
    """Temperature of the first move of a step."""
    free_coldest: float = 0.1
    """Temperature of the last move of a step."""
    most_empty_steps: int = 8
    """A step in which no random walk found a path is tried again this often."""

    # Filling by orbits: groups compete, those with fewer steps get more moves.
    orbit_first_moves: int = 200
    """Moves per step in the first round, with all groups."""
    orbit_more_moves: int = 3
    """The better half of the groups gets this many times the moves."""
    orbit_most_moves: int = 6_000
    """More moves per step gain little; another seed gains more."""
    orbit_least_groups: int = 2
    """Groups that stay to the end."""
    orbit_doubt: int = 50
    """An attempt ends when it exceeds the incumbent by more than one part in this many."""

    # Plans, and filling along them.
    softness: float = 3.0
    """The worth of a channel falls by e when its slack grows by this many steps."""
    least_worth: float = 0.2
    """The worth of a channel with any slack."""
    sharpness: float = 0.6
    """Steepness of load prices when pending messages are rerouted; twice as much in the last steps."""
    many_messages: int = 500_000
    """With more messages a plan has few passes, each of which takes most of a second."""
    most_replanned: int = 5_000_000
    """Messages rerouted in all before the last steps: a million messages are rerouted eight times."""
    drift_period: int = 4
    """Where loads are uneven and paths free, pending messages are rerouted every so many steps."""
    least_drift_probes: int = 3_000
    """With fewer probes for each channel of a path, half a minute, first fit and ejection do better there."""
    late: int = 80
    """With fewer steps left all remaining messages matter: rerouting in every step, less bonus for long paths."""
    bonus: float = 0.5
    """Each channel of a path adds this to the factor of its worth: long paths first."""
    hottest: float = 0.5
    """Temperature of the first move of a step."""
    coldest: float = 0.05
    """Temperature of the last move of a step."""
    most_weighed: int = 50_000_000
    """All pending messages are weighed in every step, or less often: up to this many in all steps together."""
    probes_of_a_margin: int = 27
    """With this many probes for each channel of a path a plan takes twice its load in steps; with more, fewer."""
    most_margin: float = 0.025
    """The goal lies above the plan's load by at most this part; an overly ambitious goal costs more than it gains."""
    least_tail: int = 6
    """At least so many last steps are filled together by path ejection."""
    tail: float = 0.02
    """The part of the steps that is filled so."""
    tail_patience: int = 10
    """Moves per message without fewer unplaced after which the tail does not fit."""
    many_in_the_tail: int = 8_000
    """With more messages in the tail an attempt succeeds soon or not at all, and ends after its patience."""
    more_steps: tuple[int, ...] = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55)
    """Additional steps for the tail, tried in turn."""
    least_more_of_many: int = 5
    """With many messages in the tail the first attempt has this many more: what is too much is soon removed."""

    # Windows: sweeps over a window of steps before each of its steps is filled, in large networks.
    least_window_routers: int = 400
    """From so many routers on: filling an empty step from every router takes too long there."""
    window_bonus: float = 0.2
    """The bonus of long paths: sweeps over all messages find the long ones by themselves."""
    window_hottest: float = 0.1
    """Temperature of the first move of a step that is nearly full."""
    window_part: int = 4
    """A window has one part in this many of the steps left."""
    least_window: int = 8
    """The fewest steps of a window."""
    share_of_sweeps: float = 0.4
    """The part of the probes that goes into sweeps."""
    least_sweeps: int = 2
    """The fewest sweeps over a window."""
    most_sweeps: int = 60
    """The most sweeps over a window."""
    disorder: float = 0.3
    """Relative random noise of the worth by which messages are ordered for sweeps."""
    spread: int = 6
    """Sweeps see this many times the messages that fit into a window."""
    windows_at_a_time: int = 2
    """Windows swept, and steps filled, at a time, one per thread."""
    many_windows: int = 4
    """Several windows at a time while the steps left make this many for each."""
    probes_after_loss: float = 0.1
    """The part of its probes that a step gets again when another step took some of its messages."""

    # First fit.
    most_price_exponent: float = 300.0
    """Prices are powers of 2 up to this one, and down to its inverse, so that sums stay finite."""
    most_hops_at_once: int = 200_000
    """Up to so many channels of all paths the clock is not read: small problems are answered in any time."""
    least_hops_probed: int = 1_000_000
    """With fewer channels of all paths, building and judging takes less than a second and is not estimated."""
    messages_probed: int = 50_000
    """Messages that are built and judged to estimate the time for all."""


TUNING = ScatterTuning()
