"""Hypothesis must be repeatable, interrupts must arrive, files need not survive a power cut, and tests are no garbage.

Hypothesis takes the same examples on every machine, and no clock. A shell starts jobs in the background with interrupts
(Ctrl-C) ignored, and whatever they start inherits that; tests that interrupt programs would wait for nothing.
"""

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", patient, derandomize=True, max_examples=30)
settings.register_profile("thorough", patient, max_examples=5000)
settings.load_profile("repeatable")

gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but never look at the tests themselves, which stay to the end."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def interrupts() -> Iterator[None]:
    """Let interrupts reach the tests and the programs that they start, wherever the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def unsynchronized_files() -> Iterator[None]:
    """Write files without waiting for the disk: property tests write thousands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield
