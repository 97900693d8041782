"""Why no test reaches some lines, by the places and functions that have them."""

from __future__ import annotations

PLACES: dict[str, tuple[str, ...]] = {
    "making machine code, which is what is left out here; `make test` does it": ("kernels/compiling.py:*",),
    "a home that cannot be written or belongs to another; not every machine has one": ("kernels/private_folder.py:*",),
    "runs that succeed, settings that are ours: their solvers' tests have them, compiled": ("kernels/evolution_*:*",),
    "a case that the small problems of these tests do not come to; larger ones do, compiled": ("kernels/*:*",),
    "says that something is being compiled, where nothing was compiled before": (
        "cli/progress.py:shown.name_kernel",
        "cli/progress.py:offered_warm_up.say",
        "workers/processes.py:Processes.come",
        "workers/processes.py:_work.tell_of_compiling",
    ),
    "a GPU, which the machine of the tests may lack; the islands run on a plain device": (
        "solvers/evolution/cuda.py:*",
    ),
    "more than a test has time or memory for: a limit of size": (
        "bounds/busiest_channel.py:_at_narrow_places",
        "formats/foreign/network_builder.py:NetworkBuilder.channel",
        "judge/copy_rules.py:_by_key",
        "solvers/broadcast/rarest_first.py:_ways_through_switches",
        "solvers/constructions/steps.py:is_small",
        "solvers/packing/automorphisms.py:_base",
        "solvers/packing/placing.py:Placing.pack",
        "solvers/packing/pushing.py:Pushing.*",
    ),
    "a case of the search that small problems seldom come to": (
        "bounds/flow_over_time.py:_proven",
        "bounds/partition.py:best_classes",
        "search/portfolio.py:_thoroughly",
        "solvers/broadcast/chains.py:Chains.*",
        "solvers/broadcast/informed_sets.py:InformedSets.find",
        "solvers/broadcast/spread.py:Spread.mend",
        "solvers/combining/payloads.py:Arborescences.schedule",
        "solvers/ejection/planned.py:Planned._closed_in",
        "solvers/exact/widths_program.py:_without_loops",
        "solvers/flow/wormhole.py:_Arcs.steps",
        "solvers/greedy.py:_stored_broadcast",
        "solvers/packing/carrying_out.py:Carrier._closed",
        "solvers/packing/carrying_out.py:Carrier._closed_along_plan",
        "solvers/packing/carrying_out.py:Carrier.in_time",
        "solvers/packing/carrying_out.py:Carrier.of",
        "solvers/packing/detours.py:steps_along_plan",
        "solvers/packing/orbit_filling.py:_of_orbits",
        "solvers/packing/packing.py:Packing._carried_out",
        "solvers/packing/packing.py:Packing._carrier_with_detours",
        "solvers/packing/packing.py:Packing._detoured",
        "solvers/packing/packing.py:Packing._ever_shorter",
        "solvers/packing/packing.py:Packing._filled",
        "studies/repairs/cheapest_ways.py:CheapestWays.*",
        "studies/repairs/in_place.py:Mending.*",
    ),
    "a guard against a solver, a library or a file of ours that is wrong": (
        "bounds/partition.py:_tightest",
        "solvers/ejection/routed.py:Routed._routes",
        "solvers/evolution/mboa.py:MBOA.find",
        "solvers/maximum_flow.py:MaximumFlow.__init__",
        "solvers/packing/pushing.py:_occupancy",
        "studies/applications/yaml_values.py:values_of_file",
    ),
    "time that runs out at this very moment; in tests it runs out at others": (
        "bounds/price_program.py:by_linear_program",
        "solvers/allreduce/trees.py:_TreeSearch.begin",
        "solvers/greedy.py:Greedy.find",
    ),
    "cannot come with the limits that there are; the type checker asks for it": ("formats/speeds.py:_rounded",),
    "a guard against a problem that is refused when it is made": (
        "judge/cut_certificates.py:by_crossing",
        "judge/growth_certificates.py:by_growth",
        "judge/tail_certificates.py:by_tail",
        "judge/turn_rules.py:grid_rules",
    ),
    "a system that lacks something which the machine of the tests has": (
        "web/leases.py:",
        "web/side_process.py:interrupts",
        "workers/processes.py:_undisturbed",
    ),
    "a process that is killed before it can tell what it reached": ("workers/processes.py:_work",),
    "the end of a generator that is asked for nothing after its last answer": (
        "search/front_search.py:FrontSearch._answers_of_crew",
    ),
    "a network that comes near a shape and is none; tests have others": ("solvers/constructions/shapes.py:mesh_of",),
    "demanded of every solver, and asked by nobody of this one": ("solvers/packing/windows.py:Haste.supports",),
    "runs in another Python, where SimGrid is, which is not watched": (
        "execute/simgrid_replay.py:",
        "execute/simgrid_replay.py:replayed",
        "execute/simgrid_replay.py:replayed.conduct",
    ),
    "a machine with more or fewer cores than that of the tests": (
        "execute/mpi_worker.py:Wait.__call__",
        "execute/mpi_worker.py:_library_times",
    ),
}

REASONS = {place: why for why, places in PLACES.items() for place in places}
"""Of patterns such as kernels/filling.py:fill, the first that fits counts."""
