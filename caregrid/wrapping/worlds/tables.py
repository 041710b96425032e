"""Worlds given by a transition table: Gymnasium's `P[s][a] = [(probability, s', reward, terminated), ...]`, and MDPs.

A table is believed, but compared with what the environment's own steps do: a chance that only `step` knows is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.worlds.world import Pixels
from craftworld.scenario import TIME_LIMIT
from engine.errors import BadValue, ContractBroken
from engine.mdp.enumeration.walk import Successor
from engine.mdp.mdp import TabularMDP
from engine.printable import shown_value

TableRows = Iterable[tuple[float, Any, float, bool]]
COMPARED_STEPS = 2000


class TableWorld:
    """transitions: (state, action) -> its rows. starts: state -> probability. family: what the states mean, if known.

    frame: state -> picture. source: texts on which the table depends.
    """

    rewards = 1
    reward_names: tuple[str, ...] = ("reward",)

    def __init__(
        self,
        name: str,
        actions: tuple[str, ...],
        transitions: Callable[[Any, int], TableRows],
        starts: Mapping[Any, float],
        *,
        family: WorldFamily | None = None,
        frame: Callable[[Any], Pixels | None] | None = None,
        time_limit: int = TIME_LIMIT,
        discount: float | None = None,
        source: Sequence[str] = (),
    ) -> None:
        self.name, self.actions, self._transitions, self._starts = name, actions, transitions, dict(starts)
        self._family, self._frame = family, frame
        self.time_limit, self.discount, self._source = time_limit, discount, list(source)
        self.drawing = family.drawing() if family is not None else ()
        self.kind = type(family).__name__ if family is not None else name

    def starts(self) -> Mapping[Hashable, float]:
        return self._starts

    def successors(self, key: Any, action: int) -> Sequence[Successor]:
        try:
            rows = self._transitions(key, action)
            found = [Successor(float(p), _key(after), (float(r),), bool(done)) for p, after, r, done in rows]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ContractBroken(
                f"no rows (probability, state, reward, terminated): {type(error).__name__}",
                place=f"{self.name}, P[{key}][{action}]",
                remedy="give a table of every state and action",
            ) from error
        return found

    def state_of(self, key: Any) -> Any:
        return key if self._family is None else self._family.state(key)

    def enter(self, state: Any) -> Hashable:
        key = state if self._family is None else self._family.snapshot(state)
        try:
            self._transitions(key, 0)
        except (KeyError, IndexError, TypeError, ValueError):
            raise ContractBroken(
                f"no state {shown_value(state)}", place=f"{self.name}, continuation", remedy="give a state of its table"
            ) from None
        return _key(key)

    def continued(self, key: Any, start: Any) -> Sequence[tuple[Hashable, float]]:
        return [(start, 1.0)] if self._family is None else self._family.continued(key, start)

    def words(self, key: Any) -> dict[str, Any]:
        if self._family is not None:
            return self._family.words(self._family.state(key))
        named = key._asdict() if hasattr(key, "_asdict") else {"state": key}
        return {
            str(name): value if isinstance(value, int | float | str) else str(value) for name, value in named.items()
        }

    def frame(self, key: Any) -> Pixels | None:
        return None if self._frame is None else self._frame(key)

    def position(self, key: Any) -> tuple[int, int] | None:
        return None if self._family is None else self._family.position(self._family.state(key))

    def with_agent_at(self, key: Any, cell: tuple[int, int]) -> Hashable | None:
        if self._family is None:
            return None
        moved = self._family.with_agent_at(self._family.state(key), cell)
        return None if moved is None else self._family.snapshot(moved)

    def identity(self) -> list[str]:
        return self._source

    def finish(self) -> None:
        """A table needs no last check."""

    def describe(self, key: Any) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.words(key).items())

    def advice(self, keys: Sequence[Hashable]) -> str:
        return "give a smaller table"

    def continuous(self, keys: Sequence[Hashable]) -> str:
        return ""


def mdp_world(mdp: TabularMDP, name: str = "table") -> TableWorld:
    """A `TabularMDP` as a world; its states are what the user's functions see."""
    starting = mdp.start_states()
    if mdp.terminal[starting].any():
        raise BadValue("an episode that begins in a terminal state", place=name, remedy="start where one can act")
    names = [mdp.states[number] for number in range(len(mdp.terminal))]
    index = {names[number]: number for number in np.argsort(~mdp.terminal, kind="stable").tolist()}

    def rows(state: Any, action: int) -> TableRows:
        number = index[state]
        for k in range(mdp.next_state.shape[2]):
            if mdp.probability[number, action, k] > 0.0:
                target = int(mdp.next_state[number, action, k])
                reward = float(mdp.reward[number, action, k])
                yield float(mdp.probability[number, action, k]), names[target], reward, bool(mdp.terminal[target])

    starts = {names[number]: float(mdp.start[number]) for number in starting}
    return TableWorld(name, mdp.actions, rows, starts, discount=mdp.discount)


def require_steps_follow(env: Any, name: str) -> None:
    """ContractBroken where a step of the environment (without wrappers) is not among the rows of its table `P`.

    Two thousand steps of random actions are compared, each after a reset, from a random state of the table; nothing
    where the environment shows no state number `s`.
    """
    env.reset(seed=0)
    if not hasattr(env, "s"):
        return
    generator = np.random.Generator(np.random.PCG64(0))
    for seed in range(COMPARED_STEPS):
        env.reset(seed=seed)
        state, action = int(generator.integers(len(env.P))), int(generator.integers(int(env.action_space.n)))
        env.s = state
        _, reward, terminated, _, _ = env.step(action)
        seen = int(env.s), float(reward), bool(terminated)
        if seen not in [(int(s), float(r), bool(done)) for p, s, r, done in env.P[state][action] if p > 0.0]:
            raise ContractBroken(
                f"a step gave state {seen[0]}, reward {seen[1]:g}, which is not a row of its table",
                place=f"{name}, P[{state}][{action}]",
                remedy="switch off what only step() knows, or declare chance='every draw': it is stepped then",
            )


def _key(state: Any) -> Hashable:
    return int(state) if isinstance(state, np.integer) else state
