"""Files of others that cannot be read, format by format, and what is said about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavane.errors import InputError
from tests.io.formats.samples import IBNETDISCOVER, NCCL, NVIDIA_SMI
from tests.io.formats.test_samples import read


def changed(text: str, old: str, new: str) -> str:
    """Change one place of a sample."""
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("ibnetdiscover", changed(IBNETDISCOVER, "[2]\t", "[1]\t"), "has two cables; the lists disagree"),
        (
            "ibnetdiscover",
            IBNETDISCOVER[: IBNETDISCOVER.index("caguid=0xa03")],
            "not listed here; the file may be cut off",
        ),
        ("ibnetdiscover", changed(IBNETDISCOVER, "[1]\t", "[x]\t"), "is not a port; it reads like [1]"),
        (
            "ibnetdiscover",
            changed(IBNETDISCOVER, "[2]\t", '[3]\t"S-0000000000000f01"[4]\t\t# "leaf one" lid 1 4xEDR\n[2]\t'),
            "a cable joins 'S-0000000000000f01' with itself; leave it out",
        ),
        (
            "nvidia-smi",
            changed(NVIDIA_SMI, "GPU1\tNV2", "GPU1\tNV3"),
            "GPU0 has NV2 for GPU1, but GPU1 has NV3 for GPU0",
        ),
        ("nvidia-smi", re.sub(r"NV\d", "PHB", NVIDIA_SMI), "no two GPUs are joined by NVLink (PHB, SYS)"),
        ("nvidia-smi", NVIDIA_SMI[: NVIDIA_SMI.index("GPU2\tNV1")], "there is no row GPU2; the file may be cut off"),
        (
            "nvidia-smi",
            changed(NVIDIA_SMI, "NV2\tNV1", "NV20\tNV1").replace("GPU1\tNV2\t", "GPU1\tNV20\t"),
            "more than 18",
        ),
        ("nccl", changed(NCCL, 'count="2"', 'count="3"'), "GPU0 lists 3 NVLinks to GPU1, which lists 2 back"),
        (
            "nccl",
            changed(NCCL, 'target="0000:1b', 'target="0000:77'),
            "leads to '0000:77:00.0', not a <gpu> of the file",
        ),
        ("nccl", "<system><cpu/></system>", "no <gpu> in it"),
        ("nccl", '<system><cpu><gpu dev="0"/></cpu></system>', "a <gpu> must stand in a <pci> of its own"),
    ],
)
def test_refusals_say_what_and_where(form: str, text: str, said: str, tmp_path: Path) -> None:
    """One line that begins with the file's name."""
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(path, form)
    assert str(caught.value).startswith(f"{path}")
    assert str(caught.value).isprintable()
