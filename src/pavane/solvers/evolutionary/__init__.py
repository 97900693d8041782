"""The papers' evolutionary algorithms and what they share: how schedules are encoded, repaired and judged."""
