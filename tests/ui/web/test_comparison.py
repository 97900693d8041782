"""Networks side by side on the page: a job like others, with a table and a picture at its end."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Page

from pavane.errors import InputError
from pavane.ui.web.app import make_app
from pavane.ui.web.comparison import MOST_NETWORKS, ComparisonRequest
from pavane.ui.web.limits import ServerLimits
from tests.browser import expect, resize
from tests.contrasts import texts_too_pale
from tests.ui.web.serving import serving


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Yield a client of one server for all tests."""
    store = tmp_path_factory.mktemp("server") / "results.sqlite"
    with TestClient(make_app(store), base_url="http://localhost") as running:
        yield running


def ended(client: TestClient, number: str) -> dict[str, Any]:
    """Wait for a job to end, and return how it did."""
    for _ in range(6_000):
        told: dict[str, Any] = client.get(f"/api/jobs/{number}").json()
        if told["state"] not in ("waiting", "running"):
            return told
        time.sleep(0.01)
    raise AssertionError("it does not end")


def test_a_comparison_is_a_job(client: TestClient) -> None:
    """It ends with the table, its legend, the picture and all figures, and is not among earlier schedules."""
    asked = {"networks": "ring:8 octagon\nhypercube:3 torus:2x4", "collectives": "alltoall", "seconds": 30}
    told = ended(client, client.post("/api/compare", json=asked).json()["id"])
    assert told["state"] == "done"
    assert [row[0] for row in told["table"]] == ["network", "ring:8", "octagon", "torus:2x4 = hypercube:3"]
    assert told["best"] == [True, True, True]
    assert told["picture"].startswith("<?xml")
    assert told["figures"]["networks"][0]["collectives"]["AAS"]["steps"] == 8
    assert client.get("/api/jobs").json() == []


def test_proposals_and_times(client: TestClient) -> None:
    """The catalogue proposes, and times are predicted, as on the command line."""
    asked = {"processors": "6", "degree": "3", "collectives": "oab"}
    asked |= {"startup": "1us", "per_byte": "1GB/s", "message_bytes": "1kB"}
    told = ended(client, client.post("/api/compare", json=asked).json()["id"])
    assert "OAB 1,000 B" in told["table"][0]
    assert "utility" in {name for row in told["figures"]["networks"] for name in row["names"]}


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({}, "no network was named"),
        ({"networks": "octogon"}, "did you mean octagon"),
        ({"networks": "ring:8", "degree": "3"}, "a degree goes with a number of processors"),
        ({"processors": "many"}, "'many' is neither a number nor a range"),
        ({"networks": "ring:8", "collectives": "shout"}, "unknown collective"),
        ({"networks": "ring:8", "startup": "1us"}, "to predict times"),
        ({"networks": "ring:8", "seconds": 1000}, "1000 s are too long"),
        ({"networks": "ring:300 line:300"}, "need 358,800 deliveries in all"),
        ({"networks": "ring:8 " * (MOST_NETWORKS + 1)}, "networks are too many"),
        ({"processors": "4-256"}, "these are too many networks"),
        ({"networks": "/etc/passwd"}, "unknown network family"),
    ],
)
def test_refusals(client: TestClient, asked: dict[str, object], text: str) -> None:
    """One line says what is wrong, before anything waits; no file of the server is opened."""
    answer = client.post("/api/compare", json=asked)
    assert answer.status_code == 400
    assert text in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    with pytest.raises(InputError, match=re.escape(text)):  # here, as in the process that the server asks
        ComparisonRequest(**asked).within(ServerLimits())  # type: ignore[arg-type]


def test_the_page(page: Page, tmp_path: Path) -> None:
    """Networks are typed, and table and picture come, to be read in either scheme; the address leads to them again."""
    with serving(tmp_path / "results.sqlite") as address:
        page.goto(address)
        page.get_by_role("link", name="Compare networks").click()
        page.locator("#networks").fill("ring:8 mesh:2x4 octagon")
        page.locator("#kinds input[value=aab]").uncheck()
        page.get_by_role("button", name="Compare").click()
        expect(page.locator("#rows tbody tr")).to_have_count(3)
        expect(page.locator("#rows .best")).to_have_count(2)
        expect(page.locator("#picture")).to_be_visible()
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for scheme in schemes:
            resize(page, (1300, 900), scheme)
            assert texts_too_pale(page) == []
            # White paper becomes as dark as the page.
            filters = page.locator("#picture").evaluate("picture => getComputedStyle(picture).filter")
            assert filters.startswith("invert(0.86)" if scheme == "dark" else "invert(0)")
        resize(page, (390, 844))
        assert page.locator("#picture").evaluate("picture => picture.clientWidth") > 600
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.reload()
        expect(page.locator("#rows tbody tr")).to_have_count(3)
        page.locator("#networks").fill("octogon")
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_role("alert")).to_contain_text("did you mean octagon")
