"""What a method acts like: the care that `caregrid identify` infers from its behaviour, beside what was asked for.

A policy acts in one episode from the likeliest start state, in EPISODES of them where it or the world draws. Where some
exact agent explains every action, the hypotheses are the exact ones (T = 0, slips as ever), and the interval holds all
coefficients at which every action is optimal. Else temperatures are integrated out, too, and the interval is the
central one of 90 percent. The formulations are those that weigh what the world's own one weighs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from craftworld.identification.behaviour import Behaviour, ObservedEpisode, ObservedWorld
    from craftworld.identification.classes import FormulationClass
    from craftworld.identification.identify import Hypothesis, WorldRewards
    from craftworld.solution.problem import Problem
    from craftworld.trade_off_curve import CurvePoint

EPISODES = 10
Intervals = Sequence[tuple[float, float]]


class IdentifiedCare(NamedTuple):
    """What is likeliest, exact or not: the first formulation of a class, "own" or "random"; and its probability.

    The median and the interval of its care; an end without bound is None. "own" has care 0, "random" has none.
    recovered: 1 where the formulation that was asked for explains the behaviour at a coefficient that was asked for, 0
    where it does not; None where it is no hypothesis, or asks for nothing but the own reward here.
    """

    identified: str | None
    identified_probability: float | None
    identified_care: float | None
    identified_from: float | None
    identified_to: float | None
    recovered: float | None


NOTHING = IdentifiedCare(None, None, None, None, None, None)


def identify_point(problem: Problem, point: CurvePoint) -> IdentifiedCare:
    """Identify what acts in one segment of a problem."""
    from craftworld.identification.behaviour import ObservedWorld, record_behaviour

    likeliest = np.argmax(problem.mdp.start)
    start = (np.arange(len(problem.mdp.start)) == likeliest).astype(np.float64)
    scenario = problem.scenario
    world = ObservedWorld(scenario, replace(problem.mdp, start=start), scenario.name, None, {})
    draws = not problem.mdp.is_deterministic or point.policy.ndim == 2
    behaviour = record_behaviour(point.policy, world, EPISODES if draws else 1, 0, limit=scenario.time_limit)
    if not behaviour.steps:
        return NOTHING
    explained = _explain(_Seen(world.fingerprint, behaviour.episodes, behaviour))
    recovered = explained.recovers(problem.formulation, point.care_from, point.care_to)
    return explained.likeliest._replace(recovered=recovered)


def identify_behaviour(behaviour: Behaviour) -> IdentifiedCare:
    """Identify an agent that nobody has given a coefficient."""
    if not behaviour.steps:
        return NOTHING
    return _explain(_Seen(behaviour.world.fingerprint, behaviour.episodes, behaviour)).likeliest


@dataclass(frozen=True)
class _Seen:
    """Behaviour that has been looked at before if world and episodes are equal."""

    fingerprint: str
    episodes: tuple[ObservedEpisode, ...]
    behaviour: Behaviour = field(compare=False)


@dataclass(frozen=True)
class _Place:
    """A world that has been prepared before if the fingerprint is equal."""

    fingerprint: str
    world: ObservedWorld = field(compare=False)


@dataclass(frozen=True)
class _Explained:
    """The likeliest hypothesis, and by class the intervals of care that explain the behaviour."""

    likeliest: IdentifiedCare
    classes: tuple[FormulationClass, ...]
    intervals: dict[str, Intervals]

    def recovers(self, formulation: str, low: float, high: float | None) -> float | None:
        """See `IdentifiedCare`."""
        for one in self.classes:
            if formulation in one.scale and not one.indifferent:
                ends = sorted(one.scale[formulation] * end for end in (low, math.inf if high is None else high))
                return float(any(begin <= ends[1] and ends[0] <= end for begin, end in self.intervals[one.name]))
        return None


@functools.lru_cache(maxsize=4)
def _prepare(place: _Place) -> tuple[tuple[str, ...], WorldRewards]:
    """Return the formulations that are compared in a world, and their rewards."""
    from craftworld.identification.behaviour import Behaviour
    from craftworld.identification.identify import WorldRewards, find_common_formulations

    formulations = find_common_formulations([Behaviour(place.world, "", ())])
    return formulations, WorldRewards(place.world, formulations)


@functools.lru_cache(maxsize=256)
def _explain(seen: _Seen) -> _Explained:
    from craftworld.identification.identify import (
        Question,
        compare_exact_hypotheses,
        compare_hypotheses,
        find_optimal_care,
        weigh_hypotheses,
    )
    from craftworld.identification.posterior import CARE, Prior

    formulations, rewards = _prepare(_Place(seen.fingerprint, seen.behaviour.world))
    question = Question([seen.behaviour], formulations, {seen.fingerprint: rewards})
    caring = [one.name for one in question.classes if not one.indifferent]
    intervals: dict[str, Intervals] = {name: find_optimal_care(question.gather(name)) for name in caring}
    compare = compare_exact_hypotheses if any(intervals.values()) else compare_hypotheses
    hypotheses = weigh_hypotheses(compare(question, Prior()))
    for each in hypotheses:
        if each.posterior is not None and each.formulations is not None and not intervals[each.formulations.name]:
            intervals[each.formulations.name] = [each.posterior.find_interval(CARE)]
    return _Explained(_summarise(hypotheses, intervals), question.classes, intervals)


def _summarise(hypotheses: Sequence[Hypothesis], intervals: dict[str, Intervals]) -> IdentifiedCare:
    from craftworld.identification.identify import EXACT
    from craftworld.identification.posterior import CARE

    kinds: dict[str, list[Hypothesis]] = {}
    for each in hypotheses:
        kinds.setdefault(each.name.removesuffix(EXACT), []).append(each)
    probability = {name: math.fsum(each.probability for each in kind) for name, kind in kinds.items()}
    name = max(probability, key=lambda kind: probability[kind])
    one = max(kinds[name], key=lambda each: each.probability)
    if one.posterior is None:
        return NOTHING._replace(identified=name, identified_probability=probability[name])
    if one.formulations is None:
        return IdentifiedCare(name, probability[name], 0.0, 0.0, 0.0, None)
    every = intervals[name]
    ends = every[0][0], every[-1][1]
    low, high = (end if math.isfinite(end) else None for end in ends)
    return IdentifiedCare(name, probability[name], one.posterior.find_quantile(CARE, 0.5), low, high, None)
