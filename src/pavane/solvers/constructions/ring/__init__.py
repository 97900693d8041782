"""Constructions on rings, and on cycles of processors in any network."""
