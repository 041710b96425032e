"""Whether the kernels of an agent's planning worlds depend on what it declares, by perturbing their inputs.

    X_{t+1} ~ next_x(. | X, I, A, I_0)     I_{t+1} ~ next_signal(. | X, I, A, I_0)     R_t = reward(X, X', I, I', I_0)

A kernel gives the same for every value of an input that it does not declare, all others being equal. What it declares
need not matter in every world. Agents are tried in small worlds; one of them is a tank in which everything can matter:
physics reads the signal, the terminal reads the world, and the state tells the events of the step before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from counterfactual.agents import KERNELS, PlanningAgent
from counterfactual.columns import Column, Entries, as_column, as_ints, broadcast
from counterfactual.planning_world import PlanningState, PlanningWorld
from counterfactual.worlds import TERMINAL_WORLDS, PhysicsOutcome, Signal, SignalOutcome, TerminalWorld
from engine.errors import ContractBroken
from engine.user_code import describe_place, user_code

LEVELS = 4
MOST_STATES_A_STEP = 24
SMALL_WORLDS = (
    ("barricade", {"horizon": 4, "update_step": 2, "units": 2}),
    ("car_factory", {"horizon": 3, "update": 2, "noticing": 1, "gamble": "1/2"}),
    ("tamper_grid", {"horizon": 3, "update_step": 1}),
)
NAMES = {"next_x": "physics", "next_signal": "the next signal", "reward": "a reward"}
INPUTS = {
    "X": "the world",
    "I": "the signal",
    "A": "the action",
    "I_0": "the signal of the present",
    "X'": "the next state",
    "I'": "the next signal",
}


class Level(NamedTuple):
    """X_t: how full the tank is, and whether it was filled in the step before."""

    level: Entries
    filled: Entries


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
        return Level(0, 0)

    def physics(self, step: int, x: Level, action: Column) -> Sequence[PhysicsOutcome[Level]]:
        """Filled by one, or twice as probably as not by nothing."""
        return self._move(x, action, 1 * action)

    def physics_given(self, signal: Column, step: int, x: Level, action: Column) -> Sequence[PhysicsOutcome[Level]]:
        """As above, and one less under the second signal."""
        return self._move(x, action, action + 3 * signal)

    def terminal(self, signal: Column, step: int, x: Level, action: Column, next_x: Level) -> Sequence[SignalOutcome]:
        """Return each signal with weights that depend on everything before."""
        weight = 1 + signal + x.level + action
        return [SignalOutcome(weight, 0), SignalOutcome(2, 1)]

    def _move(self, x: Level, action: Column, change: Column) -> list[PhysicsOutcome[Level]]:
        levels = [(x.level + change) % LEVELS, (x.level + change + 1) % LEVELS]
        return [
            PhysicsOutcome(weight, Level(level, action), (level, action))
            for weight, level in zip((1, 2), levels, strict=True)
        ]


def make_small_worlds() -> Iterator[TerminalWorld[Any]]:
    """Yield the worlds that agents are tried in: the tank, and small ones of several kinds."""
    yield SignalWorld()
    for name, settings in SMALL_WORLDS:
        yield TERMINAL_WORLDS[name].make(settings)


class Case(NamedTuple):
    """One question to a planning world: the plan's signal, X_t, I_t and A_t."""

    present: int
    x: tuple[int, ...]
    signal: int
    action: int


class Answer(NamedTuple):
    """One possible outcome: X_{t+1}, I_{t+1} (0 where there is none), its probability and reward."""

    next_x: tuple[int, ...]
    next_signal: int
    probability: Fraction
    reward: Fraction


class Observation(NamedTuple):
    """What a kernel gave for the values of its inputs, by their names."""

    kernel: str
    inputs: dict[str, Hashable]
    gave: Hashable


def check_dependencies(agent: PlanningAgent, learned: TerminalWorld[Any]) -> None:
    """Perturb the inputs of an agent's kernels in one world; ContractBroken for a dependency that is not declared.

    An agent that declares nothing is taken to depend on everything, and passes.
    """
    if agent.dependencies is None:
        return
    for present_step in range(1, learned.horizon + 1 if agent.knows_step else 2):
        worlds = [agent(learned, signal, present_step) for signal in range(len(learned.signals))]
        declared = agent.dependencies.next_signal
        if worlds[0].tracks_signal != bool(declared):
            says = "plans with later signals" if worlds[0].tracks_signal else "plans without later signals"
            _refuse(agent, f"its planning world {says}", "next_signal", declared)
        with user_code(describe_place(agent)):
            tables = list(_tabulate_answers(worlds, learned, present_step))
        for table in tables:
            _check_kernels(agent, [seen for case in table for seen in _observe(case, table[case], learned)], learned)


def _check_kernels(agent: PlanningAgent, observations: list[Observation], learned: TerminalWorld[Any]) -> None:
    """ContractBroken where two observations that differ in an undeclared input alone gave different things."""
    for kernel in KERNELS:
        declared = getattr(agent.dependencies, kernel)
        seen = [observation for observation in observations if observation.kernel == kernel]
        for name in {name: None for each in seen for name in each.inputs}:
            if name in declared:
                continue
            if (kernel, name) == ("reward", "X") and not isinstance(learned, SignalWorld):
                continue  # elsewhere events belong to X', and X may be what tells them
            gave: dict[Hashable, Hashable] = {}
            for each in seen:
                others = tuple((other, entry) for other, entry in each.inputs.items() if other != name)
                if gave.setdefault(others, each.gave) != each.gave:
                    _refuse(agent, f"{NAMES[kernel]} changes with {INPUTS[name]}", kernel, declared)


def _refuse(agent: PlanningAgent, problem: str, kernel: str, declared: tuple[str, ...]) -> None:
    listed = ", ".join(declared) or "nothing"
    raise ContractBroken(
        f"{problem}, and '{kernel}' is declared to depend on {listed}",
        place=describe_place(agent),
        remedy="declare it in PlanningAgent.depending_on(...)",
    )


def _observe(case: Case, answers: list[Answer], learned: TerminalWorld[Any]) -> Iterator[Observation]:
    """Yield what every kernel gave in one case.

    Where states do not tell events, the rewards of one X_{t+1} are told together, and the action stands for the events.
    """
    before = {"I_0": case.present, "X": case.x, "I": case.signal}
    given = {**before, "A": case.action}
    yield Observation("next_x", given, _add_up((answer.next_x, answer.probability) for answer in answers))
    yield Observation("next_signal", given, _add_up((answer.next_signal, answer.probability) for answer in answers))
    events = () if isinstance(learned, SignalWorld) else (case.action,)
    rewards: dict[tuple[tuple[int, ...], int], set[Fraction]] = {}
    for answer in answers:
        rewards.setdefault((answer.next_x, answer.next_signal), set()).add(answer.reward)
    for (next_x, next_signal), earned in rewards.items():
        inputs = {**before, "X'": (next_x, *events), "I'": next_signal}
        yield Observation("reward", inputs, frozenset(earned))


def _tabulate_answers(
    worlds: list[PlanningWorld], learned: TerminalWorld[Any], first_step: int
) -> Iterator[dict[Case, list[Answer]]]:
    """Step by step, what every planning world answers in the first states, for each signal and each allowed action."""
    states = {as_ints(learned.start())}
    for step in range(first_step, learned.horizon + 1):
        table: dict[Case, list[Answer]] = {}
        for present, world in enumerate(worlds):
            for signal in range(len(learned.signals)):
                for x in sorted(states)[:MOST_STATES_A_STEP]:
                    table |= _ask(world, learned, step, Case(present, x, signal, 0))
        yield table
        states = {answer.next_x for answers in table.values() for answer in answers}


def _ask(world: PlanningWorld, learned: TerminalWorld[Any], step: int, case: Case) -> dict[Case, list[Answer]]:
    """Return the outcomes of all actions that are allowed in one state."""
    n = len(learned.actions)
    x = broadcast(type(learned.start())(*case.x), n)
    action = np.flatnonzero(as_column(learned.allows(step, x, np.arange(n)), n))
    x = broadcast(type(x)(*case.x), len(action))
    now = world.state(x, as_column(case.signal, len(action)))
    _, unit = learned.reward_table
    answers: dict[Case, list[Answer]] = {case._replace(action=int(one)): [] for one in action}
    weights: dict[int, int] = dict.fromkeys(range(len(action)), 0)
    found: list[tuple[int, int, tuple[int, ...], int, Fraction]] = []
    for outcome in world.outcomes(step, now, action):
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


def _add_up(pairs: Iterable[tuple[Hashable, Fraction]]) -> frozenset[tuple[Hashable, Fraction]]:
    """Return a law: each outcome once, with its probability."""
    total: dict[Hashable, Fraction] = {}
    for outcome, probability in pairs:
        total[outcome] = total.get(outcome, Fraction(0)) + probability
    return frozenset(total.items())
