"""The sentences of TE-CCL: what they say, and those that say nothing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.formats.teccl_text import Chunk, Content, Hop, Way, content_of
from tests.io.formats.samples import TECCL_ALLGATHER, TECCL_ALLTOALL, teccl

DEMAND = "Demand at 2 for chunk 1 from 1 met by epoch 0"


def read(content: object) -> Content:
    """Read what a file says."""
    return content_of(File.of(json.dumps(content).encode(), "f.json"))


def test_sentences_are_understood() -> None:
    """Hops have ends, an epoch, switches and a volume, which is all of a chunk unless said."""
    found = read(teccl(["Chunk 3 from 9 traveled over 9->4 in epoch 7 via switches 0 -> 17"], {}))
    assert found.ways == (Way(Chunk(3, 9, None), (Hop(9, 4, 1.0, 7, (0, 17)),)),)
    assert not found.is_private
    assert len(read(TECCL_ALLGATHER).ways) == len(read(TECCL_ALLGATHER).demands) == 12
    assert read(TECCL_ALLTOALL).is_private
    assert read(teccl([], {DEMAND: [[[0, "1->2 with volume 2.5e-1 in epoch 0"]]]})).ways[0].hops[0].volume == 0.25


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ("", "flow 1: '' is no flow; write `Chunk 0 from 2 traveled over 2->1 in epoch 3`"),
        ("Chunk -1 from 2 traveled over 2->1 in epoch 3", "is no flow"),
        ("Chunk 0 from 2 traveled over 2->1", "flow 1: '2->1' is no hop; write `2->1 with volume 0.5 in epoch 3`"),
        ("Chunk 0 from 2 traveled over 2->2 in epoch 3", "goes to where it comes from; name another node"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 3 via switches 1", "goes to where it comes from"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 99999999", "epoch 99,999,999 is too late; at most 10,000,000"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 9999999999", "is no hop"),
        ("Chunk 0 from 2 traveled over 2->1 with volume 0.5 in epoch 3", "and which way it goes on is not said; keep"),
        ("Chunk 0 from 2 traveled over 2->1 with volume nan in epoch 3", "is no hop"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 3\x1b[8m", "is no hop"),
        ("Chunk ٣ from 2 traveled over 2->1 in epoch 3", "is no flow"),
    ],
)
def test_sentences_that_say_nothing_are_refused(flow: str, said: str) -> None:
    """The refusal names the sentence and shows one that would do."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(teccl([flow], {}))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ({"x": []}, "'x' is no demand; write `Demand at 1 for chunk 0 from 2 met by epoch 3`"),
        ({DEMAND: [[], "1->2 in epoch 0"]}, "'1->2 in epoch 0' stands where a list of hops was expected"),
        ({DEMAND: [["1->2 in epoch 0"]]}, "'1->2 in epoch 0' is no hop; write [3, '2->1 with volume 0.5 in epoch 3']"),
        ({DEMAND: [[[0, 5]]]}, "[0, 5] is no hop"),
        ({DEMAND: [[[0, "1->2 with volume 0 in epoch 0"]]]}, "a volume of 0 is no part of a chunk; give more than 0"),
        ({DEMAND: [[[0, "1->2 with volume 7 in epoch 0"]]]}, "a volume of 7 is no part of a chunk"),
        ({DEMAND: [[[0, "1->2 with volume 1e999 in epoch 0"]]]}, "'1->2 with volume 1e999 in epoch 0' is no hop"),
        ({DEMAND: [[[0, "1->2 with volume 1e99 in epoch 0"]]]}, "a volume of 1e+99 is no part of a chunk"),
        ({DEMAND: {}}, "expected `array`, got `object`"),
        ([], "expected `object`, got `array`"),
    ],
)
def test_ways_that_are_none_are_refused(paths: Any, said: str) -> None:
    """The refusal names the chunk."""
    with pytest.raises(InputError, match=re.escape(said)):
        read(teccl([], paths))
