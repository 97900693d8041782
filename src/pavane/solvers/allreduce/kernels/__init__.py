"""Compiled loops of allreduce, on plain arrays."""
