"""Scatter from one origin, or gather at one target, by maximum flows."""
