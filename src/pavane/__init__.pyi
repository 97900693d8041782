"""The public names of pavane, each with the module where it lives: for type checkers, and for the package itself."""

from pavane.bounds import explain as explain
from pavane.bounds import lower_bounds as lower_bounds
from pavane.bounds.bisections import bisection as bisection
from pavane.errors import InputError as InputError
from pavane.errors import InvalidSchedule as InvalidSchedule
from pavane.errors import PavaneError as PavaneError
from pavane.formats import read_network as read_network
from pavane.formats import read_problem as read_problem
from pavane.formats import read_schedule as read_schedule
from pavane.formats import write_network as write_network
from pavane.formats import write_problem as write_problem
from pavane.formats import write_schedule as write_schedule
from pavane.judge.result import Result as Result
from pavane.judge.rules import verify as verify
from pavane.model.bound import Bound as Bound
from pavane.model.collectives import allgather as allgather
from pavane.model.collectives import alltoall as alltoall
from pavane.model.collectives import broadcast as broadcast
from pavane.model.collectives import dual as dual
from pavane.model.collectives import gather as gather
from pavane.model.collectives import many_to_many_broadcast as many_to_many_broadcast
from pavane.model.collectives import many_to_many_scatter as many_to_many_scatter
from pavane.model.collectives import named as named
from pavane.model.collectives import pairs as pairs
from pavane.model.collectives import permutation as permutation
from pavane.model.collectives import reduce as reduce
from pavane.model.collectives import reduce_scatter as reduce_scatter
from pavane.model.collectives import scatter as scatter
from pavane.model.messages import Collective as Collective
from pavane.model.network import Network as Network
from pavane.model.problem import Problem as Problem
from pavane.model.problem import Rules as Rules
from pavane.model.schedule import Schedule as Schedule
from pavane.model.schedule import Transfer as Transfer
from pavane.networks import network as network
from pavane.player import player_page as player_page
from pavane.search.front_search import front as front
from pavane.search.fronts import Front as Front
from pavane.search.pieces import FoundPieces as FoundPieces
from pavane.search.pieces import find_pieces as find_pieces
from pavane.search.synthesis import synthesize as synthesize
from pavane.solvers.evolution.ga import GA as GA
from pavane.solvers.evolution.hgsa import HGSA as HGSA
from pavane.solvers.evolution.mboa import MBOA as MBOA
from pavane.solvers.evolution.umda import UMDA as UMDA
from pavane.studies.fault_study import faults as faults
from pavane.studies.repairs import repair as repair
from pavane.studies.trials import Study as Study
from pavane.studies.trials import study as study
from pavane.timing import Costs as Costs
from pavane.timing import predicted as predicted
from pavane.timing import profile as profile
from pavane.workers.budget import Budget as Budget

__all__: list[str]
__version__: str
