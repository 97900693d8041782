"""Help of commands: commands and options in groups, summaries whole, and three examples at the end."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

GROUPS = {
    "Synthesis and proofs": ("solve", "bounds", "verify"),
    "Display and export": ("show", "export", "serve"),
    "Execution and time": ("time", "predict", "run", "simulate"),
    "Faults": ("faults", "repair"),
    "Many problems": ("compare", "study", "paper", "atlas"),
    "Catalogues and set-up": ("networks", "solvers", "warm-up"),
}
"""The commands by what they are for; those that are not named here stand at the end."""

OTHERS = "Other commands"

SUMMARIES = {
    "solve": "Find a schedule and prove how good it is.",
    "bounds": "Print lower bounds, each with its argument.",
    "verify": "Judge a schedule file and the bounds in it.",
    "show": "Print or draw a schedule or a network, or make a page that plays a schedule.",
    "export": "Write a schedule or a network in another format: tables, programs, simulators, GPU libraries, MPI code.",
    "faults": "Re-plan collectives for every fault of a network and report the cost of each fault.",
    "repair": "Repair a schedule for a network with faults, with as few changes as possible.",
    "time": "Predict how long schedules take, and compare them.",
    "predict": "Predict how long an application takes on networks, with the fastest schedule for each of its phases.",
    "run": "Execute a schedule on MPI, a process for each processor, and check every byte that arrives.",
    "simulate": (
        "Replay a schedule in SimGrid, a network simulator: without conflicts every step takes one unit of time."
    ),
    "serve": "Serve a web page that makes, plays and compares schedules.",
    "paper": "Redo tables of the seed papers, side by side with what they print, or answer their open questions.",
    "networks": "List the catalogue, describe networks, or write one to a file.",
    "solvers": "List the solvers, or describe one and its settings.",
    "compare": "Compare networks: what they cost and survive, and how long collectives take on them.",
    "study": "Run solvers with many seeds; report how often and how soon they succeed.",
    "atlas": "Store the best known schedules and bounds of many problems in a file.",
    "worker": "Work for a dask scheduler, in processes of one thread each; one that is killed is started again.",
    "warm-up": "Compile the kernels of most searches; they are stored on disk for all later commands.",
}
"""The first sentence of each command, so that the help of all commands imports none of them."""

EXAMPLES = {
    "pavane": (
        ("pavane solve octagon alltoall", "find a schedule, and prove how good it is"),
        ("pavane solve mynet.txt allgather -o s.json", "for the links in a file; keep the schedule"),
        ("pavane show s.json -o s.html", "make a page that plays it"),
    ),
    "pavane solve": (
        ("pavane solve octagon alltoall", "the catalogue's octagon; MPI's name of AAS"),
        ("pavane solve mesh:4x4 scatter --root 5 --ports 1", "from processor 5, one port each"),
        ("pavane solve mynet.txt allgather --time 2m -o s.json", "two minutes at most; keep the schedule"),
    ),
    "pavane show": (
        ("pavane show s.json", "the paths of each step, and destinations by step"),
        ("pavane show s.json -o s.html", "a page that plays the schedule"),
        ("pavane show octagon -o octagon.svg", "a drawing of a network"),
    ),
    "pavane export": (
        ("pavane export s.json --to csv -o s.csv", "a row per transfer"),
        ("pavane export s.json --to mpi-c -o s.c", "a function for an MPI program"),
        ("pavane export octagon --to booksim -o octagon.anynet", "a network"),
    ),
    "pavane predict": (
        ("pavane predict list", "the workloads of the package"),
        ("pavane predict fft mesh:4x4 torus:4x4", "one of them on two networks"),
        ("pavane predict fft 'mesh:{n}x{n}' --n 2,3,4 --plot s.svg", "how its speed-up grows, as curves"),
    ),
    "pavane compare": (
        ("pavane compare octagon ring:8 mynet.txt --plot c.svg", "three networks, with a picture"),
        ("pavane compare --processors 8 --degree 3", "all that the catalogue has, and random ones"),
        ("pavane compare ring:8 octagon --startup 1us --per-byte 1GB/s --bytes 4KiB", "by predicted times"),
    ),
    "pavane networks": (
        ("pavane networks", "the catalogue"),
        ("pavane networks kautz:3,2 mynet.txt", "the figures of two networks"),
        ("pavane networks octagon -o octagon.json", "write a network file, to edit it"),
    ),
    "pavane bounds": (
        ("pavane bounds octagon aas", "the bounds of steps, each with its argument"),
        ("pavane bounds mesh:4x4 alltoall --ports 1 --time 10", "ten seconds at most"),
        ("pavane bounds torus:4x4 aab --pieces 1,2,3 --json", "for several numbers of pieces, as JSON"),
    ),
    "pavane verify": (
        ("pavane verify s.json", "judge a schedule, and the certificates of its bounds"),
        ("pavane verify program.xml --on ring:4", "another program's, which names no network"),
        ("pavane verify -q s.json && echo valid", "by the exit code alone"),
    ),
    "pavane faults": (
        ("pavane faults octagon aas", "re-plan without each link in turn"),
        ("pavane faults mesh:3x3 aab aas --double --markdown", "two links at a time; a table in Markdown"),
        ("pavane faults kautz:3,2 aas --plot faults.svg", "draw the degradation by faults"),
    ),
    "pavane repair": (
        ("pavane repair s.json --fault 0-1 -o repaired.json", "without the link between 0 and 1"),
        ("pavane repair s.json --fault '0>1'", "without the channel from 0 to 1"),
        ("pavane repair s.json --fault 0-1 --fault 2-3 --time 10", "two faults; ten seconds at most"),
    ),
    "pavane time": (
        ("pavane time s.json --startup 10us --per-byte 1ns --bytes 1KiB", "step by step"),
        ("pavane time a.json b.json --startup 10us --per-byte 10GB/s --bytes 1KiB", "side by side"),
        ("pavane time a.json b.json --startup 10us --per-byte 1ns --sweep 1B:1MiB", "which is the fastest, by size"),
    ),
    "pavane run": (
        ("pavane run s.json", "on MPI processes of this machine"),
        ("pavane run s.json --bytes 64KiB --repeat 20", "larger messages, twenty times"),
        ("mpirun -n 16 pavane run s.json --json", "in an MPI job; figures as JSON"),
    ),
    "pavane simulate": (
        ("pavane simulate s.json", "check that it has no conflicts"),
        ("pavane simulate s.json --startup 1us --per-byte 1ns --bytes 1024", "with the times of a machine"),
        ("pavane simulate s.json --json", "figures as JSON"),
    ),
    "pavane serve": (
        ("pavane serve", "the page, for this machine alone"),
        ("pavane serve --port 8080 --workers 2", "at another port; two searches at a time"),
        ("pavane serve --atlas mine.sqlite", "with an atlas to look at"),
    ),
    "pavane paper": (
        ("pavane paper list", "the tables that can be redone"),
        ("pavane paper gecco08 8", "one table, beside what it prints"),
        ("pavane paper gecco07 2 --method umda --seeds 10", "with a solver of the papers: success rates"),
    ),
    "pavane solvers": (
        ("pavane solvers", "all of them"),
        ("pavane solvers umda", "one, with its settings"),
        ("pavane solvers --json", "as JSON"),
    ),
    "pavane study": (
        ("pavane study octagon aas --method umda --method ga", "two solvers, twenty seeds each"),
        (
            "pavane study kautz:3,2 aas --method umda:polish=4 --seeds 100 -o runs",
            "store the runs, and continue from them",
        ),
        ("pavane study mesh:3x3 aas --method ejection --plot mesh.svg", "draw how soon they succeed"),
    ),
    "pavane atlas": (
        ("pavane atlas list shipped --network torus", "what the package knows"),
        ("pavane atlas add mine.sqlite s.json", "store a schedule in your own file"),
        ("pavane atlas sweep mine.sqlite --network torus:5x5 --time 10", "search, and store the results"),
    ),
    "pavane atlas add": (
        ("pavane atlas add mine.sqlite s.json", "a schedule, if it is the best so far"),
        ("pavane atlas add mine.sqlite a.json b.json.gz", "several"),
        ("pavane atlas add -q mine.sqlite program.xml", "another program's; print nothing"),
    ),
    "pavane atlas list": (
        ("pavane atlas list shipped", "all that the package knows"),
        ("pavane atlas list mine.sqlite --network torus --status open", "what is not proven yet"),
        ("pavane atlas list shipped --collective aas --rules 1-port --json", "as JSON"),
    ),
    "pavane atlas show": (
        ("pavane atlas show shipped torus:4x4 aab", "what is known of a problem"),
        ("pavane atlas show mine.sqlite torus:5x5 aab -o s.json", "write the schedule"),
        ("pavane atlas show mine.sqlite 3fa9c1", "by the key that list prints"),
    ),
    "pavane atlas merge": (
        ("pavane atlas merge mine.sqlite theirs.sqlite", "take in another atlas, judged"),
        ("pavane atlas merge mine.sqlite shipped", "that of the package"),
        ("pavane atlas merge all.sqlite a.sqlite b.sqlite shipped", "several, in a new file"),
    ),
    "pavane atlas export": (
        ("pavane atlas export shipped", "a table in CSV to stdout"),
        ("pavane atlas export mine.sqlite -o table.csv", "to a file"),
        ("pavane atlas export mine.sqlite --to json", "as JSON"),
    ),
    "pavane atlas verify": (
        ("pavane atlas verify mine.sqlite", "a line for each row that fails"),
        ("pavane atlas verify mine.sqlite --drop", "and take it out"),
        ("pavane atlas verify -q shipped && echo good", "by the exit code alone"),
    ),
    "pavane atlas sweep": (
        ("pavane atlas sweep mine.sqlite --network torus:5x5 --time 10", "one network, ten seconds a problem"),
        ("pavane atlas sweep mine.sqlite --list petersen --collective aas", "a list of networks"),
        ("pavane atlas sweep mine.sqlite --list shipped --workers 8 --again", "all, with eight processes"),
    ),
    "pavane worker": (
        ("pavane worker tcp://head:8786", "a process for each core"),
        ("pavane worker tls://head:8786 --workers 4", "four, over an encrypted line"),
        ("pavane worker tcp://head:8786 --no-warm-up", "compile when a search needs it"),
    ),
    "pavane warm-up": (
        ("pavane warm-up", "compile with all cores"),
        ("pavane warm-up --workers 1", "with one"),
        ("NUMBA_CACHE_DIR=/shared/kernels pavane warm-up", "and store the code where other machines find it"),
    ),
}
"""Example calls and their effect, by command."""


OTHER_WORDS = {"--seconds": "--time", "--num-steps": "--steps"}
"""Names of options in Python that are accepted too; help shows one name for each."""


class GroupedCommands(TyperGroup):
    """The program, or a command that has others: its help lists them by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in groups, each with its whole first sentence."""
        left = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        groups = GROUPS if any(name in left for names in GROUPS.values() for name in names) else {}
        width = max(map(len, left), default=0)
        sections = [(title, [name for name in names if name in left]) for title, names in groups.items()]
        named = {name for _, names in sections for name in names}
        sections.append((OTHERS if groups else "Commands", [name for name in left if name not in named]))
        for title, names in sections:
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), _summary(left[name])) for name in names])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write examples at the end."""
        _write_examples(ctx, formatter)


class GroupedOptions(TyperCommand):
    """A command whose help lists its options by what they are about."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then a section for each group of options, then all others."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        others: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                sections["Arguments"].append(record)
            else:
                title = getattr(parameter, "rich_help_panel", None)
                (others if title is None else sections.setdefault(title, [])).append(record)
        for title, records in (*sections.items(), ("Options" if len(sections) == 1 else "Other options", others)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write examples at the end."""
        _write_examples(ctx, formatter)

    def make_parser(self, ctx: Any) -> Any:
        """Return what reads the options: it takes Python's words for some of them, too."""
        parser: Any = super().make_parser(ctx)
        for other, own in OTHER_WORDS.items():
            if own in parser._long_opt:
                parser._long_opt.setdefault(other, parser._long_opt[own])
        return parser


def _summary(command: Any) -> str:
    """Return the first sentence of what a command does, whole."""
    return " ".join((command.help or "").strip().split("\n\n")[0].split())


def _write_examples(ctx: Any, formatter: Any) -> None:
    examples = EXAMPLES.get(ctx.command_path, ())
    if examples:
        with formatter.section("Examples"):
            for typed, what in examples:
                formatter.write(
                    f"{'':>{formatter.current_indent}}{typed}\n{'':>{formatter.current_indent + 4}}{what}\n"
                )
