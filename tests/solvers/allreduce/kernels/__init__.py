"""Tests of compiled loops of allreduce, on plain arrays."""
