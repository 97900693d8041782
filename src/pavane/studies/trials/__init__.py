"""Studies of solvers: many seeds on one problem; how often they succeed, and how soon."""

from pavane.studies.trials.comparison import Study, StudyProgress, study
from pavane.studies.trials.methods import chosen_solvers, label
from pavane.studies.trials.summaries import Spread, Summary, summary
from pavane.studies.trials.trial import Trial

__all__ = ["Spread", "Study", "StudyProgress", "Summary", "Trial", "chosen_solvers", "label", "study", "summary"]
