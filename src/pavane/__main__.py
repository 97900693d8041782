"""`python -m pavane` is `pavane`."""

import sys


def main() -> None:
    """Run the command line; an interrupt that comes while it is loaded gets its one line, too."""
    try:
        from pavane.cli import main as command_line
    except KeyboardInterrupt:
        print("pavane: error: interrupted", file=sys.stderr)
        sys.exit(1)
    command_line()


if __name__ == "__main__":
    main()
