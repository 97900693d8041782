"""Compiled loops of broadcasts, on plain arrays."""
