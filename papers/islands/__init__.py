"""Many runs of the papers' algorithms at once, an island each, on a CUDA GPU."""
