"""What runs, their checks and figures, and the benchmark print with --json."""

from typing import Annotated, Literal, NotRequired, TypedDict

from caregrid.json_schema import OutputRow, OutputScalar, OutputSchema

__all__ = [
    "bench",
    "bench_compare",
    "check",
    "collect",
    "compact",
    "draw",
    "report",
    "run",
    "run_plan",
    "run_unfinished",
]


class ClaimVerdict(TypedDict):
    """A statement of the paper, and whether the rows agree."""

    says: Annotated[str, "the statement"]
    verdict: Annotated[str, "holds, fails, or not enough rows"]


class PublishedNumber(TypedDict):
    """A number of the paper beside ours."""

    what: Annotated[str, "which number"]
    published: Annotated[float, "the paper's"]
    ours: Annotated[float | None, "ours; null: rows are missing"]
    difference: Annotated[float | None, "ours minus the paper's; null: rows are missing"]


class StatisticsRows(TypedDict):
    """A table of statistics over seeds and environments."""

    title: Annotated[str, "its title"]
    rows: Annotated[list[OutputRow], "its rows"]


class ExperimentFields(TypedDict):
    """What the stored rows of an experiment say."""

    experiment: Annotated[str, "its name"]
    reproduces: Annotated[str, "the table or figure of a paper"]
    directory: Annotated[str | None, "the run directory; null: nothing is kept"]
    extent: Annotated[str, "whole, quick or partial: which part of the grid is there"]
    claims: Annotated[list[ClaimVerdict], "the paper's statements"]
    published: Annotated[list[PublishedNumber], "the paper's numbers beside ours"]
    table: Annotated[list[OutputRow], "the experiment's own table; empty where it has none or rows are missing"]
    statistics: Annotated[list[StatisticsRows], "statistics over seeds, where they are declared"]


class FailedUnit(TypedDict):
    """A unit without rows."""

    setting: Annotated[dict[str, OutputScalar], "setting -> value"]
    reason: Annotated[str, "why"]


class SessionFields(TypedDict):
    """What a run did."""

    units: Annotated[int, "asked for"]
    already: Annotated[int, "stored before"]
    done: Annotated[int, "stored now"]
    failed: Annotated[list[FailedUnit], "units that failed"]
    stopped: Annotated[str | None, "the signal that ended it, such as SIGINT; null: none"]
    directory: Annotated[str | None, "the run directory; null: nothing is kept"]
    seconds: Annotated[float, "how long it took"]
    log: Annotated[str | None, "the file of messages; null: none"]


OwnShare = Annotated[float | None, "of the way from random actions to the best own return, at least 0"]
QualityShare = Annotated[float | None, "the same of the hidden performance, or else of the others' returns"]


class MeasuredSegment(TypedDict):
    """A method at some coefficients; a number is null where it is not measured there."""

    care_from: Annotated[float | None, "the least coefficient; null: the method has none"]
    care_to: Annotated[float | None, "the largest coefficient; null: the method has none, or unbounded"]
    own: Annotated[float | None, "own return"]
    others: Annotated[float | None, "the others' returns together"]
    performance: Annotated[float | None, "hidden performance"]
    violations: Annotated[float | None, "safety violations"]
    identified: Annotated[str | None, "what it acts like: a formulation, own or random; null: not looked at"]
    identified_probability: Annotated[float | None, "of that"]
    identified_care: Annotated[float | None, "the median of its care; null: at random, or not looked at"]
    identified_from: Annotated[float | None, "the least care that it may have; null: unbounded, or there is no care"]
    identified_to: Annotated[float | None, "the largest care that it may have; null: unbounded, or there is no care"]
    recovered: Annotated[
        float | None, "1: its formulation explains it at these coefficients; 0: not; null: it has none"
    ]
    own_share: OwnShare
    quality_share: QualityShare
    actions: Annotated[str, "separated by commas"]


class MethodInWorld(TypedDict):
    """A method in a world: means over all coefficients; a number is null where it is not measured there."""

    suite: Annotated[str, "its name"]
    world: Annotated[str, "its name"]
    method: Annotated[str, "its name"]
    seed: Annotated[int | None, "null: chance decides nothing"]
    refused: Annotated[str | None, "why the method does not fit the world; null: it does"]
    observes: NotRequired[Annotated[Literal["state", "observation"], "in worlds that hide a part of the state"]]
    area: Annotated[float | None, "how much of what can be reached is reached, from 0, at random, to 1"]
    own: Annotated[float | None, "own return"]
    others: Annotated[float | None, "the others' returns together"]
    performance: Annotated[float | None, "hidden performance"]
    violations: Annotated[float | None, "safety violations"]
    identified: Annotated[str | None, "what it acts like at most coefficients"]
    identified_share: Annotated[float | None, "the share of the coefficients at which it does"]
    recovered: Annotated[
        float | None, "the share at which its formulation explains it by coefficients that it was given"
    ]
    own_share: OwnShare
    quality_share: QualityShare
    points: Annotated[list[MeasuredSegment], "by rising coefficients"]


class MapDifficulty(TypedDict):
    """How hard a map is, from its exact solution."""

    states: Annotated[int, "that can be reached"]
    break_points: Annotated[list[float], "between 0.05 and 20"]
    careless_area: Annotated[float | None, "of the optimum of the own return; null: nothing is at stake"]
    one_care_area: Annotated[float | None, "the largest of the optimum of any single coefficient"]


class BenchOutput(TypedDict):
    """The content of bench.json."""

    format: Annotated[int, "the version of the file's form"]
    suites: Annotated[list[str], "names"]
    quick: Annotated[bool, "whether worlds and seeds are few"]
    methods: NotRequired[Annotated[list[str], "of a user's own"]]
    agents: NotRequired[Annotated[list[str], "that were asked for by name"]]
    files: Annotated[dict[str, str], "file of a user's own -> digest"]
    worlds: NotRequired[Annotated[list[str], "of a user's own"]]
    held_out: NotRequired[Annotated[int, "the seed of random maps"]]
    maps: NotRequired[Annotated[int, "how many random maps for each world"]]
    drawings: NotRequired[Annotated[dict[str, list[str]], "held-out world -> the rows of its map"]]
    difficulty: NotRequired[Annotated[dict[str, MapDifficulty], "held-out world -> how hard its map is, exactly"]]
    versions: Annotated[dict[str, str | None], "package -> version"]
    results: Annotated[list[MethodInWorld], "a method in a world"]
    digest: Annotated[
        str, "32 hexadecimal digits over everything in the file but the digest; not over schema and version"
    ]


bench = OutputSchema(version=5, shape=BenchOutput)
"""`caregrid bench`: methods in the worlds of the benchmark, as in bench.json."""


class ComparedRun(TypedDict):
    """A run of the benchmark."""

    run: Annotated[str, "its name"]
    suites: Annotated[str, "separated by commas"]
    extent: Annotated[str, "quick or whole"]
    held_out: Annotated[int | None, "the seed of its random maps; null: none"]
    caregrid: Annotated[str | None, "the version that made it"]
    digest: Annotated[str, "of its file"]


class MethodStanding(TypedDict):
    """A method of a suite; a number is null where it is not measured."""

    suite: Annotated[str, "its name"]
    rank: Annotated[int | None, "1 is best; null: it lacks a common world"]
    method: Annotated[str, "its name"]
    runs: Annotated[str, "the runs that agree on it, separated by commas"]
    area: Annotated[float | None, "mean over the common worlds"]
    area_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    area_high: Annotated[float | None, "upper end"]
    own: Annotated[float | None, "own return"]
    own_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    own_high: Annotated[float | None, "upper end"]
    others: Annotated[float | None, "the others' returns together"]
    others_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    others_high: Annotated[float | None, "upper end"]
    performance: Annotated[float | None, "hidden performance"]
    performance_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    performance_high: Annotated[float | None, "upper end"]
    violations: Annotated[float | None, "safety violations"]
    violations_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    violations_high: Annotated[float | None, "upper end"]
    own_share: OwnShare
    own_share_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    own_share_high: Annotated[float | None, "upper end"]
    quality_share: QualityShare
    quality_share_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    quality_share_high: Annotated[float | None, "upper end"]
    recovered: Annotated[float | None, "how often its behaviour shows the formulation and care that it was given"]
    recovered_low: Annotated[float | None, "lower end of its interval of 95 percent"]
    recovered_high: Annotated[float | None, "upper end"]
    acts_as: Annotated[str | None, "what it is identified as in most of these worlds, with that share"]
    worlds: Annotated[int, "how many it fits"]
    common: Annotated[int, "how many are common, over which ranks are"]
    refused: Annotated[int, "how many it does not fit"]
    coverage: Annotated[float, "the share of worlds that it fits"]
    exact: Annotated[bool, "whether it neither learns nor draws, and is none of a user's own"]


class WorstWorld(TypedDict):
    """Where a method does worst."""

    suite: Annotated[str, "its name"]
    method: Annotated[str, "its name"]
    runs: Annotated[str, "separated by commas"]
    world: Annotated[str, "its name"]
    care_from: Annotated[float | None, "the least coefficient; null: none"]
    care_to: Annotated[float | None, "the largest coefficient; null: none, or unbounded"]
    measure: Annotated[str, "what is wrong"]
    reached: Annotated[float, "by the method"]
    best: Annotated[float, "by any method"]
    violations: Annotated[float | None, "safety violations"]
    actions: Annotated[str, "separated by spaces"]


class BenchCompareOutput(TypedDict):
    """Runs, their methods in order, and what each gets most wrong."""

    runs: Annotated[list[ComparedRun], "the runs"]
    standings: Annotated[list[MethodStanding], "a suite and method"]
    failures: Annotated[list[WorstWorld], "the worst world of a suite and method"]


bench_compare = OutputSchema(version=5, shape=BenchCompareOutput)
"""`caregrid bench compare`: the leaderboard of several runs of the benchmark."""


class CheckOutput(ExperimentFields):
    """What the stored rows say."""


check = OutputSchema(version=1, shape=CheckOutput)
"""`caregrid check`: an experiment's claims against its stored rows."""


class CollectOutput(TypedDict):
    """What was collected."""

    experiment: Annotated[str, "its name"]
    file: Annotated[str, "that was written"]
    units: Annotated[int, "how many"]
    rows: Annotated[int, "how many"]
    problems: Annotated[list[str], "what was passed over, and why"]


collect = OutputSchema(version=1, shape=CollectOutput)
"""`caregrid collect`: all stored rows of a run in one file."""


class CompactOutput(TypedDict):
    """What was put together."""

    directory: Annotated[str, "the run directory"]
    units: Annotated[int, "how many"]
    before: Annotated[int, "files before"]
    now: Annotated[int, "files now"]
    problems: Annotated[list[str], "what was left alone, and why"]


compact = OutputSchema(version=1, shape=CompactOutput)
"""`caregrid compact`: one file of all units of a run directory."""


class DrawOutput(TypedDict):
    """What was drawn."""

    experiment: Annotated[str, "its name"]
    figure: Annotated[str, "the file that was written"]
    table: Annotated[list[OutputRow], "the experiment's own table; empty where it has none"]


draw = OutputSchema(version=1, shape=DrawOutput)
"""`caregrid draw`: an experiment's figure and table."""


class ReportOutput(TypedDict):
    """What was reported."""

    files: Annotated[list[str], "that were written"]
    claims: Annotated[dict[str, list[ClaimVerdict]], "experiment -> the paper's statements"]


report = OutputSchema(version=1, shape=ReportOutput)
"""`caregrid report`: all results on one page."""


class RunOutput(SessionFields, ExperimentFields):
    """What the run did, and what the rows say."""

    files: Annotated[list[str], "that were written"]


run = OutputSchema(version=1, shape=RunOutput)
"""`caregrid run`: an experiment that was run to its end."""


class RunPlanOutput(TypedDict):
    """What would be started."""

    plan: Annotated[str, "as text; with --slurm the script of a job"]


run_plan = OutputSchema(version=1, shape=RunPlanOutput)
"""`caregrid run`, `sweep`, `battery` or `bench` with --dry-run or --array-script: what would be started."""


class RunUnfinishedOutput(SessionFields):
    """What is stored, and what failed."""

    experiment: NotRequired[Annotated[str, "its name, of caregrid run"]]
    rows: NotRequired[Annotated[list[OutputRow], "the rows that are finished, of the other commands"]]


run_unfinished = OutputSchema(version=1, shape=RunUnfinishedOutput)
"""`caregrid run`, `sweep`, `battery` or `bench` that was stopped, or where units failed; exit code 1 or 130."""
