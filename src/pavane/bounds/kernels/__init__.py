"""Compiled loops of the bounds, on plain arrays."""
