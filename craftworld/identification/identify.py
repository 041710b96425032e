"""Compare exact caring agents as hypotheses about observed behaviour, in one world or several.

The model of an agent that cares by a formulation with coefficient c, at temperature T, with slips e:

    P(a|s) = (1 - e) softmax(Q_c(s, .) / T)(a) + e / |A(s)|         over the actions available in s

Q_c: optimal action values of the augmented reward over policies that end (`action_values`). Every observed step counts;
what chance did cancels. Hypotheses, equally likely at first:

    F            each class of formulations that this behaviour's worlds can tell apart; c, T and e have priors
    F, exact     the same at T = 0: optimal actions within 1e-9 are equally likely; c and e have priors
    own          own reward only (c = 0, and nothing for agents of fixed weight)
    own, exact   the same at T = 0
    random       every available action equally likely

Choices
-------
e keeps its prior at T = 0: an exact agent may slip. A class that asks for nothing but the own reward in these worlds is
no hypothesis beside "own". Coefficients of a class are those of its first member; the prior of c is the first member's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from craftworld.formulations import FORMULATIONS
from craftworld.identification.action_values import CaringReward, ChoiceValues, find_choice_values
from craftworld.identification.behaviour import Behaviour, ObservedStep, ObservedWorld
from craftworld.identification.classes import FormulationClass, find_classes
from craftworld.identification.likelihood import SAME, Choices, compute_chances
from craftworld.identification.posterior import (
    TEMPERATURE,
    ParameterPosterior,
    Prior,
    integrate,
    integrate_exact,
    integrate_random,
)
from craftworld.solution.problem import find_applicable_formulations, make_problem
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats

OWN, RANDOM, EXACT = "own", "random", ", exact"
SIMPLE = 10_000
TEMPERATURE_PARTS = 24
VERDICT, RESOLVED = 0.95, 1e-9
StepCounts = dict[tuple[str, int], dict[int, dict[int, float]]]


@dataclass(frozen=True)
class Hypothesis:
    """One explanation of the behaviour. formulations: the class, None without care. posterior: None for "random"."""

    name: str
    log_evidence: float
    prior: float
    probability: float
    posterior: ParameterPosterior | None = None
    formulations: FormulationClass | None = None


@dataclass(frozen=True)
class ObservedChoice:
    """One step as every hypothesis sees it: log P(a|s) at the hypothesis' most likely care, temperature and slips."""

    file: int
    episode: int
    step: int
    state: int
    action: int
    log_chance: Mapping[str, float]


@dataclass(frozen=True)
class Identified:
    """What behaviour says about the agent. optimal: class -> closed intervals of care at which every observed action
    is optimal."""

    question: Question
    hypotheses: tuple[Hypothesis, ...]
    optimal: Mapping[str, tuple[tuple[float, float], ...]]

    @property
    def behaviours(self) -> tuple[Behaviour, ...]:
        """What was observed."""
        return self.question.behaviours

    @property
    def classes(self) -> tuple[FormulationClass, ...]:
        """Of formulations that are one in these worlds."""
        return self.question.classes

    @property
    def observed(self) -> int:
        """How many steps."""
        return sum(each.steps for each in self.behaviours)

    @cached_property
    def steps(self) -> tuple[ObservedChoice, ...]:
        """Every step as each hypothesis sees it."""
        return tuple(_explain_steps(self.question, self.hypotheses))


class WorldRewards:
    """What formulations pay in one world, by the start of an episode; made once for any number of questions."""

    def __init__(self, world: ObservedWorld, formulations: Sequence[str]) -> None:
        self.table = world.table
        first = make_problem(world.scenario, formulations[0], mdp=world.table)
        self._problems = {name: first.with_formulation(name) for name in formulations}
        self._by_start: dict[int, dict[str, CaringReward]] = {}

    def list_from(self, start: int) -> dict[str, CaringReward]:
        """Formulation, or "own" -> its reward, by the baseline of a start."""
        if start not in self._by_start:
            nothing = np.broadcast_to(np.float64(0.0), self.table.reward.shape)
            caring = {
                name: replace(CaringReward.of(each, start), table=self.table) for name, each in self._problems.items()
            }
            self._by_start[start] = {**caring, OWN: CaringReward(self.table, 1.0, nothing, nothing)}
        return self._by_start[start]


class Question:
    """Behaviour with the action values of formulations; posteriors of the whole or of any part are computed from it.

    known: rewards by fingerprint that have been made already.
    """

    def __init__(
        self,
        behaviours: Sequence[Behaviour],
        formulations: Sequence[str] | None = None,
        known: Mapping[str, WorldRewards] | None = None,
    ) -> None:
        if not behaviours or not sum(each.steps for each in behaviours):
            raise BadValue("no behaviour", place="identify", remedy="give at least one observed step")
        self.behaviours = tuple(behaviours)
        self.formulations = tuple(formulations) if formulations else find_common_formulations(behaviours)
        worlds = {each.world.fingerprint: each.world for each in behaviours}
        rewards = {**(known or {})}
        rewards |= {mark: WorldRewards(worlds[mark], self.formulations) for mark in worlds if mark not in rewards}
        self._rewards = {
            (of, start): rewards[of].list_from(start)
            for mark in worlds
            for of, start in sorted(self.counts)
            if of == mark
        }
        self.classes = tuple(
            find_classes({name: [each[name] for each in self._rewards.values()] for name in self.formulations})
        )
        self._values: dict[tuple[str, int, str], ChoiceValues] = {}
        self._find_values([*(one.name for one in self.classes), OWN])

    def _find_values(self, names: Sequence[str]) -> None:
        for (mark, start), rewards in self._rewards.items():
            found = find_choice_values([rewards[name] for name in names], sorted(self.counts[mark, start]))
            self._values |= {(mark, start, name): values for name, values in zip(names, found, strict=True)}

    def get_values(self, world: str, start: int, formulation: str) -> ChoiceValues:
        """Return the action values that a formulation, or "own", gives to the states of episodes from one start.

        world: its fingerprint. Those of the first formulation of each class are there; others are found when asked for.
        """
        if (world, start, formulation) not in self._values:
            self._find_values([formulation])
        return self._values[world, start, formulation]

    def gather(self, formulation: str, counts: StepCounts | None = None) -> Choices:
        """The choices of behaviour under a formulation or "own"; of a part of the steps where they are counted."""
        counts = self.counts if counts is None else counts
        return Choices.of(
            (self.get_values(mark, start, formulation), state, actions)
            for (mark, start), states in counts.items()
            for state, actions in states.items()
        )

    @cached_property
    def counts(self) -> StepCounts:
        """How often each action was taken."""
        return count_steps(self.behaviours)


def count_steps(behaviours: Sequence[Behaviour]) -> StepCounts:
    """Count steps: (fingerprint of the world, first state of the episode) -> state -> action -> how often."""
    result: StepCounts = {}
    for behaviour in behaviours:
        mark = behaviour.world.fingerprint
        times: Counter[tuple[int, int, int]] = Counter()
        for episode in behaviour.episodes:
            times.update((episode[0].state, state, action) for state, action, _ in episode)
        for (start, state, action), number in times.items():
            actions = result.setdefault((mark, start), {}).setdefault(state, {})
            actions[action] = actions.get(action, 0.0) + number
    return result


def find_common_formulations(behaviours: Sequence[Behaviour]) -> tuple[str, ...]:
    """Return the formulations that apply in every observed world and weigh the same as its scenario's own."""
    common: list[str] | None = None
    for world in {each.world.fingerprint: each.world for each in behaviours}.values():
        weighs = FORMULATIONS[world.scenario.default_formulation].weighs
        here = [f for f in find_applicable_formulations(world.scenario) if FORMULATIONS[f].weighs is weighs]
        common = here if common is None else [name for name in common if name in here]
    if not common:
        raise BadValue(
            "no formulation applies in every world", place="identify", remedy="identify fewer worlds at once"
        )
    return tuple(common)


def identify(
    behaviours: Sequence[Behaviour],
    formulations: Sequence[str] | None = None,
    prior: Prior | None = None,
    weights: Mapping[str, float] | None = None,
) -> Identified:
    """Compare the hypotheses. weights: hypothesis -> its prior weight; all equal by default."""
    question = Question(behaviours, formulations)
    hypotheses = weigh_hypotheses(compare_hypotheses(question, prior or Prior()), weights)
    several = [one.name for one in question.classes if not one.indifferent]
    return Identified(question, hypotheses, {name: find_optimal_care(question.gather(name)) for name in several})


def weigh_hypotheses(
    found: Sequence[HypothesisEvidence], weights: Mapping[str, float] | None = None
) -> tuple[Hypothesis, ...]:
    """Give each hypothesis its probability. weights: as `identify` takes them."""
    chances = _read_weights(weights, [name for name, *_ in found])
    with np.errstate(divide="ignore"):
        log_weight = np.log(chances) + np.array([evidence for _, evidence, _, _ in found])
    share = np.exp(log_weight - log_weight.max())
    share /= share.sum()
    return tuple(
        Hypothesis(name, evidence, float(before), float(after), posterior, one)
        for (name, evidence, posterior, one), before, after in zip(found, chances, share, strict=True)
    )


HypothesisEvidence = tuple[str, float, ParameterPosterior | None, FormulationClass | None]


def compare_hypotheses(question: Question, prior: Prior, counts: StepCounts | None = None) -> list[HypothesisEvidence]:
    """Find name, log evidence, posterior and class of every hypothesis; of a part of the steps where counted."""
    return _compare(question, prior, counts, (("", integrate), (EXACT, integrate_exact)))


def compare_exact_hypotheses(
    question: Question, prior: Prior, counts: StepCounts | None = None
) -> list[HypothesisEvidence]:
    """As `compare_hypotheses`, of agents at T = 0 and at random alone."""
    return _compare(question, prior, counts, ((EXACT, integrate_exact),))


def _compare(
    question: Question,
    prior: Prior,
    counts: StepCounts | None,
    ways: Sequence[tuple[str, Callable[[Choices, Prior], ParameterPosterior]]],
) -> list[HypothesisEvidence]:
    """ways: what stands behind the name of a hypothesis, and how it is integrated."""
    found: list[HypothesisEvidence] = []
    for one in question.classes:
        if not one.indifferent:
            choices = question.gather(one.name, counts)
            for ending, compute in ways:
                posterior = compute(choices, prior)
                found.append((one.name + ending, posterior.log_evidence, posterior, one))
    own = question.gather(OWN, counts).without_care()
    for ending, compute in ways:
        posterior = compute(own, prior)
        found.append(
            (OWN + ending, posterior.log_evidence, replace(posterior, free=(False, *posterior.free[1:])), None)
        )
    found.append((RANDOM, integrate_random(own), None, None))
    return found


def compute_evidence(
    question: Question, prior: Prior, weights: Mapping[str, float] | None, counts: StepCounts | None = None
) -> float:
    """Compute the log evidence of all hypotheses together; those that have no weight in these worlds count nothing."""
    found = compare_hypotheses(question, prior, counts)
    chances = _read_weights(weights, [name for name, *_ in found])
    kept = [(chance, evidence) for chance, (_, evidence, _, _) in zip(chances.tolist(), found, strict=True) if chance]
    return float(np.logaddexp.reduce([math.log(chance) + evidence for chance, evidence in kept]))


def _read_weights(weights: Mapping[str, float] | None, names: Sequence[str]) -> Floats:
    if weights is None:
        return np.full(len(names), 1.0 / len(names))
    remedy = f"give a number from 0 on for {', '.join(names)}"
    unknown = [name for name in weights if name not in names]
    if unknown:
        raise BadValue(f"no hypothesis '{unknown[0]}'", place="weights", remedy=remedy)
    given = np.array([weights.get(name, 0.0) for name in names], dtype=np.float64)
    if not (np.isfinite(given).all() and (given >= 0.0).all() and given.sum() > 0.0):
        raise BadValue("weights that are no distribution", place="weights", remedy=remedy)
    return np.asarray(given / given.sum())


def find_optimal_care(choices: Choices) -> tuple[tuple[float, float], ...]:
    """Find the closed intervals of care at which every observed action is optimal; none where there are none."""
    points = np.array(choices.list_points(crossings=True))
    coordinates = np.arctan(points)
    inner = np.tan(0.5 * (coordinates[:-1] + coordinates[1:]))
    tested = np.empty(2 * len(inner) - 1)
    tested[0::2], tested[1::2] = inner, points[1:-1]
    chosen = choices.select_lines(tested)
    with np.errstate(invalid="ignore"):
        value = chosen[:, :, 0] + tested[:, None] * chosen[:, :, 1]
    fits = np.ones(len(tested), dtype=np.bool_)
    for begin, end in zip(choices.offset[:-1].tolist(), choices.offset[1:].tolist(), strict=True):
        best = value[:, begin:end].max(axis=1, keepdims=True)
        slack = SAME * np.maximum(1.0, np.where(np.isfinite(best), np.abs(best), 1.0))
        optimal = (value[:, begin:end] >= best - slack) | ~np.isfinite(best)
        fits &= optimal[:, choices.count[begin:end] > 0.0].all(axis=1)
    result: list[tuple[float, float]] = []
    for n in np.flatnonzero(fits).tolist():
        low, high = (points[n // 2], points[n // 2 + 1]) if n % 2 == 0 else (points[n // 2 + 1],) * 2
        if result and result[-1][1] >= low:
            result[-1] = result[-1][0], float(high)
        else:
            result.append((float(low), float(high)))
    return tuple(result)


def group_by_agent(behaviours: Sequence[Behaviour]) -> dict[str, list[Behaviour]]:
    """Agent's name, a learner at each step of its training by itself -> its behaviours."""
    result: dict[str, list[Behaviour]] = {}
    for each in behaviours:
        result.setdefault(each.acting, []).append(each)
    return result


def identify_each(
    behaviours: Sequence[Behaviour],
    formulations: Sequence[str] | None = None,
    prior: Prior | None = None,
    weights: Mapping[str, float] | None = None,
) -> tuple[dict[str, tuple[Hypothesis, ...]], tuple[Hypothesis, ...]]:
    """Compare the hypotheses for each agent by itself, and for all of them together.

    Together means: all are agents of one hypothesis, each with a coefficient, a temperature and slips of its own. So
    log evidences add up. Formulations are one where they are in all observed worlds.
    """
    question = Question(behaviours, formulations)
    each: dict[str, tuple[Hypothesis, ...]] = {}
    for agent, own in group_by_agent(behaviours).items():
        each[agent] = weigh_hypotheses(compare_hypotheses(question, prior or Prior(), count_steps(own)), weights)
    sums = [
        (several[0].name, sum(one.log_evidence for one in several), None, several[0].formulations)
        for several in zip(*each.values(), strict=True)
    ]
    return each, weigh_hypotheses(sums, weights)


def find_decisive_temperatures(hypotheses: Sequence[Hypothesis], prior: Prior) -> list[tuple[float, float, str]]:
    """Find where a fixed temperature would give a verdict: (from, to, hypothesis with a probability above .95)."""
    edges, names, evidence, resolved = compute_evidence_by_temperature(hypotheses, prior)
    share = np.exp(evidence - evidence.max(axis=0))
    share /= share.sum(axis=0)
    found: list[tuple[float, float, str]] = []
    for part in range(TEMPERATURE_PARTS):
        best = int(share[:, part].argmax())
        if share[best, part] <= VERDICT or not resolved[best, part]:
            continue
        low, high = float(edges[part]), float(edges[part + 1])
        if found and found[-1][2] == names[best] and found[-1][1] == low:
            low, _, _ = found.pop()
        found.append((low, high, names[best]))
    return found


class EvidenceByTemperature(NamedTuple):
    """Log evidences f64[H, parts] if T lay within one part of the prior's range. edges: f64[parts + 1], of T.

    resolved: bool[H, parts], which are more than an upper bound.
    """

    edges: Floats
    names: list[str]
    evidence: Floats
    resolved: Booleans


def compute_evidence_by_temperature(hypotheses: Sequence[Hypothesis], prior: Prior) -> EvidenceByTemperature:
    """Compute evidences by temperature: the whole evidence times the posterior share of a part over the prior's.

    Exact agents have no temperature and are left out. Shares below 1e-9 count as that.
    """
    cold, hot = map(math.log, prior.temperature)
    edges = np.linspace(cold, hot, TEMPERATURE_PARTS + 1)
    noisy = [each for each in hypotheses if each.posterior is not None and each.posterior.free[TEMPERATURE]]
    columns = [np.full(TEMPERATURE_PARTS, each.log_evidence) for each in hypotheses if each.name == RANDOM]
    resolved = [np.ones(TEMPERATURE_PARTS, dtype=np.bool_) for _ in columns]
    for each in noisy:
        assert each.posterior is not None
        below = np.array([each.posterior.find_share_below(TEMPERATURE, float(edge)) for edge in edges])
        below[[0, -1]] = 0.0, 1.0
        resolved.append(np.diff(below) > RESOLVED)
        columns.append(each.log_evidence + np.log(np.maximum(np.diff(below), RESOLVED) * TEMPERATURE_PARTS))
    names = [*(each.name for each in hypotheses if each.name == RANDOM), *(each.name for each in noisy)]
    return EvidenceByTemperature(np.exp(edges), names, np.stack(columns), np.stack(resolved))


def write_fraction(number: float) -> str:
    """Write a coefficient as the fraction of small denominator that it equals but for rounding, else as a number."""
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    simple = Fraction(number).limit_denominator(SIMPLE)
    return str(simple) if abs(float(simple) - number) <= 1e-12 * max(1.0, abs(number)) else repr(number)


def _explain_steps(question: Question, hypotheses: Sequence[Hypothesis]) -> list[ObservedChoice]:
    """log P(a|s) of every step, at each hypothesis' most likely parameters."""
    modes = {each.name: each.posterior.mode for each in hypotheses if each.posterior is not None}
    kinds = {each.name: OWN if each.formulations is None else each.formulations.name for each in hypotheses}
    known: dict[tuple[str, int, int, int], Floats] = {}

    def compute(name: str, behaviour: Behaviour, start: int, step: ObservedStep) -> float:
        values = question.get_values(behaviour.world.fingerprint, start, kinds[name])
        actions = np.flatnonzero(behaviour.world.table.action_mask(step.state)).tolist()
        if name == RANDOM:
            return -math.log(len(actions))
        key = (name, id(values), start, step.state)
        if key not in known:
            care, temperature, slip = modes[name]
            care = 0.0 if kinds[name] == OWN else care
            several = [values.lines[step.state, action] for action in actions]
            value = [float((each[:, 0] + care * each[:, 1]).max()) if len(each) else -math.inf for each in several]
            known[key] = compute_chances(np.array(value), temperature, slip)
        return math.log(max(float(known[key][actions.index(step.action)]), 1e-300))

    return [
        ObservedChoice(
            file,
            number,
            count,
            step.state,
            step.action,
            {each.name: compute(each.name, behaviour, episode[0].state, step) for each in hypotheses},
        )
        for file, behaviour in enumerate(question.behaviours, start=1)
        for number, episode in enumerate(behaviour.episodes, start=1)
        for count, step in enumerate(episode, start=1)
    ]
