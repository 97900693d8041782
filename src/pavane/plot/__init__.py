"""Pictures with matplotlib, which is imported when the first one is drawn."""

from pavane.plot.studies import plot_convergence, plot_run_lengths, plot_study

__all__ = ["plot_convergence", "plot_run_lengths", "plot_study"]
