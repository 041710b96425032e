"""The declared dependencies of a planning agent, checked by perturbation: change one input, and look at what follows.

A kernel that does not declare an input must give the same for every value of it. What a kernel declares need not matter
in every world.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from counterfactual.columns import as_ints, broadcast, column
from counterfactual.dependencies import Dependencies
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlanningState, PlanningWorld
from counterfactual.terminal_world import TerminalWorld
from engine.errors import ContractBroken
from engine.user_code import place_of

MANY = 24


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
    table = _answers(worlds, learned)
    for case, answers in table.items():
        for present in range(len(worlds)):
            other = table[case._replace(present=present)]
            if _law(answers) != _law(other):
                _refuse(agent, "a kernel changes with the signal of the present", "next_x", declared.next_x)
            if "I_0" not in declared.reward and _rewards(answers) != _rewards(other):
                _refuse(agent, "a reward changes with the signal of the present", "reward", declared.reward)
        for signal in range(len(learned.signals)):
            _check_signal(agent, declared, answers, table[case._replace(signal=signal)])
        if "I'" not in declared.reward and _ambiguous(answers):
            _refuse(agent, "a reward changes with the next signal", "reward", declared.reward)


def _check_signal(agent: PlanningAgent, declared: Dependencies, answers: list[Answer], other: list[Answer]) -> None:
    """Two lists of outcomes that differ in I_t alone."""
    if "I" not in declared.next_x and _law_of_x(answers) != _law_of_x(other):
        _refuse(agent, "physics changes with the signal", "next_x", declared.next_x)
    if declared.next_signal and "I" not in declared.next_signal and _signals(answers) != _signals(other):
        _refuse(agent, "the next signal changes with the signal", "next_signal", declared.next_signal)
    if "I" not in declared.reward:
        mine, theirs = _rewards(answers), _rewards(other)
        if any(mine[key] != theirs[key] for key in mine.keys() & theirs.keys()):
            _refuse(agent, "a reward changes with the signal", "reward", declared.reward)


def _refuse(agent: PlanningAgent, problem: str, kernel: str, declared: tuple[str, ...]) -> None:
    listed = ", ".join(declared) or "nothing"
    raise ContractBroken(
        f"{problem}, and '{kernel}' is declared to depend on {listed}",
        place=place_of(agent),
        remedy="declare it in PlanningAgent.depending_on(...)",
    )


def _answers(worlds: list[PlanningWorld], learned: TerminalWorld[Any]) -> dict[Case, list[Answer]]:
    """What every planning world answers for the first states of every step, each signal and each allowed action."""
    table: dict[Case, list[Answer]] = {}
    states = {as_ints(learned.start())}
    for step in range(1, learned.horizon + 1):
        reached: set[tuple[int, ...]] = set()
        for present, world in enumerate(worlds):
            for signal in range(len(learned.signals)):
                for x in sorted(states)[:MANY]:
                    asked = _ask(world, learned, Case(present, step, x, signal, 0))
                    reached |= {answer.next_x for answers in asked.values() for answer in answers}
                    table |= asked
        states = reached
    return table


def _ask(world: PlanningWorld, learned: TerminalWorld[Any], case: Case) -> dict[Case, list[Answer]]:
    """The outcomes of all actions that are allowed in one state."""
    n = len(learned.actions)
    x = broadcast(type(learned.start())(*case.x), n)
    action = np.flatnonzero(column(learned.allows(case.step, x, np.arange(n)), n))
    x = broadcast(type(x)(*case.x), len(action))
    now = world.state(x, column(case.signal, len(action)))
    _, unit = learned.reward_table
    answers: dict[Case, list[Answer]] = {case._replace(action=int(one)): [] for one in action}
    weights: dict[int, int] = dict.fromkeys(range(len(action)), 0)
    found: list[tuple[int, int, tuple[int, ...], int, Fraction]] = []
    for outcome in world.outcomes(case.step, now, action):
        weight, reward = column(outcome.weight, len(action)), column(outcome.reward, len(action))
        following: PlanningState = outcome.next_state
        next_x = broadcast(following.x, len(action))
        sent = column(0 if following.signal is None else following.signal, len(action))
        for row in np.flatnonzero(weight).tolist():
            bonus = Fraction(0) if outcome.bonus is None else outcome.bonus.exact(row)
            entry = tuple(int(field[row]) for field in next_x)
            found.append((row, int(weight[row]), entry, int(sent[row]), int(reward[row]) * unit + bonus))
            weights[row] += int(weight[row])
    for row, weight_of, entry, sent_one, total in found:
        answer = Answer(entry, sent_one, Fraction(weight_of, weights[row]), total)
        answers[case._replace(action=int(action[row]))].append(answer)
    return answers


def _summed(pairs: Iterable[tuple[Hashable, Fraction]]) -> dict[Hashable, Fraction]:
    total: dict[Hashable, Fraction] = {}
    for key, probability in pairs:
        total[key] = total.get(key, Fraction(0)) + probability
    return total


def _law(answers: list[Answer]) -> dict[Hashable, Fraction]:
    return _summed(((a.next_x, a.next_signal), a.probability) for a in answers)


def _law_of_x(answers: list[Answer]) -> dict[Hashable, Fraction]:
    return _summed((a.next_x, a.probability) for a in answers)


def _signals(answers: list[Answer]) -> dict[Hashable, Fraction]:
    """P(I_{t+1} | X_{t+1})."""
    of_x = _law_of_x(answers)
    return _summed(((a.next_x, a.next_signal), a.probability / of_x[a.next_x]) for a in answers)


def _rewards(answers: list[Answer]) -> dict[Hashable, set[Fraction]]:
    """(X_{t+1}, I_{t+1}) -> the rewards that come with it."""
    rewards: dict[Hashable, set[Fraction]] = {}
    for a in answers:
        rewards.setdefault((a.next_x, a.next_signal), set()).add(a.reward)
    return rewards


def _ambiguous(answers: list[Answer]) -> bool:
    """Whether the same X_{t+1} earns different rewards with different next signals."""
    by_x: dict[Hashable, dict[int, set[Fraction]]] = {}
    for a in answers:
        by_x.setdefault(a.next_x, {}).setdefault(a.next_signal, set()).add(a.reward)
    return any(rewards != next(iter(signals.values())) for signals in by_x.values() for rewards in signals.values())
