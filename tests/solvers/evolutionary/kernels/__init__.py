"""Tests of compiled loops of the evolutionary algorithms, on plain arrays."""
