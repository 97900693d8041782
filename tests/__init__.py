"""The tests, room by room as in src/pavane."""
