"""Who works on a search, for how long, and how to stop it."""
