"""Replays a prediction in SimGrid: the schedule of every phase, with the bytes of that phase.

A phase that is repeated is replayed once; computing takes what the prediction says. Phases with the same schedule and
the same bytes are replayed once for all.
"""

from __future__ import annotations

from pavane.campaign.workload_model.prediction import Prediction
from pavane.execution.simulate import simulated_time

MOST_DIFFERENCE = 0.1
"""What part of the prediction a replay may differ by; more is worth a remark."""


def replay_phases(made: Prediction) -> tuple[float | None, ...]:
    """Return the simulated seconds of each phase, each time it is carried out; None where it has no schedule."""
    replayed: dict[tuple[int, float], float] = {}
    seconds: list[float | None] = []
    for phase in made.phases:
        choice = phase.choice
        if choice is None:
            seconds.append(phase.seconds)
            continue
        key = id(choice.schedule), choice.size
        if key not in replayed:
            # The replay knows bytes of a message, whole or not; without bytes only start-ups and hops take time.
            replayed[key] = sum(simulated_time(choice.problem, choice.schedule, made.costs, choice.size))
        seconds.append(phase.computing + replayed[key])
    return tuple(seconds)


def simulated_total(made: Prediction, phases: tuple[float | None, ...]) -> float | None:
    """Return the simulated seconds of the whole, repetitions and all; None where a phase has no schedule."""
    total = 0.0
    for phase, seconds in zip(made.phases, phases, strict=True):
        if seconds is None:
            return None
        total += phase.times * seconds
    return total


def reason_of_difference(made: Prediction, simulated: float) -> str:
    """Return why a replay differs by more than a tenth from the prediction; empty where it does not."""
    if made.seconds is None or abs(simulated - made.seconds) <= MOST_DIFFERENCE * made.seconds:
        return ""
    if simulated > made.seconds:
        return "transfers share channels or ports in the replay that the model takes to be free"
    return "the model adds up the largest payload and the longest path of each step, which are of different transfers"
