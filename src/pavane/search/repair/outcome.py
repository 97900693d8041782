"""The outcome of a repair: a result, and how much of the old schedule it keeps."""

from __future__ import annotations

from dataclasses import dataclass

from pavane.judge.result import Result


@dataclass(frozen=True)
class Repair:
    """A repaired schedule, as a result, and how many transfers of the old one it keeps."""

    result: Result
    num_before: int
    """Transfers of the old schedule."""
    num_kept: int
    """Transfers that are as they were: same step, ends, path and messages.

    The steps of a reduction count from its end: it is repaired backwards, and steps are added at its beginning.
    """
    steps_before: int
    num_new: int = 0
    """Transfers of messages that the old problem does not have."""
    num_removed: int = 0
    """Old transfers of messages that the new problem does not have."""

    @property
    def num_moved(self) -> int:
        """Return the number of transfers of old messages that are not as they were."""
        assert self.result.schedule is not None
        return len(self.result.schedule) - self.num_kept - self.num_new
