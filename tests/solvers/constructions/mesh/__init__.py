"""Tests of the constructions for meshes."""
