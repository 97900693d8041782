"""Studies of solvers: many seeds on one problem; how often they succeed, and how soon."""

from pavane.campaign.benchmark.comparison import Study, StudyProgress, study
from pavane.campaign.benchmark.methods import chosen_solvers, label
from pavane.campaign.benchmark.summaries import Spread, Summary, summary
from pavane.campaign.benchmark.trial import Trial

__all__ = ["Spread", "Study", "StudyProgress", "Summary", "Trial", "chosen_solvers", "label", "study", "summary"]
