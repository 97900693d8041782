"""Studies of solvers: many seeds on one problem, their success rates and the effort until success."""

from pavane.campaign.benchmark.comparison import Study, study
from pavane.campaign.benchmark.methods import chosen_solvers, label
from pavane.campaign.benchmark.summaries import Spread, Summary, summary
from pavane.campaign.benchmark.trial import Trial

__all__ = ["Spread", "Study", "Summary", "Trial", "chosen_solvers", "label", "study", "summary"]
