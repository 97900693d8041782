"""The version of pavane, as schedule files record it."""

VERSION = "0.1.0"
