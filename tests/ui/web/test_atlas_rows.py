"""An atlas on the page: rows to choose from, schedules that are judged when they are opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Page

from pavane.atlas.atlas_file import AtlasFile
from pavane.atlas.known import row_of
from pavane.io import parse_schedule, schedule_bytes
from pavane.search.synthesis import solve
from pavane.ui.web.app import make_app
from pavane.ui.web.atlas_rows import Missing, made_of_row
from tests.browser import expect
from tests.problems import problem_of
from tests.ui.web.serving import serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for all tests."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def atlas(folder: Path) -> Path:
    """Return an atlas of three problems, which tests leave as it was."""
    path = folder / "atlas.sqlite"
    problems = problem_of("octagon", "AAS"), problem_of("octagon", "AAB", ports=1), problem_of("ring:4", "AAS")
    with AtlasFile(path, is_written=True) as opened:
        opened.keep(row_of(solve(problem)) for problem in problems)
    return path


@pytest.fixture(scope="module")
def client(atlas: Path, folder: Path) -> Iterator[TestClient]:
    """Yield a client of one server with an atlas for all tests."""
    app = make_app(folder / "results.sqlite", atlas=str(atlas))
    with TestClient(app, base_url="http://localhost") as running:
        yield running


def rows(client: TestClient, **asked: str) -> list[dict[str, Any]]:
    """Return the rows that fit."""
    found = client.get("/api/atlas", params=asked).json()
    assert found["total"] == len(found["rows"])
    listed: list[dict[str, Any]] = found["rows"]
    return listed


def test_rows_are_chosen(client: TestClient) -> None:
    """By network, collective, rules and status; nothing is proven in a list, and an unknown choice is one line."""
    assert len(rows(client)) == 3
    assert [row["network"] for row in rows(client, network="ring")] == ["ring:4"]
    assert [row["status"] for row in rows(client, collective="aas", status="claimed")] == ["claimed"] * 2
    assert len(rows(client, rules="1-port")) == 1
    for asked in ({"status": "best"}, {"status": "proven"}, {"collective": "nothing"}):
        answer = client.get("/api/atlas", params=asked)
        assert answer.status_code == 400
        assert "\n" not in answer.json()["error"]


def test_a_row_is_played(client: TestClient) -> None:
    """What the player shows, and a schedule file that holds what it says."""
    (row,) = rows(client, network="octagon", collective="alltoall")
    played = client.get(f"/api/atlas/{row['key']}/contents").json()
    assert (played["statusText"], played["isMadeClaimed"]) == ("optimal", True)
    file = client.get(f"/api/atlas/{row['key']}/schedule.json")
    assert parse_schedule(file.content, "schedule.json").result().status == "optimal"


def test_forged_rows_are_not_played(client: TestClient, atlas: Path) -> None:
    """A schedule that fails is not shown, and the answer says why; the file stays as it is."""
    (row,) = rows(client, network="ring")
    before = atlas.read_bytes()
    with closing(sqlite3.connect(atlas)) as file:
        file.execute("UPDATE problems SET steps = 1")
        file.commit()
    answer = client.get(f"/api/atlas/{row['key']}/contents")
    assert answer.status_code == 404
    assert "a schedule of 1 step of alltoall (AAS) on ring:4 is dropped" in answer.json()["detail"]
    with closing(sqlite3.connect(atlas)) as file:
        assert file.execute("SELECT COUNT(*) FROM problems WHERE steps = 1").fetchone() == (3,)
    atlas.write_bytes(before)
    assert client.get("/api/atlas/0123/contents").status_code == 404


def test_rows_are_judged_where_they_are_read(client: TestClient, atlas: Path) -> None:
    """A schedule file holds what its row says; of a row that is not there it is said that there is none."""
    (row,) = rows(client, network="ring")
    made = made_of_row(str(atlas), row["key"], schedule_bytes)
    assert isinstance(made, bytes)
    assert parse_schedule(made, "schedule.json").result().num_steps == 2
    assert made_of_row(str(atlas), "0123", schedule_bytes) == Missing("there is no schedule of that problem")


def test_nothing_is_written(client: TestClient, atlas: Path) -> None:
    """Reading is all that can be done."""
    assert client.post("/api/atlas", json={}).status_code == 405
    assert client.delete(f"/api/atlas/{'0' * 64}/contents").status_code == 405


def test_without_an_atlas_there_is_none(tmp_path: Path) -> None:
    """The page says whether there is an atlas, and nothing is found where there is none."""
    with TestClient(make_app(tmp_path / "results.sqlite"), base_url="http://localhost") as client:
        assert client.get("/api/about").json()["atlas"] is False
        assert client.get("/atlas").status_code == 404
        assert client.get("/api/atlas").status_code == 404


def test_the_atlas_in_a_browser(page: Page, atlas: Path, tmp_path: Path) -> None:
    """The page leads to the atlas; a filter leaves one row, and its schedule is played."""
    with serving(tmp_path / "r.sqlite", "--atlas", str(atlas)) as address:
        page.goto(address)
        page.get_by_role("link", name="Atlas").click()
        expect(page.locator("#count")).to_have_text("3 problems.")
        page.get_by_label("Network").fill("ring")
        expect(page.locator("#count")).to_have_text("1 problem.")
        page.get_by_role("button", name="Open alltoall (AAS) on ring:4").click()
        expect(page.locator(".pavane-player")).to_contain_text("ring:4")
        page.reload()
        expect(page.locator(".pavane-player")).to_contain_text("optimal")
