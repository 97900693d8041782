"""Pictures with matplotlib, which is imported when the first one is drawn."""

from pavane.ui.plot.studies import plot_convergence, plot_run_lengths, plot_study

__all__ = ["plot_convergence", "plot_run_lengths", "plot_study"]
