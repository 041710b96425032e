"""`caregrid infer`: who comes afterwards, from what they did."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import OutputSchema


class PointInterval(TypedDict):
    """A break point under the posterior, and where it lies by who may come."""

    care: Annotated[float | None, "under the posterior mean; null: there it has none"]
    low: Annotated[float | None, "lower end of the credible interval; null: unbounded"]
    high: Annotated[float | None, "upper end; null: unbounded"]
    chance: Annotated[float, "the probability that there is such a point"]


class WorthOfOneMore(TypedDict):
    """In units of the return own + care * value."""

    care: Annotated[float, "the coefficient at which the agent acts"]
    worth: Annotated[float, "estimate"]
    interval: Annotated[tuple[float, float], "of 95 percent, for the sampling"]
    now: Annotated[float, "what is earned without another demonstration"]
    samples: Annotated[int, "how many were drawn"]


class InferOutput(TypedDict):
    """The posterior, and where the break points of caring are."""

    scenario: Annotated[str, "its name"]
    temperature: Annotated[float, "of Boltzmann's rule, in units of the reward"]
    posterior: Annotated[dict[str, float], "newcomer -> its probability after all demonstrations"]
    demonstrations: Annotated[list[dict[str, float]], "demonstrations seen, and each newcomer's probability then"]
    indistinguishable: Annotated[list[list[str]], "groups of newcomers that no behaviour can tell apart"]
    break_points: Annotated[list[PointInterval], "by rising coefficients"]
    worth_of_watching: NotRequired[Annotated[WorthOfOneMore, "with --worth-at: of one more demonstration"]]


SCHEMA = OutputSchema(version=1, shape=InferOutput)
