"""What the tests in a browser share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser import running_browser, used


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    """Yield the one page of a browser; its driver runs an event loop, so tests of other modules cannot share it."""
    with running_browser() as page:
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """Yield a page on which any error of a script fails the test."""
    with used(tab):
        yield tab
