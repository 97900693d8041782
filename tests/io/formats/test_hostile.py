"""Files that are cut off, spoiled or made to do harm: one line, and nothing worse."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import parsing, read_network_or_problem
from pavane.io.files import File
from pavane.io.formats.graphml import GRAPHML
from pavane.io.registry import NETWORK_FORMATS, recognize
from pavane.io.text_files import EDGE_LIST
from tests.io.formats.samples import SAMPLES

FILES = {sample.name: sample.text for sample in SAMPLES}
FORM_OF = {sample.name: sample.form for sample in SAMPLES}


def read_quietly(path: Path, form: str | None = None) -> None:
    """Read a file; a refusal must be one line that names it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refusal = None
        try:
            read_network_or_problem(path, form)
        except InputError as error:
            refusal = str(error)
    assert refusal is None or (refusal.startswith(str(path)) and refusal.isprintable())


@pytest.mark.parametrize("form", NETWORK_FORMATS)
@given(content=st.binary(min_size=1, max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_anything_at_all_is_refused(form: str, tmp_path: Path, content: bytes) -> None:
    """Bytes that mean nothing are refused in one line."""
    (tmp_path / "f").write_bytes(content)
    read_quietly(tmp_path / "f", form)


BOMB = """<?xml version="1.0"?>
<!DOCTYPE {0} [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<{0}>&c;</{0}>
"""
OUTSIDE = '<!DOCTYPE {0} [<!ENTITY x SYSTEM "file:///etc/passwd">]><{0}>&x;</{0}>'


@pytest.mark.parametrize("text", [BOMB, OUTSIDE])
@pytest.mark.parametrize("root", ["system", "graphml"])
def test_xml_entities_are_refused(text: str, root: str, tmp_path: Path) -> None:
    """Neither are small files blown up, nor other files read through them."""
    path = tmp_path / "bomb.xml"
    path.write_text(text.format(root))
    with pytest.raises(InputError, match="it declares entities, which are not expanded"):
        read_network_or_problem(path)


@pytest.mark.parametrize(
    "text", [" " * 4000 + "x", "// " * 1300 + "x", "/**/" * 1000 + "x", "\n" * 4000, "<!--" * 1000, "# \x1b[m" * 500]
)
def test_how_a_file_begins_is_looked_at_once(text: str) -> None:
    """No beginning makes the recognizers try the same again and again, which would take years."""
    assert recognize(File.of(text.encode(), "f")) in (EDGE_LIST, GRAPHML)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("graphml", "<graphml>" + "<graph>" * 3000 + "</graph>" * 3000 + "</graphml>"),
        ("nccl", "<system>" + "<cpu><nic/>" * 3000 + "</cpu>" * 3000 + "</system>"),
        ("nvidia-smi", "\tGPU0\tGPU1\nGPU0\tX\tNV999\nGPU1\tNV999\tX\n"),
        ("nccl", '<system><pci busid="1"><gpu dev="0"><nvlink target="2" count="99999999"/></gpu></pci></system>'),
    ],
)
def test_large_counts_and_deep_nesting_are_refused(form: str, text: str, tmp_path: Path) -> None:
    """A few bytes cannot ask for a network that fits in no memory, and no depth makes a reader fall over."""
    (tmp_path / "large").write_text(text)
    with pytest.raises(InputError, match=r"large") as caught:
        read_network_or_problem(tmp_path / "large", form)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_large_files_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that would be read as a whole have a limit of their own; JSON has that of network files."""
    monkeypatch.setattr(parsing, "MOST_BYTES", 40)
    path = tmp_path / name
    path.write_text(FILES[name])
    with pytest.raises(InputError, match="MiB are too many for this format"):
        read_network_or_problem(path, FORM_OF[name])


@pytest.mark.parametrize("name", FILES)
def test_what_is_no_utf_8_or_is_cut_off_is_refused(name: str, tmp_path: Path) -> None:
    """Latin-1 in a file that is read as text, and an end anywhere, are no reason to fall over."""
    path, text = tmp_path / name, FILES[name].encode()
    for spoiled in (text.replace(b"a", b"\xe4"), *(text[: len(text) * part // 9 or 1] for part in range(9))):
        path.write_bytes(spoiled)
        read_quietly(path, FORM_OF[name])
        read_quietly(path)
