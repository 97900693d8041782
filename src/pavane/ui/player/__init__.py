"""The player: one page, in one file, that plays a schedule in any browser without a network.

The scripts in `assets` are plain modules of our own. A page of its own has them inlined, so that it can be mailed and
opened from a disk; the web server serves the same files.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files

from pavane.errors import expect
from pavane.judge.refusal import Refusal
from pavane.judge.result import Result
from pavane.ui.player.contents import contents_of

__all__ = ["MODULES", "asset", "contents_of", "embedded", "player_page"]

MODULES = (
    "pens.js",
    "times.js",
    "schedule.js",
    "stories.js",
    "colours.js",
    "geometry.js",
    "scene.js",
    "legend.js",
    "panels.js",
    "player.js",
)
"""The scripts, in the order in which they use each other."""


def player_page(result: Result | Refusal) -> str:
    """Return the page that plays the schedule of a result.

    Args:
        result: A result that has a schedule, of one collective or of several at once, or a table; or a schedule that
            the judge refuses, whose conflicts are red.

    Returns:
        The page, in one file; `Result.save` writes it, and `Result.show` shows it.
    """
    if not isinstance(result, Refusal):
        expect(result, Result, "result", "give what `pavane.solve` returns")
    contents = contents_of(result)
    scripts = "\n".join(_inlined(asset(name)) for name in MODULES)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
script-src 'unsafe-inline'; img-src data:">
<title>{escape(contents["title"])}</title>
<style>
{asset("player.css")}</style>
</head>
<body class="pavane-page">
<main id="player"><noscript>This page plays a schedule with JavaScript, which is switched off here.</noscript></main>
<script type="application/json" id="contents">{embedded(contents)}</script>
<script type="module">
{scripts}
mount(document.getElementById("player"), JSON.parse(document.getElementById("contents").textContent));
</script>
</body>
</html>
"""


def embedded(value: object) -> str:
    """Return JSON that is safe inside a script element, whatever names it holds."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def asset(name: str) -> str:
    """Return the text of a file beside this one."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _inlined(script: str) -> str:
    """Take a module's imports and exports away: in one script they find each other by name."""
    script = re.sub(r"^import [^;]*;\n", "", script, flags=re.MULTILINE)
    return re.sub(r"^export ", "", script, flags=re.MULTILINE)
