"""Many searches, one report: solvers compared, faults, repairs and the papers' tables."""
