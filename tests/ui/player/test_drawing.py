"""What the player draws, in a real browser."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.ui.player import contents_of, embedded, player_page
from tests.browser import expect, resize
from tests.contrasts import contrast, texts_too_pale
from tests.problems import problem_of
from tests.slot_tables import ONE_TO_TWO, ZERO_TO_ONE, two_packets
from tests.ui.timed_rings import timed_ring

SIZES = [(1400, 900), (390, 844)]
SCHEMES: list[Literal["light", "dark"]] = ["light", "dark"]


def opened(
    page: Page,
    folder: Path,
    result: Result,
    size: tuple[int, int] = (1400, 900),
    scheme: Literal["light", "dark"] = "light",
    **settings: Any,
) -> None:
    """Open a player whose inner parts can be asked, too, as `window.parts`."""
    resize(page, size, scheme)
    made = player_page(result).replace(
        'mount(document.getElementById("player")',
        "window.parts = { Schedule, Scene, COLOURS, distanceTo, looksOf };\n"
        'window.player = mount(document.getElementById("player")',
    )
    if settings:
        made = made.replace(embedded(contents_of(result)), embedded(contents_of(result, **settings)))
    file = folder / "player.html"
    file.write_text(made)
    page.goto(file.as_uri())
    expect(page.locator(".pavane-player h1")).to_be_visible()


@cache
def on_a_torus(kind: str) -> Result:
    """Return a schedule for a torus of 16: all to all (AAS), spread (OAB) or crowded (AAB)."""
    return solve(problem_of("torus:4x4", kind))


def test_routes_never_strike_out_names(page: Page, tmp_path: Path) -> None:
    """Inside routers the drawing is the same with transfers and without, and no link runs through a third router."""
    opened(page, tmp_path, on_a_torus("AAS"))
    differing, crossed = page.evaluate(
        """() => {
          const { Scene, distanceTo } = window.parts, { schedule } = window.player;
          const canvas = document.querySelector(".stage > canvas"), scene = new Scene(canvas, schedule);
          const inside = () => scene.points.map(([x, y]) => {
            const half = Math.floor(scene.radius * 0.6), d = scene.density;
            const box = [(x - half) * d, (y - half) * d, 2 * half * d, 2 * half * d];
            return [...canvas.getContext("2d").getImageData(...box).data].join();
          });
          scene.draw(0, 1, () => false);
          const bare = inside();
          scene.draw(0, 1, () => true);
          const differing = inside().filter((pixels, router) => pixels !== bare[router]).length;
          const crossed = schedule.channels.filter(([tail, head], channel) => scene.points.some(([x, y], router) =>
            router !== tail && router !== head && distanceTo(scene.lane(channel), x, y) < scene.radius)).length;
          return [differing, crossed];
        }"""
    )
    assert (differing, crossed) == (0, 0)


@pytest.mark.parametrize("spec", ["torus:4x4", "kautz:3,2", "petersen", "hypercube:4"])
def test_colours_differ_between_neighbours(page: Page, tmp_path: Path, spec: str) -> None:
    """No two neighbours have one colour, and no two origins of one colour the same mark and pattern as well."""
    opened(page, tmp_path, solve(problem_of(spec, "AAS"), SearchOptions(seconds=5)))
    looks, channels = page.evaluate(
        """() => {
          const { schedule } = window.player, owners = [...new Set(schedule.labels.map((label) => label[0]))];
          return [owners.map((owner) => window.parts.looksOf(schedule, owners).get(owner)), schedule.channels];
        }"""
    )
    assert all(looks[tail]["colour"] != looks[head]["colour"] for tail, head in channels)
    seen = [(look["colour"], look["shape"], tuple(look["dash"])) for look in looks]
    assert len(seen) == len(set(seen))


def test_a_legend_tells_what_is_drawn(page: Page, tmp_path: Path) -> None:
    """Every origin of the step stands in the legend, and with another step that of the other step."""
    opened(page, tmp_path, on_a_torus("OAB"))
    legend = page.locator(".legend > span")
    expect(legend).to_have_text(["from 0", "filled: informed"])
    opened(page, tmp_path, solve(problem_of("fat-tree:4", "AAS"), SearchOptions(seconds=5)))
    expect(legend.first).to_have_text(re.compile(r"from p\d+ \(\d+\)"))
    expect(legend.last).to_have_text("switch without processors")


def test_broadcasts_mark_who_is_informed(page: Page, tmp_path: Path) -> None:
    """Before the first step the root alone is informed, after the last one everybody is; the words say how many."""
    schedule = on_a_torus("OAB").schedule
    assert schedule is not None
    opened(page, tmp_path, on_a_torus("OAB"))
    shares = "step => window.player.schedule.sharesAfter(step, null, null).shares"
    assert page.evaluate(shares, -1) == [1] + [0] * 15
    for step in range(schedule.num_steps):
        reached = {0} | {t.receiver for t in schedule if t.start <= step}
        assert [router for router, share in enumerate(page.evaluate(shares, step)) if share] == sorted(reached)
        page.fill("input[type=search]", f"step {step + 1}")
        page.keyboard.press("Enter")
        expect(page.locator(".shares")).to_have_text(f"After this step, {len(reached)} of 16 processors are informed.")


@pytest.mark.parametrize(("kind", "text"), [("AOR", "16 of 16 processors have sent their part"), ("AOG", "1 of 1")])
def test_reductions_and_gathers_come_to_their_end(page: Page, tmp_path: Path, kind: str, text: str) -> None:
    """After the last step everyone has sent its part, or the root has what is for it."""
    opened(page, tmp_path, solve(problem_of("torus:4x4", kind)))
    page.focus("button.main")
    page.keyboard.press("End")
    expect(page.locator(".shares")).to_contain_text(text)


def test_crowded_steps_open_as_loads_and_one_origin(page: Page, tmp_path: Path) -> None:
    """More than 40 transfers a step are not drawn as lines: the load, and one origin that can be changed."""
    opened(page, tmp_path, on_a_torus("AAB"))
    expect(page.locator("label:has-text('Show') select")).to_have_value("loads")
    expect(page.locator("label:has-text('Origin') select")).to_have_value("0")
    expect(page.locator(".legend > span")).to_have_text(["from 0", "busy channel", "idle channel", "filled: informed"])
    lines = page.locator("section:has(h2:text-is('Step')) li")
    expect(lines).to_have_count(4)
    page.select_option("label:has-text('Origin') select", "")
    page.select_option("label:has-text('Show') select", "lines")
    expect(lines).to_have_count(64)
    expect(page.locator(".legend > span").first).to_have_text("from 0")
    expect(page.locator(".legend > span").last).to_have_text("filled: share of the messages it knows")


def test_a_summary_follows_some_origins(page: Page, tmp_path: Path) -> None:
    """Where not all transfers are listed, those of the first origins are, and a message of theirs can be asked for."""
    opened(page, tmp_path, on_a_torus("AAS"), most_transfers=30)
    page.fill("input[type=search]", "0>5")
    page.keyboard.press("Enter")
    expect(page.locator("section.story > p")).to_contain_text("Message 0 to 5 leaves in step")
    expect(page.locator("label:has-text('Origin') select")).to_have_value("0")
    expect(page.locator(".note")).to_contain_text("240 transfers are too many to list")


def test_the_list_uses_the_room_there_is(page: Page, tmp_path: Path) -> None:
    """Beside the drawing the list of a full step reaches down to the end of the stage."""
    opened(page, tmp_path, solve(problem_of("kautz:3,2", "AAS")))
    page.set_viewport_size({"width": 1400, "height": 600})
    stage, aside = (page.locator(one).bounding_box() for one in (".stage", "aside"))
    assert stage is not None
    assert aside is not None
    assert abs(stage["height"] - aside["height"]) < 2
    steps = page.locator("aside section").first.bounding_box()
    assert steps is not None
    assert steps["height"] > 0.55 * stage["height"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_all_can_be_read(page: Page, tmp_path: Path, size: tuple[int, int], scheme: Literal["light", "dark"]) -> None:
    """Texts have a contrast of 4.5 to 1, lines of 3 to 1, at either size and in either scheme; nothing is cut off."""
    for result in (on_a_torus("AAS"), on_a_torus("AAB")):
        opened(page, tmp_path, result, size, scheme)
        assert texts_too_pale(page) == []
        colours = page.evaluate(
            """(scheme) => {
              const style = getComputedStyle(document.querySelector(".stage > canvas"));
              const named = (name) => style.getPropertyValue(`--${name}`).trim();
              const lines = [...["ink", "line", "mark", "load"].map(named), ...window.parts.COLOURS[scheme]];
              const [paper, ink, muted, informed] = ["paper", "ink", "muted", "informed"].map(named);
              return { lines, paper, ink, muted, informed };
            }""",
            scheme,
        )
        assert [one for one in colours["lines"] if contrast(one, colours["paper"]) < 3] == []
        assert contrast(colours["ink"], colours["informed"]) >= 4.5
        assert contrast(colours["muted"], colours["paper"]) >= 4.5
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_the_mode_is_changed_in_plain_words(page: Page, tmp_path: Path) -> None:
    """The button says what it does: dark in the light, light in the dark."""
    opened(page, tmp_path, on_a_torus("OAB"))
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("text=Dark mode")
    expect(page.locator("header button")).to_have_text("Light mode")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert texts_too_pale(page) == []


def test_long_names_stand_below_their_routers(page: Page, tmp_path: Path) -> None:
    """A name that does not fit into its circle is written beneath it, and the page opens."""
    made = Network("named", ["left side", "right side", "x"], [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 1, 2])
    opened(page, tmp_path, solve(Problem(made, named("AAS", made))))
    expect(page.locator("aside")).to_contain_text("message left side to x by left side–right side–x")


def test_packets_move_from_slot_to_slot(page: Page, tmp_path: Path) -> None:
    """Each slot shows the channels that packets are on in it, round the period, and says what they do."""
    opened(page, tmp_path, two_packets())
    loads = "slot => [...window.player.schedule.loadsIn(slot).keys()]"
    assert [page.evaluate(loads, slot) for slot in range(4)] == [[ZERO_TO_ONE], [ONE_TO_TWO], [ZERO_TO_ONE], []]
    head, lines = page.locator("aside section .head").first, page.locator("section:has(h2:text-is('Slot')) li")
    expect(head).to_have_text("Slot 1 of 4: 0 packets injected, 1 of 8 channels busy.")
    expect(lines).to_have_text(["message 0 to 2 from 0 to 1, channel 1 of 2"])
    page.focus("button.main")
    page.keyboard.press("End")
    expect(lines).to_have_text(["message 0 to 1: ejected at 1", "message 0 to 2 by 0–1–2: injected"])
    expect(page.locator(".shares")).to_have_text("After this slot, 2 of 2 processors are complete.")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".count")).to_have_text("1 / 4")


def test_a_table_plays_round_until_it_is_paused(page: Page, tmp_path: Path) -> None:
    """After the last slot of a table that wraps comes the first; one that does not wrap stops at its end."""
    opened(page, tmp_path, two_packets())
    page.focus("button.main")
    page.keyboard.press("End")
    page.evaluate("window.player.goTo(3, 0.5)")
    page.evaluate("window.player.play(true)")
    expect(page.locator(".count")).to_have_text("1 / 4")
    expect(page.locator("button.main")).to_have_text("Pause")
    opened(page, tmp_path, two_packets(8, wrap=False))
    page.focus("button.main")
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".count")).to_have_text("8 / 8")


def test_long_packets_stay_on_their_channels(page: Page, tmp_path: Path) -> None:
    """A packet of two slots is on a channel for two, and channels are router and link delay apart."""
    opened(page, tmp_path, two_packets(12, late=4, router_delay=2, link_delay=1, packet_slots=2))
    loads = "slot => [...window.player.schedule.loadsIn(slot).keys()]"
    busy = {slot: page.evaluate(loads, slot) for slot in range(12)}
    assert {slot for slot, channels in busy.items() if channels == [ZERO_TO_ONE]} == {4, 5, 7, 8}
    assert {slot for slot, channels in busy.items() if channels == [ONE_TO_TWO]} == {10, 11}
    page.fill("input[type=search]", "0>2")
    page.keyboard.press("Enter")
    expect(page.locator("section.story > p")).to_have_text(
        "Message 0 to 2 leaves in slot 5 by 0–1–2 and arrives in slot 2."
    )


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1024, "dark"), (390, "dark")])
def test_start_times_are_played(page: Page, tmp_path: Path, width: int, scheme: Literal["light", "dark"]) -> None:
    """The time line has a row for each channel; Next goes to the next start or end, and a time can be asked for."""
    resize(page, (width, 900), scheme)
    file = tmp_path / "timed.html"
    file.write_text(player_page(timed_ring()))
    page.goto(file.as_uri())
    player = page.locator(".pavane-player")
    expect(player.locator("h1")).to_have_text("allgather (AAB) on ring:4 in 81.4 us")
    head = player.locator("aside section").first
    expect(head).to_contain_text("From 0 s to 40 us: 8 transfers under way, 8 of 8 channels held.")
    page.click(".pavane-player >> text=Next")
    expect(head).to_contain_text("From 40 us to 40.7 us: 8 transfers under way, 0 of 8 channels held.")
    expect(player.locator(".count")).to_have_text("40.7 us / 81.4 us")
    page.fill(".pavane-player input[type=search]", "50 us")
    page.keyboard.press("Enter")
    expect(head).to_contain_text("From 40.7 us to 80.7 us: 4 transfers under way, 4 of 8 channels held.")
    bars = player.locator(".bars")
    box = bars.bounding_box()
    assert box is not None
    bars.click(position={"x": box["width"] - 1, "y": 3})
    expect(head).to_contain_text("From 80.7 us to 81.4 us")
    expect(player.locator("aside section").nth(1)).to_contain_text(
        re.compile(r"Channel from \d to \d: held for \d+ us")
    )
    page.select_option(".pavane-player select[title^=Speed]", "8")
    page.click(".pavane-player button.main")
    expect(player.locator(".count")).to_have_text("81.4 us / 81.4 us")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not texts_too_pale(page)


def test_play_is_in_real_proportion(page: Page, tmp_path: Path) -> None:
    """A transfer is drawn as far as its time has come, whatever number of steps that takes."""
    file = tmp_path / "timed.html"
    file.write_text(player_page(timed_ring("AAS")).replace("mount(document", "window.player = mount(document", 1))
    page.goto(file.as_uri())
    shares = page.evaluate(
        """() => {
          const { schedule } = window.player, { cuts } = schedule;
          return schedule.steps.flatMap((transfers, step) => transfers.map((one) =>
            [one.begun - Math.max(0, (cuts[step] - one.start) / (one.end - one.start)),
             one.done - Math.min(1, (cuts[step + 1] - one.start) / (one.end - one.start))]));
        }"""
    )
    assert len(shares) > 12
    assert all(abs(error) < 1e-9 for pair in shares for error in pair)


def texts_drawn(page: Page) -> None:
    """Record the texts that canvases of the next page draw, as `window.texts`."""
    page.add_init_script(
        "window.texts = []; const draw = CanvasRenderingContext2D.prototype.fillText;"
        "CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {"
        " window.texts.push([text, x, y, this.measureText(text).width]); draw.call(this, text, x, y, ...rest); };"
    )


def test_names_do_not_run_together_on_a_phone(page: Page, tmp_path: Path) -> None:
    """Names below routers that are close to each other stand on two lines, and none covers another."""
    texts_drawn(page)
    result = solve(problem_of("dgx-h100:2", "AAB", switching="store-and-forward", switches="pass"))
    opened(page, tmp_path, result, (390, 844))
    names = set(result.problem.network.routers)
    drawn = {text: (x, y, wide) for text, x, y, wide in page.evaluate("window.texts") if text in names}
    assert drawn.keys() == names
    places = sorted(drawn.values())
    for number, (x, y, wide) in enumerate(places):
        for other_x, other_y, other_wide in places[number + 1 :]:
            assert abs(other_y - y) > 10 or other_x - x > (wide + other_wide) / 2


def test_processors_of_fat_routers_have_numbers(page: Page, tmp_path: Path) -> None:
    """A router with several processors has a dot with a number for each of them."""
    texts_drawn(page)
    opened(page, tmp_path, solve(problem_of("fat-octagon:2", "OAB")))
    assert {str(number) for number in range(16)} <= {text for text, *_ in page.evaluate("window.texts")}


def test_a_legend_does_not_list_what_cannot_be_distinguished(page: Page, tmp_path: Path) -> None:
    """Of more than 16 origins the legend has their number, and a filter shows one."""
    opened(page, tmp_path, solve(problem_of("hypercube:5", "AAB")))
    page.select_option("label:has-text('Show') select", "lines")
    expect(page.locator(".legend > span").first).to_have_text("from 0")
    page.select_option("label:has-text('Origin') select", "")
    expect(page.locator(".legend > span").first).to_contain_text("32 origins in 7 colours")
