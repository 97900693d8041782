"""The REST interface under the web page."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from pavane.errors import InputError
from pavane.io import read_schedule, schedule_bytes
from pavane.judge.rules import verify
from pavane.search.synthesis import solve
from pavane.ui.web.app import make_app
from pavane.ui.web.limits import ServerLimits
from pavane.ui.web.renderings import exported, previewed
from pavane.ui.web.requests import NetworkRequest
from pavane.ui.web.store import Store
from tests.problems import problem_of

ENDLESS = {"network": "heawood", "collective": "aas", "method": "umda", "steps": 9}
"""Out of this method's reach, so that it goes on for long."""

LIMITS = ServerLimits(seconds=20, messages=2_000, upload=2_000, waiting=2)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of one server's results."""
    return tmp_path_factory.mktemp("store") / "results.sqlite"


@pytest.fixture(scope="module")
def client(store: Path) -> Iterator[TestClient]:
    """Yield a client of a running server."""
    with TestClient(make_app(store, LIMITS), base_url="http://localhost") as running:
        yield running


def finished(client: TestClient, number: str) -> dict[str, Any]:
    """Wait for a job and return how it went."""
    for _ in range(6_000):
        job: dict[str, Any] = client.get(f"/api/jobs/{number}").json()
        if job["state"] not in ("waiting", "running"):
            return job
        time.sleep(0.01)
    raise AssertionError("the job did not end")


@pytest.fixture(scope="module")
def octagon(client: TestClient) -> dict[str, Any]:
    """Return a finished job."""
    number = client.post("/api/jobs", json={"network": "octagon", "collective": "aas"}).json()["id"]
    return finished(client, number)


def test_a_schedule_file_is_judged(client: TestClient) -> None:
    """A valid file comes back with its status, an invalid one with the rules that it breaks, any other is refused."""
    result = solve(problem_of("ring:4", "AAS"))
    content = json.loads(schedule_bytes(result))
    played = client.post("/api/schedules/judge", json={"file": json.dumps(content), "name": "s.json"}).json()
    assert (played["status"], played["numTransfers"]) == ("optimal", 12)
    content["steps"][1] += content["steps"][0]
    wrong = client.post("/api/schedules/judge", json={"file": json.dumps(content), "name": "s.json"}).json()
    assert wrong["status"] == "invalid"
    assert wrong["violations"][0]["rule"] == "channel-capacity"
    assert wrong["conflicts"][0] == []
    assert wrong["conflicts"][1] != []
    refused = client.post("/api/schedules/judge", json={"file": "{}", "name": "s.json"})
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("s.json: ")


def test_a_job_makes_a_valid_schedule(client: TestClient, octagon: dict[str, Any], tmp_path: Path) -> None:
    """A submitted job ends with a schedule file that the judge accepts, and with its figures."""
    assert (octagon["state"], octagon["steps"], octagon["status"]) == ("done", 4, "optimal")
    file = tmp_path / "schedule.json"
    file.write_bytes(client.get(f"/api/jobs/{octagon['id']}/schedule.json").content)
    claim = read_schedule(file)
    assert not verify(claim.problem, claim.schedule)
    assert (octagon["status_text"], octagon["optimal"]) == ("optimal (certificate)", ["steps"])
    played = client.get(f"/api/jobs/{octagon['id']}/contents").json()
    assert (played["statusText"], played["isMadeClaimed"]) == ("optimal (certificate)", False)
    assert all(bound["proven"] for bound in played["bounds"])


@pytest.mark.parametrize(
    ("name", "kind", "start"),
    [
        ("schedule.svg", "image/svg+xml", b"<?xml"),
        ("player.html", "text/html", b"<!doctype html>"),
        ("paths.txt", "text/plain", b"1  "),
        ("contents", "application/json", b"{"),
        ("transfers.csv", "text/csv", b"step,"),
    ],
)
def test_results_can_be_taken_away(
    client: TestClient, octagon: dict[str, Any], name: str, kind: str, start: bytes
) -> None:
    """Every form of a result is there, with its media type."""
    answer = client.get(f"/api/jobs/{octagon['id']}/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.content.startswith(start)


def test_every_export_can_be_taken_away(client: TestClient, octagon: dict[str, Any]) -> None:
    """The formats that can carry a schedule are listed, and each comes as a file; one that cannot says why."""
    listed = [export["name"] for export in client.get(f"/api/jobs/{octagon['id']}/exports").json()]
    assert {"csv", "dot"} <= set(listed)
    for name in listed:
        answer = client.get(f"/api/jobs/{octagon['id']}/exports/{name}")
        assert answer.status_code == 200
        assert "attachment" in answer.headers["content-disposition"]
    refused = client.get(f"/api/jobs/{octagon['id']}/exports/msccl-xml")
    assert refused.status_code == 400
    assert "msccl-xml" in refused.json()["error"]


def test_large_networks_are_not_drawn_and_unknown_formats_not_written() -> None:
    """A note names the limit, and a line what there is."""
    seen = previewed(NetworkRequest(network="ring:2001"), ServerLimits())
    assert seen["notes"] == ["ring:2001 is not drawn: 2,000 routers at most are"]
    assert (seen["figures"], "routers" in seen) == ([2001, 4002, 2001], False)
    with pytest.raises(InputError, match="there is no format 'pdf'; choose "):
        exported(b"", "pdf", "schedule")


def test_events_of_another_servers_job_come_from_the_file(client: TestClient, store: Path) -> None:
    """Who watches is told that the stream goes on, and how the job has ended."""
    other = Store(store)
    other.add("theirs", time.time(), {"network": "ring:4"})
    other.change("theirs", "running", {})
    ending = threading.Timer(0.3, other.change, ("theirs", "done", {"steps": 2}, b"x"))
    ending.start()
    lines = client.get("/api/jobs/theirs/events").text.split("\n\n")
    ending.join()
    other.remove("theirs")
    other.close()
    assert lines[0] == ": still here"
    assert json.loads(lines[-2].removeprefix("data: "))["state"] == "done"


def test_progress_is_told_as_events(client: TestClient) -> None:
    """The stream of events tells bound and best, and its last event is the end."""
    number = client.post("/api/jobs", json={"network": "ring:8", "collective": "aas"}).json()["id"]
    with client.stream("GET", f"/api/jobs/{number}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]
    assert any(event.get("bound") == 8 for event in events)
    assert (events[-1]["state"], events[-1]["steps"]) == ("done", 8)


def test_events_of_a_finished_job_are_its_end(client: TestClient, octagon: dict[str, Any]) -> None:
    """Who comes late, or reloads the page, gets the end at once."""
    text = client.get(f"/api/jobs/{octagon['id']}/events").text
    assert json.loads(text.removeprefix("data: "))["state"] == "done"


def test_a_job_can_be_cancelled(client: TestClient) -> None:
    """A running search is stopped and says so."""
    number = client.post("/api/jobs", json=ENDLESS).json()["id"]
    time.sleep(0.5)
    assert client.delete(f"/api/jobs/{number}").json() == {"cancelled": True}
    assert finished(client, number)["state"] == "cancelled"
    assert client.delete(f"/api/jobs/{number}").json() == {"cancelled": False}


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"network": "kautz:3"}, "too few parameters"),
        ({"network": "nothing:3"}, "nothing"),
        ({"network": "octagon", "collective": "aax"}, "aax"),
        ({"network": "octagon", "ports": "0"}, "port"),
        ({"network": "octagon", "faults": ["0-9"]}, "0-9"),
        ({"network": "octagon", "root": "99", "collective": "oab"}, "99"),
        ({"network": "octagon", "method": "magic"}, "magic"),
        ({"network": "octagon", "method": "flow"}, "flow"),
        ({"network": "octagon", "settings": ["polish=4"]}, "method"),
        ({"network": "octagon", "seconds": 1e6}, "too long"),
        ({"network": "mesh:8x8"}, "deliveries"),
        ({"network": "ring:64", "method": "greedy"}, "deliveries"),
        ({"network": "octagon", "schedule_form": "list"}, "form 'list' is not known"),
        ({"network": "octagon", "message_bytes": "1MB"}, "start times need the bandwidth"),
        ({"network": "octagon", "bandwidth": "1GB/s"}, "start times need the size of a message"),
        ({"network": "octagon", "message_bytes": "1MB", "bandwidth": "1GB/s", "steps": 4}, "leave these out"),
        ({"network": "octagon", "message_bytes": "1MB", "bandwidth": "1GB/s", "switching": "tdm"}, "tdm"),
        ({"network": "octagon", "message_bytes": "much", "bandwidth": "1GB/s"}, "much"),
        ({"network": "octagon", "schedule_form": "table", "method": "greedy"}, "makes no tables"),
        ({"file": "0 1\n1 banana 2\n", "name": "mine.edges"}, "mine.edges"),
        ({"file": "{", "name": "mine.json"}, "mine.json"),
        ({"file": "0 1\n" * 1000, "name": "long.edges"}, "too many"),
        ({"network": "/etc/passwd"}, "/etc/passwd"),
        ({"network": "octagon", "pieces": "0"}, "pieces 0"),
        ({"network": "octagon", "pieces": "2,3"}, "pieces"),
        ({"network": "octagon", "pieces": "50000000"}, "deliveries"),
        ({"network": "octagon", "collective": "aab", "pieces": "5000000"}, "deliveries"),
        ({"network": "octagon", "sizes": "0>1:40000000"}, "deliveries"),
        ({"network": "octagon", "sizes": "/etc/passwd"}, "not a size"),
        ({"network": "octagon", "sizes": "0>9:2"}, "0>9"),
        ({"network": "octagon", "sizes": "1,2\n3,4"}, "8 rows of 8 numbers"),
        ({"network": "../secret.json"}, "secret"),
    ],
)
def test_bad_requests_get_one_line(client: TestClient, asked: dict[str, Any], line: str) -> None:
    """What is wrong is said in the command line's own words, on one line, and no path of the server in it."""
    answer = client.post("/api/jobs", json=asked)
    assert answer.status_code == 400
    assert line in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    assert "/tmp" not in answer.json()["error"]


def test_no_file_of_the_server_is_opened(client: TestClient, tmp_path: Path) -> None:
    """A name that is a file here is no network, and no asset either."""
    file = tmp_path / "ring.edges"
    file.write_text("0 1\n1 2\n2 0\n")
    assert client.post("/api/networks/preview", json={"network": str(file)}).status_code == 400
    table = tmp_path / "sizes.csv"
    table.write_text("\n".join(["1,2,3,4"] * 4))
    answer = client.post("/api/jobs", json={"network": "ring:4", "sizes": str(table)})
    assert (answer.status_code, "not a size" in answer.json()["error"]) == (400, True)
    for path in ("/assets/..%2Fapp.py", "/assets/app.py", "/assets/%2Fetc%2Fpasswd", "/../pyproject.toml"):
        assert client.get(path).status_code == 404


def test_a_file_can_be_brought_along(client: TestClient) -> None:
    """The text of a network file is drawn and solved."""
    asked = {"file": "0 1\n1 2\n2 0\n", "name": "triangle.edges"}
    drawn = client.post("/api/networks/preview", json=asked).json()
    assert (len(drawn["routers"]), len(drawn["channels"]), len(drawn["places"])) == (3, 6, 3)
    job = finished(client, client.post("/api/jobs", json={**asked, "collective": "aab"}).json()["id"])
    assert job["steps"] == 1


def test_pieces_and_sizes_are_asked_for(client: TestClient) -> None:
    """The figures say message times; sizes come as a list or as the text of a table."""
    job = finished(
        client, client.post("/api/jobs", json={"network": "ring:4", "collective": "aab", "pieces": "2"}).json()["id"]
    )
    assert (job["steps"], job["pieces"], job["message_times"]) == (3, 2, "3/2")
    told = client.get(f"/api/jobs/{job['id']}/contents").json()
    assert (told["numWhole"], told["numMessages"]) == (4, 8)
    assert "[0.0" in client.get(f"/api/jobs/{job['id']}/paths.txt").text
    whole = finished(client, client.post("/api/jobs", json={"network": "ring:4", "collective": "aab"}).json()["id"])
    assert not {"pieces", "message_times"} & whole.keys()
    rows = "0 3 1 1\n1 0 1 1\n1 1 0 1\n1 1 1 0\n"
    for sizes in ("0>1:3", rows, rows.replace(" ", ",")):
        asked = {"network": "ring:4", "collective": "aas", "sizes": sizes, "routing": "any"}
        job = finished(client, client.post("/api/jobs", json=asked).json()["id"])
        assert client.get(f"/api/jobs/{job['id']}/contents").json()["numMessages"] == 14


def test_capacities_of_a_file_are_drawn_and_used(client: TestClient) -> None:
    """A network file with capacities is previewed with them, and its schedule fills them."""
    channels = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 0], [0, 2]]
    wide = {"format": "pavane/network/1", "name": "wide", "routers": [*"012"], "channels": channels}
    file = json.dumps({**wide, "processors": [0, 1, 2], "capacities": [2] * 6})
    drawn = client.post("/api/networks/preview", json={"file": file, "name": "wide.json"}).json()
    assert drawn["capacities"] == [2] * 6
    assert "capacities" not in client.post("/api/networks/preview", json={"network": "ring:4"}).json()
    asked = {"file": file, "name": "wide.json", "collective": "aas", "pieces": "2"}
    job = finished(client, client.post("/api/jobs", json=asked).json()["id"])
    assert (job["steps"], job["message_times"]) == (1, "1/2")
    assert client.get(f"/api/jobs/{job['id']}/schedule.svg").status_code == 200
    for export in client.get(f"/api/jobs/{job['id']}/exports").json():
        assert client.get(f"/api/jobs/{job['id']}/exports/{export['name']}").status_code == 200, export["name"]


def test_notes_of_a_file_come_with_its_drawing(client: TestClient) -> None:
    """What was left out is told, in the words of the page; a network of the catalogue leaves nothing to say."""
    asked = {"file": "graph { a -- b [latency=3] }", "name": "fast.dot"}
    drawn = client.post("/api/networks/preview", json=asked).json()
    assert drawn["notes"] == ["fast.dot: `latency` of 1 edge is left out; every channel carries one message a step"]
    asked = {"file": "graph { a -- b [capacity=3] }", "name": "wide.dot"}
    drawn = client.post("/api/networks/preview", json=asked).json()
    assert (drawn["capacities"], drawn["notes"]) == ([3, 3], [])
    assert client.post("/api/networks/preview", json={"network": "ring:4"}).json()["notes"] == []


def test_large_requests_are_refused(client: TestClient) -> None:
    """A body beyond the limit is not even read."""
    answer = client.post("/api/networks/preview", json={"file": "x" * 1_000_000, "name": "x"})
    assert answer.status_code == 413


def test_unknown_fields_are_refused(client: TestClient) -> None:
    """A misspelt field is an error and not ignored."""
    assert client.post("/api/jobs", json={"network": "octagon", "port": "1"}).status_code == 422


def test_the_queue_is_bounded(tmp_path: Path) -> None:
    """With the queue full a job is refused, and the server stays well."""
    limits = ServerLimits(seconds=20, waiting=1)
    with TestClient(make_app(tmp_path / "s.sqlite", limits), base_url="http://localhost") as client:
        answers = [client.post("/api/jobs", json=ENDLESS) for _ in range(4)]
        codes = [answer.status_code for answer in answers]
        assert 503 in codes
        assert "wait" in answers[codes.index(503)].json()["error"]
        assert client.get("/api/about").status_code == 200


def test_a_restart_loses_no_finished_result(tmp_path: Path) -> None:
    """Another server on the same file has the results of the first; what ran when it stopped is lost and says so."""
    file = tmp_path / "results.sqlite"
    with TestClient(make_app(file, LIMITS), base_url="http://localhost") as client:
        done = finished(client, client.post("/api/jobs", json={"network": "ring:4"}).json()["id"])
        client.app.state.store.add("stray", time.time(), {})  # type: ignore[attr-defined]
    with TestClient(make_app(file, LIMITS), base_url="http://localhost") as client:
        assert client.get(f"/api/jobs/{done['id']}").json()["steps"] == done["steps"]
        assert client.get(f"/api/jobs/{done['id']}/schedule.json").status_code == 200
        assert client.get("/api/jobs/stray").json()["state"] == "lost"


def test_combining_is_answered_as_on_the_command_line(client: TestClient) -> None:
    """Without a method a front is searched for, and the result is the point that the command line writes."""
    from pavane.io.request import Request
    from pavane.search.synthesis import solve

    asked = {"network": "ring:4", "collective": "aas", "ports": "1", "routing": "any", "combining": True}
    job = finished(client, client.post("/api/jobs", json=asked).json()["id"])
    result = solve(Request("ring:4", "aas", ports="1", routing="any", combining=True).problem())
    assert result.schedule is not None
    assert (job["steps"], job["tco"]) == (result.num_steps, result.schedule.tco)


def test_every_point_of_a_front_is_kept(client: TestClient) -> None:
    """A front tells all its points, and each has a schedule of its own; there is none beyond the last."""
    asked = {"network": "ring:4", "collective": "aas", "ports": "1", "routing": "any", "combining": True}
    job = finished(client, client.post("/api/jobs", json=asked).json()["id"])
    told = [(point["start_ups"], point["tco"]) for point in job["front"]]
    assert told == [(2, 4), (3, 3)]
    for number, (start_ups, tco) in enumerate(told):
        shown = client.get(f"/api/jobs/{job['id']}/contents", params={"point": number}).json()
        assert (shown["numSteps"], shown["tco"]) == (start_ups, tco)
    assert client.get(f"/api/jobs/{job['id']}/contents", params={"point": 2}).status_code == 404


def test_finished_jobs_are_deleted_with_their_likes(client: TestClient) -> None:
    """The same search made twice is listed once, and deleting it deletes both; what is not there cannot be deleted."""
    made = [client.post("/api/jobs", json={"network": "ring:9", "collective": "oab"}).json()["id"] for _ in range(2)]
    for number in made:
        finished(client, number)
    listed = [job["id"] for job in client.get("/api/jobs").json() if job["asked"]["network"] == "ring:9"]
    assert listed == made[1:]
    assert client.delete(f"/api/results/{made[1]}").json() == {"deleted": 2}
    assert [client.get(f"/api/jobs/{number}").status_code for number in made] == [404, 404]
    assert client.delete(f"/api/results/{made[1]}").status_code == 404


def test_a_running_search_is_not_deleted(client: TestClient) -> None:
    """It is to be cancelled first."""
    number = client.post("/api/jobs", json=ENDLESS).json()["id"]
    assert client.delete(f"/api/results/{number}").status_code == 409
    client.delete(f"/api/jobs/{number}")
    finished(client, number)


@pytest.mark.parametrize("body", ['{"network": "ring:4", "seconds": NaN}', '{"network": "\\ud800"}'])
def test_what_cannot_be_printed_is_refused(client: TestClient, body: str) -> None:
    """Numbers that are none, and halves of letters, are refused like anything else that is wrong."""
    answer = client.post("/api/jobs", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][0] == "body"


def test_the_interface_is_described(client: TestClient) -> None:
    """There is an OpenAPI document with every path that the page uses."""
    paths = client.get("/api/openapi.json").json()["paths"]
    assert {"/api/about", "/api/networks/preview", "/api/jobs", "/api/jobs/{number}/events"} <= set(paths)


def test_other_names_of_this_machine_are_refused(client: TestClient) -> None:
    """A page that resolves its own name to this machine gets no answer."""
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400


def test_pages_forbid_foreign_scripts(client: TestClient) -> None:
    """The page allows scripts of its own only, none inline."""
    policy = client.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe-inline" not in policy


def test_a_table_is_made_where_a_schedule_is_too_large(client: TestClient) -> None:
    """The job stores the table and what symmetry proves; lists of all transfers are written where they fit."""
    number = client.post("/api/jobs", json={"network": "torus:12x12", "collective": "aas"}).json()["id"]
    job = finished(client, number)
    assert (job["state"], job["steps"], job["transfers"]) == ("done", 216, 20_592)
    assert job["symmetry"].startswith("by symmetry: 2 translations keep all 576 channels")
    file = client.get(f"/api/jobs/{number}/schedule.json").json()
    assert file["format"] == "pavane/table/1"
    assert len(client.get(f"/api/jobs/{number}/contents").json()["table"]["rows"]) == 144
    assert client.get(f"/api/jobs/{number}/paths.txt").text.count("\n") == 216
    listed = [export["name"] for export in client.get(f"/api/jobs/{number}/exports").json()]
    assert {"mpi-c", "csv"} <= set(listed)
    for query, line in (("step=217", "there is no step 217; there are 216"), ("router=x", "there is no router 'x'")):
        refused = client.get(f"/api/jobs/{number}/contents?{query}")
        assert (refused.status_code, refused.json()["error"]) == (400, line)


def test_start_times_are_made_and_drawn(client: TestClient) -> None:
    """The job has the end and the bound, and its file, chart and player can be taken away; lists of steps cannot."""
    links = {"message_bytes": "1MB", "bandwidth": "25GB/s", "latency": "0.7us"}
    asked = {"network": "ring:4", "collective": "aab", "switching": "store-and-forward", **links}
    job = finished(client, client.post("/api/jobs", json=asked).json()["id"])
    assert (job["state"], job["finish"], job["bound_text"], job["status"]) == ("done", 81_400_000, "81.4 us", "optimal")
    folder = f"/api/jobs/{job['id']}"
    assert client.get(f"{folder}/schedule.json").json()["format"] == "pavane/timed/1"
    assert client.get(f"{folder}/contents").json()["times"]["finish"] == 81_400_000
    assert "<svg" in client.get(f"{folder}/schedule.svg").text
    assert '"finish":81400000' in client.get(f"{folder}/player.html").text
    assert client.get(f"{folder}/paths.txt").status_code == 400
    names = [row["name"] for row in client.get(f"{folder}/exports").json()]
    assert {"chakra", "goal", "msccl-xml", "mscclpp", "simgrid"} <= set(names)
    for name in names:
        answer = client.get(f"{folder}/exports/{name}")
        assert (answer.status_code, len(answer.content) > 100) == (200, True)
    refused = client.get(f"{folder}/exports/csv")
    assert (refused.status_code, "has start times" in refused.json()["error"]) == (400, True)


def test_several_collectives_are_solved_and_taken_away(client: TestClient) -> None:
    """A job of several collectives has its steps and bound, is played, drawn and written; formats carry one only."""
    request = {"network": "mesh:2x4", "collective": "aab", "groups": "rows", "collectives": ["aas:0,7"]}
    job = finished(client, client.post("/api/jobs", json=request).json()["id"])
    assert (job["state"], job["collectives"], job["kind"]) == ("done", 3, "3 collectives (2 AAB, 1 AAS)")
    assert job["bound"] <= job["steps"] <= job["in_turn"]
    at = f"/api/jobs/{job['id']}"
    assert client.get(f"{at}/contents").json()["collectives"][2]["name"] == "alltoall (AAS) of 0, 7"
    assert "<svg" in client.get(f"{at}/schedule.svg").text
    assert "alltoall (AAS) of 0, 7" in client.get(f"{at}/player.html").text
    assert client.get(f"{at}/schedule.json").json()["problem"]["collectives"][2]["kind"] == "AAS"
    assert client.get(f"{at}/exports").json() == []
    for name in ("paths.txt", "transfers.csv", "exports/goal"):
        answer = client.get(f"{at}/{name}")
        assert (answer.status_code, "take the JSON file" in answer.json()["error"]) == (400, True)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [({"goal": "sum"}, "a goal goes with several collectives"), ({"groups": "blocks:3"}, "groups by 3")],
)
def test_several_collectives_are_refused_before_they_wait(client: TestClient, wrong: dict[str, str], text: str) -> None:
    """A group that does not fit, or a goal without groups, is a 400 with one line."""
    answer = client.post("/api/jobs", json={"network": "ring:8", "collective": "aab", **wrong})
    assert (answer.status_code, text in answer.json()["error"]) == (400, True)
