"""One source for processor and GPU? `python -m papers.numba_cuda` on a machine with a CUDA GPU.

Compiles the evaluation of UMDA from the kernels of the processor by numba's CUDA target, a thread for each chromosome,
and compares its evaluations a second with those of islands.cu, which also select, count and sample. The results are
stored in benchmarks/results/numba_cuda.json.
"""

from __future__ import annotations

import importlib
import json
import time
from pathlib import Path
from typing import Any

import numba.cuda
import numpy as np

from papers.islands.cuda import cuda_device
from papers.steps_printed import printed
from papers.success_rates import RATED, rate
from pavane.solvers.evolutionary.encoders import encode
from pavane.solvers.evolutionary.encoding import Coding
from pavane.solvers.evolutionary.kernels.bit_words import Key
from pavane.solvers.evolutionary.kernels.genes import Genome
from pavane.solvers.evolutionary.kernels.mutation import Mutation
from pavane.solvers.evolutionary.kernels.repairing import RepairScratch, new_repair_scratch

cuda: Any = numba.cuda
KEPT = Path(__file__).parent / "results" / "numba_cuda.json"
MEASURED = {("octagon", "AAS"), ("kautz:3,2", "AAS"), ("levi", "AAS"), ("hypercube:5", "AAB")}
BLOCKS, THREADS, EACH = 132, 256, 50
"""Blocks and threads of a launch, and the chromosomes that each thread evaluates."""

KERNELS = {
    "pavane.jit.copying": ("fill_line", "copy_line"),
    "pavane.solvers.evolutionary.kernels.bit_words": ("mixed", "word", "below", "happens", "key_of"),
    "pavane.solvers.evolutionary.kernels.genes": ("path_of", "step_of", "added", "conflicts"),
    "pavane.solvers.evolutionary.kernels.mutation": ("swap_steps", "change_gene", "mutate", "vary"),
    "pavane.solvers.evolutionary.kernels.repairing": ("informed_source", "accelerate", "restore", "repair"),
}
"""All kernels that an evaluation calls, the innermost first."""


def device_functions() -> dict[str, Any]:
    """Compile the kernels for the GPU, and let the others call them."""
    modules, made = [importlib.import_module(name) for name in KERNELS], {}
    for module, names in zip(modules, KERNELS.values(), strict=True):
        for name in names:
            kernel = getattr(module, name)
            made[name] = cuda.jit(device=True)(kernel)
            for other in modules:
                if getattr(other, name, None) is kernel:
                    setattr(other, name, made[name])
    return made


def program() -> Any:
    """Return a kernel in which each thread samples, varies, repairs and evaluates chromosomes."""
    parts = device_functions()
    vary, repair, conflicts, key_of, below = (
        parts[name] for name in ("vary", "repair", "conflicts", "key_of", "below")
    )

    def evaluate(genome, mutation, parents, children, scores, loads, sent, known, waiting, following, each):  # type: ignore[no-untyped-def]
        row = cuda.grid(1)
        child = children[row]
        for number in range(each):
            own = key_of(Key(123, 456), row * each + number)
            for item in range(len(child)):
                child[item] = parents[below(own, item, len(parents)), item]
            vary(genome, mutation, child, own)
            repair(genome, child, own, RepairScratch(sent[row], known[row], waiting[row], following[row]))
            scores[row] = conflicts(genome, child, loads[row])

    return cuda.jit(evaluate)


def numba_rate(evaluate: Any, paper: str, spec: str, kind: str, steps: int) -> float:
    """Return the evaluations a second of numba's program; compiling is not counted."""
    encoding = encode(printed(paper, spec, kind).problem(), steps, Coding(), np.random.default_rng(0))
    assert encoding is not None
    genome, rows = encoding.genome, BLOCKS * THREADS
    copied: Any = Genome._make(cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in genome)
    drawn = np.random.default_rng(1).random((30, encoding.num_items)) * encoding.cardinalities
    arrays = [
        drawn.astype(np.int32),
        np.zeros((rows, encoding.num_items), dtype=np.int32),
        np.zeros(rows, dtype=np.int64),
        np.zeros((rows, len(genome.capacity) * steps), dtype=np.int32),
        *(np.zeros((rows, len(line)), dtype=np.int64) for line in new_repair_scratch(genome)),
    ]
    arguments = (copied, Mutation(0.9, 0.3, False, False, 1), *map(cuda.to_device, arrays))
    seconds = []
    for each in (1, EACH):
        begun = time.monotonic()
        evaluate[BLOCKS, THREADS](*arguments, each)
        cuda.synchronize()
        seconds.append(time.monotonic() - begun)
    return rows * EACH / seconds[-1]


def main() -> int:
    evaluate, gpu, rows = program(), cuda_device(), {}
    for paper, spec, kind, steps in RATED:
        if (spec, kind) in MEASURED:
            by_islands = rate(paper, spec, kind, steps, gpu, gpu.num_threads // 256, 3.0)
            row = {"numba": numba_rate(evaluate, paper, spec, kind, steps), "islands": by_islands}
            rows[f"{kind} {spec} {steps}"] = {name: round(value) for name, value in row.items()}
            print(f"{kind} {spec}", rows[f"{kind} {spec} {steps}"], flush=True)
    KEPT.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
