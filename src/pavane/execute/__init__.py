"""Schedules at work: on MPI processes with real messages, or in SimGrid, a simulator that knows nothing of pavane."""

from pavane.execute.execution import Execution, Fault
from pavane.execute.launch import execute
from pavane.execute.simulate import Replay, replay

__all__ = ["Execution", "Fault", "Replay", "execute", "replay"]
