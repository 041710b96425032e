"""Training one agent on one problem at one caring coefficient, with its learning curve against the exact optimum.

Now and then the agent's greedy policy is followed: its augmented return, averaged over the start states, stands beside
the optimum's. A policy that never ends costs what the scenario's time limit lets it cost.

Choices
- `q_learning` is the tabular learner of `caregrid sweep`; it reads the table one step at a time. Every other agent sees
  the number of its observation and the augmented reward through Gymnasium: `dqn`, `sb3_dqn`, `sb3_a2c`, `sb3_ppo`,
  `stacked_dqn`, `stacked_a2c` and `stacked_ppo` with the settings of `be_considerate/deep_learners`, those of the
  registry of agents and a user's own, models of Stable-Baselines3 among them, with their own settings.
- `q_learning` with hyper-parameters is the agent of that name in the registry. Deep agents keep those of
  `be_considerate/deep_learners` but for the ones that are set.
- Deep agents get rewards scaled so that the largest is 5, and discount by .99 where the world does not.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from craftworld.solution.learning import choose_acting_learning
from craftworld.solution.observer import Observes, find_observer_optimum, make_table_of_all_starts
from engine.agent import AgentSpec
from engine.errors import BadValue, MissingExtra, NoPlan, argument, did_you_mean
from engine.learning.observed_q_learning import make_learner
from engine.learning.q_learning import MOST_STEPS, count_enough_steps
from engine.learning.stacks import CPU
from engine.plain_values import finite_or_none
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.endless_returns import average_over_starts
from engine.planning.finite_horizon import compute_limited_return
from engine.randomness.counter_based import randrange, split
from engine.randomness.library_generators import keep_global_generators
from engine.registry import split_call, write_call
from engine.user_code import names_user_code
from engine.value_types import SEEDS, Coefficient, require, show_whole_number
from experiments.learned_policy import LearnedPolicy
from experiments.learners import (
    LEARNERS,
    Learner,
    LearningTask,
    Policies,
    find_own_model,
    learn_own_model,
    place_learner,
    says_greedy_action,
    step_learners,
)
from xenv.agents import BATTERY_AGENTS
from xenv.names import agent_spec, agent_title
from xenv.user_agents import FactorySpec, as_agent

if TYPE_CHECKING:
    from craftworld.caring_table import CaringTable
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Policy, TabularMDP
    from experiments.experiment import Rows

VERSION = 3
CHECKPOINTS = 20
CLOSE = 1e-6
TABULAR = "q_learning"
FORGETTING = ("sb3_a2c", "sb3_ppo", "stacked_a2c", "stacked_ppo")
REPLAYING_STEPS = 40_000
FORGETTING_STEPS = 300_000
MOST_DEEP_STEPS = 10_000_000
MOST_DEEP_STATES = 50_000
LARGEST_REWARD = 5.0
DISCOUNT = 0.99
PolicyStream = Iterator["Policy"]
AnyAgent = str | AgentSpec | Callable[..., Any]
"""An agent: a name, perhaps with hyper-parameters, a spec, or a class or function that makes one."""


class Trained(NamedTuple):
    """policy: the last one. curve: a row per checkpoint: steps, greedy_return, optimum, below (None where unknown)."""

    policy: LearnedPolicy
    curve: Rows


def train(
    problem: Problem,
    care: float,
    agent: AnyAgent,
    steps: int | None = None,
    seed: int = 0,
    device: str = CPU,
    observes: Observes = "observation",
    watch: Callable[[int, Policy], None] | None = None,
) -> Trained:
    """Train an agent, and keep its greedy policy.

    agent: `q_learning`, `dqn`, `sb3_dqn`, `sb3_a2c`, `sb3_ppo`, another name of the registry of agents,
    `module:attribute`, each perhaps with hyper-parameters, `sarsa(epsilon=0.3)`, or a spec or factory. steps: of the
    world; by default as many as a table needs (q_learning), 40,000, or 300,000 for A2C and PPO. device: where stacked
    learners compute. observes: what the agent sees
    (`craftworld.solution.observer.Observes`); the optimum is that of an agent with memory that sees the same.
    watch: called at every checkpoint, with its steps and the greedy policy. Raises UnknownName, BadValue, MissingExtra
    or ContractBroken.
    """
    table, every, checkpoints, learn, greedy = prepare(problem, care, agent, steps, seed, device, observes)
    optimum = _compute_optimum(problem, table, care, observes)
    curve = list[dict[str, Any]]()
    policy = None
    for checkpoint, policy in enumerate(learn(every * checkpoints, every)):
        earned = _compute_return(table, policy, problem.scenario.time_limit)
        below = None if optimum is None else max(0.0, optimum - earned)
        below = 0.0 if below is not None and below < CLOSE * max(1.0, abs(optimum or 0.0)) else below
        row = {"steps": (checkpoint + 1) * every, "greedy_return": earned, "optimum": optimum, "below": below}
        curve.append(row)
        if watch is not None:
            watch((checkpoint + 1) * every, _leave_copies_out(policy, problem))
    assert policy is not None
    note = {
        "agent": name_agent(agent),
        "scenario": problem.scenario.name,
        "formulation": problem.formulation,
        "care": float(care),
        "own": float(problem.own),
        "discount": float(problem.mdp.discount),
        "map": list(problem.scenario.grid.rows),
        "seed": seed,
        "observes": observes,
        "greedy": greedy,
        **curve[-1],
    }
    return Trained(LearnedPolicy(_leave_copies_out(policy, problem), note), curve)


def _leave_copies_out(policy: Policy, problem: Problem) -> Policy:
    """int32[S], of one of the copies of the world, one for each start state, which look alike."""
    return np.array(policy[: len(problem.mdp.terminal)], dtype=np.int32)


def name_agent(agent: AnyAgent) -> str:
    """Return what outputs call an agent: its name, or its spec with its hyper-parameters."""
    if isinstance(agent, str):
        return agent
    if (own := find_own_model(agent)) is not None and isinstance(own.maker, partial):
        return write_call(own.maker.func.__name__, own.maker.keywords)
    spec = agent_spec(agent)
    if is_dataclass(spec) and not isinstance(spec, FactorySpec):
        return " ".join(repr(spec).split())
    return agent_title(spec)


def require_trainable(agent: AnyAgent, place: str, others: Sequence[str] = ()) -> None:
    """BadValue, UnknownName or ContractBroken for what is no agent that `train` takes.

    others: words that the place takes beside, for messages.
    """
    if not isinstance(agent, str):
        if find_own_model(agent) is None:
            agent_spec(agent)
        return
    name, settings = split_call(agent, place)
    if name in LEARNERS and not settings:
        return
    known = names_user_code(name) or name in BATTERY_AGENTS or name in LEARNERS or "(" in name
    if not known:
        listed = dict.fromkeys([*others, *LEARNERS, *BATTERY_AGENTS])
        raise BadValue(f"no agent '{agent}'", place=place, remedy=did_you_mean(agent, listed))
    if name in LEARNERS:
        place_learner(name, CPU, settings)
    elif find_own_model(agent) is None:
        agent_spec(agent)


class Preparation(NamedTuple):
    """table: with the augmented reward. every: steps between two checkpoints. learn: (steps, every) -> policies.

    greedy: whether the agent says what its greedy action is (`experiments.learners.says_greedy_action`).
    """

    table: TabularMDP
    every: int
    checkpoints: int
    learn: Callable[[int, int], PolicyStream]
    greedy: bool


def prepare(
    problem: Problem,
    care: float,
    agent: AnyAgent,
    steps: int | None,
    seed: int,
    device: str = CPU,
    observes: Observes = "observation",
) -> Preparation:
    """Everything that can be refused before anything is learned; the arguments and errors of `train`."""
    from craftworld.caring_table import CaringTable

    require("care", care, Coefficient)
    if not SEEDS.admit(seed):
        raise BadValue(f"seed {show_whole_number(seed)}", place=argument("seed"), remedy=f"choose from {SEEDS}")
    most = MOST_STEPS if isinstance(agent, str) and agent == TABULAR else MOST_DEEP_STEPS
    if steps is not None and not 1 <= steps <= most:
        raise BadValue(f"{steps} steps", place=argument("steps"), remedy=f"choose from 1 to {most:,}")
    table = make_table_of_all_starts(problem, care, observes)
    name, settings = split_call(agent, "agent") if isinstance(agent, str) else ("", {})
    greedy = True
    if name == TABULAR and not settings and device == CPU:
        learn = partial(_learn_by_table, problem, table, seed)
    elif (own := find_own_model(agent)) is not None and device == CPU:
        learner: Learner = partial(learn_own_model, own)
        learn = partial(_learn_through_gymnasium, problem, table, care, observes, learner, False, seed)
        _require_deep(f"agent {name_agent(agent)}", table)
        with keep_global_generators():  # what cannot be made is refused now
            own.make(_make_world(CaringTable(problem, care), observes), seed)
    elif name not in LEARNERS and device == CPU:
        spec = agent_spec(agent)
        shape = table.count_observations(), len(table.actions)
        greedy = says_greedy_action(as_agent(spec.build(*shape, seed)), *shape)
        learner = partial(_step_learners, spec)
        learn = partial(_learn_through_gymnasium, problem, table, care, observes, learner, False, seed)
    else:
        _require_deep(f"agent {name_agent(agent)}", table)
        learner = place_learner(name, device, settings)
        learn = partial(_learn_through_gymnasium, problem, table, care, observes, learner, True, seed)
    asked = _choose_steps(problem, table, name if name in LEARNERS else agent) if steps is None else steps
    every = max(1, asked // CHECKPOINTS)
    return Preparation(table, every, asked // every, learn, greedy)


def _step_learners(spec: AgentSpec, tasks: Sequence[LearningTask]) -> list[Policies]:
    return step_learners([spec] * len(tasks), tasks)


def _require_deep(place: str, table: TabularMDP) -> None:
    """MissingExtra where networks cannot be trained, BadValue for a table that is too large for one."""
    if any(importlib.util.find_spec(package) is None for package in ("torch", "stable_baselines3")):
        remedy = "pip install 'caregrid[deep]'"
        raise MissingExtra("torch and stable-baselines3 are needed", place=place, remedy=remedy)
    if table.count_observations() > MOST_DEEP_STATES:
        remedy = f"use {argument('agent', 'q_learning')}, or a smaller map"
        raise BadValue(f"{table.count_observations():,} states are too many for a network", place=place, remedy=remedy)


def _choose_steps(problem: Problem, table: TabularMDP, agent: AnyAgent) -> int:
    if isinstance(agent, str) and agent == TABULAR:
        settings = choose_acting_learning(problem.scenario).settings
        return max(settings.steps, count_enough_steps(table, settings.episode_steps))
    return FORGETTING_STEPS if isinstance(agent, str) and agent in FORGETTING else REPLAYING_STEPS


def _learn_by_table(problem: Problem, table: TabularMDP, seed: int, steps: int, every: int) -> PolicyStream:
    settings = replace(choose_acting_learning(problem.scenario).settings, steps=steps)
    learner = make_learner(table, split(seed, "train"), settings)
    for until in range(every, steps + 1, every):
        learner.learn(until)
        yield learner.policy


def _learn_through_gymnasium(
    problem: Problem,
    table: TabularMDP,
    care: float,
    observes: Observes,
    learn: Learner,
    deep: bool,
    seed: int,
    steps: int,
    every: int,
) -> PolicyStream:
    from craftworld.caring_table import CaringTable

    made = CaringTable(problem, care)
    scale = LARGEST_REWARD / (float(np.abs(table.reward).max()) or 1.0) if deep else 1.0
    make = partial(_make_world, made, observes, scale)
    discount = table.discount if table.discount < 1.0 else DISCOUNT
    [policies] = learn([LearningTask(make, discount, steps, every, randrange(2**31, 0, seed, 0))])
    for policy in policies:
        yield table.executable(np.asarray(policy, dtype=np.int32)[table.observations])


def _make_world(made: CaringTable, observes: Observes, scale: float = 1.0) -> Any:
    """Return the Gymnasium environment of a table, within its time limit. scale: of the rewards."""
    from gymnasium.wrappers import TimeLimit, TransformReward

    from craftworld.gymnasium_environments import CaringEnvironment

    world = TimeLimit(CaringEnvironment(made, observes=observes), made.problem.scenario.time_limit)
    return TransformReward(world, lambda reward: float(reward) * scale)


def _compute_optimum(problem: Problem, table: TabularMDP, care: float, observes: Observes) -> float | None:
    """Return the most that an agent can earn that observes what the learner does, the mean over the start states.

    None where it is infinite, or takes more beliefs than are solved.
    """
    try:
        if table.observation is not None:
            with suppress(BadValue):
                return finite_or_none(find_observer_optimum(problem, care, observes).augmented)
            return None
        best = average_over_starts(table, plan(table).value)
    except NoPlan:
        return None
    return finite_or_none(best)


def _compute_return(table: TabularMDP, policy: Policy, limit: int) -> float:
    """Return what a policy earns, the mean over the start states; within the time limit where it never ends."""
    try:
        value = evaluate_policy(table, policy)
    except NoPlan:
        value = np.full(len(policy), np.nan)
    if not np.isfinite(value[table.start > 0]).all():
        value = np.where(np.isfinite(value), value, compute_limited_return(table, policy, limit))
    return float(table.start @ np.where(table.start > 0, value, 0.0))
