"""What the page offers."""

from __future__ import annotations

from pavane.io.request import Request
from pavane.model.messages import PATTERN_OF
from pavane.ui.web.choices import EXAMPLES, offered_groups
from pavane.ui.web.limits import ServerLimits
from pavane.ui.web.requests import JobRequest


def test_every_kind_is_offered_once() -> None:
    """Every kind of collective stands in a group; an allreduce in its two forms; each with one sentence."""
    found = [offer for group in offered_groups() for offer in group["members"]]
    assert {offer["code"] for offer in found} == set(PATTERN_OF)
    assert len({offer["value"] for offer in found}) == len(found) == len(PATTERN_OF) + 1
    for offer in found:
        assert offer["about"].endswith(".")
        assert "\n" not in offer["about"]


def test_members_are_those_that_the_request_reads() -> None:
    """What is said to be taken is a field of a request."""
    for group in offered_groups():
        for offer in group["members"]:
            assert set(offer["takes"]) <= set(Request.__dataclass_fields__)
    broadcast = next(offer for group in offered_groups() for offer in group["members"] if offer["code"] == "OAB")
    assert broadcast["takes"] == ["root", "receivers"]


def test_examples_are_problems() -> None:
    """Each example is a request that the page itself takes."""
    assert len(EXAMPLES) == 3
    for example in EXAMPLES:
        assert JobRequest(**example["request"]).within(ServerLimits()).num_messages > 0
