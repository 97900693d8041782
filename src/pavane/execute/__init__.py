"""Schedules at work: on MPI processes with real messages, or in SimGrid, a simulator that knows nothing of pavane."""

from pavane.execute.execution import Execution, WrongPayload
from pavane.execute.launch import execute
from pavane.execute.simulate import Replay, replay

__all__ = ["Execution", "Replay", "WrongPayload", "execute", "replay"]
