"""The command `caregrid`, and `python -m caregrid`: a Ctrl-C while modules are loaded is one line, too."""

import sys


def run() -> int:
    """Load the commands and run one; returns the exit code."""
    try:
        from caregrid.main import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("caregrid: interrupted\n")
        return 130


if __name__ == "__main__":
    sys.exit(run())
