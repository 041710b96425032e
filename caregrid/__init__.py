"""The face of caregrid: what a user touches, from Python, from Gymnasium and from the command line.

Importing it registers every scenario with Gymnasium, as `caregrid/NAME-v0`, without importing any of them.
"""

from caregrid.environments.registration import register_with_gymnasium

register_with_gymnasium()
