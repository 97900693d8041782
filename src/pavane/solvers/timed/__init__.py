"""Solvers of timed problems: start times on links with a latency and a bandwidth each."""
