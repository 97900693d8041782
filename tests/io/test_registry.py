"""The registry of formats: recognized by what a file says, or named by a user."""

from __future__ import annotations

import re

import pytest

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.formats.graphml import GRAPHML
from pavane.io.graphs import NODE_LINK
from pavane.io.registry import NETWORK_FORMATS, named_format, recognize
from pavane.io.request import FORMS
from pavane.io.text_files import EDGE_LIST


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("0 1\n", EDGE_LIST),
        ("4 4\n1 2\n", EDGE_LIST),
        ("graph a\n", EDGE_LIST),
        ("{}", None),
        ('{"nodes": []}', NODE_LINK),
        ("<graphml/>", GRAPHML),
    ],
)
def test_ordinary_files_are_not_taken_for_others(text: str, form: Format | None) -> None:
    """Edge lists and graphs are what they are, even where they look like another format."""
    assert recognize(File.of(text.encode(), "f")) is form


def test_unknown_formats_are_refused_with_a_hint() -> None:
    """The nearest name is suggested."""
    with pytest.raises(
        InputError, match=re.escape("`form` 'visio' is not a format of networks; choose one of adjacency-list, ")
    ):
        named_format("visio")
    with pytest.raises(InputError, match=re.escape("did you mean graphml?")):
        named_format("grahpml")
    assert named_format(" Nvidia_SMI ") is NETWORK_FORMATS["nvidia-smi"]
    assert tuple(NETWORK_FORMATS) == FORMS
