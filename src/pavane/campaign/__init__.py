"""Many searches, one run table: studies of solvers, faults and comparisons of networks are views of it."""
