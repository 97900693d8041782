"""pavane: a schedule file in full, with the transfers of all processors where a table gave them."""

from __future__ import annotations

from pavane.io.formats.export import Export
from pavane.io.schedule_file import schedule_bytes

OWN = Export(
    "pavane",
    "A schedule file in full: what a table gives is written out and judged again, transfer by transfer.",
    ".json",
    lambda ordered, _: schedule_bytes(ordered.result).decode(),
    has_times=True,
    has_several=True,
)
