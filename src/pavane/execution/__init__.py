"""Schedules at work: on MPI processes with real messages."""

from pavane.execution.execution import Execution, WrongPayload
from pavane.execution.launch import execute

__all__ = ["Execution", "WrongPayload", "execute"]
