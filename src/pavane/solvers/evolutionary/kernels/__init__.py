"""Compiled loops of the evolutionary algorithms, on plain arrays."""
