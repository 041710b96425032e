"""What the operations that identify agents print with --json."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputSchema

__all__ = ["design", "identify", "identify_agents", "identify_group"]


class IdentifiedHypothesis(TypedDict):
    """One explanation of the behaviour. Medians and central 90 percent intervals are null where nothing is open."""

    hypothesis: Annotated[str, "a class of formulations, ', exact' after it at temperature 0; own; random"]
    formulations: Annotated[str, "the class, joined by commas"]
    log_evidence: Annotated[float, "natural logarithm of the probability of all actions"]
    prior: Annotated[float, "before"]
    probability: Annotated[float, "after"]
    log_bayes_factor: Annotated[float, "against the hypothesis with the largest evidence"]
    care: Annotated[float | None, "median of the caring coefficient"]
    care_low: Annotated[float | None, "5 percent"]
    care_high: Annotated[float | None, "95 percent"]
    temperature: Annotated[float | None, "median, in units of the own reward"]
    temperature_low: Annotated[float | None, "5 percent"]
    temperature_high: Annotated[float | None, "95 percent"]
    slip: Annotated[float | None, "median of the rate of slips"]
    slip_low: Annotated[float | None, "5 percent"]
    slip_high: Annotated[float | None, "95 percent"]


class FormulationsInOne(TypedDict):
    """Formulations that no behaviour can tell apart in these worlds."""

    name: Annotated[str, "the first, whose coefficients are reported"]
    scale: Annotated[dict[str, float], "member -> by what its coefficient is multiplied to give the first one's"]
    indifferent: Annotated[bool, "whether care changes nothing"]


class AlternativeOutput(TypedDict):
    """Something else that the agent may be."""

    name: Annotated[str, "two agents; discount; first action; outside; another policy"]
    log_bayes_factor: Annotated[float | None, "against all hypotheses together; null if it was not tried"]
    why_not: Annotated[str, "why it was not tried"]


class MisfitOutput(TypedDict):
    """Whether the agent is among the hypotheses."""

    alarm: Annotated[bool, "the mean Bayes factor is 20 or more, which happens to hypotheses at most 5 times in 100"]
    log_evidence_against: Annotated[float, "logarithm of the mean Bayes factor"]
    alternatives: Annotated[list[AlternativeOutput], "all that there are"]


class IdentifyOutput(TypedDict):
    """Which of the papers' agents acts like this."""

    worlds: Annotated[list[str], "scenarios"]
    episodes: Annotated[int, "in all files"]
    steps: Annotated[int, "in all files"]
    hypotheses: Annotated[list[IdentifiedHypothesis], "all that were compared"]
    classes: Annotated[list[FormulationsInOne], "of formulations"]
    optimal_care: Annotated[
        dict[str, list[list[str]]], "class -> intervals at which every action is optimal, p/q or inf"
    ]
    warnings: Annotated[list[str], "where the temperature decides"]
    misfit: Annotated[MisfitOutput | None, "with --misfit"]


identify = OutputSchema(version=3, shape=IdentifyOutput)
"""`caregrid identify`: which of the papers' agents acts like this."""


class IdentifiedOfGroup(TypedDict):
    """One hypothesis about one agent, or about all together. Medians and intervals are null where nothing is open."""

    agent: Annotated[str, "the name in its files, of a learner with its steps, or 'all together'"]
    trained_steps: Annotated[int | None, "of a learner: after how many steps of its training; else null"]
    hypothesis: Annotated[str, "as in caregrid/identify"]
    log_evidence: Annotated[float, "natural logarithm of the probability of all actions"]
    probability: Annotated[float, "after"]
    care: Annotated[float | None, "median of the caring coefficient"]
    care_low: Annotated[float | None, "5 percent"]
    care_high: Annotated[float | None, "95 percent"]
    temperature: Annotated[float | None, "median, in units of the own reward"]
    temperature_low: Annotated[float | None, "5 percent"]
    temperature_high: Annotated[float | None, "95 percent"]
    slip: Annotated[float | None, "median of the rate of slips"]
    slip_low: Annotated[float | None, "5 percent"]
    slip_high: Annotated[float | None, "95 percent"]


class IdentifyGroupOutput(TypedDict):
    """Which of the papers' agents several agents are."""

    rows: Annotated[list[IdentifiedOfGroup], "by agent, then all together"]


identify_group = OutputSchema(version=2, shape=IdentifyGroupOutput)
"""`caregrid identify` with --by-agent: which of the papers' agents each of several agents is."""


class ComparedAgent(TypedDict):
    """A class of agents that do the same at every observed decision. Intervals are null where nothing is open."""

    hypothesis: Annotated[str, "the first member"]
    members: Annotated[str, "all of them, joined by commas"]
    log_evidence: Annotated[float, "natural logarithm of the probability of all actions"]
    prior: Annotated[float, "before"]
    probability: Annotated[float, "after"]
    log_bayes_factor: Annotated[float, "against the class with the largest evidence"]
    slip: Annotated[float | None, "median of the rate of slips"]
    slip_low: Annotated[float | None, "5 percent"]
    slip_high: Annotated[float | None, "95 percent"]
    temperature: Annotated[float | None, "median, in units of reward"]
    temperature_low: Annotated[float | None, "5 percent"]
    temperature_high: Annotated[float | None, "95 percent"]


class IdentifyAgentsOutput(TypedDict):
    """Which of a programme's agents acts like this."""

    programme: Annotated[str, "extended, slots or terminal"]
    worlds: Annotated[list[str], "in which it was observed"]
    decisions: Annotated[int, "that count"]
    hypotheses: Annotated[list[ComparedAgent], "all that were compared"]
    notes: Annotated[list[str], "what else there is to say"]
    misfit: Annotated[MisfitOutput | None, "with --misfit"]


identify_agents = OutputSchema(version=2, shape=IdentifyAgentsOutput)
"""`caregrid identify` of behaviour in worlds of copies, of input terminals or in extended environments."""


class DesignedWorld(TypedDict):
    """What one episode tells in a world, from one of its start states, as far as it is expected."""

    world: Annotated[str, "NAME or NAME,OPTION=VALUE,..., with the number of the start state where there are several"]
    steps: Annotated[float, "of an episode, the mean over all agents"]
    information: Annotated[float, "bits about hypothesis and coefficient, at most"]
    width: Annotated[float, "expected 90 percent interval of care, a share of the line of arctan c"]
    classes: Annotated[int, "of formulations that are told apart here and from the own reward"]


class DesignedPair(TypedDict):
    """Two hypotheses, and where one is told from the other soonest."""

    truth: Annotated[str, "what the agent is"]
    other: Annotated[str, "what it is not"]
    world: Annotated[str, "in which; empty for twins in every world"]
    episodes: Annotated[float | None, "until the expected evidence is 20 to 1; null for twins"]


class ChosenWorld(TypedDict):
    """A world of a set that is chosen one after the other."""

    world: Annotated[str, "NAME or NAME,OPTION=VALUE,..."]
    steps: Annotated[float, "of an episode, the mean over all agents"]
    width: Annotated[float, "expected 90 percent interval of care with all worlds so far, a share of the line"]


class DesignOutput(TypedDict):
    """Which worlds tell the hypotheses apart."""

    worlds: Annotated[list[DesignedWorld], "without --choose"]
    pairs: Annotated[list[DesignedPair], "without --choose"]
    chosen: Annotated[list[ChosenWorld], "with --choose"]
    left_out: Annotated[dict[str, str], "world -> why"]
    episodes: Annotated[int, "in each world, for the intervals"]


design = OutputSchema(version=1, shape=DesignOutput)
"""`caregrid design`: which worlds tell the hypotheses of identify apart."""
