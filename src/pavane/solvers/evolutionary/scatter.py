"""The scatter encoding: a gene (path, step) for every private message (gecco08 section 4.2, gecco07 section 3.2).

Switching is wormhole and nothing is combined, so a message goes in one transfer. OAS is a vector of genes, AAS a
matrix, row by row; MNS, AOG and any list of pairs are encoded alike. Paths are listed beforehand (gecco08 section 4.1).
"""

from __future__ import annotations

import numpy as np

from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.solvers.candidates import PathFinder, candidate_paths
from pavane.solvers.evolutionary.encoding import Coding, Encoding
from pavane.solvers.evolutionary.kernels.genes import SCATTER_ITEMS, Genome
from pavane.solvers.supports import Supports
from pavane.symmetry.involutions import Symmetry

MOST_MESSAGES = 20_000


SUPPORTS = Supports(patterns=("private",), switching=("wormhole",), combining=False, most_messages=MOST_MESSAGES)


def encoded(
    original: Problem, num_steps: int, coding: Coding, rng: np.random.Generator, symmetry: Symmetry | None = None
) -> Encoding | None:
    """Encode a scatter; with a symmetry, one message per orbit: None where a message cannot spare its image.

    A gather is encoded as the scatter it is when read backwards, because the acceleration is about the ports of
    senders.
    """
    problem = dual(original) if original.collective.kind == "AOG" and symmetry is None else original
    detour = coding.detour if problem.rules.routing == "any" else 0
    group = () if symmetry is None else (symmetry,)
    candidates = candidate_paths(problem, PathFinder(problem, rng, coding.most_paths, detour), symmetries=group)
    if not candidates.is_complete:
        return None
    size = len(candidates.messages)
    ends = problem.ends[candidates.messages].astype(np.int64)
    senders = ends[:, 0].copy() if symmetry is None else np.minimum(ends[:, 0], symmetry.processors[ends[:, 0]])
    genes_sent = np.argsort(senders, kind="stable")
    genome = Genome(
        num_items=SCATTER_ITEMS,
        num_steps=num_steps,
        sender_of=senders,
        room=problem.injection.astype(np.int64),
        first_sent=np.searchsorted(senders[genes_sent], np.arange(len(problem.injection) + 1)),
        genes_sent=genes_sent,
        first_gene=np.array([0, size], dtype=np.int64),
        origin_of=ends[:1, 0].copy(),
        target_of=ends[:, 1].copy(),
        first_source=np.arange(size + 1, dtype=np.int64),
        source_of=ends[:, 0].copy(),
        pair_of=np.arange(size, dtype=np.int64),
        first_path=candidates.first_path.astype(np.int64),
        unit_offsets=candidates.unit_offsets.astype(np.int64),
        units=candidates.units,
        capacity=candidates.capacity,
        counts_pairs=coding.conflicts == "pairs",
    )
    return Encoding(
        original,
        problem,
        genome,
        candidates.messages.astype(np.int64),
        candidates.channel_offsets.astype(np.int64),
        candidates.channels,
        symmetry,
    )
