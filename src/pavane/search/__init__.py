"""From a problem to a result: attempts of solvers until the best schedule meets the best bound."""
