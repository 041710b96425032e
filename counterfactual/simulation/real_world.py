"""The real world under an agent's optimal actions: all that may happen in every state, ties and chance included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from counterfactual.columns import Column, Entries, broadcast, column, one_state, take
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning.plan import CERTAIN, discounted
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
        self._outcomes: dict[RealState, list[list[RealOutcome]]] = {}
        self._returns: dict[RealState, Fraction] = {}

    @property
    def start(self) -> RealState:
        """The initial state, at step 1 under the first signal."""
        return self.starts()[0]

    def starts(self) -> list[RealState]:
        """The initial states of all rows, one of a world that is no `WorldRows`."""
        fields = (entries.tolist() for entries in one_state(self._world.start()))
        return [RealState(1, self._state(*entries), FIRST) for entries in zip(*fields, strict=True)]

    def plan(self, state: RealState) -> PresentPlan:
        """The plan on which the agent acts in a state."""
        return self._replanner.plan_for(*state)

    def plans(self, states: Sequence[RealState]) -> list[PresentPlan]:
        """The plans on which the agent acts in states of one step."""
        return self._replanner.plans_for(states[0].step, *_as_columns(states))

    def outcomes(self, state: RealState) -> list[list[RealOutcome]]:
        """For each optimal action, its possible outcomes."""
        if state not in self._outcomes:
            self._act([state])
        return self._outcomes[state]

    def explore(self, starts: Iterable[RealState]) -> list[list[RealState]]:
        """Everything that may happen from states of one step on: all states, a list a step."""
        layers, frontier = [], list(starts)
        while frontier and frontier[0].step <= self._world.horizon:
            layers.append(frontier)
            self._act([state for state in frontier if state not in self._outcomes])
            possible = (outcomes for state in frontier for outcomes in self._outcomes[state])
            frontier = list(dict.fromkeys(outcome.next_state for outcomes in possible for outcome in outcomes))
        return layers

    def successors(self, state: RealState) -> dict[str, frozenset[RealState]]:
        """What a trace may write next -> the states that it may lead to."""
        every = self.outcomes(state)
        if len(every) == len(every[0]) == 1:
            return {every[0][0].glyphs: frozenset((every[0][0].next_state,))}
        successors: dict[str, set[RealState]] = {}
        for outcomes in every:
            for outcome in outcomes:
                successors.setdefault(outcome.glyphs, set()).add(outcome.next_state)
        return {glyphs: frozenset(states) for glyphs, states in successors.items()}

    def expected_return(self, state: RealState) -> Fraction:
        """Expected discounted reward under the functions in force, the first of tied actions being taken."""
        return self.expected_returns([state])[0]

    def expected_returns(self, states: Sequence[RealState]) -> list[Fraction]:
        """The expected returns from states of one step on."""
        for layer in reversed(self.explore(states)):
            self._returns.update({state: self._return_of(state) for state in layer if state not in self._returns})
        return [self._returns[state] for state in states]

    def _return_of(self, state: RealState) -> Fraction:
        discount, later = self._world.discount, self._returns
        if state.step == self._world.horizon:
            returns = [(outcome.probability, outcome.reward) for outcome in self._outcomes[state][0]]
        else:
            returns = [
                (o.probability, discounted(o.reward, discount, later[o.next_state])) for o in self._outcomes[state][0]
            ]
        return returns[0][1] if len(returns) == 1 else sum((p * value for p, value in returns), start=Fraction(0))

    def _act(self, states: Sequence[RealState]) -> None:
        """Find what may happen in states of one step."""
        if not states:
            return
        step, (x, signal) = states[0].step, _as_columns(states)
        optimal = self._replanner.all_actions(step, x, signal)
        pairs = [(row, action) for row, actions in enumerate(optimal) for action in actions]
        rows, actions = np.array(pairs).T
        possible = self._possible(step, take(x, rows), signal[rows], actions)
        for state, actions_of_state in zip(states, optimal, strict=True):
            self._outcomes[state] = [next(possible) for _ in actions_of_state]

    def _possible(self, step: int, x: Any, signal: Column, action: Column) -> Iterator[list[RealOutcome]]:
        """What may come of each action in its state."""
        world, n, taken = self._world, len(action), [self._world.actions[a] for a in action.tolist()]
        possible: list[Iterator[tuple[int, str, Fraction, RealState]]] = []
        physics = world.physics_given(signal, step, x, action)
        for weight, next_x, events, sent in joint_transition(world, physics, signal, step, x, action):
            written = map(glyphs, taken, np.broadcast_to(world.updates(step, x, next_x), n).tolist())
            reached = map(self._state, *(entries.tolist() for entries in broadcast(next_x, n)))
            following = map(RealState, [step + 1] * n, reached, column(sent, n).tolist())
            chances, rewards = column(weight, n).tolist(), self._rewards_of(x, signal, events)
            possible.append(zip(chances, written, rewards, following, strict=True))
        if len(possible) == 1:
            yield from ([RealOutcome(CERTAIN, *outcome[1:])] for outcome in possible[0])
            return
        for outcomes in zip(*possible, strict=True):
            total = sum(chance for chance, *_ in outcomes)
            yield [
                RealOutcome(CERTAIN if chance == total else Fraction(chance, total), *outcome)
                for chance, *outcome in outcomes
                if chance > 0
            ]

    def _rewards_of(self, x: Any, signal: Column, events: tuple[Entries, ...]) -> list[Fraction]:
        """The rewards of n steps, exactly, by the functions of the agent's present self in each state."""
        n = len(signal)
        selves = column(self._world.self_of(x), n).tolist()
        rewards: list[Fraction] = [Fraction(0)] * n
        for index in sorted(set(selves)):
            own = index == self._world.self_index
            world = self._world if own else self._world.future_self(index).world
            counts, unit = column(reward_function(world)(signal, events), n).tolist(), world.reward_table[1]
            exact = {count: count * unit for count in set(counts)}
            rewards = [exact[count] if of == index else r for of, count, r in zip(selves, counts, rewards, strict=True)]
        return rewards


def _as_columns(states: Sequence[RealState]) -> tuple[Any, Column]:
    """X_t and i_t of states."""
    fields = zip(*(state.x for state in states), strict=True)
    x = type(states[0].x)(*(np.array(entries, dtype=np.int64) for entries in fields))
    return x, np.array([state.signal for state in states], dtype=np.int64)


def glyphs(action: str, updated: bool) -> str:
    """How a trace writes an action: its glyph, and "#" where people updated the terminal in that step."""
    return f"{action}#" if updated else action
