"""Applications on networks: a workload's phases, the fastest schedule for each, and how long it all takes."""
