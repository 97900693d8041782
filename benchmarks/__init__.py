"""Measurements: `python -m benchmarks scatter` prints bound, steps, ratio and seconds of every case."""
