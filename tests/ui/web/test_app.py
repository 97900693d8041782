"""The requests of the page's scripts."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pavane.io import schedule_bytes
from pavane.model.collectives import pairs
from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.search.synthesis import solve
from tests.problems import problem_of
from tests.ui.web.serving import Server


@pytest.fixture(scope="module")
def octagon(server: Server) -> str:
    """Return the path of a finished search."""
    path = server.start({"network": "octagon"})
    server.outcome(path)
    return path


def test_the_page_says_what_can_be_chosen(server: Server) -> None:
    """Families, collectives and methods; scripts and styles are there, and nothing else of the disk."""
    about = server.get("/api/about")
    assert {"kautz:3,2"} <= {family["example"] for family in about["families"]}
    assert {"auto", "umda", "hgsa"} <= set(about["methods"])
    for name in ("page.js", "page.css", "player.js", "player.css"):
        assert server.send("GET", f"/assets/{name}")[0] == 200
    for path in ("/assets/..%2Fapp.py", "/assets/app.py", "/assets/%2Fetc%2Fpasswd", "/../pyproject.toml"):
        assert server.send("GET", path)[0] == 404


def test_a_network_is_drawn(server: Server) -> None:
    """Of the catalogue or of a file, with its capacities and with what was left out; not if it is too large."""
    drawn = server.post("/api/networks/preview", {"file": "0 1\n1 2 x3\n2 0\n", "name": "triangle.edges"})
    assert (drawn["name"], drawn["figures"], len(drawn["places"])) == ("triangle", [3, 6, 3], 3)
    assert sorted(drawn["capacities"]) == [1, 1, 1, 1, 3, 3]
    noted = server.post("/api/networks/preview", {"file": "graph { a -- b [latency=3] }", "name": "fast.dot"})
    assert noted["notes"] == ["fast.dot: attributes that are not read: `latency` of edges"]
    large = server.post("/api/networks/preview", {"network": "torus:50x50"})
    assert (large["notes"], "places" in large) == (["torus:50x50 is not drawn: 2,000 routers at most are"], False)


def test_errors_are_one_line_with_their_field(server: Server) -> None:
    """What is wrong, and where: before a search starts."""
    status, _, content = server.send("POST", "/api/searches", {"network": "ring:4", "root": "x", "collective": "oab"})
    assert (status, json.loads(content)["field"]) == (400, "root")
    status, _, content = server.send("POST", "/api/searches", {"network": "ring:4", "steps": "few"})
    assert (status, json.loads(content)["field"]) == (422, "steps")
    status, _, content = server.send("POST", "/api/searches", b'{"\\ud800": 1}')
    assert (status, b"\n" in content) == (422, False)
    status, text = server.refusal("POST", "/api/networks/preview", {"network": "kautz:3,x"})
    assert (status, "'x' is not a whole number" in text) == (400, True)
    assert server.refusal("GET", "/api/searches/none/files")[0] == 404


def test_a_schedule_file_is_judged(server: Server) -> None:
    """A valid file has its status, an invalid one the rules that it breaks; any other is refused."""
    content = json.loads(schedule_bytes(solve(problem_of("ring:4", "AAS"))))
    played = server.post("/api/schedules/judge", {"file": json.dumps(content)})
    assert (played["status"], played["numTransfers"]) == ("optimal", 12)
    content["steps"][1] += content["steps"][0]
    wrong = server.post("/api/schedules/judge", {"file": json.dumps(content)})
    assert (wrong["status"], wrong["violations"][0]["rule"]) == ("invalid", "channel-capacity")
    assert (wrong["conflicts"][0], bool(wrong["conflicts"][1])) == ([], True)
    status, text = server.refusal("POST", "/api/schedules/judge", {"file": "{}", "name": "/secret/s.json"})
    assert (status, text.startswith("s.json: ")) == (400, True)


def test_files_of_start_times_and_of_several_collectives_are_judged(server: Server) -> None:
    """They are played; if they break rules, these are named."""
    problem = problem_of("ring:4", "AAB")
    ones = np.ones(problem.network.num_channels, dtype=np.int64)
    result = solve(replace(problem, links=Links(0 * ones, 0 * ones, 10**12 * ones), num_bytes=1_000))
    content = json.loads(schedule_bytes(result))
    assert server.post("/api/schedules/judge", {"file": json.dumps(content)})["times"]["finish"] == result.finish
    for transfer in content["transfers"]:
        transfer["start"] = 0
    wrong = server.post("/api/schedules/judge", {"file": json.dumps(content)})
    assert (wrong["status"], bool(wrong["violations"])) == ("invalid", True)
    several = Problem(problem.network, [pairs([(0, 2)]), pairs([(2, 0)])])
    content = json.loads(schedule_bytes(solve(several)))
    assert len(server.post("/api/schedules/judge", {"file": json.dumps(content)})["collectives"]) == 2
    content["steps"][0] *= 2
    wrong = server.post("/api/schedules/judge", {"file": json.dumps(content)})
    assert (wrong["status"], bool(wrong["conflicts"][0])) == ("invalid", True)


def test_every_offered_file_can_be_downloaded(server: Server, octagon: str) -> None:
    """The page's own files, and the formats of other programs; several files come as an archive."""
    formats = [each["name"] for each in server.get(f"{octagon}/files")]
    assert {"schedule.json", "player.html", "schedule.svg", "csv", "mpi-c"} <= set(formats)
    files: dict[str, bytes] = {}
    for name in formats:
        status, headers, content = server.send("GET", f"{octagon}/files/{name}")
        assert (status, headers["content-disposition"].startswith("attachment")) == (200, True)
        files[name] = content
    assert json.loads(files["schedule.json"])["format"] == "pavane/schedule/1"
    assert b"<svg" in files["schedule.svg"]
    assert b"alltoall (AAS) on octagon" in files["player.html"]
    archives = [content for content in files.values() if content.startswith(b"PK")]
    assert all(len(zipfile.ZipFile(io.BytesIO(content)).namelist()) > 1 for content in archives)
    assert server.refusal("GET", f"{octagon}/files/nonsense")[0] == 400


@pytest.mark.parametrize(
    ("request_of", "figures"),
    [
        ({"network": "ring:4", "collective": "aab", "pieces": "2"}, {"numSteps": 3, "numWhole": 4, "numMessages": 8}),
        ({"network": "ring:4", "sizes": "0>1:3", "routing": "any"}, {"numMessages": 14}),
        ({"network": "ring:4", "ports": "1", "routing": "any", "combining": "true"}, {"numSteps": 2, "tco": 4}),
        ({"network": "ring:4", "collective": "allreduce", "ports": "1"}, {"numSteps": 6}),
        ({"file": "0 1\n1 2\n2 0\n", "name": "triangle.edges", "collective": "aab"}, {"numSteps": 1}),
    ],
)
def test_problems_of_all_kinds_are_solved(server: Server, request_of: dict[str, str], figures: dict[str, Any]) -> None:
    """Pieces, sizes, combining, allreduce, files."""
    path = server.start(request_of)
    assert server.outcome(path)["has_schedule"]
    contents = server.get(f"{path}/contents")
    assert {name: contents[name] for name in figures} == figures


def test_a_table_is_made_where_a_schedule_is_too_large(server: Server) -> None:
    """It can be taken away, and is too large to be played; what needs the whole schedule is not offered."""
    path = server.start({"network": "torus:30x30"})
    assert server.outcome(path)["has_schedule"]
    names = [each["name"] for each in server.get(f"{path}/files")]
    assert ("schedule.json" in names, "schedule.svg" in names) == (True, False)
    assert json.loads(server.send("GET", f"{path}/files/schedule.json")[2])["format"] == "pavane/table/1"
