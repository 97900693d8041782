"""The documentation: what is generated is fresh, examples do what they show, links lead somewhere."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pavane.io import objects
from pavane.judge.rules import RULES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RUN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "papers" / "studies.md", *sorted(DOCS.rglob("*.md"))]
PAGES = [*RUN, ROOT / "CHANGELOG.md"]

WORDS = (
    *("network", "router", "processor", "channel", "port", "message", "transfer", "path", "step", "conflict"),
    *("collective", "rules", "problem", "schedule", "bound", "certificate", "solver", "result"),
)

OTHER_WORDS = (
    *("node", "rank", "GPU", "switch", "chunk", "round", "slot", "hop", "makespan", "contention", "topology", "route"),
    *("alpha-beta", "incumbent", "Pareto front", "executor", "verifier", "time-expanded network"),
    *("rip-up and reroute", "ruin and recreate", "ejection chain", "large neighbourhood search", "list scheduling"),
)


def named(path: Path) -> str:
    """Name a test after its page."""
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def generate() -> Any:
    """Import docs/generate.py."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("generate")
    finally:
        sys.path.remove(str(DOCS))


def prose(path: Path) -> str:
    """Return a page without its code."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", RUN, ids=named)
def test_examples_and_tables_of_a_page_are_fresh(generate: Any, path: Path) -> None:
    """Every Python example runs, every command exits as shown, and both print what the page says; `make docs` mends."""
    assert generate.fresh_page(path) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.ipynb")), ids=named)
def test_notebooks_are_fresh(generate: Any, path: Path) -> None:
    """Every cell of a notebook runs, and gives what stands below it."""
    assert generate.fresh_notebook(path) == path.read_text(encoding="utf-8")


def test_a_type_checker_passes_on_the_tour(tmp_path: Path) -> None:
    """The code of the notebook, as a script, has no error of types."""
    cells = json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    script = tmp_path / "tour_script.py"
    script.write_text("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code") + "\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(script)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_figures_are_fresh(generate: Any) -> None:
    """Every figure is what drawings.py draws, and no other figure lies about."""
    for name, draw in generate.FIGURES.items():
        assert (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8") == draw(), f"{name}: run `make docs`"
    assert {path.stem for path in (DOCS / "figures").glob("*.svg")} == set(generate.FIGURES)


def test_pages_are_complete(generate: Any) -> None:
    """The test looks at the same pages as the generator, and every generated section stands in some page."""
    assert generate.pages() == RUN
    text = "".join(path.read_text(encoding="utf-8") for path in RUN)
    assert set(re.findall(r"<!-- generated: (\S+) -->", text)) == set(generate.SECTIONS)


def test_check_names_stale_files(
    generate: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` writes nothing, names what is stale and exits with 1; without it the file is written."""
    page = tmp_path / "page.md"
    page.write_text("old", encoding="utf-8")
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "files", lambda: iter([(page, "new")]))
    assert generate.main(["--check"]) == 1
    assert "stale: page.md" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == "old"
    assert generate.main([]) == 0
    assert page.read_text(encoding="utf-8") == "new"
    assert generate.main(["--check"]) == 0
    assert generate.main(["--nonsense"]) == 2


def test_a_failing_command_must_be_shown_to_fail(generate: Any) -> None:
    """A console block may not hide an exit code other than 0."""
    with pytest.raises(ValueError, match=r"exits with 2; show it with `\$ echo \$\?`"):
        list(generate.Examples("page").console(["$ pavane solve ring:8 nonsense"]))
    shown = list(generate.Examples("page").console(["$ pavane solve ring:8 nonsense", "$ echo $?"]))
    assert shown[-1] == "2"


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link names a file that exists, and every anchor a heading."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), f"{path.name}: {target} leads nowhere"
        assert not anchor or anchor in anchors(there), f"{path.name}: {target} names no heading"


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=named)
def test_files_that_commands_read_are_linked(path: Path) -> None:
    """Whoever follows a page in an empty folder finds the example files that its commands and programs read."""
    page = path.read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"^```(?:console|python)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    read = "\n".join(line for line in blocks.splitlines() if line.startswith("$ ") or '"' in line)
    examples = [
        each.name for each in (DOCS / "examples").iterdir() if re.search(rf"[ \"]{re.escape(each.name)}\b", read)
    ]
    made = re.findall(r"-o (\S+)", read)
    linked = f"]({'../' * (len(path.relative_to(DOCS).parts) - 1)}examples"
    missing = [name for name in examples if name not in made and f"{linked}/{name})" not in page]
    assert f"{linked})" in page or not missing, f"link the files of docs/examples: {', '.join(missing)}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    """The README links every page of docs."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in PAGES[1:]:
        assert f"({path.relative_to(ROOT)})" in text


@pytest.mark.parametrize("word", WORDS)
def test_glossary_has_the_word(word: str) -> None:
    """The glossary explains each of the project's words, and the concepts introduce it."""
    assert f"| **{word}** |" in (DOCS / "glossary.md").read_text(encoding="utf-8")
    assert f"**{word}**" in (DOCS / "concepts.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", OTHER_WORDS)
def test_glossary_has_the_words_of_others(word: str) -> None:
    """A search for a word of the field finds the word of pavane for the same thing."""
    assert re.search(rf"\b{word}\b", (DOCS / "glossary.md").read_text(encoding="utf-8"))


def test_every_rule_of_the_judge_is_explained() -> None:
    """The concepts list every rule that a violation can name."""
    text = (DOCS / "concepts.md").read_text(encoding="utf-8")
    assert [rule for rule in RULES if f"| `{rule}` |" not in text] == []


def test_every_key_of_a_file_is_explained() -> None:
    """The page on file formats names every key that pavane's own files may have."""
    text = (DOCS / "file-formats.md").read_text(encoding="utf-8")
    kinds = [kind for kind in vars(objects).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    keys = {key for kind in kinds if kind is not msgspec.Struct for key in kind.__struct_encode_fields__}
    assert {"format", "from", "carries", "certificate"} <= keys
    assert sorted(key for key in keys if f"`{key}`" not in text) == []
