"""Tests of compiled loops of ejection search, on plain arrays."""
