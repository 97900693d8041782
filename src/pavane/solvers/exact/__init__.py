"""Problems as constraint programs, decided by CP-SAT."""
