"""What a policy of the acting agent leads to, and what is proved of it."""

from typing import Annotated, NotRequired, TypedDict


class OutcomeFields(TypedDict):
    """What the acting agent and the others get; null where it is not finite."""

    own: Annotated[float | None, "the acting agent's expected return"]
    others: Annotated[dict[str, float | None], "other agent -> its expected return"]
    total: Annotated[float | None, "own and all others together"]
    handover: Annotated[dict[str, object] | None, "the state in which the acting agent ends, in words; null: several"]
    actions: Annotated[list[str], "the acting agent's actions by name, from the start on"]


class StartCase(OutcomeFields):
    """One of several start states."""

    start: Annotated[dict[str, object], "the start state, in words"]
    probability: Annotated[float, "of that start state"]


class Outcome(OutcomeFields):
    """An outcome; of several start states the expected one, and each."""

    cases: NotRequired[Annotated[list[StartCase], "each start state, where there are several"]]


class Bounds(TypedDict):
    """What is proved of a number."""

    lower: Annotated[float | None, "at most the number; null: no bound"]
    upper: Annotated[float | None, "at least the number; null: no bound"]
    exact: Annotated[str | None, "the number itself as p/q; null: not known, or too long"]


class Certificate(TypedDict):
    """What is proved of an outcome."""

    certified: Annotated[bool, "whether the error is at most 1e-9 of the scale"]
    error: Annotated[float | None, "how far a printed number may be from the true one; null: no bound"]
    scale: Annotated[float, "the largest of the numbers and of the acting agent's rewards, in absolute value"]
    own: Annotated[Bounds | None, "the acting agent's expected return"]
    others: Annotated[dict[str, Bounds | None], "other agent -> its expected return"]
    total: Annotated[Bounds | None, "own and all others together"]


class Loss(TypedDict):
    """How much more any policy may earn, as proved."""

    certified: Annotated[bool, "whether the bounds are at most 1e-9 of their scale, and the loss that was allowed"]
    amount: Annotated[float | None, "of the augmented return, where it is largest; null: no bound"]
    scale: Annotated[float, "the size of the augmented return there"]
    care: Annotated[float | None, "the coefficient where it is largest; null: none"]
    slope_below: Annotated[float | None, "for each unit of care below; null: no bound"]
    slope_above: Annotated[float | None, "for each unit of care above; null: no bound"]


class Segment(Outcome):
    """Coefficients from one break point to the next, at which one behaviour is optimal."""

    care_from: Annotated[float | None, "its least coefficient; null: unbounded"]
    care_to: Annotated[float | None, "its largest coefficient; null: unbounded"]
    certificate: NotRequired[Annotated[Certificate, "with --certify"]]


class Line(TypedDict):
    """The augmented return of a policy: own + care * auxiliary."""

    own: Annotated[float | None, "the part that care does not multiply, weighted by --own"]
    auxiliary: Annotated[float | None, "the part that care multiplies"]


class BreakPoint(TypedDict):
    """A coefficient at which policies tie."""

    care: Annotated[float, "the coefficient"]
    policies: Annotated[list[Line], "what ties there; from there on the last one is optimal"]
    certificate: NotRequired[Annotated[Bounds | None, "with --certify: of the coefficient"]]


class SegmentFields(TypedDict):
    """Every segment of a range of coefficients."""

    scenario: Annotated[str, "its name"]
    formulation: Annotated[str, "how others count"]
    range: Annotated[tuple[float | None, float | None], "the coefficients that were solved; null: unbounded"]
    limits: Annotated[list[float], "coefficients from which on the optimum is not finite"]
    segments: Annotated[list[Segment], "by rising coefficients"]
    ties: Annotated[list[BreakPoint], "the break points, and what ties there"]
    epsilon: NotRequired[Annotated[float, "with --epsilon: the loss that is tolerated"]]
    loss: NotRequired[Annotated[Loss, "with --epsilon or --certify"]]
