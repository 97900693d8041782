"""Kernels of timed searches."""
