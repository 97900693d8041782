"""Compiled loops of the combining solver, on plain arrays."""
