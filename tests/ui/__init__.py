"""Tests of what people meet: the command line, the web page, the player, plots and notebooks."""
