"""Lanes and the stack that they share: each lane is one learner, an ordinary agent with one row of every array.

The settings are what all the lanes of one stack have in common, as plain numbers that compiled code takes. Names and
meanings are Stable-Baselines3's. A lane's learning rate is its own and not among them.

Between two times of learning a lane's networks stand still, so that all it could answer until then is looked up.
Transitions are noted; only a question, or one transition more, that needs what it learns from them makes the stack
learn. The stack gives rows to lanes and takes them back, and one call lets many of them learn.

A lane draws by "turn" or by "history". By turn its numbers are functions of its key and of how often it was trained, so
that an agent and its copy draw alike, whatever each was taught. By history they are functions of its key and of all
that it was trained on, and of what it is asked: lanes with equal pasts draw alike, and others independently, as
learners with a generator do.

    h_0 = split(key, "history")    h_{t+1} = bits(h_t, o_t, a_t, o_{t+1}, r_t, terminated_t)
    asked about o in turn t, a lane draws by (h_t, o); what it learns from then on, it draws by h_t
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, Transition
from engine.errors import ContractBroken
from engine.randomness.counter_based import bits, randrange, split, uniform

Draws = Literal["turn", "history"]
HIDDEN = (64, 64)  # units of the hidden layers of Stable-Baselines3's "MlpPolicy"


class ActionValueSettings(NamedTuple):
    """DQN's."""

    buffer_size: int
    learning_starts: int
    batch_size: int
    tau: float
    gamma: float
    train_freq: int
    gradient_steps: int
    target_update_interval: int
    exploration_fraction: float
    exploration_initial_eps: float
    exploration_final_eps: float
    max_grad_norm: float
    total_timesteps: int

    @property
    def every(self) -> int:
        """Transitions between two times of learning."""
        return self.train_freq

    def exploration_rate(self, turn: int) -> float:
        """Return the probability of a random action: 1 before learning starts, then linear, then constant."""
        progress = min(turn, self.total_timesteps) / self.total_timesteps
        if turn < self.learning_starts:
            return 1.0
        if progress > self.exploration_fraction or self.exploration_fraction <= 0:
            return self.exploration_final_eps
        fall = self.exploration_final_eps - self.exploration_initial_eps
        return self.exploration_initial_eps + progress * fall / self.exploration_fraction


class PolicySettings(NamedTuple):
    """A2C's and PPO's; A2C is one epoch of one minibatch. epsilon: the optimiser's."""

    n_steps: int
    batch_size: int
    n_epochs: int
    gamma: float
    gae_lambda: float
    clip_range: float
    normalize_advantage: bool
    ent_coef: float
    vf_coef: float
    max_grad_norm: float
    epsilon: float

    @property
    def every(self) -> int:
        """Transitions between two times of learning."""
        return self.n_steps


TURN = 5  # numbers that a transition holds


class Waiting:
    """The lanes, of any stacks, that have noted enough transitions to learn."""

    def __init__(self) -> None:
        self.lanes: list[Lane] = []

    def learn(self) -> None:
        """Let all of them learn, those of one stack in one call."""
        lanes, self.lanes = self.lanes, []
        by_stack: dict[int, list[Lane]] = {}
        for lane in lanes:
            by_stack.setdefault(id(lane.stack), []).append(lane)
        for together in by_stack.values():
            together[0].stack.learn(together)


class Lane(Agent):
    """A learner of a stack. stack: where its row lies. row: which one; it is given back when nobody has the lane.

    transitions: those noted since it last learned, five numbers each. history: the key of what it draws next, where it
    draws by history, otherwise None. turn: how often it was trained, counted where it draws by history.
    """

    def __init__(self, stack: Stack, row: int) -> None:
        self.stack, self.row = stack, row
        self.history: int | None = None
        self.turn = 0
        self.transitions = array("d")
        self._noted = 0
        self._answers = dict[int, Any]()
        self._drawn = self._nothing
        self._waiting = stack.waiting
        self._n_observations, self._n_actions, self._every = stack.n_observations, stack.n_actions, stack.every

    _nothing: Sequence[Any] = ()

    @abstractmethod
    def act(self, observation: int) -> int:
        """Return the action for an observation."""

    @abstractmethod
    def greedy(self) -> NDArray[np.int64]:
        """Return int64[observations], what it holds to be the best action of each, after all that it has to learn."""

    def train(self, transition: Transition) -> None:
        """Note a transition; ContractBroken where its observations or its action are out of range."""
        observation, action, reward, following, terminated, *_ = transition
        n = self._n_observations
        if not (0 <= observation < n and 0 <= following < n and 0 <= action < self._n_actions):
            self._refuse_transition(transition)
        if self._noted == self._every:
            self._waiting.learn()
        self.transitions.extend((observation, action, reward, following, terminated))
        if self.history is not None:
            [reward_bits] = struct.unpack("<Q", struct.pack("<d", reward))
            self.history = bits(self.history, observation, action, following, reward_bits, int(terminated))
            self.turn += 1
        self._noted += 1
        if self._noted == self._every:
            self._waiting.lanes.append(self)

    def fork(self) -> Lane:
        """Return an independent twin in a row of its own."""
        if self._noted == self._every:
            self._waiting.learn()
        twin = self.stack.copy_lane(self)
        twin.transitions, twin._noted = self.transitions[:], self._noted
        twin._answers, twin._drawn = self._answers, self._drawn
        twin.history, twin.turn = self.history, self.turn
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Lane:
        return self.fork()

    def __del__(self) -> None:
        self.stack.give_back(self.row)

    @property
    def learning_rate(self) -> float:
        """The optimiser's learning rate."""
        return self.stack.learning_rate(self.row)

    def weights(self) -> dict[str, np.ndarray]:
        """Return a copy of every parameter, by the name that it has in Stable-Baselines3's policy."""
        if self._noted == self._every:
            self._waiting.learn()
        return self.stack.weights(self.row)

    def go_on(self, drawn: Sequence[Any], answers: dict[int, Any]) -> None:
        """Go on from a row that has learned. drawn: a number per turn until it learns. answers: by observation."""
        self._drawn, self._answers, self._noted = drawn, answers, 0
        del self.transitions[:]

    def _look_up_all(self) -> list[Any]:
        """What its networks say of every observation."""
        if self._noted == self._every:
            self._waiting.learn()
        for observation in range(self._n_observations):
            if observation not in self._answers:
                self._look_up(observation)
        return [self._answers[observation] for observation in range(self._n_observations)]

    def _look_up(self, observation: int) -> Any:
        """What its networks say of an observation that nothing has been looked up for."""
        if not 0 <= observation < self._n_observations:
            raise ContractBroken(
                f"observation {observation}",
                place=type(self).__name__,
                remedy=f"observations are 0 to {self._n_observations - 1}",
            )
        if not self._drawn:
            self._drawn = self.stack.draw(self.row)
        self._answers = {**self._answers, **self.stack.answer(self.row, observation)}
        return self._answers[observation]

    def _refuse_transition(self, transition: Transition) -> NoReturn:
        raise ContractBroken(
            f"trained on {tuple(transition)}",
            place=type(self).__name__,
            remedy=f"observations are 0 to {self._n_observations - 1}, actions 0 to {self._n_actions - 1}",
        )


class ActionValueLane(Lane):
    """A DQN: epsilon-greedy, ties to the lowest action."""

    def act(self, observation: int) -> int:
        """Return the random action drawn for this turn, or the greedy one."""
        if self._noted == self._every:
            self._waiting.learn()
        greedy = self._answers.get(observation)
        if greedy is None:
            greedy = self._look_up(observation)
        if self.history is None:
            random: int = self._drawn[self._noted]
            return greedy if random < 0 else random
        if uniform(self.history, observation, 0) < self.stack.arithmetic.settings.exploration_rate(self.turn):
            return randrange(self._n_actions, self.history, observation, 1)
        return int(greedy)

    def greedy(self) -> NDArray[np.int64]:
        """Return the first action of greatest value."""
        return np.array(self._look_up_all(), dtype=np.int64)

    def action_values(self) -> NDArray[np.float32]:
        """Return float32[observations, actions], Q(o, a), after all that it has to learn."""
        named = self.weights()
        parts = [part for name, part in named.items() if name.startswith("q_net.")]
        first, *others = zip(parts[::2], parts[1::2], strict=True)  # weight and bias of each layer
        values: NDArray[np.float32] = first[0].T + first[1]  # an observation is a one-hot vector
        for weight, bias in others:
            values = np.maximum(values, 0) @ weight.T + bias
        return values


class PolicyLane(Lane):
    """An actor-critic: the action of turn t is the first a with u_t < sum_{b <= a} pi(b | o), u_t what it draws."""

    def act(self, observation: int) -> int:
        """Return the action that the policy draws in this turn."""
        if self._noted == self._every:
            self._waiting.learn()
        sums = self._answers.get(observation)
        if sums is None:
            sums = self._look_up(observation)
        if self.history is None:
            return bisect_right(sums, self._drawn[self._noted])
        return bisect_right(sums, uniform(self.history, observation))

    def greedy(self) -> NDArray[np.int64]:
        """Return the first of the most probable actions."""
        sums = np.minimum(np.array(self._look_up_all()), 1.0)
        best: NDArray[np.int64] = np.diff(sums, prepend=0.0, axis=1).argmax(axis=1)
        return best


BLOCK = 32  # observations looked up at once
LaneRowNumbers = NDArray[np.int64]
TransitionBlocks = NDArray[np.float64]


class RowArithmetic(Protocol):
    """What computes a stack's rows: learning, drawing and answering of many lanes at once."""

    @property
    def lane_type(self) -> type[Lane]:
        """The lanes that it computes."""

    settings: Any  # ActionValueSettings or PolicySettings

    def grow(self, rows: int) -> None:
        """Make room for so many rows."""

    def begin(self, row: int, key: int, learning_rate: float) -> None:
        """Make a row that of a fresh learner."""

    def set_key(self, row: int, key: int) -> None:
        """Let a row draw by another key from now on."""

    def copy(self, row: int, twin: int) -> None:
        """Copy a row to another."""

    def learn(self, rows: LaneRowNumbers, turns: TransitionBlocks) -> None:
        """Train rows int64[n] on transitions f64[n, every, 5]."""

    def draw(self, rows: LaneRowNumbers) -> Sequence[Sequence[Any]]:
        """What each lane draws in each turn until it learns again."""

    def answer(self, rows: LaneRowNumbers, first: int, count: int) -> Sequence[Sequence[Any]]:
        """What the networks of each lane say of observations first .. first + count - 1."""

    def learning_rate(self, row: int) -> float:
        """Return the optimiser's learning rate of a row."""

    def name_weights(self, row: int) -> dict[str, np.ndarray]:
        """Return a copy of every parameter of a row, by its name in Stable-Baselines3's policy."""


class Stack:
    """Rows of learners of one kind.

    arithmetic: computes them. n_observations, n_actions: of every lane. every: transitions between two times of
    learning. waiting: where a lane waits that has to learn before it answers again.
    """

    def __init__(
        self, arithmetic: RowArithmetic, n_observations: int, n_actions: int, every: int, waiting: Waiting
    ) -> None:
        self.arithmetic, self.n_observations, self.n_actions, self.every = arithmetic, n_observations, n_actions, every
        self.waiting = waiting
        self._free: list[int] = []
        self._rows = 0

    def make_lane(self, key: int, learning_rate: float, draws: Draws = "turn") -> Lane:
        """Return a fresh learner; equal keys give equal ones."""
        lane = self.arithmetic.lane_type(self, self._take_row())
        self.arithmetic.begin(lane.row, key, learning_rate)
        lane.history = split(key, "history") if draws == "history" else None
        return lane

    def copy_lane(self, lane: Lane) -> Lane:
        """Return a learner in a row of its own, equal to that of a lane."""
        twin = self.arithmetic.lane_type(self, self._take_row())
        self.arithmetic.copy(lane.row, twin.row)
        return twin

    def learn(self, lanes: Sequence[Lane]) -> None:
        """Train lanes on the transitions that they have noted, and look up what they may be asked next."""
        rows = np.array([lane.row for lane in lanes])
        for lane in lanes:
            if lane.history is not None:
                self.arithmetic.set_key(lane.row, lane.history)
        turns = np.frombuffer(b"".join(lane.transitions for lane in lanes)).reshape(len(lanes), self.every, TURN)
        self.arithmetic.learn(rows, turns)
        drawn, count = self.arithmetic.draw(rows), self.n_observations
        answers: Sequence[Sequence[Any]] = [()] * len(lanes)
        if count <= BLOCK:
            answers = self.arithmetic.answer(rows, 0, count)
        for lane, next_drawn, next_answers in zip(lanes, drawn, answers, strict=True):
            lane.go_on(next_drawn, dict(enumerate(next_answers)))

    def draw(self, row: int) -> Sequence[Any]:
        """What one lane draws in each turn until it learns."""
        return self.arithmetic.draw(np.array([row]))[0]

    def answer(self, row: int, observation: int) -> dict[int, Any]:
        """What one lane's networks say of an observation and of those around it."""
        first = observation - observation % BLOCK
        [said] = self.arithmetic.answer(np.array([row]), first, min(BLOCK, self.n_observations - first))
        return dict(enumerate(said, start=first))

    def learning_rate(self, row: int) -> float:
        """Return the optimiser's learning rate of one lane."""
        return self.arithmetic.learning_rate(row)

    def weights(self, row: int) -> dict[str, np.ndarray]:
        """Return a copy of every parameter of one lane, by its name in Stable-Baselines3's policy."""
        return self.arithmetic.name_weights(row)

    def give_back(self, row: int) -> None:
        """Take a row back that no lane has any more."""
        self._free.append(row)

    def _take_row(self) -> int:
        if not self._free:
            more = max(1, self._rows)
            self.arithmetic.grow(self._rows + more)
            self._free.extend(range(self._rows + more - 1, self._rows - 1, -1))
            self._rows += more
        return self._free.pop()
