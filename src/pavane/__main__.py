"""`python -m pavane` is `pavane`."""

from pavane.cli import main

if __name__ == "__main__":
    main()
