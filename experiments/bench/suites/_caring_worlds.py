"""Measuring formulations in the worlds of `craftworld`, over their whole range of coefficients.

expected               the exact optimum of every coefficient
q_learning(expected)   learned from a seed, once for each exact segment, at a coefficient inside
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.randomness.counter_based import split
from experiments.bench.suite import BenchCase, world_parts
from experiments.experiment import Rows
from experiments.problems.named_problem import NamedProblem

if TYPE_CHECKING:
    from craftworld.measures.dominated_area import Box
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Policy

LEARNER = "q_learning"
SEEDS, QUICK_SEEDS = (0, 1, 2), (0,)


def caring_methods(world: str, quick: bool) -> Sequence[tuple[str, int | None]]:
    """Every formulation that applies to a world, exactly, and the learner of its own one."""
    from craftworld.others.applicability import applicable_formulations

    scenario = _named(world).make_scenario()
    exact = [(name, None) for name in applicable_formulations(scenario)]
    learned = [(f"{LEARNER}({scenario.default_formulation})", seed) for seed in (QUICK_SEEDS if quick else SEEDS)]
    return [*exact, *([] if scenario.replay_only else learned)]


def measure_caring(case: BenchCase) -> Rows:
    """The rows of a case: a row an optimal segment."""
    from craftworld.measures.dominated_area import dominated_area
    from craftworld.measures.trade_off_curve import trade_off_curve

    learner, bracket, inner = case.method.partition("(")
    problem = _named(case.world, inner.removesuffix(")") if bracket else learner).make_problem()
    policy_at = functools.partial(_learned, problem, case.seed) if bracket and case.seed is not None else None
    curve = trade_off_curve(problem, policy_at)
    area = dominated_area(_box(case.world), [point.measures for point in curve])
    return [
        {
            "care_from": point.care_from,
            "care_to": point.care_to,
            **point.measures._asdict(),
            "area": area,
            "actions": _actions(problem, point.policy),
        }
        for point in curve
    ]


def _named(world: str, formulation: str | None = None) -> NamedProblem:
    name, options = world_parts(world)
    return NamedProblem(name, formulation, options=options)


@functools.lru_cache(maxsize=64)
def _box(world: str) -> Box | None:
    """The box of a world, under the others' expected returns where they apply, else under its own formulation."""
    from craftworld.measures.dominated_area import box_of
    from craftworld.others.applicability import applicable_formulations

    applicable = applicable_formulations(_named(world).make_scenario())
    return box_of(_named(world, "expected" if "expected" in applicable else None).make_problem())


def _learned(problem: Problem, seed: int, care: float, start: int) -> Policy:
    from craftworld.solution.learning import acting_learning

    key = split(split(split(seed, "acting agent"), repr(float(care))), start)
    return acting_learning(problem.scenario).on(problem.augmented(care, start), key).policy


def _actions(problem: Problem, policy: Policy) -> str:
    """The names of the actions of the episode from the likeliest start state; "" where chance decides."""
    from engine.mdp.episode import sample

    mdp = problem.mdp
    if not mdp.is_deterministic or len(mdp.start_states()) > 1:
        return ""
    walk = sample(mdp, lambda state: int(policy[state]), int(mdp.start_states()[0]), problem.scenario.time_limit)
    return ",".join(mdp.actions[action] for action in walk.actions)
