"""The documentation as a site: it builds without a warning, loads nothing from elsewhere, and has every page."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

import pavane

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

LOADED_BY = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
}
"""What a browser loads without being asked, by the element that names it."""


@pytest.fixture(scope="module")
def site_pages() -> Any:
    """Import docs/site_pages.py."""
    pytest.importorskip("mkdocs", reason="mkdocs builds the site, and it is not installed (make .venv/dev.stamp)")
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("site_pages")
    finally:
        sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, site_pages: Any) -> Path:
    """Build the site, with warnings as errors: a link or an anchor that leads nowhere is one."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--config-file",
        "packaging/mkdocs.yml",
        "--strict",
        "--quiet",
        "--site-dir",
        str(folder),
    ]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


class Loads(HTMLParser):
    """Collects the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element loads."""
        named = dict(attrs)
        if LOADED_BY.get(tag) in named:
            self.found.append(named[LOADED_BY[tag]] or "")
        self.found += re.findall(r"url\(([^)]*)\)", named.get("style") or "")
        self.found += (part.split()[0] for part in (named.get("srcset") or "").split(",") if part.strip())


def loads(path: Path) -> Iterator[str]:
    """Yield the addresses that a page or a style sheet loads."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        page = Loads()
        page.feed(text)
        yield from page.found
    yield from (address.strip(" \"'") for address in re.findall(r"(?:@import|\burl\()\s*([^;)]+)", text))


def test_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    """Scripts, styles, fonts and images all lie in the site, so that it can be read without a network."""
    looked_at = [path for path in sorted(built.rglob("*")) if path.suffix in (".html", ".css")]
    assert {"index.html", "api.html", "papers.html"} <= {path.name for path in looked_at}
    outside = {
        f"{path.name}: {address}"
        for path in looked_at
        for address in loads(path)
        if re.match(r"(?:https?:)?//", address)
    }
    assert outside == set()


def test_loads_from_elsewhere_are_seen(tmp_path: Path) -> None:
    """The test above would notice a script, a font, an image and an import."""
    page, sheet = tmp_path / "a.html", tmp_path / "a.css"
    page.write_text('<script src="https://a/b.js"></script><img srcset="//c 2x"><a href="https://d">', encoding="utf-8")
    sheet.write_text("@import 'https://e'; p { background: url(\"https://f\") }", encoding="utf-8")
    assert [*loads(page), *loads(sheet)] == ["https://a/b.js", "//c", "https://e", "https://f"]


def in_nav(entry: Any) -> Iterator[str]:
    """Yield the pages that an entry of the navigation names."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from in_nav(part)


def test_every_page_is_in_the_navigation(site_pages: Any) -> None:
    """Every page of docs is named under `nav` in packaging/mkdocs.yml, in the group where readers look for it."""
    named = list(in_nav(yaml.safe_load((ROOT / "packaging" / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    brought = {name for name in site_pages.PAGE_OF.values() if name.endswith(".md")} - {"examples/index.md"}
    missing = sorted((pages | brought) - set(named))
    assert not missing, f"add a line under `nav` in packaging/mkdocs.yml for each of: {', '.join(missing)}"
    assert not set(named) - pages - brought, "packaging/mkdocs.yml names pages that do not exist"
    assert len(named) == len(set(named)), "a page stands in the navigation twice"


def test_the_reference_has_every_public_name(built: Path) -> None:
    """Each public name has a heading in the reference, on code hosts and in the site."""
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    html = (built / "api.html").read_text(encoding="utf-8")
    for name in pavane.__all__:
        if name != "__version__":
            assert re.search(rf"^### (?:class )?`{name}`$", text, re.MULTILINE), f"{name}: run `make docs`"
            assert f'<code>{name}</code><a class="headerlink"' in html


def test_a_notebook_is_a_page(built: Path) -> None:
    """The page of a notebook has its code and what it printed, and the notebook can be had beside it."""
    cells = json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = re.sub(r"<[^>]*>", "", (built / "tour.html").read_text(encoding="utf-8")).replace("&quot;", '"')
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert all("".join(cell["source"]).split("\n")[0].replace(">", "&gt;") in shown for cell in code)
    assert "&lt;Network octagon: 8 routers" in shown
    assert (built / "tour.ipynb").exists()


@pytest.mark.parametrize(
    ("source", "link", "led"),
    [
        ("docs/solvers.md", "../CONTRIBUTING.md#adding-a-solver", "contributing.md#adding-a-solver"),
        ("docs/tutorials/mpi.md", "../../CHANGELOG.md", "../changelog.md"),
        ("docs/tutorials/mpi.md", "../export.md#mpi-c", "../export.md#mpi-c"),
        ("CONTRIBUTING.md", "docs/design.md#solvers", "design.md#solvers"),
        ("papers/results/evolution.md", "../../docs/solvers.md", "solvers.md"),
        ("docs/python.md", "tour.ipynb", "tour.md"),
        ("docs/concepts.md", "#bounds", "#bounds"),
        ("docs/concepts.md", "https://example.org/x", "https://example.org/x"),
    ],
)
def test_links_are_led_to_where_things_lie(site_pages: Any, source: str, link: str, led: str) -> None:
    """A link as code hosts follow it becomes one inside the site; code stays as it is."""
    assert site_pages.in_site(f"see [this]({link}).", source) == f"see [this]({led})."


def test_marks_of_generated_sections_are_taken_out(site_pages: Any) -> None:
    """A table that follows the mark at once is a table in the site, too."""
    assert site_pages.in_site("<!-- generated: results -->\n| a |\n<!-- end -->", "docs/results.md") == "\n| a |\n"
