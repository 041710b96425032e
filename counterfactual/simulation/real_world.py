"""The real world under an agent's optimal actions: all that may happen in every state, ties and chance included."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from counterfactual.columns import Entries, as_int, as_ints, column, one_state
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning.replanning import PresentPlan, Replanner
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import reward_function
from counterfactual.terminal_world import FIRST, TerminalWorld


class RealState(NamedTuple):
    """The real state at the start of a step: X_t as a NamedTuple of ints, and the signal i_t."""

    step: int
    x: Any
    signal: int


class RealOutcome(NamedTuple):
    """One possible outcome of an action in the real world; `glyphs` is how a trace writes it."""

    probability: Fraction
    glyphs: str
    reward: Fraction
    next_state: RealState


class RealWorld:
    """What may happen to an agent in a world.

    world: the real world. agent: makes the planning worlds. learned: what the agent knows, by default the real world.
    """

    def __init__(
        self, world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None = None
    ) -> None:
        self._world, self._replanner = world, Replanner(agent, world if learned is None else learned)
        self._state = type(world.start())
        self._rewards: dict[int, Callable[[int, tuple[Entries, ...]], Fraction]] = {}
        self._outcomes: dict[RealState, list[list[RealOutcome]]] = {}

    @property
    def start(self) -> RealState:
        """The initial state, at step 1 under the first signal."""
        return RealState(1, self._state(*as_ints(self._world.start())), FIRST)

    def plan(self, state: RealState) -> PresentPlan:
        """The plan on which the agent acts in a state."""
        return self._replanner.plan_for(*state)

    def outcomes(self, state: RealState) -> list[list[RealOutcome]]:
        """For each optimal action, its possible outcomes."""
        if state not in self._outcomes:
            self._outcomes[state] = [self._act(state, action) for action in self._replanner.actions(*state)]
        return self._outcomes[state]

    def successors(self, state: RealState) -> dict[str, frozenset[RealState]]:
        """What a trace may write next -> the states that it may lead to."""
        successors: dict[str, set[RealState]] = {}
        for outcomes in self.outcomes(state):
            for outcome in outcomes:
                successors.setdefault(outcome.glyphs, set()).add(outcome.next_state)
        return {glyphs: frozenset(states) for glyphs, states in successors.items()}

    def expected_return(self) -> Fraction:
        """Expected discounted reward under the functions in force, the first of tied actions being taken."""
        discount, total, probability = Fraction(1), Fraction(0), {self.start: Fraction(1)}
        for _ in range(self._world.horizon):
            following: dict[RealState, Fraction] = {}
            for state, chance in probability.items():
                for outcome in self.outcomes(state)[0]:
                    joint = chance * outcome.probability
                    total += joint * discount * outcome.reward
                    following[outcome.next_state] = following.get(outcome.next_state, Fraction(0)) + joint
            probability, discount = following, discount * self._world.discount
        return total

    def _act(self, state: RealState, index: int) -> list[RealOutcome]:
        world, x = self._world, one_state(state.x)
        signal, action = column(state.signal, 1), column(index, 1)
        possible, reward = [], self._reward_of(as_int(world.self_of(x)))
        physics = world.physics_given(signal, state.step, x, action)
        for weight, next_x, events, sent in joint_transition(world, physics, signal, state.step, x, action):
            if (chance := as_int(weight)) > 0:
                next_state = RealState(state.step + 1, self._state(*as_ints(next_x)), as_int(sent))
                possible.append((chance, reward(state.signal, events), next_state))
        total = sum(chance for chance, *_ in possible)
        return [
            RealOutcome(
                Fraction(chance, total), glyphs(world, state.step, state.x, index, next_state.x), reward, next_state
            )
            for chance, reward, next_state in possible
        ]

    def _reward_of(self, index: int) -> Callable[[int, tuple[Entries, ...]], Fraction]:
        """(signal, events) -> the reward of one step, exactly, by the functions of the agent's present self."""
        if index not in self._rewards:
            own = index == self._world.self_index
            self._rewards[index] = _exact_reward(self._world if own else self._world.future_self(index).world)
        return self._rewards[index]


def _exact_reward(world: TerminalWorld[Any]) -> Callable[[int, tuple[Entries, ...]], Fraction]:
    reward, (_, unit) = reward_function(world), world.reward_table
    return lambda signal, events: as_int(reward(signal, events)) * unit


def glyphs(world: TerminalWorld[Any], step: int, x: Any, action: int, next_x: Any) -> str:
    """How a trace writes an action: its glyph, and "#" where people updated the terminal in that step."""
    return world.actions[action] + ("#" if bool(world.updates(step, x, next_x)) else "")
