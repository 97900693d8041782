"""The judge: the rules of schedules, the certificates of bounds, and the results that have passed."""
