"""What pools are asked to do in tests; workers elsewhere import it by its name."""

import os
import signal
import time
from pathlib import Path

from pavane.jit import clock
from pavane.parallel.tasks import TaskContext


def added(shared: int, contact: TaskContext, number: int) -> int:
    """Add what all calls share; small numbers take longer."""
    time.sleep(0.02 if number < 2 else 0.0)
    return shared + number


def broken(shared: int, contact: TaskContext, number: int) -> int:
    """Raise at the second call."""
    if number == 1:
        raise ValueError("the second call")
    return number


def lost(shared: int, contact: TaskContext, number: int) -> int:
    """End the process at the second call, as the system does when memory is short."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def until_stopped(shared: int, contact: TaskContext, number: int) -> str:
    """Go on until asked to stop, and answer then."""
    if number == 0:
        return "at once"
    until = time.monotonic() + 300
    while not contact.is_stopped() and time.monotonic() < until:
        time.sleep(0.01)
    return "stopped" if contact.is_stopped() else "late"


def lost_once(folder: Path, contact: TaskContext, number: int) -> int:
    """End the process when the second call is made for the first time."""
    with open(folder / "made", "a") as file:
        file.write(f"{number} {os.getpid()}\n")
    mark = folder / "was here"
    if number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def told(shared: int, contact: TaskContext, number: int) -> int:
    """Tell two things before the answer."""
    contact.report(shared + number)
    contact.report("nearly")
    return number


def gone_for_good(shared: int, contact: TaskContext, number: int) -> int:
    """End without an answer, in a way that cannot be pickled."""

    class Unknown(Exception):
        """No other process knows this class."""

    raise Unknown("what nobody can unpickle")


def compiling(shared: int, contact: TaskContext, number: int) -> int:
    """Stop the clock as if a kernel were compiled."""
    with clock.paused(f"kernel {number}"):
        return number
