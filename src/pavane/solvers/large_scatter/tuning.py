"""The tuned numbers of large scatter, each with what it trades.

They were measured by `benchmarks.scale` on tori, meshes, hypercubes, Kautz networks and random regular networks of 64
to 1,024 routers. Constants inside compiled loops stand in the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ScatterTuning:
    """Thresholds, shares of the time and annealing temperatures; times are those of one core."""

    # Units of effort, see `effort`.
    cells_per_probe: int = 33
    """A probe of a channel while a step is filled along a plan takes as long as examining this many cells."""
    cells_per_move: int = 25_000
    """A move of filling along any shortest paths takes as long as examining this many cells."""
    probes_per_free_move: int = 110
    """A move of filling along any shortest paths, with even loads, takes as long as this many probes."""
    probes_per_uneven_move: int = 1_500
    """With uneven loads steps are never full, so that no move is saved, and rerouting takes a third of the time."""
    least_compiled: int = 600
    """Fewer messages are placed before machine code is even loaded."""

    # Shares of the time, and speed.
    probes_per_second: int = 70_000_000
    """Up to `most_cached_routers` routers."""
    most_cached_routers: int = 512
    """Up to so many routers the tables between all pairs are cached; with twice as many a probe takes twice as long."""
    seconds_per_message: float = 1.6e-5
    """Filling without any probes to spare, or planning, ejection and judging, of one message."""
    share_of_time: float = 0.75
    """Plans and filling may take this part of the time limit; the rest is for bounds and a first answer."""
    careful_share: float = 0.86
    """Steps are filled with probes, or by orbits in networks rich in paths, for this part of the remaining time."""
    least_speed: float = 0.65
    """Probes are reduced if fewer than this part of them fits into the time; early steps are the slowest."""
    speed_memory: float = 0.15
    """The speed is averaged over about this part of the steps; after twice as many it is reliable enough to be used."""

    # Strategies of packing.
    most_channels_per_move: int = 5
    """With more channels for each move of a step, filling is no better than first fit."""
    least_probes_per_hop: int = 60
    """Without a time limit plans are not filled with fewer probes for each channel of a path."""
    quick_part: int = 12
    """A quick attempt has one part in this many of the probes of a careful one."""

    # Detours: longer paths lower the busiest load but leave fewer channels idle, so that steps are harder to fill.
    most_detoured_twice: int = 20_000
    """With more messages plans with detours by two channels take too long, and others have few passes."""
    share_of_preparation: float = 0.4
    """The part of the time that plans with and without detours may take, and of the probes that sweeps take."""
    detour_patience: int = 150
    """Sweeps without fewer unplaced messages after which the last steps of a plan do not fit, or four times as many."""
    noise_of_worth: float = 0.3
    """Random part of the worth of messages in sweeps; one that is left unplaced gains up to twice as much."""

    # Filling along any shortest paths.
    most_routers: int = 2_048
    """Above this the tables between all pairs of routers become too large."""
    rich: float = 3.0
    """From this many channels on shortest paths for each channel of a path, a network is rich in paths."""
    most_unevenness: float = 1.02
    """Loads are even if the largest is at most this many times the mean; else the busiest channels decide.

    Detours are used if they lower the load of the busiest channel by as much."""
    free_bonus: float = 0.03
    """Each channel of a path adds this to the factor of its worth: long paths first."""
    free_hottest: float = 1.0
    """Temperature of the first move of a step; of the last one a tenth."""

    # Filling by orbits: groups compete, those with fewer steps get more moves.
    orbit_first_moves: int = 200
    """Moves per step in the first round, with all groups."""

    # Plans, and filling along them.
    softness: float = 3.0
    """The worth of a channel falls by e when its slack grows by this many steps."""
    least_worth: float = 0.2
    """The worth of a channel with any slack."""
    sharpness: float = 0.6
    """Steepness of load prices when pending messages are rerouted; twice as much in the last steps."""
    many_messages: int = 500_000
    """With more messages a plan has few passes, each of which takes most of a second, and none with detours is made."""
    most_replanned: int = 5_000_000
    """Messages rerouted in all before the last steps: a million are rerouted eight times. Ten times as many are weighed
    in all steps together."""
    least_drift_probes: int = 3_000
    """With fewer probes for each channel of a path, half a minute, plans are not filled where loads are uneven and
    paths free; with more, elsewhere, a quick attempt precedes the careful one: an answer sooner."""
    late: int = 80
    """With fewer steps left all remaining messages matter: rerouting in every step, less bonus for long paths."""
    bonus: float = 0.5
    """Each channel of a path adds this to the factor of its worth: long paths first."""
    hottest: float = 0.5
    """Temperature of the first move of a step; of the last one a tenth, and of the first one in windows a fifth."""
    probes_of_a_margin: int = 27
    """With this many probes for each channel of a path a plan takes twice its load in steps; with more, fewer."""
    most_margin: float = 0.025
    """The goal lies above the plan's load by at most this part; an overly ambitious goal costs more than it gains."""
    tail: float = 0.02
    """The part of the steps that is filled so."""
    many_in_the_tail: int = 8_000
    """With more messages in the tail an attempt succeeds soon or not at all, and ends after its patience."""
    more_steps: tuple[int, ...] = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55)
    """Additional steps for the tail, tried in turn."""

    # Windows: sweeps over a window of steps before each of its steps is filled, in large networks.
    least_window_routers: int = 400
    """From so many routers on: filling an empty step from every router takes too long there."""
    window_bonus: float = 0.2
    """The bonus of long paths: sweeps over all messages find the long ones by themselves."""
    window_part: int = 4
    """A window has one part in this many of the steps left; two are filled at a time while they are full windows."""
    least_window: int = 8
    """The fewest steps of a window."""
    spread: int = 6
    """Sweeps see this many times the messages that fit into a window."""

    # First fit.
    least_hops_probed: int = 1_000_000
    """With fewer channels of all paths, building and judging takes less than a second and is not estimated, and the
    clock is not read: small problems are answered in any time."""


TUNING = ScatterTuning()
