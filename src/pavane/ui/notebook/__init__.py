"""Values at hand: what a network, a schedule or a result does in one word, in a script or in a notebook.

Methods like `Result.save` stand with their values, far below the rooms that do the work. They ask the package for this
room when they are called (docs/design.md, "Methods").
"""

from pavane.ui.notebook.exporting import export
from pavane.ui.notebook.notebook_views import comparison_view, network_view, result_view, schedule_view, study_view
from pavane.ui.notebook.pictures import plot, plot_network, plot_study
from pavane.ui.notebook.playing import show
from pavane.ui.notebook.saving import save
from pavane.ui.notebook.tables import dataframe, result_dataframe

__all__ = [
    "comparison_view",
    "dataframe",
    "export",
    "network_view",
    "plot",
    "plot_network",
    "plot_study",
    "result_dataframe",
    "result_view",
    "save",
    "schedule_view",
    "show",
    "study_view",
]
