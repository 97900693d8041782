"""Parallel execution: budgets, pools of workers, dispatch of tasks, and checkpoints."""
