"""A real browser for the tests, where one is installed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest
from playwright.sync_api import Error, Locator, Page, sync_playwright
from playwright.sync_api import expect as expect_by

if TYPE_CHECKING:
    from playwright.sync_api._generated import LocatorAssertions

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # One process draws all pages, and one does the rest: to start others took half of the time of a page.
    "--in-process-gpu",
    "--enable-features=NetworkServiceInProcess",
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
)

PATIENCE = 60_000
"""Milliseconds that a page has for what is expected of it: a busy machine takes long."""

PAUSE = 40
"""Milliseconds after which a page is looked at again."""

SIZE = (1280, 720)
"""The size of a page, unless a test has another."""


class _Repeated:
    """Assertions about a part of a page, each checked until it holds."""

    def __init__(self, part: Locator) -> None:
        self.part = part

    def __getattr__(self, name: str) -> Callable[..., None]:
        def check(*args: Any, **options: Any) -> None:
            deadline = time.monotonic() + PATIENCE / 1000
            while True:
                try:
                    getattr(expect_by(self.part), name)(*args, **options, timeout=1)
                except AssertionError:
                    if time.monotonic() > deadline:
                        raise
                    self.part.page.wait_for_timeout(PAUSE)
                else:
                    return

        return check


def expect(part: Locator) -> LocatorAssertions:
    """Return assertions about a part of a page that wait until they hold, or fail when patience ends.

    playwright looks again after 100, 250, 500 and then 1000 ms: most of the time of a test would be such pauses.
    """
    return cast("LocatorAssertions", _Repeated(part))


@contextmanager
def running_browser() -> Iterator[Page]:
    """Yield the one page of a headless browser, or skip the test where there is none.

    To open a page takes the browser longer than all that a test does on it, so tests share one.
    """
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no chromium is installed (Debian: apt install chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(FLAGS))
        try:
            page = browser.new_page()
            page.set_default_timeout(PATIENCE)
            yield page
        finally:
            browser.close()


@contextmanager
def used(page: Page) -> Iterator[Page]:
    """Yield a page on which any error of a script fails the test, and leave it as it was."""
    resize(page, SIZE)
    errors: list[str] = []

    def note(error: Error) -> None:
        errors.append(str(error))

    page.on("pageerror", note)
    yield page
    page.unroute_all(behavior="ignoreErrors")
    page.goto("about:blank")
    page.remove_listener("pageerror", note)
    assert not errors


def resize(page: Page, size: tuple[int, int], scheme: Literal["light", "dark"] = "light") -> None:
    """Change the size and the scheme of a page."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme)
