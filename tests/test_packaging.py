"""What is handed to others: the wheel and the archive of sources are built, whole, and can be installed."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from pavane.text import VERSION

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "pavane"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILD = "import sys; from flit_core import buildapi; print(getattr(buildapi, sys.argv[1])(sys.argv[2]))"
"""What pip and others ask of the build backend of pyproject.toml."""


def shipped() -> set[str]:
    """Return every file of the package, data included, by its path from the package on."""
    files = (path for path in SOURCES.rglob("*") if path.is_file())
    return {
        path.relative_to(SOURCES.parent).as_posix()
        for path in files
        if "__pycache__" not in path.parts and not path.name.startswith(".")
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and the archive of sources, without a network."""
    pytest.importorskip("flit_core", reason="flit_core is the build backend, and it is not installed")
    folder = tmp_path_factory.mktemp("built")
    for what in ("build_wheel", "build_sdist"):
        subprocess.run([sys.executable, "-c", BUILD, what, str(folder)], cwd=ROOT, check=True, capture_output=True)
    return folder


def test_data_files_are_known() -> None:
    """The package is more than Python: pages, templates and the mark of its types are looked for below."""
    endings = {Path(name).suffix for name in shipped()}
    assert {".py", ".pyi", ".js", ".css", ".html", ".template", ".typed"} <= endings


def test_the_wheel_has_every_file(built: Path) -> None:
    """Whatever lies in the package is in the wheel, and nothing else but what describes it."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if not name.endswith("/")}
        (described,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(opened.read(described))
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == shipped()
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert (metadata["Name"], metadata["Version"], metadata["License-Expression"]) == ("pavane", VERSION, "Apache-2.0")
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert str(metadata.get_payload()).strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip()
    assert {line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line} == set(
        PROJECT["dependencies"]
    )


def test_the_archive_of_sources_has_every_file(built: Path) -> None:
    """So has the archive of sources, with README, licence and pyproject.toml."""
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    assert {f"src/{name}" for name in shipped()} <= names
    assert {"README.md", "LICENSE", "CITATION.cff", "pyproject.toml"} <= names


@pytest.mark.parametrize("ending", [".whl", ".tar.gz"])
def test_both_can_be_installed(ending: str, built: Path, tmp_path: Path) -> None:
    """A fresh environment takes either without a network, and the program runs from what was installed there."""
    flit_core = pytest.importorskip("flit_core")
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    packages = Path(said([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], tmp_path).strip())
    shutil.copytree(Path(flit_core.__file__).parent, packages / "flit_core")
    (file,) = built.glob(f"*{ending}")
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-build-isolation",
        "--no-compile",
    ]
    said([*pip, "--no-index", "--quiet", file], tmp_path)
    # What pavane needs comes from the environment of the tests, behind what was installed.
    needed = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "needed.pth").write_text("\n".join(needed), encoding="utf-8")
    found = said([python, "-c", "import pavane; print(pavane.__file__)"], tmp_path)
    assert Path(found.strip()).is_relative_to(packages)
    program = tmp_path / "venv" / "bin" / "pavane"
    told = said([program, "solve", "ring:4", "alltoall", "-o", "ring.html"], tmp_path)
    assert "status      optimal" in told
    said([program, "solve", "octagon", "alltoall", "-o", "octagon.json"], tmp_path)
    assert "valid" in said([program, "verify", "octagon.json"], tmp_path)


def said(words: list[str | Path], folder: Path) -> str:
    """Run a program apart from the environment of the tests, which must succeed, and return what it says."""
    alone = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}
    done = subprocess.run(words, cwd=folder, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_citation_agrees() -> None:
    """CITATION.cff can be read, and names title, version and licence as the project does."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert (cited["title"], cited["version"], cited["license"]) == (PROJECT["name"], VERSION, PROJECT["license"])
    assert {"message", "authors"} <= set(cited)
    assert PROJECT["version"] == VERSION


def test_files_that_the_image_needs_are_there() -> None:
    """The Dockerfile copies files of the repository, and installs one version of Python."""
    image = (ROOT / "packaging" / "Dockerfile").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"^COPY (?!--from)(.*)$", image, re.MULTILINE) for word in line.split()[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert set(re.findall(r"python[:-](3\.\d+)", image)) == {"3.12"}


def test_the_root_of_the_repository_is_short() -> None:
    """At most 18 files and folders, hidden ones included, lie in the root."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("git lists the files of the repository, and this is no clone of one")
    assert len({name.split("/")[0] for name in listed.stdout.splitlines()}) <= 18


def test_no_text_names_an_index_that_has_no_pavane() -> None:
    """As long as there is no release, pavane is installed from its sources."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *SOURCES.rglob("*.py")]
    for page in pages:
        assert "pip install 'pavane" not in page.read_text(encoding="utf-8"), page
        assert "pip install pavane" not in page.read_text(encoding="utf-8"), page
