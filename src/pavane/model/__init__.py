"""The values: networks, problems, schedules and bounds, frozen, with what can be said of them alone."""
