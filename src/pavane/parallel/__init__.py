"""Parallel execution: budgets, pools of workers, and dispatch of tasks."""
