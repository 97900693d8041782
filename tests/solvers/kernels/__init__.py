"""Tests of compiled loops that several families of solvers share, on plain arrays."""
