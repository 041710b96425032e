"""Is the agent among the hypotheses at all? Bayes factors of a few simple alternatives against all hypotheses together.

    E_k = P(actions | alternative k) / sum_h p_h P(actions | h),      E = mean over k of E_k

Under the hypotheses and their prior each E_k has expectation 1, hence so has E, and by Markov's inequality
P(E >= 20) <= 1 / 20: at most 5 false alarms in 100, all alternatives together, however long the behaviour. (E-values:
Vovk and Wang 2021, "E-values: calibration, combination and applications", Annals of Statistics 49.)

Alternatives
------------
two agents     the first half of all steps is one agent's, the second half another's, both from the same prior
discount       the same hypotheses in a world with discount .5, .8, .9 or .95, equally likely
first action   the first action of an episode is fixed, one for each start state, but for slips; then the hypotheses.
               Actions that tie for the best over some range of care are one: how an agent breaks ties says nothing
outside        actions that no care makes optimal by any formulation are taken at a rate of their own, uniform on
               [0, 1], where there are some; which one is uniform within its kind. An action as good as an optimal
               one is none of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln, logsumexp

from craftworld.identification.behaviour import Behaviour
from craftworld.identification.identify import OWN, Question, StepCounts, compute_evidence
from craftworld.identification.likelihood import SAME, Choices
from craftworld.identification.posterior import Prior, list_slip_nodes
from engine.mdp.mdp import Booleans

DISCOUNTS = (0.5, 0.8, 0.9, 0.95)
MOST_STATES = 1000
ALARM = 20.0
TWO_AGENTS, DISCOUNT, FIRST_ACTION, OUTSIDE = "two agents", "discount", "first action", "outside"


@dataclass(frozen=True)
class AlternativeAgent:
    """Something else that the agent may be. log_bayes_factor: against all hypotheses; None: not tried, and why not."""

    name: str
    log_bayes_factor: float | None
    why_not: str = ""


@dataclass(frozen=True)
class Misfit:
    """Whether the agent is among the hypotheses, as far as these alternatives can tell."""

    alternatives: tuple[AlternativeAgent, ...]

    @property
    def log_evidence_against(self) -> float:
        """The logarithm of the mean Bayes factor, which has expectation 1 if the agent is among the hypotheses."""
        tried = [each.log_bayes_factor for each in self.alternatives if each.log_bayes_factor is not None]
        return float(logsumexp(tried) - math.log(len(tried))) if tried else 0.0

    @property
    def is_alarm(self) -> bool:
        """Whether the mean reaches 20: at most 5 false alarms in 100."""
        return self.log_evidence_against >= math.log(ALARM)

    @property
    def likeliest(self) -> str:
        """The alternative with the largest Bayes factor."""
        tried = [each for each in self.alternatives if each.log_bayes_factor is not None]
        return max(tried, key=lambda each: each.log_bayes_factor or 0.0).name if tried else ""


def find_misfit(question: Question, prior: Prior, weights: Mapping[str, float] | None = None) -> Misfit:
    """Compare all hypotheses together with each alternative. weights: of the hypotheses, as `identify` takes them."""

    def total(counts: StepCounts, of: Question = question) -> float:
        return compute_evidence(of, prior, weights, counts) if counts else 0.0

    together = total(question.counts)
    tried: list[tuple[str, Callable[[], float] | str]] = [
        (TWO_AGENTS, lambda: _find_two_agents(question, total)),
        (DISCOUNT, _why_not_discounted(question) or (lambda: _find_discount(question, prior))),
        (FIRST_ACTION, lambda: _find_first_action(question, prior, total)),
        (OUTSIDE, lambda: _find_outside(question)),
    ]
    found = []
    for name, compute in tried:
        if isinstance(compute, str):
            found.append(AlternativeAgent(name, None, compute))
        else:
            found.append(AlternativeAgent(name, compute() - together))
    return Misfit(tuple(found))


def _list_steps(question: Question) -> list[tuple[tuple[str, int], int, int]]:
    """Return every step in order: (world, first state of the episode), state and action."""
    return [
        ((behaviour.world.fingerprint, episode[0].state), state, action)
        for behaviour in question.behaviours
        for episode in behaviour.episodes
        for state, action, _ in episode
    ]


def _count(steps: Iterable[tuple[tuple[str, int], int, int]]) -> StepCounts:
    result: StepCounts = {}
    for (where, state, action), times in Counter(steps).items():
        result.setdefault(where, {}).setdefault(state, {})[action] = float(times)
    return result


def _find_two_agents(question: Question, total: Callable[[StepCounts], float]) -> float:
    steps = _list_steps(question)
    half = len(steps) // 2
    return total(_count(steps[:half])) + total(_count(steps[half:]))


def _why_not_discounted(question: Question) -> str:
    tables = [each.world.table for each in question.behaviours]
    if any(table.discount < 1.0 for table in tables):
        return "the world is discounted already"
    if any(len(table.terminal) > MOST_STATES for table in tables):
        return f"the world has more than {MOST_STATES} states"
    return ""


def _find_discount(question: Question, prior: Prior) -> float:
    """The hypotheses of a discounted world are other classes, hence equally likely."""
    found = []
    for discount in DISCOUNTS:
        worlds = {each.world.fingerprint: each.world.with_discount(discount) for each in question.behaviours}
        changed: list[Behaviour] = [replace(each, world=worlds[each.world.fingerprint]) for each in question.behaviours]
        other = Question(changed, question.formulations)
        found.append(compute_evidence(other, prior, None))
    return float(logsumexp(found)) - math.log(len(found))


def _find_first_action(question: Question, prior: Prior, total: Callable[[StepCounts], float]) -> float:
    first: dict[tuple[str, int], Counter[int]] = {}
    later = []
    for behaviour in question.behaviours:
        for episode in behaviour.episodes:
            if episode:
                where = behaviour.world.fingerprint, episode[0].state
                first.setdefault(where, Counter())[episode[0].action] += 1
                later += [(where, state, action) for state, action, _ in episode[1:]]
    fixed = weigh_fixed_actions([(find_tied_actions(question, *where), taken) for where, taken in first.items()], prior)
    return fixed + total(_count(later))


def weigh_fixed_actions(situations: Sequence[tuple[Sequence[Sequence[int]], Counter[int]]], prior: Prior) -> float:
    """Return the log evidence of an agent that takes a fixed action in each situation, but for slips.

    situations: kinds of actions that are one, and how often each action was taken.
    """
    slip, log_weight = list_slip_nodes(float(sum(sum(taken.values()) for _, taken in situations)), prior)
    for kinds, taken in situations:
        size, number = sum(map(len, kinds)), sum(taken.values())
        slipped = np.log(np.maximum(slip / size, 1e-300))
        fixed = []
        for kind in kinds:
            times = sum(taken[action] for action in kind)
            kept = np.log((1.0 - slip) / len(kind) + slip / size)
            fixed.append(math.log(len(kind) / size) + times * kept + (number - times) * slipped)
        log_weight = log_weight + logsumexp(fixed, axis=0)
    return float(logsumexp(log_weight))


def find_tied_actions(question: Question, world: str, state: int) -> list[list[int]]:
    """Group the actions of a first state: those that are optimal between the same cuts of care are in one group."""
    optima = list(_list_optima(question, world, state, state))
    return join_tied(optima[0][0], np.concatenate([between.T for _, between, _ in optima]))


def join_tied(actions: Sequence[int], best: Booleans) -> list[list[int]]:
    """Group actions: those that are best together are one, and so are those that are one with the same.

    best: bool[N, A], in each row the actions that are best together.
    """
    kinds: list[set[int]] = []
    for row in best:
        together = {action for action, good in zip(actions, row.tolist(), strict=True) if good}
        apart = [kind for kind in kinds if not kind & together]
        kinds = [*apart, together.union(*(kind for kind in kinds if kind & together))]
    kinds += [{action} for action in actions if not any(action in kind for kind in kinds)]
    return sorted(sorted(kind) for kind in kinds if kind)


def _find_outside(question: Question) -> float:
    """Return the log evidence of an agent that takes actions which nothing makes optimal at a rate of its own."""
    rows = []
    for (mark, start), states in question.counts.items():
        for state, taken in states.items():
            optimal = find_supported_actions(question, mark, start, state)
            size, good = len(optimal), sum(optimal.values())
            rows += [(size, good, optimal[action], times) for action, times in taken.items()]
    return weigh_outside(rows)


def weigh_outside(rows: Iterable[tuple[int, int, bool, float]]) -> float:
    """Return the log evidence of actions that are outside at a rate of their own, uniform on [0, 1].

    rows: how many actions there are, how many of them are inside, whether the taken one is, and how often.
    """
    evidence, inside, outside = 0.0, 0, 0
    for size, good, is_inside, times in rows:
        if good == size:
            evidence -= times * math.log(size)
        elif is_inside:
            evidence -= times * math.log(good)
            inside += int(times)
        else:
            evidence -= times * math.log(size - good)
            outside += int(times)
    return evidence + float(betaln(inside + 1.0, outside + 1.0))


def find_supported_actions(question: Question, world: str, start: int, state: int) -> dict[int, bool]:
    """Return whether each available action is optimal in a state at some care by some formulation; ties count."""
    supported: dict[int, bool] = {}
    for actions, between, at_cuts in _list_optima(question, world, start, state):
        good = np.atleast_1d(np.concatenate([between, at_cuts], axis=1).any(axis=1))
        for action, is_good in zip(actions, good, strict=True):
            supported[action] = supported.get(action, False) or bool(is_good)
    return supported


def _list_optima(
    question: Question, world: str, start: int, state: int
) -> Iterator[tuple[list[int], Booleans, Booleans]]:
    """Give for each class of formulations a state's actions, which are optimal between cuts of care, and which at cuts.

    The cuts are kinks and crossings. Of the own reward there is care 0 alone.
    """
    for name in (*(one.name for one in question.classes), OWN):
        values = question.get_values(world, start, name)
        here = {action: lines for (of, action), lines in values.lines.items() if of == state}
        points = np.array(Choices.of([(values, state, {})]).list_points(crossings=True))
        middles = np.tan(0.5 * (np.arctan(points[:-1]) + np.arctan(points[1:])))
        inner = np.zeros(1) if name == OWN else middles
        care = np.concatenate([inner, points[1:-1]])
        height = np.stack([(each[:, :1] + each[:, 1:] * care).max(axis=0, initial=-np.inf) for each in here.values()])
        best = height.max(axis=0)
        slack = SAME * np.maximum(1.0, np.where(np.isfinite(best), np.abs(best), 1.0))
        good = (height >= best - slack) | ~np.isfinite(best)
        yield list(here), good[:, : len(inner)], good[:, len(inner) :]
