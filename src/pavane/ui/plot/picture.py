"""A figure of matplotlib that a notebook shows by itself, whatever backend is chosen there."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure that knows how to be shown in a notebook."""

    def _repr_png_(self) -> bytes:
        written = io.BytesIO()
        self.savefig(written, format="png", dpi=100)
        return written.getvalue()
