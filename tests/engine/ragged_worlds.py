"""Random worlds with missing actions, chance and transitions that end the episode, and their optima in fractions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from engine.mdp.mdp import Floats, Outcome, TabularMDP
from tests.engine.worlds import Place

Values = dict[int, Fraction | None]


class Way(NamedTuple):
    """One outcome: state, reward, auxiliary reward, weight among the outcomes of its action, whether it ends."""

    state: int
    reward: int
    auxiliary: int
    weight: int
    ends: bool


class Ragged:
    """A `Model` given by `ways`: state -> action -> outcomes; terminal states have no actions."""

    def __init__(self, actions: int, ways: Mapping[int, Mapping[int, list[Way]]]) -> None:
        self.actions, self.ways = tuple("abc"[:actions]), ways

    def starts(self) -> Mapping[int, float]:
        return {0: 1.0}

    def is_terminal(self, state: int) -> bool:
        return not self.ways[state]

    def outcomes(self, state: int, action: int) -> list[Outcome]:
        listed = self.ways[state].get(action, [])
        total = sum(way.weight for way in listed)
        return [Outcome(way.state, float(way.reward), way.weight / total, way.ends) for way in listed]

    def policies(self) -> Iterator[dict[int, int]]:
        """Every policy: an action for every state that is not terminal."""
        acting = [state for state, row in self.ways.items() if row]
        for chosen in itertools.product(*(self.ways[state] for state in acting)):
            yield dict(zip(acting, chosen, strict=True))

    def value(self, policy: Mapping[int, int], discount: Fraction, care: Fraction = Fraction(0)) -> Values:
        """What a policy earns from every state, exactly; None where it may go on for ever without discount."""
        rows: dict[int, dict[int, Fraction]] = {}
        reward: dict[int, Fraction] = {}
        for state, action in policy.items():
            listed = self.ways[state][action]
            total = sum(way.weight for way in listed)
            rows[state], reward[state] = {}, Fraction(0)
            for way in listed:
                chance = Fraction(way.weight, total)
                reward[state] += chance * (way.reward + care * way.auxiliary)
                if not way.ends and self.ways[way.state]:
                    rows[state][way.state] = rows[state].get(way.state, Fraction(0)) + chance
        lost = self._endless(rows) if discount == 1 else set()
        values: Values = dict.fromkeys(self.ways, Fraction(0))
        values.update(_solved({s: row for s, row in rows.items() if s not in lost}, reward, discount))
        values.update(dict.fromkeys(lost))
        return values

    @staticmethod
    def _endless(rows: Mapping[int, Mapping[int, Fraction]]) -> set[int]:
        """The states from which a chain may never end."""
        closed = set(rows)  # states from which no end can be reached
        while True:
            leaving = {s for s in closed if sum(rows[s].values()) < 1 or any(t not in closed for t in rows[s])}
            if not leaving:
                break
            closed -= leaving
        while more := {s for s in rows if s not in closed and any(t in closed for t in rows[s])}:
            closed |= more
        return closed

    def auxiliary(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: the auxiliary reward of every outcome of the world's table."""
        result = np.zeros(mdp.reward.shape)
        for s, a, k in zip(*np.nonzero(mdp.probability > 0), strict=True):
            target = int(mdp.next_state[s, a, k])
            for way in self.ways[mdp.states[s]].get(int(a), []) if not mdp.terminal[s] else []:
                over = bool(mdp.terminal[target])
                if way.state == mdp.states[target] and over == (way.ends or not self.ways[way.state]):
                    result[s, a, k] = way.auxiliary
        return result


def _solved(rows: Mapping[int, Mapping[int, Fraction]], reward: Any, discount: Fraction) -> dict[int, Fraction]:
    """The solution of V = r + gamma P V by Gauss-Jordan elimination."""
    states = list(rows)
    system = [[Fraction(s == t) - discount * rows[s].get(t, Fraction(0)) for t in states] + [reward[s]] for s in states]
    for n in range(len(states)):
        pivot = next(m for m in range(n, len(states)) if system[m][n])
        system[n], system[pivot] = system[pivot], system[n]
        system[n] = [entry / system[n][n] for entry in system[n]]
        for m in range(len(states)):
            if m != n and system[m][n]:
                system[m] = [x - system[m][n] * y for x, y in zip(system[m], system[n], strict=True)]
    return {state: row[-1] for state, row in zip(states, system, strict=True)}


@st.composite
def ragged(
    draw: st.DrawFn,
    *,
    successors: int = 2,
    rewards: st.SearchStrategy[int] | None = None,
    late: bool = False,
    most_states: int = 4,
) -> Ragged:
    """A world of a few states. late: rewards of either sign and auxiliary ones come at the end alone."""
    states, actions = draw(st.integers(1, most_states)), draw(st.integers(1, 3))
    prizes = st.integers(-6, 6)
    terminal = [draw(st.integers(0, 4)) == 0 for _ in range(states)]
    terminal[0] = False
    amount: dict[Any, int] = {}
    ways: dict[int, dict[int, list[Way]]] = {}
    for state in range(states):
        able = [] if terminal[state] else draw(st.lists(st.integers(0, actions - 1), min_size=1, unique=True))
        ways[state] = {}
        for action in able:
            listed = []
            for _ in range(draw(st.integers(1, successors))):
                target, ends = draw(st.integers(0, states - 1)), draw(st.integers(0, 2)) == 0
                over = ends or terminal[target]
                reward = draw(prizes if over or not late else rewards or st.integers(-5, -1))
                key = state, action, target, over
                amount.setdefault(key, draw(prizes) if over or not late else 0)
                listed.append(Way(target, reward, amount[key], draw(st.integers(1, 3)), ends))
            ways[state][action] = listed
    return Ragged(actions, ways)


class Chancy:
    """A world in columns with chance, missing actions and transitions that end, its rules drawn at random."""

    actions = ("a", "b")

    def __init__(self, sizes: tuple[int, int], branches: Any, gains: Any, over: Any, ending: Any, able: Any) -> None:
        self.sizes, self._branches, self._gains = sizes, branches, gains
        self._over, self._ending, self._able = over, ending, able

    def _code(self, state: Place) -> Any:
        return state.row * self.sizes[1] + state.column

    def starts(self) -> Mapping[Place, float]:
        return {Place(0, 0): 1.0}

    def step(self, state: Place, action: int) -> list[tuple[Any, Place]]:
        targets = [(chance, target[self._code(state)]) for chance, target in self._branches[action]]
        return [(chance[self._code(state)], Place(*divmod(target, self.sizes[1]))) for chance, target in targets]

    def available(self, state: Place, action: int) -> Any:
        return self._able[action][self._code(state)]

    def ends(self, state: Place, action: int, next_state: Place) -> Any:
        return self._ending[action][self._code(next_state)] & (self._code(state) % 2 == 0)

    def reward(self, state: Place, action: int, next_state: Place) -> Any:
        return self._gains[action][self._code(next_state)]

    def is_terminal(self, state: Place) -> Any:
        return self._over[self._code(state)]


class ChancyOneByOne:
    """The same world given state by state."""

    def __init__(self, columns: Chancy) -> None:
        self._columns, self.actions = columns, columns.actions

    def starts(self) -> Mapping[Place, float]:
        return self._columns.starts()

    def is_terminal(self, state: Place) -> bool:
        return bool(self._columns.is_terminal(state))

    def outcomes(self, state: Place, action: int) -> list[Outcome]:
        world = self._columns
        if not world.available(state, action):
            return []
        return [
            Outcome(
                Place(int(after.row), int(after.column)),
                float(world.reward(state, action, after)),
                float(chance),
                bool(world.ends(state, action, after)),
            )
            for chance, after in world.step(state, action)
        ]


@st.composite
def chancy(draw: st.DrawFn) -> Chancy:
    """A world of at most 12 states in columns."""
    sizes = (draw(st.integers(1, 3)), draw(st.integers(1, 4)))
    count = sizes[0] * sizes[1]

    def column(elements: st.SearchStrategy[Any]) -> Any:
        return np.array(draw(st.lists(elements, min_size=count, max_size=count)))

    branches = []
    for _ in Chancy.actions:
        weights = np.stack([column(st.integers(0, 3)) for _ in range(3)])
        weights[0] += weights.sum(axis=0) == 0
        chances = weights / weights.sum(axis=0)
        branches.append([(chance, column(st.integers(0, count - 1))) for chance in chances])
    able = [column(st.booleans()) for _ in Chancy.actions]
    able[0] |= ~able[1]
    gains = [column(st.integers(-4, 2)) for _ in Chancy.actions]
    ending = [column(st.booleans()) for _ in Chancy.actions]
    return Chancy(sizes, branches, gains, column(st.integers(0, 3)) == 0, ending, able)
