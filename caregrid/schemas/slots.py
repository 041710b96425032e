"""What `caregrid multislot` prints with --json: values, a simulation, a check of locality, the scenarios."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import ExactNumber, OutputSchema

__all__ = ["multislot", "multislot_locality", "multislot_scenarios", "multislot_simulation"]


class PosteriorWeight(TypedDict):
    """An environment of a class."""

    name: Annotated[str, "the environment's"]
    weight: Annotated[ExactNumber, "its posterior weight at the history"]


class MultislotOutput(TypedDict):
    """Numbers are fractions as text ("3/4"), with --arithmetic float numbers."""

    Q: Annotated[dict[str, ExactNumber], "action -> its value"]
    V: Annotated[ExactNumber, "the value of the action that is taken"]
    action: Annotated[str | int, "that is taken: the first of the best"]
    ties: Annotated[list[str | int], "all best actions"]
    P: Annotated[dict[str, ExactNumber], "slot -> the probability that it is the agent's own"]
    slot_Q: Annotated[dict[str, dict[str, ExactNumber]], "slot -> action -> its value there"]
    posterior: NotRequired[Annotated[list[PosteriorWeight], "of a class: how likely each environment is"]]
    horizon: NotRequired[Annotated[int, "with --within: how many steps the values look ahead"]]
    error: NotRequired[Annotated[ExactNumber, "with --within: how far a value may be from that of an infinite horizon"]]


multislot = OutputSchema(version=3, shape=MultislotOutput)
"""`caregrid multislot` with --value: the action values of an agent that may be copied."""


class MultislotLocalityOutput(TypedDict):
    """Whether an environment is history-based."""

    history_based: Annotated[bool, "whether no violation was found"]
    steps: Annotated[int, "in how many first steps"]
    witness: NotRequired[Annotated[str, "the violation, in words"]]
    laws: NotRequired[Annotated[list[dict[str, ExactNumber]], "of both situations: slot,observation -> probability"]]


multislot_locality = OutputSchema(version=1, shape=MultislotLocalityOutput)
"""`caregrid multislot locality`: whether equal histories on one slot have equal laws."""


class MultislotScenariosOutput(TypedDict):
    """All scenarios."""

    scenarios: Annotated[dict[str, str], "name -> what it is"]


multislot_scenarios = OutputSchema(version=1, shape=MultislotScenariosOutput)
"""`caregrid multislot` without a world: the scenarios."""


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


multislot_simulation = OutputSchema(version=1, shape=MultislotSimulationOutput)
"""`caregrid multislot` with --simulate: agents that may be copied, step by step."""
