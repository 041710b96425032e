"""The face of caregrid: what a user touches, from Python, from Gymnasium and from the command line.

Importing it registers every scenario with Gymnasium, as `caregrid/NAME-v0`, without importing any of them.
"""

from caregrid.own_packages import require_own_packages

require_own_packages()  # before anything of them is imported

from caregrid.environments.registration import register_with_gymnasium  # noqa: E402

register_with_gymnasium()
