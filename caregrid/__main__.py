"""`python -m caregrid` is the command `caregrid`."""

import sys

from caregrid.main import main

if __name__ == "__main__":
    sys.exit(main())
