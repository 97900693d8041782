"""The tables of noc."""

from __future__ import annotations

from pavane.papers.table import Table

TABLES: tuple[Table, ...] = ()
