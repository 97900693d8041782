"""Brings into the site what is no page of docs: files of the folders above, and notebooks. MkDocs calls it.

The same pages are read on code hosts, where links lead to the files as they lie in the repository. So the files stay
where they are, get a page in the site, and links to them are led there.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pymdownx.slugs import slugify

ROOT = Path(__file__).resolve().parent.parent

PAGE_OF = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "license.md",
    "CITATION.cff": "CITATION.cff",
    "README.md": "index.md",
    "papers/results/evolution.md": "evolution.md",
    "papers/studies.md": "papers-studies.md",
    "papers/README.md": "papers.md",
    "papers/tables.md": "papers-tables.md",
    "papers/open-questions.md": "papers-open-questions.md",
    **{f"papers/figures/{path.name}": f"figures/{path.name}" for path in (ROOT / "papers" / "figures").glob("*.svg")},
    "docs/tour.ipynb": "tour.md",
    "docs/examples": "examples/index.md",
}
"""What becomes of files that are no pages of docs, by their path in the repository."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Give headings the anchors that code hosts give them."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that do not lie in docs."""
    for source, name in PAGE_OF.items():
        if source != "README.md":
            files.append(File.generated(config, name, content=page_text(ROOT / source)))
    return files


def page_text(path: Path) -> str:
    """Return the contents of the page of a file, a notebook or a folder."""
    if path.is_dir():
        return "# Examples\n\n" + "\n".join(f"- [{each.name}]({each.name})" for each in sorted(path.iterdir())) + "\n"
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return notebook_page(json.loads(text), path.name)
    return text if path.suffix else f"# Licence\n\n```text\n{text.rstrip()}\n```\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to where things lie in the site, and take out the marks of generated sections."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]  # it would list the page itself alone
    source = _source_of(page.file.src_uri)
    # Code is left as it is: every second part of the split is a block.
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [in_site(part, source) for part in parts[::2]]
    return "".join(parts)


def in_site(text: str, source: str) -> str:
    """Return text of the file `source` of the repository with links as they are in the site."""
    text = re.sub(r"^<!-- (?:generated: [a-z-]+|end) -->$", "", text, flags=re.MULTILINE)
    here = posixpath.dirname(_page_of(source))

    def led(match: re.Match[str]) -> str:
        target, hash_mark, anchor = match[1].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        return f"]({posixpath.relpath(_page_of(there), here or '.')}{hash_mark}{anchor})"

    return re.sub(r"\]\(([^)\s]+)\)", led, text)


def notebook_page(notebook: dict[str, Any], name: str) -> str:
    """Return a notebook as a page: its texts, its code, and the outputs that it holds."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        said = [output.get("text") or output.get("data", {}).get("text/plain", ()) for output in cell["outputs"]]
        text = "\n".join("".join(each).rstrip() for each in said)
        if text:
            parts.append(f"```text\n{text}\n```")
    title, *rest = parts
    download = f'This is a notebook: <a href="{name}" download>{name}</a>. There pictures and the player appear, too.'
    return "\n\n".join([title, download, *rest]) + "\n"


def _page_of(source: str) -> str:
    return PAGE_OF.get(source, source.removeprefix("docs/"))


def _source_of(page: str) -> str:
    """Return the file of the repository whose links a page has; the list of a folder has links of its own."""
    sources = [source for source, name in PAGE_OF.items() if name == page and (ROOT / source).is_file()]
    return sources[0] if sources and page != "index.md" else f"docs/{page}"
