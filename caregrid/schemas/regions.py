"""`caregrid regions`: every optimal behaviour for several coefficients at once."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import OutputSchema
from caregrid.schemas._outcomes import Outcome


class OptimalRegion(Outcome):
    """A behaviour, and the polyhedron of coefficients in which it is optimal."""

    returns: Annotated[list[float | None], "what each coefficient multiplies, one an axis"]
    interior: Annotated[list[float | None], "coefficients inside, one an axis"]
    halfspaces: Annotated[list[list[float | None]], "rows [a_1, ..., a_k, b] of a . c <= b"]
    outline: NotRequired[Annotated[list[list[float | None]], "of one or two axes: corners in the window"]]
    path: NotRequired[Annotated[list[tuple[int, int]], "row and column of the acting agent in every state"]]


class RegionsOutput(TypedDict):
    """All regions; see docs/regions.md."""

    scenario: Annotated[str, "its name"]
    formulation: Annotated[str, "how others count"]
    axes: Annotated[list[str], "what each coefficient multiplies"]
    regions: Annotated[list[OptimalRegion], "by falling returns"]
    limits: Annotated[
        list[list[float]], "rows [a_1, ..., a_k, b] of a . c <= b, beyond which the optimum is not finite"
    ]
    solves: Annotated[int, "how many plans were computed"]
    beliefs: NotRequired[Annotated[list[str], "with --beliefs: the newcomers that may come"]]
    window: NotRequired[
        Annotated[list[list[float]], "of one or two axes: the part that is drawn, (low, high) of each axis"]
    ]
    floor: NotRequired[Annotated[list[str], "the map, where the acting agent has a place"]]
    epsilon: NotRequired[Annotated[float, "with --epsilon: the loss that is tolerated"]]
    loss: NotRequired[Annotated[float | None, "with --epsilon: the largest loss; null: no bound"]]


SCHEMA = OutputSchema(version=1, shape=RegionsOutput)
