"""What is handed to others: the wheel and the archive of sources are built, whole, and can be installed."""

from __future__ import annotations

import email
import importlib
import json
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
CONDA_NAMES = {"ortools": "ortools-python"}
"""Packages that have another name on conda-forge."""


@pytest.fixture(scope="module")
def release() -> Any:
    """Import packaging/release.py."""
    sys.path.insert(0, str(ROOT / "packaging"))
    try:
        return importlib.import_module("release")
    finally:
        sys.path.remove(str(ROOT / "packaging"))


def shipped() -> set[str]:
    """Return every file of the package, data included, by its path from the package on."""
    files = (path for path in SOURCES.rglob("*") if path.is_file())
    return {
        path.relative_to(SOURCES.parent).as_posix()
        for path in files
        if "__pycache__" not in path.parts and not path.name.startswith(".")
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, release: Any) -> Path:
    """Build the wheel and the archive of sources as `make release` does, without a network."""
    pytest.importorskip("flit_core", reason="flit_core is the build backend, and it is not installed")
    folder = tmp_path_factory.mktemp("built")
    release.build(folder)
    return folder


def test_data_files_are_known() -> None:
    """The package is more than Python: pages, templates and the mark of its types are looked for below."""
    endings = {Path(name).suffix for name in shipped()}
    assert {".py", ".pyi", ".cu", ".js", ".css", ".html", ".template", ".typed"} <= endings


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


def test_the_metadata_of_archives_is_generated(release: Any) -> None:
    """.zenodo.json and codemeta.json are what `make release` writes from pyproject.toml and CITATION.cff."""
    for name, text in release.metadata().items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, f"{name}: run python packaging/release.py"
        assert json.loads(text)["version"] == VERSION


def test_the_steps_of_a_release_name_files_that_exist(release: Any) -> None:
    """What a person is told to edit or to hand on is there."""
    named = re.findall(r"\b(?:packaging|paper|docs|tests)/[\w./]*\w|[A-Z]+\.(?:md|cff)|\.zenodo\.json", release.STEPS)
    assert len(named) > 8
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_conda_recipe_has_the_dependencies_of_the_project() -> None:
    """Package for package and limit for limit, by the names of conda-forge; its version is that of the project."""
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    listed = re.search(r"^  run:\n((?:    - .*\n)*)", recipe, re.MULTILINE)
    assert listed is not None
    needed = [re.sub(r"(?=[<>=])", " ", name, count=1) for name in PROJECT["dependencies"]]
    wanted = {f"python {PROJECT['requires-python']}"} | {
        " ".join((CONDA_NAMES.get(name, name), limit)) for name, limit in (line.split(" ", 1) for line in needed)
    }
    assert {line.removeprefix("    - ") for line in listed[1].splitlines()} == wanted
    assert VERSION not in recipe


def test_files_that_images_and_services_name_are_there() -> None:
    """The Dockerfile, Read the Docs and Binder use files of the repository, and one version of Python."""
    image = (ROOT / "packaging" / "Dockerfile").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"^COPY (?!--from)(.*)$", image, re.MULTILINE) for word in line.split()[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    pages = yaml.safe_load((ROOT / "packaging" / ".readthedocs.yaml").read_text(encoding="utf-8"))
    named = [pages["mkdocs"]["configuration"], *(each["requirements"] for each in pages["python"]["install"])]
    binder = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").split()[1]
    assert [name for name in (*named, f"binder/{binder}") if not (ROOT / name).exists()] == []
    runtime = (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8")
    versions = [*re.findall(r"python[:-](3\.\d+)", image + runtime), pages["build"]["tools"]["python"]]
    assert set(versions) == {"3.12"}
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)


def test_the_paper_cites_what_its_list_has() -> None:
    """Every key that paper.md cites is in paper.bib, and every entry of it is cited."""
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    entries = re.findall(r"^@\w+\{([\w-]+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert set(re.findall(r"@([a-z][\w-]*)", text)) == set(entries)


def test_the_root_of_the_repository_is_short() -> None:
    """At most 20 files and folders, hidden ones included, lie in the root."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("git lists the files of the repository, and this is no clone of one")
    assert len({name.split("/")[0] for name in listed.stdout.splitlines()}) <= 20


def test_no_text_names_an_index_that_has_no_pavane() -> None:
    """As long as there is no release, pavane is installed from its sources."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *SOURCES.rglob("*.py")]
    for page in pages:
        assert "pip install 'pavane" not in page.read_text(encoding="utf-8"), page
        assert "pip install pavane" not in page.read_text(encoding="utf-8"), page
