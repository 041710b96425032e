"""Small worlds with the methods of dm_env, gymnax, jumanji, pgx and OpenSpiel, and one with compound actions."""

import dataclasses
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces


class Shown(NamedTuple):
    """A time step of dm_env."""

    reward: float | None
    discount: float | None
    observation: Any
    is_last: bool

    def last(self) -> bool:
        return self.is_last


class Catch:
    """bsuite's game of a falling ball, with its bookkeeping."""

    def __init__(self, rows: int = 5, columns: int = 3, first: int = 0, discount: float = 1.0) -> None:
        self._rows, self._columns, self._first, self._discount = rows, columns, first, discount
        self._rng = np.random.RandomState(0)
        self._total_regret = 0.0
        self._ball, self._row, self._paddle = 0, 0, 0

    def action_spec(self) -> Any:
        if self._first == 0:
            return SimpleNamespace(num_values=3, dtype=np.dtype(np.int64), shape=())
        return SimpleNamespace(minimum=self._first, maximum=self._first + 2, dtype=np.dtype(np.int32), shape=())

    def observation_spec(self) -> Any:
        return None

    def reset(self) -> Shown:
        self._ball, self._row, self._paddle = int(self._rng.randint(self._columns)), 0, self._columns // 2
        return Shown(None, None, self._observation(), False)

    def step(self, action: int) -> Shown:
        self._paddle = min(max(self._paddle + action - self._first - 1, 0), self._columns - 1)
        self._row += 1
        if self._row < self._rows - 1:
            return Shown(0.0, self._discount, self._observation(), False)
        reward = 1.0 if self._paddle == self._ball else -1.0
        self._total_regret += 1.0 - reward
        return Shown(reward, 0.0, self._observation(), True)

    def _observation(self) -> Any:
        return np.array([self._ball, self._row, self._paddle])

    def bsuite_info(self) -> dict[str, float]:
        return {"total_regret": self._total_regret}


@dataclasses.dataclass(frozen=True)
class Heap:
    """A state of pgx."""

    left: Any
    current_player: Any
    legal_action_mask: Any
    rewards: Any
    terminated: Any
    truncated: Any
    _rng_key: Any


class Nim:
    """A game of pgx."""

    id, num_actions, num_players = "nim", 2, 2

    def init(self, key: Any) -> Heap:
        return self._make(5, 0, np.zeros(2), key)

    def step(self, state: Heap, action: int, key: Any) -> Heap:
        left = int(state.left) - action - 1
        player = int(state.current_player)
        rewards = np.zeros(2) if left else np.array([1.0, -1.0]) * (1 if player == 0 else -1)
        return self._make(left, 1 - player, rewards, key)

    def _make(self, left: int, player: int, rewards: Any, key: Any) -> Heap:
        mask = np.array([left >= 1, left >= 2])
        return Heap(np.int32(left), np.int32(player), mask, rewards, np.bool_(left == 0), np.bool_(False), key)


class Slide(NamedTuple):
    """A state of gymnax."""

    place: Any
    time: Any


class Slippery:
    """An environment of gymnax: five cells, goal at the right, cut after `most` steps."""

    name = "slippery"

    def __init__(self, most: int = 20, slips: bool = False) -> None:
        self.default_params = SimpleNamespace(most=most)
        self._slips = slips

    def action_space(self, params: Any) -> Any:
        return spaces.Discrete(2)

    def reset_env(self, key: Any, params: Any) -> tuple[Any, Slide]:
        return None, Slide(np.int32(0), np.int32(0))

    def step_env(
        self, key: Any, state: Slide, action: int, params: Any
    ) -> tuple[Any, Slide, float, Any, dict[str, Any]]:
        moves = -1 if self._slips and int(key[1]) % 2 else 1
        place = np.clip(state.place + (moves if action else -1), 0, 4)
        return None, Slide(np.int32(place), np.int32(state.time + 1)), -1.0, place == 4, {}

    def is_truncated(self, state: Slide, params: Any) -> Any:
        return state.time >= params.most


class Board(NamedTuple):
    """A state of jumanji."""

    row: Any
    column: Any
    key: Any


@dataclasses.dataclass(eq=False)
class Sack(Mapping[str, Any]):
    """A state of jumanji as chex makes them: its fields can be read as keys, and one of them is called `values`."""

    values: Any = dataclasses.field()
    taken: Any = dataclasses.field()
    key: Any

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def __len__(self) -> int:
        return len(vars(self))


class Packing:
    """An environment of jumanji: two of three things may be taken."""

    action_spec = SimpleNamespace(num_values=3)

    def reset(self, key: Any) -> tuple[Sack, Any]:
        return self._show(Sack(np.array([3.0, 1.0, 2.0]), np.zeros(3, dtype=bool), key), 0.0)

    def step(self, state: Sack, action: Any) -> tuple[Sack, Any]:
        taken = state.taken | (np.arange(3) == action)
        gained = float(state["values"][int(action)]) if not state.taken[int(action)] else 0.0
        return self._show(Sack(state.values, taken, state.key), gained)

    def _show(self, state: Sack, reward: float) -> tuple[Sack, Any]:
        over = int(state.taken.sum()) == 2
        observation = SimpleNamespace(action_mask=~state.taken)
        step_type, discount = np.int8(2 if over else 1), np.float32(0 if over else 1)
        return state, SimpleNamespace(step_type=step_type, discount=discount, reward=reward, observation=observation)


class Walk:
    """An environment of jumanji whose action has two parts: to (2, 2) by at most one row and one column a step."""

    action_spec = SimpleNamespace(num_values=np.array([2, 2]))

    def reset(self, key: Any) -> tuple[Board, Any]:
        return self._show(Board(np.int32(0), np.int32(0), key), 0.0)

    def step(self, state: Board, action: Any) -> tuple[Board, Any]:
        down, right = (int(part) for part in action)
        new = Board(np.int32(min(state.row + down, 2)), np.int32(min(state.column + right, 2)), state.key)
        return self._show(new, -1.0 - 0.25 * (down and right))

    def _show(self, state: Board, reward: float) -> tuple[Board, Any]:
        over = bool(state.row == 2 and state.column == 2)
        mask = np.array([[False, True], [True, True]])
        observation = SimpleNamespace(action_mask=mask)
        step_type, discount = np.int8(2 if over else 1), np.float32(0 if over else 1)
        return state, SimpleNamespace(step_type=step_type, discount=discount, reward=reward, observation=observation)


class HeapState:
    """A state of OpenSpiel."""

    def __init__(self, history: tuple[int, ...] = ()) -> None:
        self._history = history

    def history(self) -> list[int]:
        return list(self._history)

    def history_str(self) -> str:
        return ", ".join(map(str, self._history))

    def clone(self) -> "HeapState":
        return HeapState(self._history)

    def apply_action(self, action: int) -> None:
        self._history = (*self._history, action)

    @property
    def left(self) -> int:
        return 4 + self._history[0] - sum(taken + 1 for taken in self._history[1:])

    def is_chance_node(self) -> bool:
        return not self._history

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.25), (1, 0.75)]

    def is_terminal(self) -> bool:
        return bool(self._history) and self.left == 0

    def current_player(self) -> int:
        return -1 if not self._history else -4 if self.is_terminal() else (len(self._history) - 1) % 2

    def legal_actions(self, player: int) -> list[int]:
        return [action for action in (0, 1) if action < self.left]

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        return [1.0, -1.0] if len(self._history) % 2 == 0 else [-1.0, 1.0]

    def information_state_string(self, player: int) -> str:
        return f"{self.left} stones"

    def __str__(self) -> str:
        return f"{self.left} stones" if self._history else "a coin"


class HeapGame:
    """A game of OpenSpiel."""

    def __init__(self, information: str = "PERFECT_INFORMATION", dynamics: str = "SEQUENTIAL") -> None:
        self._kind = SimpleNamespace(
            dynamics=f"Dynamics.{dynamics}",
            information=f"Information.{information}",
            short_name="heap",
            provides_information_state_string=True,
        )

    def get_type(self) -> Any:
        return self._kind

    def num_players(self) -> int:
        return 2

    def num_distinct_actions(self) -> int:
        return 2

    def new_initial_state(self) -> HeapState:
        return HeapState()

    def action_to_string(self, player: int, action: int) -> str:
        return f"take {action + 1}"


class Lights(gymnasium.Env[Any, Any]):
    """Three switches; a step costs one for each switch that is turned, and it is over when all are on."""

    def __init__(self, kind: str) -> None:
        made: dict[str, spaces.Space[Any]] = {
            "multi": spaces.MultiDiscrete([2, 2, 2]),
            "binary": spaces.MultiBinary(3),
            "tuple": spaces.Tuple([spaces.Discrete(2, start=0), spaces.MultiDiscrete([2, 2])]),
            "dict": spaces.Dict({"a": spaces.Discrete(2), "b": spaces.MultiBinary(2)}),
            "box": spaces.Box(0, 1, (3,), np.int64),
            "huge": spaces.MultiDiscrete([100, 100, 100]),
            "real": spaces.Tuple([spaces.Discrete(2), spaces.Box(0.0, 1.0, (1,))]),
            "late": spaces.Discrete(2, start=5),
        }
        self.action_space = made[kind]
        self.observation_space = spaces.Dict({"on": spaces.MultiBinary(3), "room": spaces.Discrete(1)})
        self.on = [0, 0, 0]

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.on = [0, 0, 0]
        return self._get_obs(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not self.action_space.contains(action):
            raise ValueError(action)
        parts = action.values() if isinstance(action, dict) else [action]
        flat = [int(n) for part in parts for n in np.concatenate([np.ravel(one) for one in self._split(part)])]
        turned = [0, 0, flat[0] - 5] if len(flat) == 1 else flat
        self.on = [before ^ now for before, now in zip(self.on, turned, strict=True)]
        return self._get_obs(), -1.0 - sum(turned), all(self.on) or len(flat) == 1, False, {}

    def _split(self, part: Any) -> list[Any]:
        return list(part) if isinstance(part, tuple) else [part]

    def _get_obs(self) -> dict[str, Any]:
        return {"on": np.array(self.on, dtype=np.int8), "room": 0}
