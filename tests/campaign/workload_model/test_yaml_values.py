"""YAML as texts, lists and mappings."""

from __future__ import annotations

import pytest

from pavane.campaign.workload_model.yaml_values import MOST_DEPTH, values_of_file, values_of_object
from pavane.errors import InputError
from pavane.io.files import File


def test_numbers_stay_texts() -> None:
    """A file and the dict of the same values say the same."""
    text = b"a: 1\nb: [2.5, x, {c: yes}]\n"
    assert values_of_file(File.of(text, "f.yaml")) == {"a": "1", "b": ["2.5", "x", {"c": "yes"}]}
    assert values_of_object({"a": 1, "b": [2.5, "x", {"c": "yes"}]}) == values_of_file(File.of(text, "f.yaml"))


def test_depth_has_a_limit() -> None:
    """As many levels as are allowed are read, one more is refused at once, in files and in objects."""
    for depth, is_read in ((MOST_DEPTH, True), (MOST_DEPTH + 1, False), (100_000, False)):
        file = File.of(b"[" * depth + b"]" * depth, "f.yaml")
        if is_read:
            values_of_file(file)
        else:
            with pytest.raises(InputError, match="nested too deeply"):
                values_of_file(file)
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(InputError, match="nested too deeply"):
        values_of_object(endless)
