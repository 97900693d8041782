"""Pictures with matplotlib, which is imported when the first one is drawn."""

from pavane.ui.plot.studies import plot_run_lengths

__all__ = ["plot_run_lengths"]
