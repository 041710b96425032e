"""`caregrid run`: an experiment that was run to its end."""

from typing import Annotated

from caregrid.json_schema import OutputSchema
from caregrid.schemas._experiments import ExperimentFields, SessionFields


class RunOutput(SessionFields, ExperimentFields):
    """What the run did, and what the rows say."""

    files: Annotated[list[str], "that were written"]


SCHEMA = OutputSchema(version=1, shape=RunOutput)
