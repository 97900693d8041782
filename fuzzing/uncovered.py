"""Why no test reaches some lines, by the places and functions that have them."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "kernels/compiling.py:*": "making machine code, which is what is left out here; `make test` does it",
    "kernels/private_folder.py:*": "a home that cannot be written or belongs to another; not every machine has one",
    "kernels/evolution_*:*": "runs that succeed, settings that are ours: their solvers' tests have them, compiled",
    "kernels/*:*": "a case that the small problems of these tests do not come to; larger ones do, compiled",
    "solvers/evolution/cuda.py:*": "a GPU, which the machine of the tests may lack; the islands run on a plain device",
}
"""Of patterns such as kernels/filling.py:fill, the first that fits counts."""
