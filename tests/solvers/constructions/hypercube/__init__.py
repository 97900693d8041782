"""Tests of the constructions for hypercubes."""
