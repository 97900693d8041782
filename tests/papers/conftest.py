"""The command line, for the tests of `pavane paper`."""

from tests.ui.cli.conftest import call

__all__ = ["call"]
