"""Measuring formulations in the worlds of `craftworld`, over their whole range of coefficients.

expected               the exact optimum of every coefficient
q_learning(expected)   learned from a seed, once for each exact segment, at a coefficient inside
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.randomness.counter_based import split
from engine.user_code import names_user_code
from experiments.bench.own_method import AGENT, FORMULATION, POLICY, policy_of_function, sort_of_method
from experiments.bench.suite import BenchCase, world_parts
from experiments.experiment import Rows
from experiments.problems.named_problem import NamedProblem

if TYPE_CHECKING:
    from craftworld.measures.dominated_area import Box
    from craftworld.measures.trade_off_curve import PolicyAt
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Policy

LEARNER = "q_learning"
SEEDS, QUICK_SEEDS = (0, 1, 2), (0,)
OWN_AGENT_STEPS = 20_000


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

    problem, policy_at = _method(case)
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


def takes(sort: str) -> bool:
    """Whether a user's own methods of a sort are measured in these worlds."""
    return sort in (FORMULATION, POLICY, AGENT)


def random_maps(world: str) -> bool:
    """Whether a world of these has held-out maps."""
    return _named(world).make_scenario().shuffle is not None


def _method(case: BenchCase) -> tuple[Problem, PolicyAt | None]:
    """The problem of a case, and what acts in it; None for its exact optimum."""
    name, world = case.method, case.world
    if case.seed is not None and not name.startswith(f"{LEARNER}("):
        problem = _named(world).make_problem()
        return problem, functools.partial(_trained, problem, name, case.seed)
    if names_user_code(name) and sort_of_method(name) != FORMULATION:
        problem = _named(world).make_problem()
        return problem, lambda care, start: policy_of_function(name, problem, care)
    if case.seed is None:
        return _named(world, name).make_problem(), None
    problem = _named(world, name.removeprefix(f"{LEARNER}(").removesuffix(")")).make_problem()
    return problem, functools.partial(_learned, problem, case.seed)


def _trained(problem: Problem, agent: str, seed: int, care: float, start: int) -> Policy:
    """The greedy policy of an agent by name or of the user's own, the same from every start state."""
    from experiments.training.training import train

    return train(problem, care, agent, OWN_AGENT_STEPS, seed).policy.actions


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
