"""The web page and the player in a real browser, as a user meets them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, Position, Route

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.ui.player import contents_of, embedded, player_page
from tests.browser import expect, resize
from tests.contrasts import texts_too_pale
from tests.problems import problem_of
from tests.ui.web.serving import serving


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of one server for all tests."""
    with serving(tmp_path_factory.mktemp("server") / "results.sqlite", "--most-seconds", "30") as address:
        yield address


def unfold(page: Page) -> None:
    """Open all folds of the form."""
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


def test_a_schedule_is_made_and_played(page: Page, address: str) -> None:
    """From the form to a schedule that plays: the proof is shown, and steps advance by button and by key."""
    page.goto(address)
    expect(page.locator("#preview-text")).to_contain_text("kautz:3,2: 12 routers")
    page.fill("#network", "octagon")
    expect(page.locator("#preview-text")).to_contain_text("octagon: 8 routers")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("alltoall (AAS) on octagon in 4 steps")
    expect(page.locator(".pavane-player .status")).to_have_text("optimal (certificate)")
    page.click(".pavane-player >> text=Next")
    expect(page.locator(".pavane-player .count")).to_have_text("2 / 4")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pavane-player .count")).to_have_text("3 / 4")
    page.keyboard.press("Home")
    page.select_option(".pavane-player select[title^=Speed]", "8")
    page.click(".pavane-player button.main")
    expect(page.locator(".pavane-player .count")).to_have_text("4 / 4")
    with page.expect_download() as download:
        page.click("text=HTML player")
    assert "alltoall (AAS) on octagon" in Path(download.value.path()).read_text()


def test_a_reload_finds_the_result_again(page: Page, address: str) -> None:
    """The address names the job, so a reload shows its result and not an empty form."""
    page.goto(f"{address}?network=ring:5&collective=aab&ports=1")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("allgather (AAB) on ring:5 in 4 steps")
    page.reload()
    expect(page.locator(".pavane-player h1")).to_have_text("allgather (AAB) on ring:5 in 4 steps")
    again = page.get_attribute("a.again", "href")
    assert again is not None
    assert {"network=ring%3A5", "collective=aab", "ports=1"} <= set(re.split(r"[?&#]", again))


def test_a_search_can_be_watched_and_cancelled(page: Page, address: str) -> None:
    """A long search shows its bound and its conflicts while it runs, and can be cancelled."""
    page.goto(f"{address}?network=heawood&method=umda&steps=9")
    page.click("#make")
    expect(page.locator("#progress")).to_contain_text("conflicts; best so far none, bound 9")
    page.click("#cancel")
    expect(page.locator("#running")).to_be_hidden()
    expect(page.locator("#make")).to_be_enabled()


def test_a_bad_file_gets_one_line(page: Page, address: str, tmp_path: Path) -> None:
    """A file that is no network is refused with its name and the place of the mistake; the form stays usable."""
    bad = tmp_path / "broken.json"
    bad.write_text('{"format": "pavane/network/1", "routers": 3}')
    page.goto(address)
    page.set_input_files("#file", bad)
    error = page.locator("#network-error")
    expect(error).to_contain_text("broken.json")
    expect(page.locator("#file")).to_have_attribute("aria-describedby", "network-error")
    expect(page.locator("#network")).to_be_disabled()
    page.click("text=use the family instead")
    expect(error).to_be_hidden()
    expect(page.locator("#network")).to_be_enabled()


def test_a_schedule_file_is_played_with_its_conflicts(page: Page, address: str, tmp_path: Path) -> None:
    """A schedule that is opened is judged: the page says which rules it breaks, and opens where it first does."""
    solve(problem_of("ring:4", "AAS")).save(tmp_path / "s.json")
    content = json.loads((tmp_path / "s.json").read_text())
    content["steps"][1] += content["steps"][0]
    (tmp_path / "wrong.json").write_text(json.dumps(content))
    page.goto(address)
    page.set_input_files("#file", tmp_path / "wrong.json")
    expect(page.locator("#results .status")).to_have_text("invalid")
    expect(page.locator("#results dl")).to_contain_text("channel-capacity: step 2")
    expect(page.locator("#results .count")).to_have_text("2 / 2")
    page.set_input_files("#file", tmp_path / "s.json")
    expect(page.locator("#results .status")).to_have_text("optimal (certificate)")


def test_what_a_file_says_in_vain_is_told(page: Page, address: str, tmp_path: Path) -> None:
    """A note stands under the drawing, and goes with the next network."""
    file = tmp_path / "fast.dot"
    file.write_text("graph { a -- b [latency=10] }")
    page.goto(address)
    page.set_input_files("#file", file)
    expect(page.locator("#preview-text .note")).to_have_text(
        "Note: fast.dot: `latency` of 1 edge is left out; every channel carries one message a step"
    )
    page.click("text=use the family instead")
    expect(page.locator("#preview-text .note")).to_have_count(0)


def test_a_file_chosen_before_the_server_answers_is_read(page: Page, address: str, tmp_path: Path) -> None:
    """The page is of use while the server is slow: what is chosen meanwhile is read afterwards."""
    file = tmp_path / "triangle.edges"
    file.write_text("0 1\n1 2\n2 0\n")
    waiting: list[Route] = []
    page.route("**/api/about", lambda route: waiting.append(route))
    page.goto(address)
    page.set_input_files("#file", file)
    while not waiting:
        page.wait_for_timeout(10)
    waiting[0].continue_()
    expect(page.locator("#preview-text")).to_contain_text("3 routers")


def spot_of(page: Page, processor: int) -> Position:
    """Return where a router of a ring of four is drawn: above, right, below, left."""
    box = page.evaluate("document.getElementById('preview').getBoundingClientRect().toJSON()")
    x, y, far = box["width"] / 2, box["height"] / 2, min(box["width"], box["height"]) / 2 - 44
    across, down = ((0, -1), (1, 0), (0, 1), (-1, 0))[processor]
    return {"x": x + across * far, "y": y + down * far}


def click_link(page: Page) -> None:
    """Click the link between the first two routers of a ring of four."""
    one, other = spot_of(page, 0), spot_of(page, 1)
    page.click("#preview", position={"x": (one["x"] + other["x"]) / 2, "y": (one["y"] + other["y"]) / 2})


def opened(page: Page, address: str, collective: str) -> None:
    """Open the form with a ring of four."""
    page.goto(f"{address}?network=ring:4&collective={collective}")
    expect(page.locator("#preview-text")).to_contain_text("ring:4")


def test_a_click_chooses_what_the_collective_asks_for(page: Page, address: str) -> None:
    """A router becomes the root, a sender, a receiver or an end of a pair; a link becomes faulty in any case."""
    opened(page, address, "oab")
    page.click("#preview", position=spot_of(page, 2))
    expect(page.locator("#root")).to_have_value("2")
    click_link(page)
    expect(page.locator("#faults")).to_have_value("0-1")
    opened(page, address, "mns")
    page.click("#preview", position=spot_of(page, 0))
    expect(page.locator("#senders")).to_have_value("0")
    page.check("input[value=receivers]")
    for processor in (2, 3):
        page.click("#preview", position=spot_of(page, processor))
    expect(page.locator("#receivers")).to_have_value("2-3")
    opened(page, address, "pairs")
    for processor in (0, 2, 3, 1):
        page.click("#preview", position=spot_of(page, processor))
    expect(page.locator("#pairs")).to_have_value("0>2, 3>1")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_contain_text("PAIRS on ring:4")


def test_a_click_says_where_all_take_part(page: Page, address: str) -> None:
    """In an all-to-all nobody can be chosen: a click says so, and what takes some of them."""
    opened(page, address, "alltoall")
    expect(page.locator("#collective")).to_have_value("aas")
    expect(page.locator("#root")).to_be_hidden()
    page.click("#preview", position=spot_of(page, 0))
    expect(page.locator("#click-hint")).to_contain_text("for some of them choose one of “Between some”")
    page.select_option("#collective", "oas")
    expect(page.locator("#root")).to_be_visible()
    expect(page.locator("#collective-about")).to_contain_text("The root has a message of its own for each receiver.")


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)])
def test_the_form_is_seen_whole(page: Page, address: str, width: int, height: int) -> None:
    """The button is in sight, nothing is cut off to the right, two columns where there is room, all can be read."""
    schemes: tuple[Literal["light", "dark"], ...] = ("dark", "light")
    resize(page, (width, height), schemes[0])
    page.goto(address)
    expect(page.locator("#preview-text")).to_contain_text("kautz:3,2")
    expect(page.locator("#examples button")).to_have_count(3)
    for scheme in schemes:
        resize(page, (width, height), scheme)
        boxes = [page.locator(one).bounding_box() for one in ("#make", ".where", ".what fieldset")]
        make, where, what = (box for box in boxes if box is not None)
        assert make["y"] + make["height"] <= height
        assert (what["x"] > where["x"] + 100) == (width > 1000)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert texts_too_pale(page) == []


def test_the_start_shows_a_network_a_collective_and_a_button(page: Page, address: str) -> None:
    """Rules, pieces, sizes and settings are folded away, their values in one line; a value that changes is shown."""
    page.goto(f"{address}?ports=1")
    expect(page.locator("#make")).to_be_enabled()
    shown = page.locator("#form :is(input, select, textarea, button)").filter(visible=True)
    assert shown.evaluate_all("fields => fields.map(({ id }) => id)") == ["network", "file", "collective", "make"]
    lines = page.locator("summary span")
    assert lines.all_inner_texts() == [
        "default switching, 1-port, full duplex, minimal routing",
        "one collective",
        "one machine, no faults",
        "one piece a message, all of one size",
        "none: steps are counted",
        "auto, seed 0",
    ]
    page.click("summary:has-text('Pieces')")
    page.fill("#pieces", "3")
    expect(lines.nth(3)).to_have_text("pieces 3")


def test_an_error_stands_at_its_field(page: Page, address: str) -> None:
    """What is wrong is said below its field, which is marked, also where that was folded away."""
    page.goto(address)
    expect(page.locator("#make")).to_be_enabled()
    page.fill("#network", "kautz:3,x")
    error = page.locator("#network-error")
    expect(error).to_contain_text("'x' is not a whole number")
    expect(page.locator("#network")).to_have_attribute("aria-invalid", "true")
    assert page.evaluate("document.querySelector('#network-error').previousElementSibling.contains(network)")
    page.goto(f"{address}?network=ring:4&sizes=nonsense")
    page.click("#make")
    expect(page.locator("#sizes")).to_have_attribute("aria-describedby", "error")
    expect(page.locator("details:has(#sizes) #error")).to_be_visible()
    assert page.evaluate("document.querySelector('#error').previousElementSibling.contains(sizes)")


def test_dark_mode_is_kept(page: Page, address: str) -> None:
    """The page opens again in the mode that was chosen."""
    page.goto(address)
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(address)
    expect(page.locator("#theme")).to_have_text("Light mode")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.evaluate("localStorage.clear()")


def test_open_settings_fit_a_phone(page: Page, address: str) -> None:
    """On a narrow screen the fields of a group that is opened stand below each other, and are wide enough to read."""
    resize(page, (390, 844))
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((group) => { group.open = true; })")
    fields = page.locator(".fields :is(select, input:not([type=checkbox]), textarea):visible")
    assert fields.count() > 10
    assert min(fields.evaluate_all("fields => fields.map((field) => field.clientWidth)")) > 150
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_tables_scroll_on_a_phone(page: Page, address: str) -> None:
    """On a narrow screen no word of a table is broken; the table scrolls inside the page."""
    resize(page, (390, 844))
    page.goto(f"{address}?network=ring:4&ports=1&combining=1&routing=any")
    page.click("#make")
    head = page.locator(".front th", has_text="fastest when message time / start-up is between")
    expect(head).to_be_visible()
    expect(page.locator(".front tbody")).to_contain_text("and more")
    cells = page.locator(".front :is(th, td)")
    expect(cells.nth(8)).to_be_visible()
    lines = "cells => Math.max(...cells.map((cell) => cell.clientHeight))"
    assert cells.evaluate_all(lines) < 50
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_keys_work_without_a_click(page: Page, address: str, tmp_path: Path) -> None:
    """In a page just opened, and in a result just made, arrow keys and the space bar act on the player."""
    file = tmp_path / "player.html"
    made = network("octagon")
    file.write_text(player_page(solve(Problem(made, named("AAS", made)))), encoding="utf-8")
    page.goto(file.as_uri())
    page.keyboard.press("ArrowRight")
    expect(page.locator(".count")).to_have_text("2 / 4")
    page.keyboard.press(" ")
    expect(page.locator(".pavane-player button.main")).to_have_text("Pause")
    page.goto(f"{address}?network=octagon")
    page.click("#make")
    expect(page.locator(".pavane-player .count")).to_have_text("1 / 4")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pavane-player .count")).to_have_text("2 / 4")


def test_find_shows_the_step_in_which_a_message_moves(page: Page, tmp_path: Path) -> None:
    """A message that is searched for is shown in its step, and all other transfers are pale."""
    file, made = tmp_path / "player.html", network("kautz:3,2")
    result = solve(Problem(made, named("AAS", made)))
    assert result.schedule is not None
    wanted = next(each for each in result.schedule if each.step == 3)
    file.write_text(player_page(result), encoding="utf-8")
    page.goto(file.as_uri())
    strong = """() => { const canvas = document.querySelector(".stage canvas"), { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height); let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        const [r, g, b] = [data[at], data[at + 1], data[at + 2]];
        if (Math.max(r, g, b) - Math.min(r, g, b) > 90) count++;
      } return count; }"""
    page.fill("input[type=search]", "step 4")
    page.keyboard.press("Enter")
    before = page.evaluate(strong)
    page.keyboard.press("Escape")
    names = [made.routers[made.router_of[end]] for end in (wanted.sender, wanted.receiver)]
    page.fill("input[type=search]", ">".join(names))
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_contain_text("4 /")
    assert page.evaluate(strong) < 0.6 * before


def test_an_example_is_one_click(page: Page, address: str) -> None:
    """A click on an example fills the form in and plays its schedule, whatever was there before."""
    page.goto(f"{address}?network=ring:5&collective=oas&root=2&ports=2")
    page.click("text=A broadcast on a cube")
    expect(page.locator(".pavane-player h1")).to_have_text("broadcast (OAB) on hypercube:4 in 4 steps")
    expect(page.locator("#network")).to_have_value("hypercube:4")
    expect(page.locator("#root")).to_have_value("")


def test_machines_of_gpus_have_their_default_rules(page: Page, address: str) -> None:
    """Without a choice messages are stored on a machine of GPUs, as on the command line; a choice counts."""
    for query, rules in (("", "store-and-forward"), ("&switching=wormhole", "wormhole")):
        page.goto(f"{address}?network=dgx-1&collective=oab{query}")
        page.click("#make")
        expect(page.locator(".pavane-player h1")).to_contain_text("dgx-1")
        expect(page.locator("main")).to_contain_text(f"{rules}, all-port")


def test_a_list_that_comes_late_does_not_restore_what_was_deleted(page: Page, address: str) -> None:
    """A list requested before a deletion may arrive after it; the deleted result stays away, others are shown."""
    page.goto(address)
    shown = page.evaluate(
        """async () => {
            const { Earlier } = await import("/assets/earlier.js");
            window.fetch = async () => ({ ok: true });
            const [box, list] = [document.createElement("section"), document.createElement("ul")];
            const earlier = new Earlier(box, list, {});
            const job = (id) => ({ id, made: 1, state: "done", status: "optimal", steps: 3, network: id, asked: {} });
            const late = [job("one"), job("two")];
            earlier.show(late);
            await list.querySelector("button:last-of-type").onclick();
            const after = list.children.length;
            earlier.show(late);
            return [after, list.children.length, list.textContent.includes("two")];
        }"""
    )
    assert shown == [1, 1, True]


def test_earlier_results_have_dates_and_rules_and_can_be_deleted(page: Page, address: str) -> None:
    """The same search made twice stands there once, with its rules and when it was; deleted, it is gone."""
    for _ in range(2):
        page.goto(f"{address}?network=ring:3&ports=1")
        page.click("#make")
        expect(page.locator(".pavane-player h1")).to_contain_text("ring:3")
        expect(page.locator("#running")).to_be_hidden()  # the schedule may be shown before the search has ended
    page.reload()
    line = page.locator("#jobs li", has_text="ring:3")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("wormhole, 1-port, full duplex")
    assert re.fullmatch(r"20\d\d-.*Z", line.locator("time").get_attribute("datetime") or "")
    line.locator("text=Delete").click()
    expect(line).to_have_count(0)
    page.goto(address)
    expect(page.locator("#examples button")).to_have_count(3)
    expect(line).to_have_count(0)


def test_a_search_without_a_schedule_keeps_its_curve_and_bound(page: Page, address: str) -> None:
    """What a failed search came to is still there when it is opened again."""
    page.goto(f"{address}?network=heawood&method=umda&steps=9&seconds=2")
    page.click("#make")
    expect(page.locator("#results .curve")).to_be_visible()
    expect(page.locator("#results .result")).to_contain_text("No schedule has fewer than 9 steps")
    page.goto(address)
    line = page.locator("#jobs li", has_text="alltoall (AAS) on heawood: no schedule")
    line.first.locator("text=Open").click()
    expect(page.locator("#results .curve")).to_be_visible()


def test_a_front_is_played_point_by_point(page: Page, address: str) -> None:
    """Combining leads to a front; each of its schedules can be shown and downloaded."""
    page.goto(f"{address}?network=ring:4&ports=1&combining=1&routing=any")
    page.click("#make")
    rows = page.locator(".front tbody tr")
    expect(rows.first).to_be_visible()
    assert rows.count() > 1
    other = page.locator(".front button:not([disabled])").first
    number = other.locator("xpath=ancestor::tr").locator("td").first.inner_text().split()[0]
    other.click()
    expect(page.locator(".pavane-player h1")).to_contain_text(f"in {number} steps")
    expect(page.locator(".downloads a").first).to_have_attribute("href", re.compile(r"point=\d"))


def test_a_point_chosen_before_the_first_has_come_stands_alone(page: Page, address: str) -> None:
    """What comes late for the schedule that was shown first is thrown away: one player, one line of downloads."""
    held: list[Route] = []
    page.route(
        re.compile(r"/(contents|exports)\?point="),
        lambda route: route.continue_() if len(held) == 2 else held.append(route),
    )
    page.goto(f"{address}?network=ring:4&ports=1&combining=1&routing=any")
    page.click("#make")
    other = page.locator(".front button:not([disabled])").first
    number = other.locator("xpath=ancestor::tr").locator("td").first.inner_text().split()[0]
    while len(held) < 1:
        page.wait_for_timeout(50)
    other.click()
    while len(held) < 2:
        page.wait_for_timeout(50)
    late, wanted = held
    assert late.request.url != wanted.request.url
    wanted.continue_()
    expect(page.locator(".pavane-player h1")).to_contain_text(f"in {number} steps")
    with page.expect_response(late.request.url):
        late.continue_()
    expect(page.locator(".downloads")).to_have_count(1)
    page.wait_for_timeout(300)
    expect(page.locator(".pavane-player h1")).to_contain_text(f"in {number} steps")
    expect(page.locator(".downloads a").first).to_have_attribute("href", re.compile(re.escape(wanted.request.url[-8:])))


def test_compared_players_are_linked(page: Page, address: str) -> None:
    """A table says what differs; a step of one player is a step of the other, until the link is taken away."""
    for ports in ("1", "2"):
        page.goto(f"{address}?network=ring:6&collective=aab&ports={ports}")
        page.click("#make")
        expect(page.locator(".pavane-player h1")).to_contain_text("allgather (AAB) on ring:6")
    page.reload()
    boxes = page.locator("#jobs li", has_text="allgather (AAB) on ring:6").locator("input")
    expect(boxes).to_have_count(2)
    for number in (0, 1):
        boxes.nth(number).check()
    expect(page.locator(".pavane-player")).to_have_count(2)
    table = page.locator(".differences")
    expect(table.locator("tbody th", has_text="steps")).to_have_count(1)
    expect(table).to_contain_text("1-port")
    expect(table).to_contain_text("The same: network")
    counts = page.locator(".pavane-player .count")
    page.locator(".pavane-player >> text=Next").first.click()
    expect(counts.nth(0)).to_contain_text("2 /")
    expect(counts.nth(1)).to_contain_text("2 /")
    page.uncheck(".linked input")
    page.locator(".pavane-player >> text=Next").nth(1).click()
    expect(counts.nth(1)).to_contain_text("3 /")
    expect(counts.nth(0)).to_contain_text("2 /")


def test_a_late_result_of_the_address_does_not_disturb_a_comparison(page: Page, address: str) -> None:
    """Two results chosen while the one in the address is still coming stand alone, and linked, when it has come."""
    for ports in ("1", "2"):
        page.goto(f"{address}?network=ring:5&collective=aab&ports={ports}")
        page.click("#make")
        expect(page.locator(".pavane-player h1")).to_contain_text("allgather (AAB) on ring:5")
    held: list[Route] = []
    page.route(re.compile("/contents$"), lambda route: held.append(route))
    page.reload()
    while len(held) < 1:
        page.wait_for_timeout(50)
    boxes = page.locator("#jobs li", has_text="allgather (AAB) on ring:5").locator("input")
    for number in (0, 1):
        boxes.nth(number).check()
    while len(held) < 2:
        page.wait_for_timeout(50)
    with page.expect_response(re.compile("/contents$")):
        held[0].continue_()
    held[1].continue_()
    while len(held) < 3:
        page.wait_for_timeout(50)
    held[2].continue_()
    expect(page.locator(".linked")).to_have_count(1)
    page.locator(".pavane-player >> text=Next").first.click()
    expect(page.locator(".pavane-player .count").nth(1)).to_contain_text("2 /")
    expect(page.locator(".pavane-player")).to_have_count(2)


HOSTILE = '"><img src=x onerror="window.hacked=1">'


def test_names_in_a_file_are_not_executed(page: Page, address: str, tmp_path: Path) -> None:
    """Router and network names with markup in them stay text, in the page and in the player's own file."""
    page.goto(address)
    made = Network(HOSTILE, [HOSTILE, "</script><script>window.hacked=1</script>"], [(0, 1), (1, 0)], [0, 1])
    file = tmp_path / "hostile.json"
    from pavane.io import write_network

    write_network(file, made)
    page.set_input_files("#file", file)
    expect(page.locator("#preview-text")).to_contain_text("onerror")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_contain_text("onerror")
    assert page.evaluate("window.hacked") is None
    alone = tmp_path / "player.html"
    alone.write_text(player_page(solve(Problem(made, named("AAS", made)))))
    page.goto(alone.as_uri())
    expect(page.locator(".pavane-player h1")).to_contain_text("onerror")
    assert page.evaluate("window.hacked") is None


def written(folder: Path, spec: str, kind: str) -> str:
    """Write the player of a catalogue problem and return its address."""
    made = network(spec)
    file = folder / "player.html"
    file.write_text(player_page(solve(Problem(made, named(kind, made)))))
    return file.as_uri()


def test_the_player_tells_stories(page: Page, tmp_path: Path) -> None:
    """Whatever is asked for is told: a message with its step and path, a router, a channel, a step."""
    page.goto(written(tmp_path, "kautz:2,2", "AAS"))
    story = page.locator("section.story > p")
    page.fill("input[type=search]", "01>21")
    page.keyboard.press("Enter")
    expect(story).to_contain_text(re.compile(r"Message 01 to 21 leaves in step \d by 01–12–21\."))
    page.fill("input[type=search]", "channel 01>12")
    page.keyboard.press("Enter")
    expect(story).to_contain_text("Channel from 01 to 12: busy in")
    page.fill("input[type=search]", "router 12")
    page.keyboard.press("Enter")
    expect(story).to_contain_text("Router 12: sends 5, receives 5")
    page.fill("input[type=search]", "step 2")
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_contain_text("2 /")


def test_the_player_filters_and_shows_trees(page: Page, tmp_path: Path) -> None:
    """With an origin chosen the list of the step and the broadcast tree are that origin's."""
    page.goto(written(tmp_path, "octagon", "AAB"))
    page.select_option("label:has-text('Origin') select", "3")
    expect(page.locator(".tree p")).to_have_text("Message of 3")
    lines = page.locator("section:has(h2:text-is('Step')) li")
    expect(lines.first).to_contain_text("message of 3")
    assert all("message of 3" in text for text in lines.all_inner_texts())
    assert page.locator(".tree li").count() == 7


def test_the_player_fits_a_phone(page: Page, tmp_path: Path) -> None:
    """At phone width nothing is cut off to the right, in the dark as well."""
    resize(page, (360, 640), "dark")
    page.goto(written(tmp_path, "kautz:3,2", "AAS"))
    expect(page.locator(".pavane-player h1")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_player_can_be_used_by_keyboard_alone(page: Page, tmp_path: Path) -> None:
    """Every control is reached by tabbing and has a name; the step is announced."""
    page.goto(written(tmp_path, "ring:5", "AAS"))
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button,select,input')].filter(e => !(e.textContent.trim() || e.ariaLabel"
        " || e.title || e.labels?.length)).length"
    )
    assert unnamed == 0
    page.focus("button.main")
    page.keyboard.press("End")
    expect(page.locator("section:has(h2:text-is('Step')) [aria-live]")).to_contain_text("Step 3 of 3")


WIDE = Network(
    "wide",
    6,
    [(i, (i + d) % 6) for i in range(6) for d in (1, 5, 3)],
    capacities=[c for i in range(6) for c in ([2, 1, 3] if i % 2 else [1, 2, 3])],
)


def played(page: Page, file: Path, problem: Problem, *options: SearchOptions, **settings: Any) -> Result:
    """Open a schedule of a problem in the player, from a file."""
    result = solve(problem, *options, **settings)
    file.write_text(player_page(result))
    page.goto(file.as_uri())
    return result


def ask(page: Page, text: str) -> None:
    """Ask the player for something."""
    page.fill(".pavane-player input[type=search]", text)
    page.keyboard.press("Enter")


def test_pieces_are_played(page: Page, tmp_path: Path) -> None:
    """A piece is called 0>5.2; a message finds all its pieces and a piece itself; both can be filtered."""
    problem = Problem(WIDE, named("AAS", WIDE, pieces=3))
    result = played(page, tmp_path / "pieces.html", problem, SearchOptions(seconds=20), method="ejection")
    schedule = result.schedule
    assert schedule is not None
    story = page.locator(".pavane-player aside section").nth(1)
    ask(page, "0>5")
    expect(story).to_contain_text("Message 0 to 5: 3 pieces in 3 transfers")
    ask(page, "0>5.2")
    expect(story).to_contain_text("Piece 0>5.2 leaves in step")
    ask(page, "0>5.3")
    expect(page.locator(".pavane-player input[type=search]")).to_have_attribute("aria-invalid", "true")
    ask(page, "step 1")
    lines = page.locator(".pavane-player aside section").nth(0).locator("li")
    page.select_option(".pavane-player label:has-text('Piece') select", "2")
    of_piece = [i for i in schedule.of_step(0) if problem.labels[schedule.transfer(i).messages[0]][2] == 2]
    expect(lines).to_have_count(len(of_piece))
    for line in lines.all_inner_texts():
        assert re.match(r"piece \d>\d\.2 by ", line)
    expect(page.locator(".pavane-player dl")).to_contain_text("30 messages in 90 pieces")
    times = Fraction(schedule.num_steps, 3)
    expect(page.locator(".pavane-player dl")).to_contain_text(f"{schedule.num_steps}, or {times} message times")
    first = page.locator(".pavane-player table tbody tr").first
    assert sorted(re.findall(r"\d\.\d", first.inner_text())) == [f"{t}.{p}" for t in range(1, 6) for p in range(3)]


def test_loads_are_told_by_capacity(page: Page, tmp_path: Path) -> None:
    """A channel says how much of its capacity is used in each step, and a step how much of all."""
    result = played(
        page, tmp_path / "loads.html", Problem(WIDE, named("AAB", WIDE, pieces=3)), SearchOptions(seconds=20)
    )
    schedule = result.schedule
    assert schedule is not None
    load = sum(len(schedule.transfer(i).path) for i in schedule.of_step(0))
    head = page.locator(".pavane-player aside section").nth(0)
    expect(head).to_contain_text(f"({load} of 36) of the capacity")
    users = [t.step for t in schedule if 2 in t.path]
    ask(page, "channel 0>3")
    story = page.locator(".pavane-player aside section").nth(1)
    expect(story).to_contain_text(f"Channel from 0 to 3 of capacity 3: busy in {len(set(users))} of")
    expect(story).to_contain_text(f"load {len(users)} of {3 * schedule.num_steps}")
    expect(story.locator("li").first).to_contain_text(f"step {users[0] + 1} ({users.count(users[0])} of 3): piece ")
    ask(page, "4.1")
    expect(story).to_contain_text("Piece 4.1: ")
    ask(page, "message 4")
    expect(story).to_contain_text("Message of 4: 3 pieces in ")
    page.select_option(".pavane-player label:has-text('Piece') select", "1")
    expect(page.locator(".pavane-player .tree")).to_contain_text("Piece 1 of the message of 0")


def test_a_summary_tells_loads(page: Page, tmp_path: Path) -> None:
    """Where transfers are too many to list, channels still say how much of their capacity they carry."""
    result = solve(Problem(WIDE, named("AAB", WIDE, pieces=3)), SearchOptions(seconds=20))
    told = contents_of(result, most_transfers=3)
    told_page = player_page(result).replace(embedded(contents_of(result)), embedded(told))
    (tmp_path / "summary.html").write_text(told_page)
    page.goto((tmp_path / "summary.html").as_uri())
    ask(page, "channel 0>3")
    story = page.locator(".pavane-player aside section").nth(1)
    expect(story).to_contain_text("Channel from 0 to 3 of capacity 3")
    expect(story.locator("li").first).to_have_text(re.compile(r"step \d: \d of 3"))


def test_pieces_and_sizes_are_fields(page: Page, address: str, tmp_path: Path) -> None:
    """Pieces are a number and sizes a list or a table from a file; the address fills both in again."""
    page.goto(f"{address}?network=ring:4&collective=aas&routing=any")
    table = tmp_path / "sizes.csv"
    table.write_text("0,3,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n")
    page.set_input_files("#sizes-file", table)
    expect(page.locator("#sizes")).to_have_value(re.compile("0,3,1,1"))
    unfold(page)
    page.fill("#pieces", "2")
    page.click("#make")
    expect(page.locator(".pavane-player dl")).to_contain_text("12 messages in 28 pieces")
    again = page.get_attribute(".downloads .again", "href")
    assert again is not None
    page.goto(f"{address.rstrip('/')}{again}")
    expect(page.locator("#pieces")).to_have_value("2")
    expect(page.locator("#sizes")).to_have_value(re.compile("0,3,1,1\n1,0,1,1"))
    unfold(page)
    page.fill("#sizes", "/etc/passwd")
    page.click("#make")
    expect(page.locator("#error")).to_contain_text("'/etc/passwd' is not a size")


def test_an_error_stays_when_an_earlier_result_arrives_late(page: Page, address: str) -> None:
    """What is wrong with what was asked last is still told after the result in the address has been shown."""
    page.goto(f"{address}?network=ring:4&collective=aas")
    page.click("#make")
    again = page.get_attribute(".downloads .again", "href")
    assert again is not None
    held: list[Route] = []
    page.route(re.compile(r"/api/jobs/[\w-]+$"), lambda route: held.append(route))
    page.goto(f"{address.rstrip('/')}{again}")
    while not held:
        page.wait_for_timeout(50)
    unfold(page)
    page.fill("#sizes", "/etc/passwd")
    page.click("#make")
    expect(page.locator("#error")).to_contain_text("'/etc/passwd' is not a size")
    for route in held:
        route.continue_()
    expect(page.locator(".pavane-player dl")).to_contain_text("4 senders to 4 receivers")
    expect(page.locator("#error")).to_contain_text("'/etc/passwd' is not a size")


def test_results_of_other_pieces_compare_by_message_times(page: Page, address: str) -> None:
    """Two results with other numbers of pieces say which takes less; steps alone would mislead."""
    for pieces, times in (("1", "2 steps"), ("2", "3 steps (3/2 message times)")):
        page.goto(f"{address}?network=ring:4&collective=aab&pieces={pieces}&switching=store-and-forward")
        page.click("#make")
        expect(page.locator(".pavane-player h1")).to_have_text(f"allgather (AAB) on ring:4 in {times}")
    expect(page.locator("#jobs li").first).to_contain_text("3 steps (3/2 message times)")
    for number in (1, 0):
        page.locator("#jobs li input").nth(number).check()
    expect(page.locator(".compared")).to_contain_text("3 steps of 2 pieces a message are 3/2 message times")
    expect(page.locator(".compared")).to_contain_text("takes 25 % less")


def test_capacities_of_a_file_are_seen(page: Page, address: str, tmp_path: Path) -> None:
    """The drawing of an uploaded network says its capacities."""
    channels = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 0], [0, 2]]
    told = {"format": "pavane/network/1", "name": "wide", "routers": [*"012"], "channels": channels}
    file = tmp_path / "wide.json"
    file.write_text(json.dumps({**told, "processors": [0, 1, 2], "capacities": [4, 4, 1, 1, 2, 2]}))
    page.goto(address)
    page.set_input_files("#file", file)
    expect(page.locator("#preview-text")).to_contain_text("3 processors; capacities 1, 2, 4 a step")


def test_an_allreduce_is_made_and_played(page: Page, address: str) -> None:
    """The form offers allreduces in parts and in one part; sums that are added are told from those that are not."""
    page.goto(f"{address}?network=ring:4&collective=reduce-broadcast&root=2&pieces=2")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_contain_text("ALLREDUCE on ring:4")
    expect(page.locator("#jobs li").first).to_contain_text("ALLREDUCE in 1 part on ring:4")
    page.goto(f"{address}?network=ring:4&collective=allreduce&ports=1")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("ALLREDUCE on ring:4 in 6 steps")
    lines = page.locator("section:has(h2:text-is('Step')) li")
    expect(lines.first).to_contain_text(
        re.compile(r"sum of part \d goes from \d to \d by .*, added: 2 of 4 contributions then")
    )
    page.fill("input[type=search]", "step 6")
    page.keyboard.press("Enter")
    expect(lines.first).to_contain_text("in place of what is there: 4 of 4 contributions then")
    expect(page.locator("table th").first).to_have_text("part")
    # At least three sums of each of the four parts are added, of 24 or more that are sent.
    assert 12 <= "".join(page.locator("table td").all_inner_texts()).count("+") < 24


def test_machines_of_a_file_are_joined(page: Page, address: str, tmp_path: Path) -> None:
    """How many machines there are is asked beside the file; of the catalogue it is written behind the name."""
    page.goto(address)
    file = tmp_path / "machine.txt"
    file.write_text("0 1\n1 2\n2 0\n")
    page.set_input_files("#file", file)
    unfold(page)
    page.fill("#nodes", "2")
    expect(page.locator("#preview-text")).to_contain_text("6 processors")
    page.reload()
    page.fill("#network", "ring:4")
    unfold(page)
    page.fill("#nodes", "2")
    expect(page.locator("#network-error")).to_contain_text("ring:4@2")


def test_slots_are_chosen_and_played(page: Page, address: str) -> None:
    """The settings of tdm are folded until it is chosen; the table is made, and the player speaks of slots."""
    opened(page, address, "alltoall")
    fields = [page.locator(name) for name in ("#router_delay", "#link_delay", "#packet_slots", "#wrap")]
    for field in fields:
        expect(field).to_be_hidden()
    unfold(page)
    page.select_option("#switching", "tdm")
    for field in fields:
        expect(field).to_be_visible()
    page.fill("#ports", "1")
    page.fill("#packet_slots", "2")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_contain_text(re.compile(r"alltoall \(AAS\) on ring:4 in \d+ slots"))
    expect(page.locator(".pavane-player dl")).to_contain_text("tdm, packet slots 2, 1-port")
    again = page.get_attribute("a.again", "href")
    assert again is not None
    assert {"switching=tdm", "packet_slots=2", "ports=1"} <= set(re.split(r"[?&#]", again))
    page.goto(f"{address}{again.split('#')[0].lstrip('/')}")
    expect(page.locator("#packet_slots")).to_have_value("2")


def test_rules_that_do_not_go_with_slots_are_marked(page: Page, address: str) -> None:
    """One line says what is wrong, and the field that it is about is marked and refers to it."""

    def refused(field: str, text: str) -> None:
        page.click("#make")
        expect(page.locator("#error")).to_contain_text(text)
        expect(page.locator(field)).to_have_attribute("aria-invalid", "true")
        expect(page.locator(field)).to_have_attribute("aria-describedby", "error")
        expect(page.locator("form [aria-invalid=true]")).to_have_count(1)

    page.goto(f"{address}?network=ring:4&switching=tdm&collective=aas&combining=1")
    expect(page.locator("#preview-text")).to_contain_text("ring:4")
    unfold(page)
    refused("#combining", "combining does not go with tdm")
    page.uncheck("#combining")
    page.select_option("#switches", "pass")
    refused("#switches", "switches pass does not go with tdm")
    page.select_option("#switches", "")
    page.select_option("#collective", "aab")
    refused("#wrap", "choose a table without wrap")
    page.select_option("#collective", "aas")
    page.fill("#router_delay", "0")
    refused("#router_delay", "expected 1 to 1,000,000 slots")


def test_a_large_torus_is_solved_by_a_table(page: Page, address: str) -> None:
    """What is too large to be written out is solved by a table; a router or step that is not drawn is looked up."""
    page.goto(f"{address}?network=torus:50x50")
    expect(page.locator("#preview-text")).to_contain_text("torus:50x50: 2,500 routers")
    expect(page.locator("#preview-text .note")).to_contain_text("is not drawn")
    page.click("#make")
    player = page.locator(".pavane-player")
    expect(player.locator("h1")).to_have_text("alltoall (AAS) on torus:50x50 in 15,625 steps")
    expect(player.locator(".status")).to_have_text("optimal (certificate)")
    expect(player.locator("dl")).to_contain_text("2,499 rows of one router")
    expect(page.locator(".downloads a[download]")).to_have_text(["JSON", "HTML player"])
    ask(page, "router 1275")
    expect(player.locator("section.rows h2")).to_have_text("Table of router 1275")
    ask(page, "step 9000")
    expect(player.locator(".count")).to_have_text("9,000 / 15,625")
    expect(player.locator("section.rows h2")).to_have_text("Table of router 1275")
    ask(page, "router 99999")
    expect(page.locator(".result .bad")).to_have_text("there is no router '99999'")


def test_a_table_is_chosen(page: Page, address: str) -> None:
    """The form of a schedule is a field, which the address fills in; a network without a table gets one line."""
    page.goto(f"{address}?network=torus:4x4&schedule_form=table")
    expect(page.locator("#schedule_form")).to_have_value("table")
    page.click("#make")
    expect(page.locator(".pavane-player section.rows h2")).to_have_text("Table of router 0")
    expect(page.locator(".downloads a[download]")).to_have_count(5)
    page.fill("#network", "petersen")
    page.click("#make")
    expect(page.locator("#error")).to_contain_text("no table is known for alltoall (AAS)")


def test_start_times_are_chosen_and_played(page: Page, address: str) -> None:
    """With a size, a bandwidth and a latency transfers have start times; the address fills these in again."""
    page.goto(f"{address}?network=ring:4&collective=aab&switching=store-and-forward")
    unfold(page)
    page.fill("#message_bytes", "1MB")
    page.click("#make")
    expect(page.locator("#error")).to_contain_text("start times need the bandwidth of channels")
    page.fill("#bandwidth", "25GB/s")
    page.fill("#latency", "0.7us")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("allgather (AAB) on ring:4 in 81.4 us")
    expect(page.locator(".pavane-player dl")).to_contain_text("no schedule ends before 81.4 us (timed-cut)")
    expect(page.locator("#jobs li").first).to_contain_text("allgather (AAB) on ring:4: ends after 81.4 us, optimal")
    expect(page.locator(".downloads a[download]")).to_have_text(["JSON", "SVG", "HTML player"])
    again = page.get_attribute(".downloads .again", "href")
    assert again is not None
    page.goto(f"{address.rstrip('/')}{again}")
    expect(page.locator("#latency")).to_have_value("0.7us")


def test_start_times_have_formats(page: Page, address: str) -> None:
    """A schedule with start times is downloaded in formats that carry them."""
    page.goto(f"{address}?network=ring:4&collective=aab&switching=store-and-forward&message_bytes=1MB&bandwidth=25GB/s")
    page.click("#make")
    formats = page.locator(".downloads select option")
    expect(formats.filter(has_text="msccl-xml")).to_have_count(1)
    with page.expect_download() as download:
        page.select_option(".downloads select", "goal")
    assert "send" in Path(download.value.path()).read_text()


def test_several_collectives_are_chosen_and_played(page: Page, address: str) -> None:
    """Groups are in a fold; the player names each collective, lists its steps and shows one of them alone."""
    page.goto(f"{address}?network=mesh:4x4&collective=aab")
    expect(page.locator("#groups")).to_be_hidden()
    unfold(page)
    page.fill("#groups", "blocks:5")
    page.click("#make")
    expect(page.locator("#error")).to_contain_text("do not fall into groups by 5")
    expect(page.locator("#groups")).to_have_attribute("aria-invalid", "true")
    page.fill("#groups", "rows")
    page.fill("#collectives", "aab:columns")
    page.click("#make")
    expect(page.locator(".pavane-player h1")).to_have_text("8 collectives (8 AAB) on mesh:4x4 in 3 steps")
    expect(page.locator(".pavane-player .legend")).to_contain_text("0: allgather (AAB) of 0-3")
    rows = page.locator(".pavane-player section:has(h2:text-is('Collectives')) tbody tr")
    expect(rows).to_have_count(8)
    expect(rows.nth(4)).to_contain_text("allgather (AAB) of 0, 4, ... 12")
    expect(page.locator(".pavane-player .shares").first).to_contain_text("of 8 collectives")
    lines = page.locator(".pavane-player aside section:first-child li")
    before = lines.count()
    page.locator(".pavane-player label", has_text="Collective").locator("select").select_option("4")
    expect(lines.first).to_contain_text("allgather (AAB) of 0, 4, ... 12: message of")
    assert 0 < lines.count() < before
    expect(page.locator("#jobs li").first).to_contain_text("8 collectives (8 AAB) on mesh:4x4: 3 steps")
    expect(page.locator(".downloads a[download]")).to_have_text(["JSON", "SVG", "HTML player"])
    again = page.get_attribute(".downloads .again", "href")
    assert again is not None
    page.goto(f"{address.rstrip('/')}{again}")
    expect(page.locator("#groups")).to_have_value("rows")
    expect(page.locator("#collectives")).to_have_value("aab:columns")


def test_unlike_results_are_not_subtracted(page: Page, address: str) -> None:
    """Results of one problem have a column of differences, those of two networks do not."""
    for query in (
        "network=ring:4&collective=oab",
        "network=ring:4&collective=oab&ports=1",
        "network=ring:7&collective=oab",
    ):
        page.goto(f"{address}?{query}")
        page.click("#make")
        expect(page.locator(".pavane-player h1")).to_contain_text("broadcast (OAB) on ring")
    expect(page.locator("#jobs li").first).to_contain_text("ring:7")
    boxes = page.locator("#jobs input")
    boxes.nth(1).check()
    boxes.nth(2).check()
    expect(page.locator(".pavane-player")).to_have_count(2)
    expect(page.locator(".differences thead")).to_contain_text("difference")
    boxes.nth(2).uncheck()
    boxes.nth(0).check()
    expect(page.locator(".differences tbody")).to_contain_text("ring:7")
    expect(page.locator(".differences thead")).not_to_contain_text("difference")
