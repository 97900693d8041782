"""Constructions for hypercubes."""
