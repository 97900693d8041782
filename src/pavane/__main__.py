"""`python -m pavane` is `pavane`."""

import sys
from itertools import pairwise


def main() -> None:
    """Run the command line; an interrupt that comes while it is loaded gets its one line, too."""
    try:
        from pavane.ui.cli import main as command_line
    except KeyboardInterrupt:
        print("pavane: error: interrupted", file=sys.stderr)
        sys.exit(1)
    if "--cluster=mpi" in sys.argv or ("--cluster", "mpi") in pairwise(sys.argv):
        # All processes of the job come by here, and only the first may read arguments and print.
        from pavane.parallel.cluster import run_job

        run_job(command_line)
    else:
        command_line()


if __name__ == "__main__":
    main()
