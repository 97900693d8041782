"""Makes what a release consists of, and prints what a person must do: `make release`, or `python packaging/release.py`.

The version, the licence and the description are those of pyproject.toml, authors and keywords those of CITATION.cff.
`.zenodo.json` and `packaging/codemeta.json` are written from them; wheel and archive of sources go into `dist`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
BUILD = "import sys; from flit_core import buildapi; print(getattr(buildapi, sys.argv[1])(sys.argv[2]))"
"""What pip and others ask of the build backend of pyproject.toml."""

STEPS = """
What a person must do now, for version {version}:

 1. CHANGELOG.md: replace `unreleased` by the date; CITATION.cff: add `date-released`. Commit both.
 2. Tag the commit: git tag -a v{version} -m "pavane {version}"; push the commit and the tag.
 3. Package index: with an account and a token, upload dist/{wheel} and dist/{archive} (twine upload dist/*).
    Then README.md may say `pip install pavane`, `pipx run pavane` and `uv tool install pavane`;
    a test refuses it until the release exists: tests/test_packaging.py, the last one.
 4. Zenodo: switch the repository on before the tag is pushed; it reads .zenodo.json. Put the DOI into CITATION.cff.
 5. Read the Docs: import the repository, and give packaging/.readthedocs.yaml as the path of its configuration.
 6. Binder: open the repository there, with docs/tour.ipynb; put the badge into README.md.
 7. Image: docker build -f packaging/Dockerfile -t pavane:{version} . and push it where your users look.
 8. conda-forge: propose packaging/conda/meta.yaml, with the address and hash of the uploaded archive as `source`.
 9. Paper: complete authors, affiliations and the reference `noc` in paper/, build the PDF as the journal describes,
    and submit. Its tables are generated: make docs.
"""


def metadata() -> dict[str, str]:
    """Return the contents of the generated metadata files, by path."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    names = [_name_of(author) for author in cited["authors"]]
    zenodo = {
        "title": f"{project['name']}: {project['description'].rstrip('.')}",
        "description": cited["abstract"],
        "version": project["version"],
        "upload_type": "software",
        "license": project["license"],
        "creators": [{"name": name} for name in names],
        "keywords": cited["keywords"],
    }
    codemeta = {
        "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "description": cited["abstract"],
        "version": project["version"],
        "license": f"https://spdx.org/licenses/{project['license']}",
        "author": [
            {"@type": "Organization" if "name" in each else "Person", "name": name}
            for each, name in zip(cited["authors"], names, strict=True)
        ],
        "keywords": cited["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "developmentStatus": "active",
    }
    return {
        ".zenodo.json": json.dumps(zenodo, indent=2) + "\n",
        "packaging/codemeta.json": json.dumps(codemeta, indent=2) + "\n",
    }


def _name_of(author: dict[str, Any]) -> str:
    """Return an author of CITATION.cff as "family, given", or the name of a group."""
    return author["name"] if "name" in author else f"{author['family-names']}, {author['given-names']}"


def build(folder: Path) -> tuple[str, str]:
    """Build the wheel and the archive of sources, and return their names."""
    folder.mkdir(exist_ok=True)
    made = []
    for what in ("build_wheel", "build_sdist"):
        command = [sys.executable, "-c", BUILD, what, str(folder)]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        made.append(done.stdout.split()[-1])
    return made[0], made[1]


def main() -> int:
    """Write the metadata, build, and print the steps that are left."""
    for name, text in metadata().items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"written: {name}")
    wheel, archive = build(ROOT / "dist")
    print(f"built: dist/{wheel}, dist/{archive}")
    version = json.loads(metadata()[".zenodo.json"])["version"]
    print(STEPS.format(version=version, wheel=wheel, archive=archive))
    return 0


if __name__ == "__main__":
    sys.exit(main())
