"""Tests of pavane.solvers.allreduce."""
