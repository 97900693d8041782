"""Scatter on large networks: first fit, filling of steps, and ejection over all shortest paths."""
