"""Schedules at work: on MPI processes with real messages, or in SimGrid, a simulator that knows nothing of pavane."""

from pavane.execution.execution import Execution, WrongPayload
from pavane.execution.launch import execute
from pavane.execution.simulate import Replay, replay

__all__ = ["Execution", "Replay", "WrongPayload", "execute", "replay"]
