"""Kernels do the same compiled and uncompiled, and their tables agree with a recount."""
