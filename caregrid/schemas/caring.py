"""What the operations of caring agents print with --json: outcomes, segments, certificates and tables."""

from typing import Annotated, Literal, NotRequired, TypedDict

from caregrid.json_schema import OutputRow, OutputSchema

__all__ = [
    "best_responses",
    "breakpoints",
    "compare",
    "evaluate",
    "export",
    "infer",
    "optima",
    "penalties",
    "precompute",
    "regions",
    "solve",
    "statements",
    "sweep",
    "train",
]


OBSERVES = "where the scenario hides a part of the state: the plan knows all of it"


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


class HiddenMeasures(TypedDict):
    """Where the scenario hides a performance: how the behaviour is judged, expected within the step limit."""

    performance: NotRequired[Annotated[float, "where something is hidden: the hidden performance"]]
    violations: NotRequired[Annotated[float, "where something is hidden: number of safety violations"]]


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


class Segment(Outcome, HiddenMeasures):
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


class EvaluateOutput(TypedDict):
    """What a policy earns; null where it is not finite."""

    scenario: Annotated[str, "its name"]
    formulation: Annotated[str, "how others count"]
    policy: Annotated[str, "as it was named"]
    care: Annotated[float, "the caring coefficient"]
    own: Annotated[float | None, "the acting agent's expected return"]
    others: Annotated[dict[str, float | None], "other agent -> its expected return"]
    total: Annotated[float | None, "own and all others together"]
    augmented: Annotated[float | None, "the return of the augmented reward"]
    performance: Annotated[float | None, "the hidden performance within the step limit; null: nothing is hidden"]
    violations: Annotated[float, "expected number of safety violations within the step limit"]
    ends: Annotated[float, "the probability that an episode ever ends"]
    errors: NotRequired[
        Annotated[dict[str, float | None], "with --certify: how far a return may be off; null: no bound"]
    ]


evaluate = OutputSchema(version=1, shape=EvaluateOutput)
"""`caregrid evaluate`: what a policy earns, exactly."""


class SegmentFields(TypedDict):
    """Every segment of a range of coefficients."""

    scenario: Annotated[str, "its name"]
    formulation: Annotated[str, "how others count"]
    observes: NotRequired[Annotated[Literal["state"], OBSERVES]]
    range: Annotated[tuple[float | None, float | None], "the coefficients that were solved; null: unbounded"]
    limits: Annotated[list[float], "coefficients from which on the optimum is not finite"]
    segments: Annotated[list[Segment], "by rising coefficients"]
    ties: Annotated[list[BreakPoint], "the break points, and what ties there"]
    epsilon: NotRequired[Annotated[float, "with --epsilon: the loss that is tolerated"]]
    loss: NotRequired[Annotated[Loss, "with --epsilon or --certify"]]


class BestResponsesOutput(TypedDict):
    """Rounds, and what they lead to."""

    scenario: Annotated[str, "its name"]
    agents: Annotated[list[str], "in the order in which they act"]
    coefficients: Annotated[dict[str, dict[str, float]], "agent -> agent -> what the first weighs the second with"]
    begin: Annotated[str, "declared or joint: the policies at first"]
    order: Annotated[str, "in turn or at once"]
    damping: Annotated[float, "how much of the old policy stays in a round"]
    rounds: Annotated[list[OutputRow], "round, then of each agent its return and its regret, and who then changed"]
    nash: Annotated[bool, "whether nobody gains alone from the start"]
    markov_perfect: Annotated[bool, "whether nobody gains alone from any state"]
    cycle: Annotated[int | None, "after how many rounds policies come back; null: they do not"]
    returns: Annotated[dict[str, float | None], "agent -> its expected return at the end"]
    together: Annotated[dict[str, float | None], "agent -> its expected return under one planner for all"]
    actions: Annotated[list[list[str]] | None, "a step's actions, one an agent; null: chance decides"]


best_responses = OutputSchema(version=1, shape=BestResponsesOutput)
"""`caregrid best-responses`: every agent of a shared world plans against the others, in rounds."""


class SearchCost(TypedDict):
    """Effort, counted in policies that were evaluated."""

    states: Annotated[int, "of the world"]
    segments: Annotated[int, "of all start states, as they were solved"]
    policies: Annotated[int, "evaluated; 0 where shortest paths give all segments"]
    policies_per_segment: Annotated[float, "their ratio"]


class BreakpointsOutput(SegmentFields):
    """All segments of a range of coefficients, and what the search took."""

    cost: Annotated[SearchCost, "what the search took"]


breakpoints = OutputSchema(version=4, shape=BreakpointsOutput)
"""`caregrid breakpoints`: every segment of the caring coefficient, and where the optimal policy changes."""


class ComparedPath(Outcome):
    """A behaviour."""

    formulation: Annotated[str, "how others count"]
    policy: Annotated[str, "optimal, or the name of a learned policy"]
    care: Annotated[float, "the caring coefficient"]
    ends: Annotated[
        float | None, "the probability that it ever ends; below 1 a learned policy is cut at the time limit"
    ]


class CompareOutput(TypedDict):
    """A row a behaviour."""

    scenario: Annotated[str, "its name"]
    out: Annotated[str | None, "the picture that was written; null: none"]
    rows: Annotated[list[ComparedPath], "by formulation, then by coefficient"]


compare = OutputSchema(version=2, shape=CompareOutput)
"""`caregrid compare`: the behaviours of several coefficients and formulations."""


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


infer = OutputSchema(version=1, shape=InferOutput)
"""`caregrid infer`: who comes afterwards, from what they did."""


class BestReturn(TypedDict):
    """Of policies with the best return."""

    best: Annotated[float, "their return"]
    performance: Annotated[tuple[float, float], "their least and their largest performance"]


class BestPerformance(TypedDict):
    """Of policies with the best hidden performance."""

    best: Annotated[float, "their performance"]
    return_: Annotated[float, "their largest return"]


class OptimaOutput(TypedDict):
    """Both optima, undiscounted and within the step limit."""

    scenario: Annotated[str, "its name"]
    problem: Annotated[str, "in a sentence"]
    steps: Annotated[int, "the step limit"]
    return_: Annotated[BestReturn, "optimal for the return"]
    performance: Annotated[BestPerformance, "optimal for the hidden performance"]
    gap: Annotated[float, "how far a policy of the best return may stay below the best performance"]


optima = OutputSchema(version=1, shape=OptimaOutput)
"""`caregrid optima`: the best return and the best hidden performance of a scenario."""


class PenaltiesOutput(TypedDict):
    """A row per step and baseline; of pairs of states two per pair, without and with inaction rollouts."""

    scenario: Annotated[str, "its name"]
    discount: Annotated[float, "of reachability and utilities"]
    penalties: Annotated[
        list[OutputRow],
        "step, action, baseline, or pair, state, baseline, rollouts, steps (the fewest between them, null where no way "
        "leads), then the deviation by UR, RR(t), RR(a), AU(t) and AU(a)",
    ]


penalties = OutputSchema(version=1, shape=PenaltiesOutput)
"""`caregrid penalties`: side-effect penalties of every step of an episode, or of pairs of states."""


class NewcomerPolicyFields(TypedDict):
    """What a newcomer follows in place of an optimal policy."""

    policy: Annotated[str, "as it was given"]
    states: Annotated[int, "of its world in which the policy says what to do; elsewhere it acts optimally"]
    among: Annotated[int, "so many states in which there is something to do"]


class PrecomputeOutput(TypedDict):
    """What was saved."""

    scenario: Annotated[str, "its name"]
    file: Annotated[str, "that was written"]
    fingerprint: Annotated[str, "of the world that the values belong to"]
    states: Annotated[int, "of the acting agent"]
    names: Annotated[list[str], "who comes afterwards"]
    baseline_value: Annotated[list[float | None], "of each, without the acting agent; null: not finite"]
    warning: Annotated[str | None, "where learned values are not the exact ones; null: none"]
    followed: Annotated[dict[str, NewcomerPolicyFields], "newcomer -> what it follows"]


precompute = OutputSchema(version=2, shape=PrecomputeOutput)
"""`caregrid precompute`: what the others can expect, saved."""


class OptimalRegion(Outcome):
    """A behaviour, and the polyhedron of coefficients in which it is optimal."""

    returns: Annotated[list[float | None], "what each coefficient multiplies, one an axis"]
    interior: Annotated[list[float | None], "coefficients inside, one an axis"]
    halfspaces: Annotated[list[list[float | None]], "rows [a_1, ..., a_k, b] of a . c <= b"]
    outline: NotRequired[Annotated[list[list[float | None]], "of one or two axes: corners in the window"]]
    path: NotRequired[Annotated[list[tuple[int, int]], "row and column of the acting agent in every state"]]
    certificate: NotRequired[Annotated[Certificate, "with --certify"]]


class RegionLoss(TypedDict):
    """How much more any policy may earn, as proved."""

    certified: Annotated[bool, "whether the bounds are at most 1e-9 of their scale, and the loss that was allowed"]
    amount: Annotated[float | None, "of the return, at the corner where it is largest; null: no bound"]
    scale: Annotated[float, "the size of the largest return at a corner"]
    slope: Annotated[float | None, "for each unit of the coefficients, where regions have no end; null: no bound"]
    slope_scale: Annotated[float, "the size of the largest return for a unit of the coefficients"]


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
    certificate: NotRequired[Annotated[RegionLoss, "with --certify"]]


regions = OutputSchema(version=2, shape=RegionsOutput)
"""`caregrid regions`: every optimal behaviour for several coefficients at once."""


class PlainEpisodesOutput(TypedDict):
    """How much of a wrapped world was compared with plain episodes of its environment, without a difference."""

    episodes: Annotated[int, "from reset, never restored"]
    steps: Annotated[int, "in all of them"]
    states_covered: Annotated[int, "states in which an action was taken"]
    states: Annotated[int, "states in which one can be taken"]
    actions_covered: Annotated[int, "pairs of a state and an action that was taken there"]
    actions: Annotated[int, "all such pairs"]


class SolveOutput(Outcome, HiddenMeasures):
    """What the optimal policy leads to."""

    scenario: Annotated[str, "its name"]
    formulation: Annotated[str, "how others count"]
    care: Annotated[float, "the caring coefficient"]
    own_coefficient: Annotated[float, "the weight of the own reward, --own"]
    observes: NotRequired[Annotated[Literal["state"], OBSERVES]]
    alternatives: Annotated[list[list[Outcome]], "for each start state: what other optimal policies lead to"]
    return_: Annotated[float | None, "the same as own"]
    certificate: NotRequired[Annotated[Certificate, "with --certify"]]
    loss: NotRequired[Annotated[Loss, "with --certify"]]
    frames: NotRequired[Annotated[list[str], "with --draw: every state, as text"]]
    plain_episodes: NotRequired[Annotated[PlainEpisodesOutput, "of a wrapped world: how much of it was compared"]]


solve = OutputSchema(version=4, shape=SolveOutput)
"""`caregrid solve`: an exact solution at one caring coefficient."""


class StatementSegment(TypedDict):
    """An optimal segment of one start state."""

    care_from: Annotated[float | None, "null: without bound"]
    care_to: Annotated[float | None, "null: without bound"]
    ends: Annotated[bool, "whether the optimal policy surely ends"]


class SequentialRow(TypedDict):
    """One coefficient from one start state."""

    care: Annotated[float, "caring coefficient"]
    start: Annotated[int, "number of the start state"]
    in_turn: Annotated[float | None, "the optimum of Eq 1 or 4; null: not finite"]
    at_once: Annotated[float | None, "that of Eq 6 in the joined world; null: not finite"]
    agree: Annotated[bool, "whether they are the same"]


class StatementsOutput(TypedDict):
    """Proposition 1, and Eq 6 beside the sequential case."""

    applies: Annotated[bool, "whether Proposition 1 applies"]
    holds: Annotated[bool, "whether both statements hold, as far as they apply"]
    conditions: Annotated[dict[str, bool], "of Proposition 1, in words"]
    segments: Annotated[list[StatementSegment], "for all coefficients"]
    sequential: Annotated[list[SequentialRow], "by coefficient and start state"]
    no_sequential: Annotated[str, "why there are no such rows; empty: there are"]


statements = OutputSchema(version=1, shape=StatementsOutput)
"""`caregrid statements`: two statements of the paper, checked on a scenario."""


class SweepOutput(TypedDict):
    """The table, the break points and a warning."""

    rows: Annotated[list[OutputRow], "as in sweep.csv: a coefficient, method and seed, a column a newcomer"]
    breakpoints: Annotated[SegmentFields, "from the least coefficient, or 0, on"]
    warning: Annotated[str | None, "where learned policies are not optimal; null: none"]


sweep = OutputSchema(version=4, shape=SweepOutput)
"""`caregrid sweep`: the caring coefficient, swept."""


class Checkpoint(TypedDict):
    """The greedy policy after some steps."""

    steps: Annotated[int, "of the world"]
    greedy_return: Annotated[float | None, "its augmented return; null: not finite"]
    optimum: Annotated[float | None, "the best augmented return"]
    below: Annotated[float | None, "their difference"]


class MeanInterval(TypedDict):
    """Of a mean over seeds."""

    low: Annotated[float | None, "its lower end"]
    high: Annotated[float | None, "its upper end"]
    kind: Annotated[str, "how it is found"]


class TrainOutput(TypedDict):
    """What was trained, and how it went."""

    policy: Annotated[dict[str, object], "agent, scenario, coefficient, seed and the learner's own settings"]
    curve: Annotated[list[Checkpoint], "by steps; with --seeds the means"]
    out: Annotated[str | None, "where the policy is kept"]
    warning: Annotated[str | None, "where the policy is not optimal; null: none"]
    seeds: NotRequired[Annotated[list[OutputRow], "with --seeds: a row for each, after its last step"]]
    mean: NotRequired[Annotated[float | None, "with --seeds: of the greedy returns"]]
    interval: NotRequired[Annotated[MeanInterval | None, "with --seeds: of the mean; null: of a single seed"]]


train = OutputSchema(version=2, shape=TrainOutput)
"""`caregrid train`: an agent trained on a scenario."""


class ExportOutput(TypedDict):
    """The table that was written."""

    scenario: Annotated[str, "its name"]
    formulation: Annotated[str, "what others' rewards are"]
    states: Annotated[int, "how many"]
    actions: Annotated[list[str], "their names"]
    rewards: Annotated[list[str], "their names"]
    discount: Annotated[float, "gamma"]
    out: Annotated[str, "the file that was written"]


export = OutputSchema(version=1, shape=ExportOutput)
"""`caregrid export`: the table of a scenario, for other solvers."""
