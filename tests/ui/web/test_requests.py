"""Requests of the page, as networks and problems."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from msgspec import json
from pydantic import TypeAdapter, ValidationError

from pavane.errors import InputError
from pavane.io.request import Request
from pavane.model.network import Network
from pavane.ui.web.requests import WORDS, NetworkRequest, SearchRequest, field_of, in_words_of_the_page

EDGES = "a b\nb c\nc a\n"


def test_a_request_takes_what_the_command_line_takes() -> None:
    """Every field of a request, with the same meaning."""
    request = SearchRequest("ring:4", "mns", senders="0-1", receivers="2", ports="1", faults="0-3, 2>1")
    same = Request("ring:4 less 0-3, 2>1", "mns", senders="0-1", receivers="2", ports="1")
    assert request.checked_problem() == same.problem()
    assert {field.name for field in fields(Request)} <= {field.name for field in fields(SearchRequest)}
    assert {field.name for field in fields(Request)} <= set(WORDS)
    assert SearchRequest("ring:4").checked_problem() == Request("ring:4", "aas").problem()


def test_a_file_comes_along_as_text() -> None:
    """Its name is in errors, without a folder; a format may be named; machines may be joined."""
    found = NetworkRequest(file=EDGES, name="triangle.edges").network_or_problem()
    assert isinstance(found, Network)
    assert (found.name, found.num_channels) == ("triangle", 6)
    with pytest.raises(InputError, match=r"^t.edges, line 1: "):
        NetworkRequest(file="a b c d e\n", name="/secret/t.edges", form="edge-list").network_or_problem()
    joined = SearchRequest(file=EDGES, name="triangle.edges", nodes="2").checked_problem().network
    assert (joined.name, joined.num_processors) == ("triangle@2", 6)
    with pytest.raises(InputError, match="goes with a file, and ring:4 is of the catalogue; write ring:4@2"):
        NetworkRequest(network="ring:4", nodes="2").network_or_problem()


def test_a_problem_file_needs_no_collective() -> None:
    """The rest of the form is ignored, except for faults."""
    whole = Request("ring:4", "oab").problem()
    problem = SearchRequest(file=json.encode(whole.to_dict()).decode(), ports="1", faults="0-1").checked_problem()
    assert (problem.collective, problem.rules) == (whole.collective, whole.rules)
    assert problem.network.name == "ring:4 less 0-1"


@pytest.mark.parametrize(
    "wrong",
    [
        *({"port": "1"}, {"root": "1" * 300}, {"seed": "-1"}, {"steps": "0"}, {"faults": "x" * 20_001}),
        *({"name": "x" * 300}, {"seconds": "nan"}, {"seconds": "0"}, {"steps": "few"}, {"network": "\ud800"}),
    ],
)
def test_invalid_requests_are_refused(wrong: dict[str, Any]) -> None:
    """Unknown keys, and values out of all bounds."""
    with pytest.raises(ValidationError):
        TypeAdapter(SearchRequest).validate_python({"network": "ring:4", **wrong})


@pytest.mark.parametrize(
    ("request_of_much", "text"),
    [
        (SearchRequest(" "), "no network was named; choose one of the catalogue, or upload a file"),
        (
            SearchRequest("random-regular:1000000,4,1"),
            "4,000,000 channels; give smaller parameters, for at most 100,000",
        ),
        (SearchRequest("torus:32x32", method="greedy"), "needs 1,047,552 deliveries; this page takes 300,000 at most"),
        (SearchRequest("random-regular:1000,4,1"), "needs 999,000 deliveries"),
    ],
)
def test_large_problems_are_refused(request_of_much: SearchRequest, text: str) -> None:
    """In one line, before anything large is built."""
    with pytest.raises(InputError, match=text):
        request_of_much.checked_problem()


def test_no_file_of_this_machine_is_opened(tmp_path: Any) -> None:
    """Names of files are neither networks nor sizes."""
    (tmp_path / "net.edges").write_text(EDGES)
    with pytest.raises(InputError):
        SearchRequest(str(tmp_path / "net.edges")).checked_problem()
    (tmp_path / "sizes.csv").write_text("\n".join(["1,2,3,4"] * 4))
    with pytest.raises(InputError, match="not a size"):
        SearchRequest("ring:4", sizes=str(tmp_path / "sizes.csv")).checked_problem()


def test_errors_are_in_the_words_of_the_page() -> None:
    """No backticks round the fields of the form, no names of Python; the field that is meant is known."""
    assert in_words_of_the_page("`root` 'x' is not a processor number") == "root 'x' is not a processor number"
    assert in_words_of_the_page("`pavane.networks.FAMILIES` lists them") == "the catalogue lists them"
    assert field_of("`root` 'x' is not a processor number") == "root"
    assert field_of("packet slots 0: expected more") == "packet_slots"
    assert field_of("choose a table without `wrap`") == "no_wrap"
    assert field_of("there is no family 'rings'") is None
