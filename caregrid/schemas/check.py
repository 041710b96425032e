"""`caregrid check`: an experiment's claims against its stored rows."""

from caregrid.json_schema import OutputSchema
from caregrid.schemas._experiments import ExperimentFields


class CheckOutput(ExperimentFields):
    """What the stored rows say."""


SCHEMA = OutputSchema(version=1, shape=CheckOutput)
