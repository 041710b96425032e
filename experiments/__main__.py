"""`python -m experiments` is the command `caregrid`."""

import sys

from experiments.command_line import main

if __name__ == "__main__":
    sys.exit(main())
