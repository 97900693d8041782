"""What makes schedules of an allreduce: two phases one after the other, and ways to let them overlap."""
