"""Messages combined: annealing of sets of transfers and of the payloads on them."""
