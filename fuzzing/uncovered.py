"""Why no test reaches some lines, by the places and functions that have them."""

from __future__ import annotations

PLACES: dict[str, tuple[str, ...]] = {
    "making machine code, which is what is left out here; `make test` does it": ("jit/compiling.py:*",),
    "a home that cannot be written or belongs to another; not every machine has one": ("jit/cache_folder.py:*",),
    "runs that succeed, settings that are ours: their solvers' tests have them, compiled": (
        "solvers/evolutionary/kernels/*:*",
    ),
    "a case that the small problems of these tests do not come to; larger ones do, compiled": ("*/kernels/*:*",),
    "says that something is being compiled, where nothing was compiled before": (
        "ui/cli/progress.py:shown.name_kernel",
        "parallel/processes.py:ProcessPool.collect",
        "parallel/processes.py:_work.report_compiling",
    ),
    "more than a test has time or memory for: a limit of size": (
        "bounds/busiest_channel.py:_at_narrow_places",
        "io/network_builder.py:NetworkBuilder.channel",
        "judge/copy_rules.py:_by_key",
        "solvers/broadcast/rarest_first.py:_ways_through_switches",
        "solvers/constructions/steps.py:is_small",
        "symmetry/automorphisms.py:_base",
        "solvers/large_scatter/first_fit.py:FirstFitDriver.pack",
        "solvers/large_scatter/path_ejection.py:PathEjection.*",
    ),
    "a case of the search that small problems seldom come to": (
        "bounds/flow_over_time.py:_proven",
        "bounds/partition.py:best_classes",
        "search/portfolio.py:_attempts_through_time",
        "solvers/broadcast/informed_chains.py:Chains.*",
        "solvers/broadcast/informed_sets.py:InformedSets.find",
        "solvers/broadcast/broadcast_state.py:Spread.mend",
        "solvers/combining/payloads.py:TreePayloads.schedule",
        "solvers/ejection/planned.py:Planned._fewest_steps",
        "solvers/exact/widths_program.py:_without_loops",
        "solvers/flow/wormhole.py:_Arcs.steps",
        "solvers/greedy.py:_stored_broadcast",
        "solvers/large_scatter/plan_filling.py:PlanFiller._close",
        "solvers/large_scatter/plan_filling.py:PlanFiller._close_along_plan",
        "solvers/large_scatter/plan_filling.py:PlanFiller.probes_in_time",
        "solvers/large_scatter/plan_filling.py:PlanFiller.of",
        "solvers/large_scatter/window_sweeps.py:fit_planned_paths",
        "solvers/large_scatter/orbit_filling.py:_quotient",
        "solvers/large_scatter/packing.py:Packing._fill_along_plan",
        "solvers/large_scatter/packing.py:Packing._plan_detours",
        "solvers/large_scatter/packing.py:Packing._fill_with_detours",
        "solvers/large_scatter/packing.py:Packing._improve",
        "solvers/large_scatter/packing.py:Packing._fill_freely",
        "search/repair/cheapest_ways.py:CheapestWays.*",
        "search/repair/in_place.py:InPlaceRepair.*",
    ),
    "a guard against a solver, a library or a file of ours that is wrong": (
        "bounds/partition.py:_tightest",
        "solvers/ejection/ejection.py:Routed._routes",
        "solvers/evolutionary/mboa.py:MBOA.find",
        "model/maximum_flow.py:MaximumFlow.__init__",
        "solvers/large_scatter/path_ejection.py:_tables",
    ),
    "time that runs out at this very moment; in tests it runs out at others": (
        "bounds/price_program.py:by_linear_program",
        "solvers/allreduce/trees.py:_TreeSearch.begin",
        "solvers/greedy.py:Greedy.find",
    ),
    "cannot come with the limits that there are; the type checker requires it": ("io/capacities.py:_rounded",),
    "a guard against a problem that is refused when it is made": (
        "judge/cut_certificates.py:by_crossing",
        "judge/growth_certificates.py:by_growth",
        "judge/tail_certificates.py:by_tail",
        "judge/turn_rules.py:grid_rules",
    ),
    "a system that lacks something which the machine of the tests has": (
        "ui/web/server_locks.py:",
        "ui/web/subprocess_worker.py:interrupts",
        "parallel/processes.py:_signals_blocked",
    ),
    "a process that is killed before it can report what it reached": ("parallel/processes.py:_work",),
    "the end of a generator that is not read after its last answer": ("search/search_run.py:Search._answers_of_pool",),
    "a network that is nearly of a shape; tests have others": ("solvers/constructions/shapes.py:mesh_of",),
    "required of every solver, and never called for this one": (
        "solvers/large_scatter/windowed_first_fit.py:WindowedFirstFit.supports",
    ),
    "a machine with more or fewer cores than that of the tests": (
        "execution/mpi_worker.py:Wait.__call__",
        "execution/mpi_worker.py:_library_times",
    ),
}

REASONS = {place: why for why, places in PLACES.items() for place in places}
"""Of patterns such as solvers/large_scatter/kernels/step_lns.py:fill, the first that fits counts."""
