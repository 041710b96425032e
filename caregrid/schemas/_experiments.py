"""What is said of an experiment and its run."""

from typing import Annotated, TypedDict

from caregrid.schemas._values import Row, Scalar


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
    rows: Annotated[list[Row], "its rows"]


class ExperimentFields(TypedDict):
    """What the stored rows of an experiment say."""

    experiment: Annotated[str, "its name"]
    reproduces: Annotated[str, "the table or figure of a paper"]
    directory: Annotated[str | None, "the run directory; null: nothing is kept"]
    extent: Annotated[str, "whole, quick or partial: which part of the grid is there"]
    claims: Annotated[list[ClaimVerdict], "the paper's statements"]
    published: Annotated[list[PublishedNumber], "the paper's numbers beside ours"]
    table: Annotated[list[Row], "the experiment's own table; empty where it has none or rows are missing"]
    statistics: Annotated[list[StatisticsRows], "statistics over seeds, where they are declared"]


class FailedUnit(TypedDict):
    """A unit without rows."""

    setting: Annotated[dict[str, Scalar], "setting -> value"]
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
