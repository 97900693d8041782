"""The collectives that the page offers."""

from __future__ import annotations

from pavane.io.request import Request
from pavane.model.messages import PATTERN_OF
from pavane.ui.web.choices import offered_groups


def test_every_kind_is_offered_once() -> None:
    """Every kind of collective is in a group, an allreduce in its two forms, each with one sentence and its fields."""
    offers = [offer for group in offered_groups() for offer in group["members"]]
    assert {offer["code"] for offer in offers} == set(PATTERN_OF)
    assert len({offer["value"] for offer in offers}) == len(offers) == len(PATTERN_OF) + 1
    for offer in offers:
        assert offer["about"].endswith(".")
        assert "\n" not in offer["about"]
        assert set(offer["takes"]) <= set(Request.__dataclass_fields__)
    assert next(offer["takes"] for offer in offers if offer["code"] == "OAB") == ["root", "receivers"]
