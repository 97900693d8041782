"""Requests of the page, as networks and problems."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pavane.errors import InputError
from pavane.io.request import Request
from pavane.model.network import Network
from pavane.ui.web.limits import ServerLimits
from pavane.ui.web.requests import WORDS, JobRequest, NetworkRequest, in_words_of_the_page

EDGES = "a b\nb c\nc a\n"


def test_a_job_takes_what_the_command_line_takes() -> None:
    """Every field of a request, with what it means."""
    asked = JobRequest("ring:4", "mns", senders="0-1", receivers="2", ports="1", faults=["0-3"])
    said = Request("ring:4 less 0-3", "mns", senders="0-1", receivers="2", ports="1")
    assert asked.within(ServerLimits()) == said.problem()
    assert {field.name for field in fields(Request)} <= {field.name for field in fields(JobRequest)}
    assert {field.name for field in fields(Request)} <= set(WORDS)


def test_what_is_left_empty_is_not_said() -> None:
    """A form sends empty texts for what nobody filled in; no collective at all is an all-to-all."""
    assert (
        JobRequest("ring:4", root="", senders="", pairs="").within(ServerLimits()) == Request("ring:4", "aas").problem()
    )


def test_a_request_can_be_kept_and_sent() -> None:
    """As an object of plain values, which makes the same request again."""
    asked = JobRequest("ring:4", "oab", root="1", method="umda", settings=["polish=4"], faults=["0-1"], seconds=2.5)
    assert JobRequest(**asked.as_object()) == asked


def test_a_file_comes_along_as_text() -> None:
    """Its name stands in errors, without a folder; a format may be named."""
    found = NetworkRequest(file=EDGES, name="triangle.edges").found(ServerLimits())
    assert isinstance(found, Network)
    assert (found.name, found.num_channels) == ("triangle", 6)
    assert JobRequest(file=EDGES, collective="aab").within(ServerLimits()).collective.kind == "AAB"
    with pytest.raises(InputError, match=r"^t.edges, line 1: "):
        NetworkRequest(file="a b c d e\n", name="/secret/t.edges", form="edge-list").found(ServerLimits())


def test_machines_of_a_file_are_joined() -> None:
    """A number of machines goes with a file; an empty text says nothing."""
    found = NetworkRequest(file=EDGES, name="triangle.edges", nodes="2").found(ServerLimits())
    assert isinstance(found, Network)
    assert (found.name, found.num_processors) == ("triangle@2", 6)
    assert JobRequest(file=EDGES, nodes="2", collective="aab").within(ServerLimits()).network.num_processors == 6
    assert JobRequest(network="ring:4", nodes="").within(ServerLimits()).network.num_processors == 4
    with pytest.raises(InputError, match="goes with a file, and ring:4 is of the catalogue; write ring:4@2"):
        NetworkRequest(network="ring:4", nodes="2").found(ServerLimits())


def test_a_problem_of_a_file_needs_no_collective() -> None:
    """What the page sends beside it is left aside, but for faults."""
    from msgspec import json

    whole = Request("ring:4", "oab").problem()
    asked = JobRequest(file=json.encode(whole.to_dict()).decode(), collective="aas", ports="1", faults=["0-1"])
    made = asked.within(ServerLimits())
    assert (made.collective, made.rules) == (whole.collective, whole.rules)
    assert made.network.name == "ring:4 less 0-1"


@pytest.mark.parametrize(
    "asked",
    [{"port": "1"}, {"root": "1" * 300}, {"seed": -1}, {"steps": 0}, {"faults": ["0-1"] * 1001}, {"name": "x" * 300}],
)
def test_what_is_no_request_is_refused(asked: dict[str, Any]) -> None:
    """Unknown keys, and values out of all bounds."""
    with pytest.raises(ValidationError):
        TypeAdapter(JobRequest).validate_python({"network": "ring:4", **asked})


def test_errors_are_in_the_words_of_the_page() -> None:
    """No backticks round the fields of its form, and no names of Python."""
    assert in_words_of_the_page("`root` 'x' is not a processor number") == "root 'x' is not a processor number"
    assert in_words_of_the_page("`pavane.networks.FAMILIES` lists them") == "the catalogue lists them"


def test_a_network_is_named_or_brought_along() -> None:
    """Neither is one line."""
    with pytest.raises(InputError, match="no network was named; choose one of the catalogue, or upload a file"):
        NetworkRequest(network=" ").found(ServerLimits())


def test_links_of_a_file_come_first() -> None:
    """What an uploaded network file says of latencies and bandwidths counts, and fields fill in the rest."""
    said = {"format": "pavane/network/1", "name": "pair", "routers": ["a", "b"], "channels": [[0, 1], [1, 0]]}
    file = json.dumps({**said, "processors": [0, 1], "bytes_per_second": [10**9, 2 * 10**9]})
    request = JobRequest(file=file, name="pair.json", message_bytes="1kB", latency="1us", bandwidth="5GB/s")
    links = request.timed(request.within(ServerLimits())).links
    assert links.bandwidths.tolist() == [10**9, 2 * 10**9]
    assert links.latencies.tolist() == [10**6, 10**6]
    assert JobRequest(file=file, message_bytes="1kB").within(ServerLimits()).network.name == "pair"
    with pytest.raises(InputError, match="start times need the bandwidth of channels"):
        JobRequest(network="ring:4", message_bytes="1kB").within(ServerLimits())


def test_several_collectives_at_once() -> None:
    """The collective in each group, and more beside it; a file of the server is never opened."""
    request = JobRequest("mesh:2x4", "aab", groups="rows", collectives=["aas:columns"], pieces="2")
    problem = request.joint(ServerLimits())
    assert [each.kind for each in problem.collectives] == ["AAB"] * 2 + ["AAS"] * 4
    assert {each.pieces for each in problem.collectives} == {2}
    listed = JobRequest("ring:8", "aab", groups="0-3, 4+6").joint(ServerLimits())
    assert [each.senders for each in listed.collectives] == [(0, 1, 2, 3), (4, 6)]
    beside = JobRequest("ring:8", "aab", collectives=["oab:root=3"]).joint(ServerLimits())
    assert [each.kind for each in beside.collectives] == ["AAB", "OAB"]
    assert not JobRequest("ring:8", "aab").is_joint


@pytest.mark.parametrize(
    ("request_of_several", "text"),
    [
        (JobRequest("ring:8", "aab", groups="rows"), "has no rows and columns"),
        (JobRequest("ring:8", "aab", groups="blocks:3"), "do not fall into groups by 3"),
        (JobRequest("ring:8", "oab", groups="0-3,4-7", root="1"), "`root` is about one collective"),
        (JobRequest("ring:8", "aab", groups="0-3,4-7", method="umda"), "groups go without a method"),
        (JobRequest("ring:8", "aab", groups="0-3,4-7", seconds=1e6), "too long"),
        (JobRequest("torus:32x32", "aas", groups="blocks:512"), "this page takes"),
    ],
)
def test_what_several_collectives_do_not_take(request_of_several: JobRequest, text: str) -> None:
    """Errors say what to leave out or to change."""
    with pytest.raises(InputError, match=text):
        request_of_several.joint(ServerLimits())
