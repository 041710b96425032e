"""Which agent takes these actions: evidence for agents that say what they would do at each decision.

    P(a) = (1 - e) q_h(a) + e / |A|          e ~ Beta(1, 9)

q_h is what hypothesis h does at a decision: its own probabilities, all optimal actions alike, or, where it has action
values, softmax(Q / T) with log T uniform. Every decision counts once. Hypotheses that do the same at every decision
are one class here, with one share of the prior: these decisions cannot tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from caregrid.programmes.decided_steps import DecidedSteps
from caregrid.programmes.misfit_text import describe_misfit, make_plain_misfit
from caregrid.results import Result
from engine.mdp.mdp import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.identification.misfit import Misfit
    from craftworld.identification.posterior import Prior

RANDOM, EXACT = "random", ", exact"
SAME = 1e-9
TEMPERATURES = 128
LEVELS = (0.05, 0.5, 0.95)


class ObservedDecision(NamedTuple):
    """An observed choice. where: file, episode and step. offered: how many actions there were. taken: which one.

    situation: what the agent saw, equal where it saw the same.
    """

    where: tuple[int, int, int]
    offered: int
    taken: int
    situation: Hashable


@dataclass(frozen=True)
class AgentModel:
    """What a hypothesis does. chances: f64[A] for each decision. values: instead, action values of the decisions."""

    name: str
    chances: Sequence[Floats] = ()
    values: Sequence[Floats] = ()

    @property
    def models(self) -> list[AgentModel]:
        """The hypotheses: of values one at an open temperature, and one that takes the best actions alone."""
        if not self.values:
            return [self]
        exact = [(value >= value.max() - SAME).astype(np.float64) for value in self.values]
        return [self, AgentModel(self.name + EXACT, [each / each.sum() for each in exact])]

    def choose(self, decisions: Sequence[int]) -> AgentModel:
        """Return the same hypothesis about some of the decisions, by number."""
        parts = ([each[n] for n in decisions] if each else () for each in (self.chances, self.values))
        return AgentModel(self.name, *parts)

    @property
    def signature(self) -> bytes:
        """Equal for hypotheses that do the same at every decision."""
        if self.values:
            return b"values" + np.concatenate([np.round(each - each.max(), 9) for each in self.values]).tobytes()
        return np.concatenate([np.round(each, 12) for each in self.chances]).tobytes()


@dataclass(frozen=True)
class Explanation:
    """What a programme makes of recorded turns. notes: what else there is to say, a sentence each.

    late: which decisions are of the second half, where that is not the second half of them. others: agents that have
    other discounts than the hypotheses; None of programmes without discounts.
    """

    decisions: Sequence[ObservedDecision]
    models: Sequence[AgentModel]
    notes: Sequence[str] = ()
    late: Sequence[bool] = ()
    others: Callable[[], Sequence[AgentModel]] | None = None


@dataclass(frozen=True)
class AgentHypothesis:
    """One class of hypotheses. slip, temperature: median and central 90 percent interval; None where it has none.

    log_chance: f64[D], log P of each decision at the medians.
    """

    members: tuple[str, ...]
    log_evidence: float
    prior: float
    probability: float
    slip: tuple[float, float, float] | None
    temperature: tuple[float, float, float] | None
    log_chance: Floats

    @property
    def name(self) -> str:
        """The first member."""
        return self.members[0]


def compare_agents(explanation: Explanation, prior: Prior) -> list[AgentHypothesis]:
    """Compare all hypotheses; equally likely at first."""
    several = [_weigh(*each, explanation.decisions, prior) for each in find_classes(explanation)]
    evidence = np.array([each.log_evidence for each in several])
    share = np.exp(evidence - evidence.max())
    share /= share.sum()
    return [
        AgentHypothesis(each.members, each.log_evidence, 1.0 / len(several), float(p), *each[2:])
        for each, p in zip(several, share, strict=True)
    ]


def find_classes(explanation: Explanation) -> list[tuple[tuple[str, ...], AgentModel]]:
    """Put hypotheses together that do the same at every decision: the names in each class, and what they do."""
    classes: dict[bytes, list[AgentModel]] = {}
    for model in (each for one in explanation.models for each in one.models):
        classes.setdefault(model.signature, []).append(model)
    even = [np.full(each.offered, 1.0 / each.offered) for each in explanation.decisions]
    uniform = AgentModel(RANDOM, even)
    classes.setdefault(uniform.signature, []).append(uniform)
    return [(tuple(one.name for one in members), members[0]) for members in classes.values()]


def compute_log_evidence(
    members: tuple[str, ...], model: AgentModel, decisions: Sequence[ObservedDecision], prior: Prior
) -> float:
    """Return the log evidence of a class of hypotheses. decisions: those that the model says something about."""
    return _weigh(members, model, decisions, prior).log_evidence


class _Weighed(NamedTuple):
    members: tuple[str, ...]
    log_evidence: float
    slip: tuple[float, float, float] | None
    temperature: tuple[float, float, float] | None
    log_chance: Floats


def _weigh(
    members: tuple[str, ...], model: AgentModel, decisions: Sequence[ObservedDecision], prior: Prior
) -> _Weighed:
    from craftworld.identification.posterior import list_slip_nodes

    size = np.array([float(each.offered) for each in decisions])
    taken = [each.taken for each in decisions]
    if RANDOM in members:
        return _Weighed(members, -float(np.log(size).sum()), None, None, -np.log(size))
    log_temperature, weight = np.zeros(1), np.ones(1)
    if model.values:
        points, weights = _make_gauss_rule()
        cold, hot = map(math.log, prior.temperature)
        log_temperature, weight = 0.5 * (cold + hot) + 0.5 * (hot - cold) * points, 0.5 * weights
    chance = np.stack([_compute_chances(model, taken, math.exp(t)) for t in log_temperature.tolist()])
    slip, log_density = list_slip_nodes(float(len(decisions)), prior)
    by_temperature = np.empty((len(chance), len(slip)))
    for row, each in enumerate(chance):
        likely = (1.0 - slip)[:, None] * each + slip[:, None] / size
        by_temperature[row] = np.log(np.maximum(likely, 1e-300)).sum(axis=1) + log_density + math.log(weight[row])
    top = float(by_temperature.max())
    mass = np.exp(by_temperature - top)
    total = float(mass.sum())
    slips = _find_quantiles(slip, mass.sum(axis=0))
    temperatures = _find_quantiles(np.exp(log_temperature), mass.sum(axis=1)) if model.values else None
    middle = 1.0 if temperatures is None else temperatures[0]
    log_chance = np.log((1.0 - slips[0]) * _compute_chances(model, taken, middle) + slips[0] / size)
    return _Weighed(members, top + math.log(total), slips, temperatures, log_chance)


@cache
def _make_gauss_rule() -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre on [-1, 1]."""
    points, weights = np.polynomial.legendre.leggauss(TEMPERATURES)
    return points, weights


def _compute_chances(model: AgentModel, taken: Sequence[int], temperature: float) -> Floats:
    """f64[D], how likely the model is to do what was done, slips aside."""
    if not model.values:
        return np.array([each[action] for each, action in zip(model.chances, taken, strict=True)])
    result = np.empty(len(taken))
    for number, (value, action) in enumerate(zip(model.values, taken, strict=True)):
        weight = np.exp((value - value.max()) / temperature)
        result[number] = weight[action] / weight.sum()
    return result


def _find_quantiles(at: Floats, mass: Floats) -> tuple[float, float, float]:
    """Median, 5 and 95 percent."""
    below = np.cumsum(mass) / mass.sum()
    low, middle, high = (float(at[min(int(np.searchsorted(below, level)), len(at) - 1)]) for level in LEVELS)
    return middle, low, high


@dataclass(frozen=True, repr=False, eq=False)
class AgentIdentification(Result):
    """Which of a programme's agents acts like this.

    programme, worlds: where it was observed. hypotheses: classes of agents that act alike here, with their posterior.
    decisions: what was observed. notes: what else there is to say. misfit: whether the agent is any of them; None where
    that was not asked.
    """

    programme: str
    worlds: tuple[str, ...]
    hypotheses: Sequence[AgentHypothesis]
    decisions: Sequence[ObservedDecision]
    notes: Sequence[str] = ()
    misfit: Misfit | None = None
    schema: ClassVar[str] = "identify_agents"

    @property
    def title(self) -> str:
        """How much was observed, and where."""
        return f"{', '.join(dict.fromkeys(self.worlds))}: {len(self.decisions)} decisions"

    @cached_property
    def posterior(self) -> dict[str, float]:
        """Every hypothesis, members of a class too -> the probability of its class."""
        return {name: each.probability for each in self.hypotheses for name in each.members}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per class: log evidence, prior, probability, Bayes factor, medians and 90 percent intervals."""
        best = max(each.log_evidence for each in self.hypotheses)
        return [
            {
                "hypothesis": each.name,
                "members": ", ".join(each.members),
                "log_evidence": each.log_evidence,
                "prior": each.prior,
                "probability": each.probability,
                "log_bayes_factor": each.log_evidence - best,
                **_name_interval("slip", each.slip),
                **_name_interval("temperature", each.temperature),
            }
            for each in self.hypotheses
        ]

    def steps(self) -> list[dict[str, Any]]:
        """Return a row per decision: file, episode, step, the action's number, its log P for each class."""
        return [
            {
                **dict(zip(("file", "episode", "step"), each.where, strict=True)),
                "action": each.taken,
                **{one.name: float(one.log_chance[number]) for one in self.hypotheses},
            }
            for number, each in enumerate(self.decisions)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return programme, worlds, decisions, hypotheses, notes, misfit."""
        worlds = list(dict.fromkeys(self.worlds))
        return {
            "programme": self.programme,
            "worlds": worlds,
            "decisions": len(self.decisions),
            "hypotheses": self.rows(),
            "notes": list(self.notes),
            "misfit": make_plain_misfit(self.misfit),
        }

    def explain_steps(self) -> DecidedSteps:
        """Return where it was decided: the decisions as a table, and as a heat map of class and decision."""
        return DecidedSteps(self.title, [each.name for each in self.hypotheses], self.steps())

    def figure(self) -> Figure:
        """Draw where it was decided: log P of each decision under each class."""
        return self.explain_steps().figure()

    def text(self) -> str:
        """Return the title, a line for each class, who acts alike, and what else there is to say."""
        from experiments.rows import align_lines

        lines = [("hypothesis", "log evidence", "probability", "temperature (90%)", "slip (90%)")]
        for each in self.hypotheses:
            numbers = (f"{each.log_evidence:.4f}", f"{each.probability:.4g}")
            lines.append((each.name, *numbers, _write_range(each.temperature), _write_range(each.slip)))
        alike = [f"alike here: {', '.join(each.members)}" for each in self.hypotheses if len(each.members) > 1]
        return "\n".join(
            [self.title, *align_lines(lines, right=range(1, 3)), *alike, *self.notes, *describe_misfit(self.misfit)]
        )


def _name_interval(name: str, found: tuple[float, float, float] | None) -> Mapping[str, float | None]:
    middle, low, high = found or (None, None, None)
    return {name: middle, f"{name}_low": low, f"{name}_high": high}


def _write_range(found: tuple[float, float, float] | None) -> str:
    return "" if found is None else f"{found[1]:.4g} to {found[2]:.4g}"
