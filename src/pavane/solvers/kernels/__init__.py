"""Compiled loops that several families of solvers share, on plain arrays."""
