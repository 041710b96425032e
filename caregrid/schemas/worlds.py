"""What the operations that look at worlds and episodes print with --json."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import OutputSchema

__all__ = ["demo", "demo_files", "demo_lesson", "record", "rollout", "rollout_samples", "worlds"]


class LessonTitle(TypedDict):
    """A lesson."""

    number: Annotated[int, "1, 2, ..."]
    name: Annotated[str, "its name"]
    title: Annotated[str, "a question"]


class DemoOutput(TypedDict):
    """All lessons."""

    lessons: Annotated[list[LessonTitle], "by number"]


demo = OutputSchema(version=1, shape=DemoOutput)
"""`caregrid demo`: the lessons."""


class DemoFilesOutput(TypedDict):
    """The files of all lessons."""

    out: Annotated[str, "the folder"]
    files: Annotated[list[str], "names in it"]


demo_files = OutputSchema(version=1, shape=DemoFilesOutput)
"""`caregrid demo` of all lessons, or their documents: what was written."""


class DemoLessonOutput(TypedDict):
    """A lesson."""

    number: Annotated[int, "1, 2, ..."]
    name: Annotated[str, "its name"]
    title: Annotated[str, "a question"]
    question: Annotated[str, "what is asked first"]
    command: Annotated[str, "the command that it explains"]
    out: Annotated[str | None, "the file that was written; null: it was shown in a window"]


demo_lesson = OutputSchema(version=1, shape=DemoLessonOutput)
"""`caregrid demo` of one lesson: the lesson, and the film or picture of it."""


class RecordOutput(TypedDict):
    """What was recorded."""

    scenario: Annotated[str, "its name"]
    care: Annotated[list[float], "the caring coefficients"]
    scenes: Annotated[int, "how many"]
    out: Annotated[str, "the file that was written"]


record = OutputSchema(version=1, shape=RecordOutput)
"""`caregrid record`: a film of a scenario's exact solution."""


class ReplayedStep(TypedDict):
    """A step, and what the agent observes after it."""

    action: Annotated[str, "its name"]
    reward: Annotated[float, "observed"]
    performance: Annotated[float, "hidden"]
    terminated: Annotated[bool, "whether the world ended the episode here"]
    board: Annotated[list[str], "rows of letters"]


class RolloutOutput(TypedDict):
    """An episode, or its beginning."""

    scenario: Annotated[str, "its name"]
    first_board: Annotated[list[str], "what the agent observes before the first action, as rows"]
    chance: Annotated[list[str], "the outcomes of all draws, by name; --chance replays them"]
    seed: Annotated[int | None, "of the draws; null: nothing depended on it"]
    steps: Annotated[list[ReplayedStep], "one an action"]
    return_: Annotated[float, "the sum of the rewards"]
    performance: Annotated[float, "the sum of the hidden performances"]


rollout = OutputSchema(version=2, shape=RolloutOutput)
"""`caregrid rollout`: actions replayed in a scenario."""


class SampledReturn(TypedDict):
    """A return over all episodes."""

    return_: Annotated[str, "own, others or performance"]
    mean: Annotated[float, "over episodes"]
    standard_error: Annotated[float | None, "of the mean; null: there is one episode"]
    least: Annotated[float, "of all episodes"]
    most: Annotated[float, "of all episodes"]


class RolloutSamplesOutput(TypedDict):
    """Means with their standard errors."""

    scenario: Annotated[str, "its name"]
    policy: Annotated[str, "random or optimal"]
    episodes: Annotated[int, "how many"]
    steps: Annotated[int, "of all episodes together"]
    terminated: Annotated[int, "how many episodes the world ended"]
    returns: Annotated[list[SampledReturn], "own, and others and performance where there are any"]


rollout_samples = OutputSchema(version=1, shape=RolloutSamplesOutput)
"""`caregrid rollout` with --episodes: returns of a policy, estimated from many episodes."""


class DescribedWorld(TypedDict):
    """A scenario; optima are null where nothing is hidden from the agent."""

    world: Annotated[str, "its name"]
    problem: Annotated[str, "in a sentence"]
    formulation: Annotated[str | None, "how others count; null: not solved"]
    break_points: Annotated[str | None, "coefficients, separated by spaces; null: not solved"]
    reward: Annotated[float | None, "the best return"]
    its_performance: Annotated[float | None, "the best performance of a policy of the best return"]
    worst_performance: Annotated[float | None, "the worst performance of such a policy"]
    best_performance: Annotated[float | None, "the best performance of any policy"]
    refused: Annotated[str | None, "why it is not solved; null: it is"]
    held_out: NotRequired[Annotated[str, "of a random map: its spelling, SEED-NUMBER or SEED-NUMBER-BREAKS"]]
    map: NotRequired[Annotated[str, "of a random map: its drawing"]]
    states: NotRequired[Annotated[int, "of a random map: how many can be reached"]]
    traded_off: NotRequired[
        Annotated[str, "of a random map: break points from 0.05 to 20, by others' expected returns"]
    ]
    careless_area: NotRequired[Annotated[float | None, "of a random map: without care; null: nothing is at stake"]]
    one_care_area: NotRequired[Annotated[float | None, "of a random map: the largest of any single coefficient"]]


class WorldsOutput(TypedDict):
    """A row per scenario."""

    rows: Annotated[list[DescribedWorld], "in the order asked for"]


worlds = OutputSchema(version=2, shape=WorldsOutput)
"""`caregrid worlds`: scenarios, their optima and break points."""
