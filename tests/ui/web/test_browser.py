"""The web page in a real browser, as a user meets it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, Position

from pavane.io import write_network
from pavane.model.network import Network
from pavane.search.synthesis import solve
from tests.browser import expect, resize
from tests.contrasts import texts_too_pale
from tests.problems import problem_of
from tests.ui.web.serving import ENDLESS, IMPROVING, serving


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Yield the address of one server for all tests."""
    with serving() as server:
        yield server.address


def opened(page: Page, address: str, **fields: str) -> None:
    """Open the page with a form that is filled in, and wait for the drawing."""
    page.goto("about:blank")
    page.goto(f"{address}?{urlencode(fields)}")
    expect(page.locator("#preview-text")).to_contain_text(" routers")
    expect(page.locator("#make")).to_be_enabled()


def unfold(page: Page) -> None:
    """Open all folds of the form."""
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


def spot_of(page: Page, processor: int) -> Position:
    """Return where a router of a ring of four is drawn: above, right, below, left."""
    box = page.evaluate("document.getElementById('preview').getBoundingClientRect().toJSON()")
    x, y, far = box["width"] / 2, box["height"] / 2, min(box["width"], box["height"]) / 2 - 44
    across, down = ((0, -1), (1, 0), (0, 1), (-1, 0))[processor]
    return {"x": x + across * far, "y": y + down * far}


def click(page: Page, *processors: int) -> None:
    """Click routers of a ring of four, one after the other."""
    for processor in processors:
        page.click("#preview", position=spot_of(page, processor))


def test_a_schedule_is_made_played_and_exported(page: Page, address: str) -> None:
    """From the form to a schedule that plays: the proof is shown, steps advance, files are downloaded."""
    opened(page, address)
    expect(page.locator("#preview-text")).to_contain_text("kautz:3,2: 12 routers")
    page.fill("[name=network]", "octagon")
    expect(page.locator("#preview-text")).to_contain_text("octagon: 8 routers")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("alltoall (AAS) on octagon in 4 steps")
    expect(page.locator(".pavane-player .status")).to_have_text("optimal (certificate)")
    expect(page.locator("#running")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pavane-player .count")).to_have_text("2 / 4")
    page.click(".pavane-player >> text=Next")
    expect(page.locator(".pavane-player .count")).to_have_text("3 / 4")
    with page.expect_download() as download:
        page.click("text=player.html")
    assert "alltoall (AAS) on octagon" in Path(download.value.path()).read_text()
    with page.expect_download() as download:
        page.select_option(".downloads select", "csv")
    assert download.value.suggested_filename.endswith(".csv")


def test_a_reload_finds_form_and_result_again(page: Page, address: str) -> None:
    """The address has the form and the number of the search; without the result it still fills in the form."""
    opened(page, address, network="ring:5", collective="aab", ports="1")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("allgather (AAB) on ring:5 in 4 steps")
    assert {"network=ring%3A5", "collective=aab", "ports=1"} <= set(re.split(r"[?&#]", page.url))
    page.reload()
    expect(page.locator(".pavane-player h1")).to_have_text("allgather (AAB) on ring:5 in 4 steps")
    expect(page.locator("[name=ports]")).to_have_value("1")
    page.goto("about:blank")
    page.goto(f"{address}?network=ring:5&collective=aab#gone")
    expect(page.locator("#error")).to_have_text("This search is not on the server any more.")
    expect(page.locator("[name=collective]")).to_have_value("aab")
    expect(page.locator("#make")).to_be_enabled()


def test_a_search_is_watched_and_stopped(page: Page, address: str) -> None:
    """Progress is shown, after a reload as well; a stopped search plays its best schedule."""
    opened(page, address, **IMPROVING)
    page.click("#make")
    expect(page.locator("#progress")).to_contain_text(re.compile(r"best so far \d+, bound \d+; \d"))
    expect(page.locator("#make")).to_be_disabled()
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#progress")).to_contain_text("best so far")
    page.click("#stop")
    expect(page.locator(".pavane-player h1")).to_contain_text("on random-regular:60,4,1 in ")
    expect(page.locator("#running")).to_be_hidden()


def test_a_search_without_a_schedule_says_so(page: Page, address: str) -> None:
    """Stopped before there was a schedule: one line, and the form can be used again."""
    opened(page, address, **ENDLESS)
    page.click("#make")
    expect(page.locator("#progress")).to_contain_text("conflicts; best so far none, bound 9")
    page.click("#stop")
    expect(page.locator("#error")).to_contain_text("schedule")
    expect(page.locator("#make")).to_be_enabled()


def test_a_schedule_file_is_played_with_its_conflicts(page: Page, address: str, tmp_path: Path) -> None:
    """A schedule that is opened is judged: the page says which rules it breaks, and opens where it first does."""
    solve(problem_of("ring:4", "AAS")).save(tmp_path / "s.json")
    content = json.loads((tmp_path / "s.json").read_text())
    content["steps"][1] += content["steps"][0]
    (tmp_path / "wrong.json").write_text(json.dumps(content))
    opened(page, address)
    page.set_input_files("#file", tmp_path / "wrong.json")
    status = page.locator("#result .status")
    expect(status).to_have_text("invalid")
    expect(status).to_have_css("color", "rgb(212, 0, 0)")
    expect(page.locator("#result dl")).to_contain_text("channel-capacity: step 2")
    expect(page.locator("#result .count")).to_have_text("2 / 2")
    red = """() => { const canvas = document.querySelector(".stage canvas"), { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height); let count = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at] > 200 && data[at + 1] < 30 && data[at + 2] < 30) count++;
      return count; }"""
    assert page.evaluate(red) > 0
    page.set_input_files("#file", tmp_path / "s.json")
    expect(status).to_have_text("optimal (certificate)")
    assert page.evaluate(red) == 0


def test_a_network_file_is_drawn_and_solved(page: Page, address: str, tmp_path: Path) -> None:
    """Its machines are joined, and what an importer left out is noted; then the family is taken again."""
    (tmp_path / "machine.dot").write_text("graph { a -- b [latency=10]; b -- c; c -- a }")
    opened(page, address)
    page.set_input_files("#file", tmp_path / "machine.dot")
    noted = "Note: machine.dot: attributes that are not read: `latency` of edges"
    expect(page.locator("#preview-text .note")).to_contain_text(noted)
    expect(page.locator("[name=network]")).to_be_disabled()
    unfold(page)
    page.fill("[name=nodes]", "2")
    expect(page.locator("#preview-text")).to_contain_text("6 processors")
    page.fill("[name=nodes]", "")
    expect(page.locator("#preview-text")).to_contain_text("3 processors")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("alltoall (AAS) on machine in 1 step")
    expect(page.locator(".result > .note")).to_contain_text("attributes that are not read: `latency` of edges")
    page.click("text=use the family instead")
    expect(page.locator("#preview-text")).to_contain_text("kautz:3,2: 12 routers")
    expect(page.locator("#preview-text .note")).to_have_count(0)


def test_a_bad_file_gets_one_line(page: Page, address: str, tmp_path: Path) -> None:
    """A file that is no network is refused with its name and the place of the mistake; the form stays usable."""
    (tmp_path / "broken.json").write_text('{"format": "pavane/network/1", "routers": 3}')
    (tmp_path / "large.edges").write_text("0 1\n" * 1_000_001)
    opened(page, address)
    page.set_input_files("#file", tmp_path / "broken.json")
    error = page.locator("#network-error")
    expect(error).to_contain_text("broken.json")
    expect(page.locator("#file")).to_have_attribute("aria-describedby", "network-error")
    page.click("text=use the family instead")
    expect(error).to_be_hidden()
    expect(page.locator("[name=network]")).to_be_enabled()
    page.set_input_files("#file", tmp_path / "large.edges")
    expect(error).to_have_text("large.edges: 4,000,004 bytes; give at most 4,000,000")


def test_an_error_marks_its_field(page: Page, address: str) -> None:
    """What is wrong is said in one line; its field is marked, and shown where that was folded away."""
    opened(page, address)
    page.fill("[name=network]", "kautz:3,x")
    expect(page.locator("#network-error")).to_contain_text("'x' is not a whole number")
    expect(page.locator("[name=network]")).to_have_attribute("aria-invalid", "true")

    def refused(field: str, text: str) -> None:
        page.click("#make")
        expect(page.locator("#error")).to_contain_text(text)
        expect(page.locator(f"[name={field}]")).to_be_visible()
        expect(page.locator(f"[name={field}]")).to_have_attribute("aria-describedby", "error")
        expect(page.locator("form [aria-invalid=true]")).to_have_count(1)

    opened(page, address, network="ring:4", sizes="nonsense")
    refused("sizes", "is not a size")
    opened(page, address, network="ring:4", switching="tdm", combining="true")
    refused("combining", "combining does not go with tdm")
    page.uncheck("[name=combining]")
    page.fill("[name=router_delay]", "0")
    refused("router_delay", "expected 1 to 1,000,000 slots")
    opened(page, address, network="ring:4", steps="few")
    refused("steps", "steps: ")


def test_a_click_chooses_what_the_collective_takes(page: Page, address: str) -> None:
    """A router becomes the root, a sender, a receiver or an end of a pair; a link becomes faulty in any case."""
    opened(page, address, network="ring:4", collective="oab")
    click(page, 2)
    expect(page.locator("[name=root]")).to_have_value("2")
    one, other = spot_of(page, 0), spot_of(page, 1)
    page.click("#preview", position={"x": (one["x"] + other["x"]) / 2, "y": (one["y"] + other["y"]) / 2})
    expect(page.locator("[name=faults]")).to_have_value("0-1")
    page.select_option("[name=collective]", "mns")
    expect(page.locator("[name=root]")).to_be_hidden()
    click(page, 0)
    expect(page.locator("[name=senders]")).to_have_value("0")
    page.check("input[value=receivers]")
    click(page, 2, 3)
    expect(page.locator("[name=receivers]")).to_have_value("2-3")
    click(page, 2)
    expect(page.locator("[name=receivers]")).to_have_value("3")
    opened(page, address, network="ring:4", collective="pairs")
    click(page, 0, 2, 3, 1)
    expect(page.locator("[name=pairs]")).to_have_value("0>2, 3>1")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_contain_text("PAIRS on ring:4")


def test_a_click_says_where_all_take_part(page: Page, address: str) -> None:
    """In an all-to-all no processor can be chosen: a click says so, and which collectives take some."""
    opened(page, address, network="ring:4")
    click(page, 0)
    expect(page.locator("#click-hint")).to_contain_text("for some of them choose one of “Between some”")
    page.select_option("[name=collective]", "oas")
    expect(page.locator("#collective-about")).to_contain_text("The root has a message of its own for each receiver.")


def test_folds_say_what_differs(page: Page, address: str) -> None:
    """Rules and settings are folded away, with what was changed in one line; slots have fields under tdm only."""
    opened(page, address, network="ring:4", ports="1")
    shown = page.locator("#form :is(input, select, textarea, button)").filter(visible=True)
    names = shown.evaluate_all("fields => fields.map((field) => field.name || field.id)")
    assert names == ["network", "file", "collective", "make"]
    lines = page.locator("summary span")
    assert lines.all_inner_texts() == ["ports 1", "defaults", "defaults"]
    unfold(page)
    page.fill("[name=pieces]", "3")
    expect(lines.nth(1)).to_have_text("pieces 3")
    expect(page.locator("[name=packet_slots]")).to_be_hidden()
    page.select_option("[name=switching]", "tdm")
    page.fill("[name=packet_slots]", "2")
    page.fill("[name=pieces]", "")
    page.click("#make")
    expect(page.locator(".pavane-player dl")).to_contain_text("tdm, packet slots 2, 1-port")


def test_a_large_torus_is_solved_by_a_table(page: Page, address: str) -> None:
    """A table that is too large for the player is offered as a file, and the page says why."""
    opened(page, address, network="torus:50x50")
    expect(page.locator("#preview-text .note")).to_contain_text("is not drawn")
    page.click("#make")
    expect(page.locator(".downloads a")).to_have_text(["schedule.json"])
    expect(page.locator(".result .wrong")).to_contain_text("transfers in 15,625 steps are too many for the player")


@pytest.mark.parametrize(("width", "height"), [(360, 740), (800, 900), (1400, 900)])
def test_the_page_fits_its_window(page: Page, address: str, width: int, height: int) -> None:
    """Nothing is cut off to the right, fields are wide enough, all texts can be read, by day and by night."""
    resize(page, (width, height), "dark")
    opened(page, address, network="octagon", switching="tdm")
    make = page.locator("#make").bounding_box()
    assert make is not None
    assert make["y"] + make["height"] <= height
    where, what = (page.locator(one).bounding_box() for one in (".where", ".what > fieldset"))
    assert where is not None
    assert what is not None
    assert (what["x"] > where["x"] + 100) == (width > 1000)
    unfold(page)
    page.click("#make")
    expect(page.locator(".downloads")).to_be_visible()
    for scheme in ("light", "dark"):
        resize(page, (width, height), scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert texts_too_pale(page) == []
    fields = page.locator(".fields :is(select, input:not([type=checkbox]), textarea):visible")
    assert min(fields.evaluate_all("fields => fields.map((field) => field.clientWidth)")) > 120


def test_dark_mode_is_kept(page: Page, address: str) -> None:
    """The page opens again in the mode that was chosen."""
    opened(page, address)
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    opened(page, address)
    expect(page.locator("#theme")).to_have_text("Light mode")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.evaluate("localStorage.clear()")


def test_names_in_a_file_are_not_executed(page: Page, address: str, tmp_path: Path) -> None:
    """Router and network names with markup in them stay text."""
    hostile = '"><img src=x onerror="window.hacked=1">'
    routers = [hostile, "</script><script>window.hacked=1</script>"]
    write_network(tmp_path / "hostile.json", Network(hostile, routers, [(0, 1), (1, 0)], [0, 1]))
    opened(page, address)
    page.set_input_files("#file", tmp_path / "hostile.json")
    expect(page.locator("#preview-text")).to_contain_text("onerror")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_contain_text("onerror")
    assert page.evaluate("window.hacked") is None
