"""Files that are cut off, spoiled or made to do harm: one line, and nothing worse."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import network_builder, parsing, read_network_or_problem
from pavane.io.files import File
from pavane.io.formats.graph_files import GRAPHML
from pavane.io.registry import NETWORK_FORMATS, recognize
from pavane.io.text_files import EDGE_LIST, NEIGHBOUR_LIST
from tests.io.formats.samples import SAMPLES

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
FILES = {sample.name: sample.text for sample in SAMPLES}
FORM_OF = {sample.name: sample.form for sample in SAMPLES}
FAST = json.dumps(
    {
        "network": {
            "name": "pair",
            "routers": ["0", "1"],
            "channels": [[0, 1], [1, 0]],
            "processors": [0, 1],
            "capacities": [12, 3],
        },
        "collective": {"kind": "AAB", "senders": [0, 1], "receivers": [0, 1], "pieces": 6, "sizes": [[0, 2]]},
    }
)
ORDINARY = {
    "plain.txt": ("edge-list", "# two links\na b\nb > c\nb c\n"),
    "data.edgelist": ("edge-list", "0 1 {}\n0 2 {'weight': 3, 'colour': '#ff0000'}\n1 2 {'a': [1, {'b': 2}]}\n"),
    "weights.edgelist": ("directed-edge-list", "0 1 3.5\n0 2 1e-3\n1 2 4\n"),
    "adjacent.adjlist": ("directed-adjacency-list", "# x\n0 1 2\n1 2\n2 0\n"),
    "neighbours.txt": ("neighbour-list", "0: 1 2\n1: 0\n2: 0 1 # back\n"),
    "capacities.txt": ("edge-list", "a b x12\nb > c x3\nb c\n"),
    "fast.txt": ("neighbour-list", "0: 1x2 2\n1: 0x12\n2: 0 1x3\n"),
    "speeds.dot": ("dot", 'graph { a -- b [capacity=2.5]; b -- c [capacity=10, bandwidth="10 GB/s"] }'),
    "fast.json": ("node-link", FAST),
    "sparse.s6": ("graph6", ">>sparse6<<:S_`abcdefghijklmnop_Q\n"),
    "star.graphml": ("graphml", (EXAMPLES / "star.graphml").read_text()),
    "star.json": ("node-link", (EXAMPLES / "star.json").read_text()),
    "network.json": ("node-link", (EXAMPLES / "network.json").read_text()),
    "problem.json": ("node-link", (EXAMPLES / "problem.json").read_text()),
}
"""Files of the ordinary formats, each with a format to force it into."""

SPOILED = FILES | {name: text for name, (_, text) in ORDINARY.items()}


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


@st.composite
def spoiled(draw: st.DrawFn, text: bytes) -> bytes:
    """Cut a file off, or change a few places in it."""
    if draw(st.booleans()):
        return text[: draw(st.integers(0, len(text)))] or b"x"
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text) - 1))
        length = draw(st.integers(0, 4))
        fresh = draw(
            st.sampled_from(
                [
                    b"",
                    b"-1",
                    b"9",
                    b"999999999999",
                    b"1e9",
                    b'"',
                    b"<",
                    b"]",
                    b"{",
                    b"\x00",
                    b"\xff",
                    b"\n",
                    b" 0 ",
                    b"null",
                    b"\x1b[8m",
                    b"&#27;",
                    b"{'weight': 3}",
                    b"*Vertices 9",
                    b"~~~~~~",
                    b": ",
                    b" > ",
                ]
            )
        )
        text = text[:at] + fresh + text[at + length :]
    return text or b"x"


@pytest.mark.parametrize("name", SPOILED)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_spoiled_files_are_read_or_refused(name: str, tmp_path: Path, data: st.DataObject) -> None:
    """Whatever happens to a file, it is read, or refused in one line that names it."""
    path = tmp_path / name
    path.write_bytes(data.draw(spoiled(SPOILED[name].encode())))
    form = ORDINARY[name][0] if name in ORDINARY else FORM_OF.get(name)
    read_quietly(path, form if data.draw(st.booleans()) else None)


@pytest.mark.parametrize("form", [form for form in NETWORK_FORMATS if form not in ("edge-list", "neighbour-list")])
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
@pytest.mark.parametrize("root", ["system", "graphml", "gexf"])
def test_xml_entities_are_refused(text: str, root: str, tmp_path: Path) -> None:
    """Neither are small files blown up, nor other files read through them."""
    path = tmp_path / "bomb.xml"
    path.write_text(text.format(root))
    with pytest.raises(InputError, match="it declares entities, which are not expanded"):
        read_network_or_problem(path)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("dot", "graph {" + "{a" * 3000 + "}" * 3000 + "}"),
        ("dot", "graph { a -- " + "{" * 3000),
        ("nccl", "<system>" + "<cpu><nic/>" * 3000 + "</cpu>" * 3000 + "</system>"),
        ("gml", "graph " + "[ a " * 3000 + "]" * 3000),
        ("gexf", "<gexf>" + "<graph>" * 3000 + "</graph>" * 3000 + "</gexf>"),
    ],
)
def test_deep_nesting_is_refused(form: str, text: str, tmp_path: Path) -> None:
    """No depth of brackets makes a reader fall over."""
    (tmp_path / "deep").write_text(text)
    with pytest.raises(InputError):
        read_network_or_problem(tmp_path / "deep", form)


@pytest.mark.parametrize(
    "text", [" " * 4000 + "x", "// " * 1300 + "x", "/**/" * 1000 + "x", "\n" * 4000, "<!--" * 1000, "# \x1b[m" * 500]
)
def test_how_a_file_begins_is_looked_at_once(text: str) -> None:
    """No beginning makes the recognizers try the same again and again, which would take years."""
    assert recognize(File.of(text.encode(), "f")) in (EDGE_LIST, NEIGHBOUR_LIST, GRAPHML)


MANY = " ".join(f"n{i}" for i in range(3000))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("dot", f"graph {{ {{{MANY}}} -- {{{MANY}}} }}"),
        ("dot", "graph { a [processors=999999999] }"),
        ("graph6", "~~~~~~~~"),
        ("graph6", ":~~~~~~~~"),
        ("gml", "graph [ node [ id 1 processors 999999999 ] ]"),
        ("nvidia-smi", "\tGPU0\tGPU1\nGPU0\tX\tNV999\nGPU1\tNV999\tX\n"),
        (
            "nccl",
            '<system><pci busid="1"><gpu dev="0"><nvlink target="2" count="99999999" tclass="0x068000"/>'
            "</gpu></pci></system>",
        ),
    ],
)
def test_large_counts_are_refused_before_they_are_made(form: str, text: str, tmp_path: Path) -> None:
    """A few bytes cannot ask for a network that fits in no memory."""
    (tmp_path / "large").write_text(text)
    with pytest.raises(InputError, match=r"large") as caught:
        read_network_or_problem(tmp_path / "large", form)
    assert "\n" not in str(caught.value)


def test_many_links_are_refused_where_they_become_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are counted as they are read; here with a small limit, as that of channels takes long to reach."""
    monkeypatch.setattr(network_builder, "MOST_CHANNELS", 100)
    path = tmp_path / "large.txt"
    path.write_text("1 2\n" * 50)
    assert read_network_or_problem(path)
    path.write_text("1 2\n" * 101)
    with pytest.raises(InputError, match=r"line 51: more than 100 channels; that is too large a network"):
        read_network_or_problem(path)


@pytest.mark.parametrize(
    ("most", "name", "said"),
    [
        (3, "star.gexf", "more than 3 channels; that is too large a network"),
        (4, "square.adjlist", "more than 4 channels; that is too large a network"),
        (39, "ring.g6", "more than 39 channels; that is too large a network"),
    ],
)
def test_every_reader_has_a_limit(
    most: int, name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Networks above the limit of the catalogue are refused; here with a small one."""
    monkeypatch.setattr(network_builder, "MOST_CHANNELS", most)
    (tmp_path / name).write_text(FILES[name])
    with pytest.raises(InputError, match=said):
        read_network_or_problem(tmp_path / name, FORM_OF[name])


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith((".json", ".dot"))])
def test_large_files_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that would be read as a whole have a limit of their own; JSON has that of network files."""
    monkeypatch.setattr(parsing, "MOST_BYTES", 40)
    path = tmp_path / name
    path.write_text(FILES[name])
    with pytest.raises(InputError, match="MiB are too many for this format"):
        read_network_or_problem(path, FORM_OF[name])


@pytest.mark.parametrize("name", FILES)
def test_what_is_no_utf_8_is_refused(name: str, tmp_path: Path) -> None:
    """Latin-1 in a file that is read as text is no reason to fall over."""
    path = tmp_path / name
    path.write_bytes(FILES[name].encode().replace(b"a", b"\xe4"))
    read_quietly(path, FORM_OF.get(name))
