"""`caregrid multislot` with --simulate: agents that may be copied, step by step."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import OutputSchema


class SlotStep(TypedDict):
    """A time step; keys are slots as text."""

    t: Annotated[int, "0, 1, ..."]
    agent_set: Annotated[list[int], "slots with an agent"]
    histories: Annotated[dict[str, str], "slot -> actions and observations so far"]
    slot_histories: Annotated[dict[str, list[int]], "slot -> the slots that its agent came by"]
    actions: NotRequired[Annotated[dict[str, str | int], "from step 1 on: slot -> action"]]
    copy_set_list: NotRequired[Annotated[dict[str, list[int]], "from step 1 on: slot -> slots that it is copied to"]]
    observations: NotRequired[Annotated[dict[str, str | int], "from step 1 on: slot -> observation"]]


class MultislotSimulationOutput(TypedDict):
    """The trace."""

    steps: Annotated[list[SlotStep], "one a time step, the start among them"]


SCHEMA = OutputSchema(version=1, shape=MultislotSimulationOutput)
