"""`caregrid run`, `sweep`, `battery` or `bench` with --dry-run: what the engine would start."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema


class RunPlanOutput(TypedDict):
    """What would be started."""

    plan: Annotated[str, "as text; with --slurm the script of a job"]


SCHEMA = OutputSchema(version=1, shape=RunPlanOutput)
