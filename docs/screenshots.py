"""Takes the screenshots of the documentation with a real browser: `python docs/screenshots.py`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from pavane import Problem, alltoall, network, solve
from pavane.ui.player import player_page

FIGURES = Path(__file__).parent / "figures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]


def main() -> None:
    """Take all of them."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        sys.exit("no chromium is installed (Debian: apt install chromium)")
    made = network("kautz:3,2")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        file = Path(folder) / "player.html"
        file.write_text(player_page(solve(Problem(made, alltoall(made)))), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1100, "height": 700})
        page.goto(file.as_uri())
        page.click("text=Play")
        page.wait_for_timeout(900)
        page.screenshot(path=FIGURES / "player.png")
        command = [sys.executable, "-m", "pavane", "serve", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(f"{address[0]}?network=octagon")
            page.click("#make")
            page.wait_for_selector(".pavane-player h1", timeout=60_000)
            page.wait_for_timeout(500)
            page.evaluate("window.scrollTo(0, 0)")
            page.screenshot(path=FIGURES / "page.png")
            server.terminate()
        browser.close()


if __name__ == "__main__":
    main()
