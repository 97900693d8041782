"""The player in a real browser, from a file on the disk."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.ui.player import contents_of, embedded, player_page
from tests.browser import expect


def written(folder: Path, spec: str, kind: str) -> str:
    """Write the player of a catalogue problem and return its address."""
    made = network(spec)
    file = folder / "player.html"
    file.write_text(player_page(solve(Problem(made, named(kind, made)))))
    return file.as_uri()


def test_keys_work_without_a_click(page: Page, tmp_path: Path) -> None:
    """In a page just opened arrow keys and the space bar act on the player."""
    page.goto(written(tmp_path, "octagon", "AAS"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".count")).to_have_text("2 / 4")
    page.keyboard.press(" ")
    expect(page.locator(".pavane-player button.main")).to_have_text("Pause")


def test_find_shows_the_step_in_which_a_message_moves(page: Page, tmp_path: Path) -> None:
    """A message that is searched for is shown in its step, and all other transfers are pale."""
    file, made = tmp_path / "player.html", network("kautz:3,2")
    result = solve(Problem(made, named("AAS", made)))
    assert result.schedule is not None
    wanted = next(each for each in result.schedule if each.start == 3)
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
    users = [t.start for t in schedule if 2 in t.path]
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


def test_sums_of_an_allreduce_are_told_apart(page: Page, tmp_path: Path) -> None:
    """A sum that is added on arrival is told from one that replaces what is there."""
    made = network("ring:4")
    played(page, tmp_path / "player.html", Problem(made, named("allreduce", made), Rules(ports=1)))
    expect(page.locator(".pavane-player h1")).to_have_text("ALLREDUCE on ring:4 in 6 steps")
    lines = page.locator("section:has(h2:text-is('Step')) li")
    added = re.compile(r"sum of part \d goes from \d to \d by .*, added: 2 of 4 contributions then")
    expect(lines.first).to_contain_text(added)
    ask(page, "step 6")
    expect(lines.first).to_contain_text("in place of what is there: 4 of 4 contributions then")
    expect(page.locator("table th").first).to_have_text("part")
