"""The tables of the BRIDGE data set: deterministic games of Atari, Procgen and MiniGrid as arrays in `.npz`.

    transitions: int[S, A], the next state, -1 for the end    rewards: f[S, A]
    screen_mapping: int[S] or int[S, n], the number of what is seen in each state; may be missing

Episodes begin in state 0. One terminal state is added for the end. The way back to the game: each state's `way` is
one of the shortest sequences of actions from the start to it, which the game itself can be given.
Reference: C. Laidlaw, S. Russell and A. Dragan, "Bridging RL Theory and Practice with the Effective Horizon", 2023.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caregrid.tables.decision_table import OWN, DecisionTable
from engine.array_file import list_arrays, read_plain_arrays
from engine.errors import BadFile

TRANSITIONS, REWARDS, SCREENS = "transitions", "rewards", "screen_mapping"
DONE = -1
REMEDY = "give a table of BRIDGE, or one that 'caregrid export' wrote"


class GameState(Mapping[str, Any]):
    """A state in words: its number, the number of its screen if that is known, and the way to it."""

    __slots__ = ("_number", "_table")

    def __init__(self, table: Ways, number: int) -> None:
        self._table = table
        self._number = number

    def __getitem__(self, name: str) -> Any:
        if name == "state":
            return self._number
        if name == "way":
            return self._table.find(self._number)
        if name == "screen" and self._table.screens is not None:
            return self._table.screens[self._number].tolist()
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(("state", "way") if self._table.screens is None else ("state", "screen", "way"))

    def __len__(self) -> int:
        return 2 if self._table.screens is None else 3


class Ways:
    """From which state, by which action, each state is reached first. screens: int[S] or int[S, n]."""

    def __init__(self, transitions: NDArray[np.int64], screens: Any) -> None:
        states, actions = transitions.shape
        self.screens = screens
        self._origin = np.full(states, -1, dtype=np.int64)
        self._action = np.full(states, -1, dtype=np.int64)
        known = np.zeros(states, dtype=np.bool_)
        known[0] = True
        layer = np.zeros(1, dtype=np.int64)
        while len(layer):
            reached = transitions[layer].ravel()
            new = np.flatnonzero((reached != DONE) & ~known[reached])
            following, first = np.unique(reached[new], return_index=True)
            self._origin[following] = layer[new[first] // actions]
            self._action[following] = new[first] % actions
            known[following] = True
            layer = following

    def find(self, number: int) -> list[int] | None:
        """Return the actions from the start to a state; None where none leads there."""
        way: list[int] = []
        while number > 0:
            if self._origin[number] < 0:
                return None
            way.append(int(self._action[number]))
            number = int(self._origin[number])
        return way[::-1]


def read_bridge(path: str | Path, most_states: int) -> DecisionTable | None:
    """Read a table of BRIDGE; None for a file that holds something else. BadFile, in one line, for a damaged one."""
    place = str(path)
    names = list_arrays(path, "a table", REMEDY)
    if not {TRANSITIONS, REWARDS} <= set(names):
        return None
    wanted = [TRANSITIONS, REWARDS, *([SCREENS] if SCREENS in names else [])]
    transitions, rewards, *screens = read_plain_arrays(path, wanted, "a table", REMEDY)
    if transitions.ndim != 2 or 0 in transitions.shape or transitions.dtype.kind not in "iu":
        problem = f"transitions of the type {transitions.dtype} and shape {transitions.shape}"
        raise BadFile(problem, place=place, remedy="give int[S, A]")
    states, actions = transitions.shape
    numbers = rewards.dtype.kind in "iuf"
    with np.errstate(over="ignore"):  # of a wider float, which becomes infinite
        reward = rewards.astype(np.float64) if numbers else rewards
    if rewards.shape != transitions.shape or not numbers or not np.isfinite(reward).all():
        remedy = f"give finite numbers, f[{states}, {actions}]"
        raise BadFile(f"rewards of shape {rewards.shape}", place=place, remedy=remedy)
    if screens and screens[0].shape[:1] != (states,):
        raise BadFile(f"screen_mapping of shape {screens[0].shape}", place=place, remedy=f"give int[{states}]")
    if states > most_states:
        raise BadFile(f"{states:,} states, more than {most_states:,}", place=place, remedy="raise most_states")
    if transitions.min() < DONE or transitions.max() >= states:
        raise BadFile(f"a next state that is not from -1 to {states - 1}", place=place, remedy=REMEDY)
    following = transitions.astype(np.int64)
    ways = Ways(following, screens[0] if screens else None)
    end = np.full((1, actions), states)
    next_state = np.vstack([np.where(following == DONE, states, following), end]).astype(np.int32)
    reward = np.vstack([reward, np.zeros((1, actions))])
    terminal = np.arange(states + 1) == states
    start = (np.arange(states + 1) == 0).astype(np.float64)
    return DecisionTable(
        Path(path).stem,
        (*(GameState(ways, number) for number in range(states)), {"state": "end"}),
        tuple(f"action {number}" for number in range(actions)),
        next_state[:, :, None],
        np.ones((states + 1, actions, 1)),
        {OWN: reward[:, :, None]},
        terminal,
        start,
        1.0,
        np.ones((states + 1, actions), dtype=np.bool_),
    )
