"""The contract of planning agents: a planning world for every signal that can be tabulated, and declared dependencies.

Dependencies are checked by perturbation: change one input, and look at what follows. A kernel that does not declare
an input must give the same for every value of it; what a kernel declares need not matter in every world. One of the
small worlds that agents are tried in is a tank in which everything can matter: physics reads the signal, and the
terminal reads the world.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from counterfactual.agents import Dependencies, PlanningAgent
from counterfactual.columns import Column, Entries, as_column, as_ints, broadcast
from counterfactual.contract_checks.worlds import (
    IntegerColumn,
    require_integers,
    require_states,
    require_weights,
    select_distinct_states,
)
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import Bonus, PlannedOutcome, PlanningState, PlanningWorld
from counterfactual.worlds import TERMINAL_WORLDS, PhysicsOutcome, Signal, SignalOutcome, TerminalWorld
from engine.contracts import read_array, refuse
from engine.errors import ContractBroken
from engine.user_code import describe_place, user_code

LEVELS = 4


class Level(NamedTuple):
    """X_t: how full the tank is."""

    level: Entries


@dataclass(frozen=True)
class SignalWorld(TerminalWorld[Level]):
    """A tank that fills by the action, leaks by chance, and is drained by the second signal."""

    horizon: int = 3
    discount: Fraction = Fraction(3, 4)

    name = "tank"
    features = ("full", "work")
    action_names = MappingProxyType({"a": "wait", "b": "fill"})
    signals = (Signal("fill it", (Fraction(3), Fraction(-1))), Signal("rest", (Fraction(-2), Fraction(-1))))

    def start(self) -> Level:
        """Empty."""
        return Level(0)

    def physics(self, step: int, x: Level, action: Column) -> Sequence[PhysicsOutcome[Level]]:
        """Filled by one, or twice as probably as not by nothing."""
        return self._move(x, action, 1 * action)

    def physics_given(self, signal: Column, step: int, x: Level, action: Column) -> Sequence[PhysicsOutcome[Level]]:
        """As above, and one less under the second signal."""
        return self._move(x, action, action + 3 * signal)

    def terminal(self, signal: Column, step: int, x: Level, action: Column, next_x: Level) -> Sequence[SignalOutcome]:
        """Each signal with weights that depend on everything before."""
        weight = 1 + signal + x.level + action
        return [SignalOutcome(weight, 0), SignalOutcome(2, 1)]

    def _move(self, x: Level, action: Column, change: Column) -> list[PhysicsOutcome[Level]]:
        levels = [(x.level + change) % LEVELS, (x.level + change + 1) % LEVELS]
        return [
            PhysicsOutcome(weight, Level(level), (level, action)) for weight, level in zip((1, 2), levels, strict=True)
        ]


MOST_STATES_A_STEP = 24


class Case(NamedTuple):
    """One question to a planning world: plan's signal, step, X_t, I_t and A_t."""

    present: int
    step: int
    x: tuple[int, ...]
    signal: int
    action: int


class Answer(NamedTuple):
    """One possible outcome: X_{t+1}, I_{t+1} (0 where there is none), its probability and reward."""

    next_x: tuple[int, ...]
    next_signal: int
    probability: Fraction
    reward: Fraction


def check_dependencies(agent: PlanningAgent, learned: TerminalWorld[Any]) -> None:
    """Perturb the inputs of an agent's kernels in one world; ContractBroken for a dependency that is not declared.

    An agent that declares nothing is taken to depend on everything, and passes.
    """
    declared = agent.dependencies
    if declared is None:
        return
    worlds = [agent(learned, signal) for signal in range(len(learned.signals))]
    if worlds[0].tracks_signal != bool(declared.next_signal):
        says = "plans with later signals" if worlds[0].tracks_signal else "plans without later signals"
        _refuse(agent, f"its planning world {says}", "next_signal", declared.next_signal)
    table = _tabulate_answers(worlds, learned)
    for case, answers in table.items():
        for present in range(len(worlds)):
            other = table[case._replace(present=present)]
            if _compute_law(answers) != _compute_law(other):
                _refuse(agent, "a kernel changes with the signal of the present", "next_x", declared.next_x)
            if "I_0" not in declared.reward and _collect_rewards(answers) != _collect_rewards(other):
                _refuse(agent, "a reward changes with the signal of the present", "reward", declared.reward)
        for signal in range(len(learned.signals)):
            _check_signal(agent, declared, answers, table[case._replace(signal=signal)])
        if "I'" not in declared.reward and _is_ambiguous(answers):
            _refuse(agent, "a reward changes with the next signal", "reward", declared.reward)


def _check_signal(agent: PlanningAgent, declared: Dependencies, answers: list[Answer], other: list[Answer]) -> None:
    """Two lists of outcomes that differ in I_t alone."""
    if "I" not in declared.next_x and _compute_law_of_x(answers) != _compute_law_of_x(other):
        _refuse(agent, "physics changes with the signal", "next_x", declared.next_x)
    if (
        declared.next_signal
        and "I" not in declared.next_signal
        and _compute_signal_law(answers) != _compute_signal_law(other)
    ):
        _refuse(agent, "the next signal changes with the signal", "next_signal", declared.next_signal)
    if "I" not in declared.reward:
        mine, theirs = _collect_rewards(answers), _collect_rewards(other)
        if any(mine[key] != theirs[key] for key in mine.keys() & theirs.keys()):
            _refuse(agent, "a reward changes with the signal", "reward", declared.reward)


def _refuse(agent: PlanningAgent, problem: str, kernel: str, declared: tuple[str, ...]) -> None:
    listed = ", ".join(declared) or "nothing"
    raise ContractBroken(
        f"{problem}, and '{kernel}' is declared to depend on {listed}",
        place=describe_place(agent),
        remedy="declare it in PlanningAgent.depending_on(...)",
    )


def _tabulate_answers(worlds: list[PlanningWorld], learned: TerminalWorld[Any]) -> dict[Case, list[Answer]]:
    """What every planning world answers for the first states of every step, each signal and each allowed action."""
    table: dict[Case, list[Answer]] = {}
    states = {as_ints(learned.start())}
    for step in range(1, learned.horizon + 1):
        reached: set[tuple[int, ...]] = set()
        for present, world in enumerate(worlds):
            for signal in range(len(learned.signals)):
                for x in sorted(states)[:MOST_STATES_A_STEP]:
                    asked = _ask(world, learned, Case(present, step, x, signal, 0))
                    reached |= {answer.next_x for answers in asked.values() for answer in answers}
                    table |= asked
        states = reached
    return table


def _ask(world: PlanningWorld, learned: TerminalWorld[Any], case: Case) -> dict[Case, list[Answer]]:
    """The outcomes of all actions that are allowed in one state."""
    n = len(learned.actions)
    x = broadcast(type(learned.start())(*case.x), n)
    action = np.flatnonzero(as_column(learned.allows(case.step, x, np.arange(n)), n))
    x = broadcast(type(x)(*case.x), len(action))
    now = world.state(x, as_column(case.signal, len(action)))
    _, unit = learned.reward_table
    answers: dict[Case, list[Answer]] = {case._replace(action=int(one)): [] for one in action}
    weights: dict[int, int] = dict.fromkeys(range(len(action)), 0)
    found: list[tuple[int, int, tuple[int, ...], int, Fraction]] = []
    for outcome in world.outcomes(case.step, now, action):
        weight, reward = as_column(outcome.weight, len(action)), as_column(outcome.reward, len(action))
        following: PlanningState = outcome.next_state
        next_x = broadcast(following.x, len(action))
        sent = as_column(0 if following.signal is None else following.signal, len(action))
        for row in np.flatnonzero(weight).tolist():
            bonus = Fraction(0) if outcome.bonus is None else outcome.bonus.exact(row)
            entry = tuple(int(field[row]) for field in next_x)
            found.append((row, int(weight[row]), entry, int(sent[row]), int(reward[row]) * unit + bonus))
            weights[row] += int(weight[row])
    for row, weight_of, entry, sent_one, total in found:
        answer = Answer(entry, sent_one, Fraction(weight_of, weights[row]), total)
        answers[case._replace(action=int(action[row]))].append(answer)
    return answers


def _sum_by_key(pairs: Iterable[tuple[Hashable, Fraction]]) -> dict[Hashable, Fraction]:
    total: dict[Hashable, Fraction] = {}
    for key, probability in pairs:
        total[key] = total.get(key, Fraction(0)) + probability
    return total


def _compute_law(answers: list[Answer]) -> dict[Hashable, Fraction]:
    return _sum_by_key(((a.next_x, a.next_signal), a.probability) for a in answers)


def _compute_law_of_x(answers: list[Answer]) -> dict[Hashable, Fraction]:
    return _sum_by_key((a.next_x, a.probability) for a in answers)


def _compute_signal_law(answers: list[Answer]) -> dict[Hashable, Fraction]:
    """P(I_{t+1} | X_{t+1})."""
    of_x = _compute_law_of_x(answers)
    return _sum_by_key(((a.next_x, a.next_signal), a.probability / of_x[a.next_x]) for a in answers)


def _collect_rewards(answers: list[Answer]) -> dict[Hashable, set[Fraction]]:
    """(X_{t+1}, I_{t+1}) -> the rewards that come with it."""
    rewards: dict[Hashable, set[Fraction]] = {}
    for a in answers:
        rewards.setdefault((a.next_x, a.next_signal), set()).add(a.reward)
    return rewards


def _is_ambiguous(answers: list[Answer]) -> bool:
    """Whether the same X_{t+1} earns different rewards with different next signals."""
    by_x: dict[Hashable, dict[int, set[Fraction]]] = {}
    for a in answers:
        by_x.setdefault(a.next_x, {}).setdefault(a.next_signal, set()).add(a.reward)
    return any(rewards != next(iter(signals.values())) for signals in by_x.values() for rewards in signals.values())


SMALL_WORLDS = (
    ("barricade", {"horizon": 4, "update_step": 2, "units": 2}),
    ("car_factory", {"horizon": 3, "update": 2, "noticing": 1, "gamble": "1/2"}),
    ("tamper_grid", {"horizon": 3, "update_step": 1}),
)
STATES = 32


def check_planning_agent(agent: Any, world: TerminalWorld[Any] | None = None) -> None:
    """Make an agent's planning worlds, look at their outcomes and solve them; ContractBroken for the first mistake.

    agent: a `PlanningAgent`, or a function (learned world, signal) -> `PlanningWorld`. world: what it plans in, by
    default small ones of several kinds.
    """
    accepted = PlanningAgent.accept(agent)
    small = [SignalWorld(), *(TERMINAL_WORLDS[name].make(settings) for name, settings in SMALL_WORLDS)]
    for learned in small if world is None else [world]:
        for signal in range(len(learned.signals)):
            for present in {1, learned.horizon} if accepted.knows_step else {1}:
                _check_planning_world(accepted, learned, signal, present)
        if world is None:
            check_dependencies(accepted, learned)


def _check_planning_world(agent: PlanningAgent, learned: TerminalWorld[Any], signal: int, present: int) -> None:
    planning_world = agent(learned, signal, present)
    if not isinstance(planning_world.learned, TerminalWorld):
        refuse(agent, "PlanningWorld.learned", planning_world.learned, "a TerminalWorld, as a rule the learned one")
    start = learned.start()
    if not isinstance(planning_world.tracks_signal, bool):
        refuse(agent, "tracks_signal", planning_world.tracks_signal, "True or False")
    state = planning_world.state(type(start)(*(np.array([entry]) for entry in start)), np.array([signal]))
    for step in range(1, learned.horizon + 1):
        state = _check_outcomes(agent, planning_world, step, state)
    with user_code(describe_place(agent)):
        values = [
            Plan(agent(learned, signal, present), 1, planning_world.state(start, signal)).value(1) for _ in range(2)
        ]
    if values[0] != values[1]:
        raise ContractBroken(
            f"two plans for one state are worth {float(values[0]):g} and {float(values[1]):g}",
            place=describe_place(agent),
            remedy="depend on nothing but the arguments",
        )


def _check_outcomes(agent: PlanningAgent, world: PlanningWorld, step: int, state: PlanningState) -> PlanningState:
    """Take every action that is allowed in n planning states; the planning states that it may lead to."""
    actions, n = len(world.learned.actions), len(state.x[0])
    rows = np.repeat(np.arange(n), actions)
    action = np.tile(np.arange(actions), n)
    every = _select_rows(state, rows)
    allowed = np.broadcast_to(world.learned.allows(step, every.x, action), action.shape)
    now, action = _select_rows(every, allowed), action[allowed]
    with user_code(f"{describe_place(agent)}, outcomes"):
        outcomes = list(world.outcomes(step, now, action))
    for outcome in outcomes:
        if not isinstance(outcome, PlannedOutcome):
            refuse(agent, "outcomes", outcome, "PlannedOutcomes")
    weights = require_weights(agent, "outcomes", [outcome.weight for outcome in outcomes], len(action))
    reached = [
        _check_outcome(agent, world, outcome, weight > 0) for outcome, weight in zip(outcomes, weights, strict=True)
    ]
    x = type(now.x)(*(np.concatenate(entries) for entries in zip(*(each.x for each, _ in reached), strict=True)))
    chosen = select_distinct_states(x, np.concatenate([signal for _, signal in reached]), STATES)
    columns = [np.array(entries) for entries in zip(*(numbers for numbers, _ in chosen), strict=True)]
    return world.state(type(now.x)(*columns), np.array([signal for _, signal in chosen]))


def _check_outcome(
    agent: PlanningAgent, world: PlanningWorld, outcome: PlannedOutcome, possible: Any
) -> tuple[PlanningState, IntegerColumn]:
    """The planning states that one outcome leads to, and their signals, 0 where the plan does without."""
    n = len(possible)
    following = outcome.next_state
    if not isinstance(following, PlanningState):
        refuse(agent, "outcomes", following, "a PlanningState as next_state")
    x = require_states(agent, "outcomes", following.x, world.learned.start(), n)
    if (following.signal is not None) != world.tracks_signal:
        wanted = "a signal in every next_state" if world.tracks_signal else "next_state without a signal"
        refuse(agent, "outcomes", following.signal, f"{wanted}, for tracks_signal is {world.tracks_signal}")
    signal = require_integers(agent, "outcomes", 0 if following.signal is None else following.signal, n, "the signal")
    if (possible & ((signal < 0) | (signal >= len(world.learned.signals)))).any():
        refuse(agent, "outcomes", following.signal, f"signals from 0 to {len(world.learned.signals) - 1}")
    require_integers(agent, "outcomes", outcome.reward, n, "the reward, in units of reward_table,")
    if outcome.bonus is not None:
        _check_bonus(agent, outcome.bonus, n)
    return _select_rows(PlanningState(x, signal), possible), signal[possible]


def _check_bonus(agent: PlanningAgent, bonus: Any, n: int) -> None:
    if not isinstance(bonus, Bonus):
        refuse(agent, "outcomes", bonus, "a Bonus or None")
    floats = read_array(bonus.floats)
    if floats.dtype != np.float64 or floats.shape != (n,):
        refuse(agent, "Bonus.floats", bonus.floats, f"float64[{n}]")
    for row in range(n):
        exact = bonus.exact(row)
        if not isinstance(exact, Fraction) or abs(float(exact) - floats[row]) > 1e-9 * max(1.0, abs(floats[row])):
            refuse(agent, f"Bonus.exact({row})", exact, f"a Fraction equal to its float {floats[row]:g}")


def _select_rows(state: PlanningState, rows: Any) -> PlanningState:
    x = type(state.x)(*(entry[rows] for entry in state.x))
    return PlanningState(x, None if state.signal is None else state.signal[rows])
