"""What the tests of the web page share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ui.web.serving import Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Yield one server for all tests of a file."""
    with serving() as running:
        yield running
