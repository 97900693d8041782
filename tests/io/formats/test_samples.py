"""Networks from files of others: recognized by what they say, and read as they say it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io import Note, read_network
from pavane.io.files import File
from pavane.io.formats.graphml import GRAPHML
from pavane.io.formats.networkx_files import NETWORKX_FILES
from pavane.io.graphs import NODE_LINK
from pavane.io.readers import parse_network
from pavane.io.registry import NETWORK_FORMATS
from pavane.io.text_files import DIRECTED_EDGE_LIST, EDGE_LIST
from pavane.model.network import Network
from tests.io.formats.samples import IBNETDISCOVER, NCCL, NCCL_PCI, SAMPLES, Sample

ORDINARY = (*NETWORKX_FILES, GRAPHML, NODE_LINK, EDGE_LIST, DIRECTED_EDGE_LIST)
IMPORTED = [form for form in NETWORK_FORMATS.values() if form not in ORDINARY]
each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


def read(path: Path, form: str | None = None, nodes: int | None = None) -> tuple[Network, list[str]]:
    """Read a network, and return it with the notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read_network(path, form, nodes)
    assert all(issubclass(warning.category, Note) for warning in caught)
    return found, [str(warning.message) for warning in caught]


def with_capacities(network: Network) -> list[tuple[int, int, int]]:
    """List tail, head and capacity of each channel, in order."""
    return sorted((*ends, carried) for ends, carried in zip(network.channels.tolist(), network.capacity, strict=True))


@each
@pytest.mark.parametrize("forced", [False, True], ids=["recognized", "named"])
def test_a_file_is_read_as_it_says(sample: Sample, forced: bool, tmp_path: Path) -> None:
    """Routers, processors, channels and capacities are those of the file, whatever its name; notes tell the rest."""
    path = tmp_path / sample.name
    path.write_text(sample.text)
    found, notes = read(path, sample.form if forced else None)
    assert found.routers == sample.routers
    assert with_capacities(found) == sorted(sample.channels)
    assert found.router_of.tolist() == sample.processors
    assert len(notes) == len(sample.notes)
    for said, part in zip(notes, sample.notes, strict=True):
        assert said.startswith(f"{path}: ")
        assert part in said
        assert "\n" not in said


@pytest.mark.parametrize(
    ("form", "text", "told"),
    [
        (
            "ibnetdiscover",
            re.sub(r"(\[35\].*) 4xEDR", r"\1", IBNETDISCOVER),
            "some cables do not say how fast they are",
        ),
        (
            "nccl",
            NCCL.replace("<nvlink", '<nvlink target="0004:04:00.0" count="3" tclass="0x068001"/><nvlink', 1),
            "3 NVLinks to CPUs left out",
        ),
    ],
)
def test_what_a_file_says_and_a_network_does_not_is_told(form: str, text: str, told: str, tmp_path: Path) -> None:
    """The routers are those of the file without it, and a note says what is left out."""
    (sample,) = (sample for sample in SAMPLES if sample.form == form and (form != "nccl" or sample.text == NCCL))
    path = tmp_path / sample.name
    path.write_text(text)
    found, notes = read(path, form)
    assert found.num_processors == len(sample.processors)
    assert [told in said for said in notes].count(True) == 1


def test_every_format_has_a_sample() -> None:
    """What can be imported is tested here, and its name can be given."""
    assert {form.name for form in IMPORTED} == {sample.form for sample in SAMPLES}


@each
def test_no_format_takes_the_files_of_another(sample: Sample) -> None:
    """A file is recognized by one format only."""
    takers = [one.name for one in IMPORTED if one.recognizes(File.of(sample.text.encode(), "f"))]
    assert takers == [sample.form]


@each
def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(sample: Sample, tmp_path: Path) -> None:
    """Files that went through an editor on Windows say the same."""
    path = tmp_path / sample.name
    path.write_bytes(b"\xef\xbb\xbf" + sample.text.replace("\n", "\r\n").encode())
    found, _ = read(path)
    assert found.routers == sample.routers
    assert with_capacities(found) == sorted(sample.channels)


@each
@pytest.mark.parametrize("form", [*(form for form in NETWORK_FORMATS if not form.endswith("-list")), "visio"])
def test_a_wrong_name_of_a_format_is_refused_in_one_line(sample: Sample, form: str, tmp_path: Path) -> None:
    """What was asked for is tried, and nothing else."""
    path = tmp_path / sample.name
    path.write_text(sample.text)
    if form == sample.form:
        return
    with pytest.raises(InputError) as caught:
        read(path, form)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "rates"),
    [(NCCL, {25 * 10**9, 50 * 10**9}), (NCCL_PCI, {15_753_846_154, 31_507_692_308})],
    ids=["nccl", "nccl-pci"],
)
@pytest.mark.filterwarnings("ignore")
def test_bandwidths_are_kept_for_start_times(text: str, rates: set[int]) -> None:
    """Bytes a second, whatever units a file has; latencies, which it does not give, are not made up."""
    speeds = parse_network(text.encode(), "file").speeds
    assert speeds is not None
    assert speeds.latencies is None
    assert speeds.bandwidths is not None
    assert set(speeds.bandwidths.tolist()) == rates
