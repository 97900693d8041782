"""Many searches, one report: solvers compared, faults, repairs, the papers' tables and open questions."""
