"""The kinds of world that `wrap` takes: given by a transition table, or put into a state and stepped.

A world can be walked through, says what its states are, and how the next agent continues (`WrappedWorld`). A state is
known by its key; what the user's functions are called with is its `state_of`.

`TableWorld`: Gymnasium's `P[s][a] = [(probability, s', reward, terminated), ...]`, and MDPs. A table is believed, but
compared with what the environment's own steps do: a chance that only `step` knows is refused.

`SteppedWorld`: Gymnasium's environments, with rewards of one number or several, and PettingZoo's. What Gymnasium
wraps around an environment when it makes one (checks, order, time limit) is stepped past; other wrappers stay. An
episode that a time limit cuts has not ended: the limit becomes the scenario's.

Both can play plain episodes, which prove their tables (`caregrid.wrapping.plain_episodes`).
"""

from __future__ import annotations

import inspect
import math
import traceback
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from caregrid.wrapping.door import Door
from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.hidden_state import Watch, find_places, link_generators, list_generators
from caregrid.wrapping.observations import make_observation, require_observed
from caregrid.wrapping.plain_episodes import PlainEnvironment
from caregrid.wrapping.settings import WorldSettings
from caregrid.wrapping.states import AttributeStates, LayeredStates, UsersStates, save_state
from craftworld.scenario import TIME_LIMIT
from engine.contracts import refuse
from engine.errors import BadValue, CaregridError, ContractBroken
from engine.mdp.enumeration.draws import DrawsDiffer, NotFinite, every_outcome
from engine.mdp.enumeration.frozen_values import freeze_value
from engine.mdp.enumeration.linked_generators import DrawSource, link, link_modules, reseed, seed_modules
from engine.mdp.enumeration.simulated import Simulated
from engine.mdp.enumeration.walk import Successor
from engine.mdp.mdp import TabularMDP
from engine.printable import show_value
from engine.reach import is_trusted
from engine.user_code import describe_place, is_raised_by_users, read_exception, user_code

Pixels = NDArray[np.uint8]


class WrappedWorld(Protocol):
    """An `engine.mdp.enumeration.walk.Explorable` and more.

    rewards: how many a step gives. reward_names: their names. drawing: rows of "#" and " " on which the agent has its
    place, empty without. time_limit: steps after which an episode is cut. discount: the world's own, None where it has
    none. kind: two worlds of one kind understand each other's states.
    """

    name: str
    actions: tuple[str, ...]
    rewards: int
    reward_names: tuple[str, ...]
    drawing: tuple[str, ...]
    time_limit: int
    discount: float | None
    kind: str

    def starts(self) -> Mapping[Hashable, float]:
        """Start state -> probability."""

    def successors(self, key: Hashable, action: int) -> Sequence[Successor]:
        """Return every transition that an action may cause in a state."""

    def repeat(self, key: Hashable, action: int) -> Iterator[tuple[Hashable, bool]]:
        """The states to which an action leads when it is repeated, one outcome each, and whether they are ends."""

    def state_of(self, key: Hashable) -> Any:
        """Return a state as the user's functions see it."""

    def enter(self, state: Any) -> Hashable:
        """Return the key of a state that one of the user's functions gave."""

    def list_continuations(self, key: Hashable, start: Hashable) -> Sequence[tuple[Hashable, float]]:
        """What the next agent begins with, and how likely, when an episode that began in `start` has left a state."""

    def observations(self, keys: Sequence[Hashable]) -> list[Hashable] | None:
        """Return what the agent observes in each of several states; None where all of the state, or nobody knows."""

    def flatten_observations(self, keys: Sequence[Hashable]) -> NDArray[np.float32] | None:
        """f32[S, width]: what the environment shows in several states, as Gymnasium flattens it; None where unknown."""

    def available(self, keys: Sequence[Hashable]) -> NDArray[np.bool_] | None:
        """Return bool[S, A]: which actions can be taken in each of several states; None where all can."""

    def is_over(self, key: Hashable) -> bool:
        """Return whether nobody can act in a state, however it was come to."""

    def words(self, key: Hashable) -> dict[str, Any]:
        """Return a state in words, ready for JSON."""

    def frame(self, key: Hashable) -> Pixels | None:
        """Return a picture of a state, uint8[H, W, 3]; None where the environment draws none."""

    def position(self, key: Hashable) -> tuple[int, int] | None:
        """(row, column) of the agent on the drawing."""

    def with_agent_at(self, key: Hashable, cell: tuple[int, int]) -> Hashable | None:
        """Return the key of the same state with the agent in another cell."""

    def identity(self) -> list[str]:
        """Return what its table depends on, as texts; empty where that cannot be said."""

    def walking(self) -> AbstractContextManager[None]:
        """Return what a walk happens within: all chance is steered."""

    def finish(self) -> None:
        """Called after a walk, for a last check."""

    def plain(self) -> PlainEnvironment | None:
        """Return an environment for plain episodes, None where there is nothing to step."""

    def mark(self, key: Hashable) -> Hashable:
        """Return what a state is known by in every environment like this one."""

    def starts_by_seed(self) -> Sequence[tuple[int, Hashable | None]]:
        """Seeds, each with the key of the state to which its reset leads; None where it may be any start state."""

    @property
    def is_known(self) -> bool:
        """Whether the environment's code is known to hide nothing."""

    @property
    def exact_marks(self) -> bool:
        """Whether a reset always leads to a state that the table knows by the same mark."""

    @property
    def remedy(self) -> str:
        """What to do where the table is not the environment."""

    def describe(self, key: Hashable) -> str:
        """Return a state in a few words, for messages."""

    def advice(self, keys: Sequence[Hashable]) -> str:
        """Return what to do about too many states."""

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """Return what makes states continuous, in a few words; empty where nothing does."""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        """What is another one in each state of an endless path, and what to do about it; empty where nothing is."""


TableRows = Iterable[tuple[float, Any, float, bool]]
COMPARED_STEPS = 2000
COMPARED_STARTS = 100


class TableWorld:
    """transitions: (state, action) -> its rows. starts: state -> probability. family: what the states mean, if known.

    frame: state -> picture. source: texts on which the table depends. remake: makes the environment of the table.
    by_seed: seeds and the states to which their resets lead, where the table does not say where episodes begin.
    observed: state -> the number of its observation, where a part is hidden. allowed: state -> which actions can be
    taken, bool[A], where not all can everywhere. over: the states in which nobody can act.
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
        remake: Callable[[], Any] | None = None,
        by_seed: Sequence[tuple[int, Hashable]] = (),
        is_known: bool = True,
        observed: Mapping[Any, int] | None = None,
        allowed: Mapping[Any, NDArray[np.bool_]] | None = None,
        over: Collection[Any] = (),
    ) -> None:
        self.name = name
        self.actions = actions
        self._observed = observed
        self._allowed = allowed
        self._over = frozenset(over)
        self._transitions = transitions
        self._starts = dict(starts)
        self._family = family
        self._frame = frame
        self.time_limit = time_limit
        self.discount = discount
        self._source = list(source)
        self._remake = remake
        self._by_seed = list(by_seed)
        self.is_known = is_known
        self.drawing = family.drawing() if family is not None else ()
        self.kind = type(family).__name__ if family is not None else name

    def starts(self) -> Mapping[Hashable, float]:
        return self._starts

    def successors(self, key: Any, action: int) -> Sequence[Successor]:
        try:
            rows = self._transitions(key, action)
            found = [Successor(float(p), _plain_key(after), (float(r),), bool(done)) for p, after, r, done in rows]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ContractBroken(
                f"no rows (probability, state, reward, terminated): {type(error).__name__}",
                place=f"{self.name}, P[{key}][{action}]",
                remedy="give a table of every state and action",
            ) from error
        return found

    def repeat(self, key: Any, action: int) -> Iterator[tuple[Hashable, bool]]:
        while True:
            likeliest = max(self.successors(key, action), key=lambda one: one.probability)
            key = likeliest.key
            yield key, likeliest.terminated

    def state_of(self, key: Any) -> Any:
        return key if self._family is None else self._family.state(key)

    def enter(self, state: Any) -> Hashable:
        key = state if self._family is None else self._family.snapshot(state)
        try:
            self._transitions(key, 0)
        except (KeyError, IndexError, TypeError, ValueError):
            raise ContractBroken(
                f"no state {show_value(state)}", place=f"{self.name}, continuation", remedy="give a state of its table"
            ) from None
        return _plain_key(key)

    def list_continuations(self, key: Any, start: Any) -> Sequence[tuple[Hashable, float]]:
        return [(start, 1.0)] if self._family is None else self._family.list_continuations(key, start)

    def observations(self, keys: Sequence[Any]) -> list[Hashable] | None:
        return None if self._observed is None else [self._observed[key] for key in keys]

    def flatten_observations(self, keys: Sequence[Any]) -> NDArray[np.float32] | None:
        """Where the number of a state is what is observed."""
        if self._remake is None or self._observed is not None:
            return None
        return _flatten(getattr(self._remake(), "observation_space", None), keys)

    def available(self, keys: Sequence[Any]) -> NDArray[np.bool_] | None:
        return None if self._allowed is None else np.array([self._allowed[key] for key in keys])

    def is_over(self, key: Hashable) -> bool:
        return key in self._over

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

    exact_marks = True
    remedy = "switch off what only step() knows, or declare chance='every draw': it is stepped then"

    def walking(self) -> AbstractContextManager[None]:
        return nullcontext()

    def finish(self) -> None:
        """A table needs no last check."""

    def plain(self) -> PlainEnvironment | None:
        return None if self._remake is None else _PlainTable(self._remake(), bool(self._by_seed))

    def mark(self, key: Hashable) -> Hashable:
        return key

    def starts_by_seed(self) -> Sequence[tuple[int, Hashable | None]]:
        return self._by_seed or [(seed, None) for seed in range(COMPARED_STEPS)]

    def describe(self, key: Any) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.words(key).items())

    def advice(self, keys: Sequence[Hashable]) -> str:
        return "give a smaller table"

    def continuous(self, keys: Sequence[Hashable]) -> str:
        return ""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        return "", ""


class _PlainTable:
    """An environment that has a table, stepped; its state is the number `s`, or else what it observes.

    varies: whether other numbers are drawn after a reset with the same seed.
    """

    def __init__(self, env: Any, varies: bool) -> None:
        self._env = env
        self._varies = varies
        self._observation: Any = None

    def begin(self, seed: int, number: int) -> None:
        self._observation, _ = self._env.reset(seed=seed)
        if self._varies:
            reseed(list_generators(list_layers(self._env)), number)

    def act(self, action: int, number: float) -> tuple[tuple[float, ...], bool, bool]:
        self._observation, reward, terminated, truncated, _ = self._env.step(action)
        return (float(reward),), bool(terminated), bool(truncated)

    def end(self) -> None:
        """Nothing lies outside it."""

    def read_mark(self) -> Hashable:
        return _plain_key(getattr(self._env.unwrapped, "s", self._observation))


def make_mdp_world(mdp: TabularMDP, name: str = "table", time_limit: int = TIME_LIMIT) -> TableWorld:
    """Return a `TabularMDP` as a world; its states are what the user's functions see."""
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
    observed = None if mdp.observation is None else dict(zip(names, mdp.observation.tolist(), strict=True))
    allowed = None if mdp.available is None else {state: mdp.available[number] for state, number in index.items()}
    return TableWorld(
        name,
        mdp.actions,
        rows,
        starts,
        time_limit=time_limit,
        discount=mdp.discount,
        observed=observed,
        allowed=allowed,
        over=[state for state, number in index.items() if mdp.terminal[number]],
    )


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
        state = int(generator.integers(len(env.P)))
        action = int(generator.integers(int(env.action_space.n)))
        env.s = state
        _, reward, terminated, _, _ = env.step(action)
        seen = int(env.s), float(reward), bool(terminated)
        if seen not in [(int(s), float(r), bool(done)) for p, s, r, done in env.P[state][action] if p > 0.0]:
            raise ContractBroken(
                f"a step gave state {seen[0]}, reward {seen[1]:g}, which is not a row of its table",
                place=f"{name}, P[{state}][{action}]",
                remedy="switch off what only step() knows, or declare chance='every draw': it is stepped then",
            )


def _plain_key(state: Any) -> Hashable:
    return int(state) if isinstance(state, np.integer) else state


REMEDY = "it may be a state that only the next agent comes to: give others= of which none does, or mend step"
INNER = ("env", "aec_env")
"""What wrappers call the environment that they are around."""
STANDARD_WRAPPERS = {"PassiveEnvChecker", "OrderEnforcing", "TimeLimit"}
OBSERVERS = {
    "RecordEpisodeStatistics",
    "RecordVideo",
    "HumanRendering",
    "RenderCollection",
    "FrameStackObservation",
} | {
    "TimeAwareObservation",
    "DelayObservation",
    "NormalizeObservation",
}


MOST_FLAT_NUMBERS = 200_000_000


def _flatten(space: Any, shown: Sequence[Any]) -> NDArray[np.float32] | None:
    """f32[S, width]: observations as Gymnasium flattens them; None where they are not of the space, or too many."""
    from gymnasium import Space
    from gymnasium.spaces import flatdim, flatten

    if not isinstance(space, Space) or not space.is_np_flattenable or not all(map(space.contains, shown)):
        return None
    if flatdim(space) * len(shown) > MOST_FLAT_NUMBERS:
        return None
    return np.array([flatten(space, each) for each in shown], dtype=np.float32)


class SteppedWorld:
    """env: what is reset and stepped. states: how its states are saved. settings: the user's words.

    reward_names: one name where a step gives one number. frame: snapshot -> picture. actions: their names, by default
    as the states say. layers: the environment and what is around it, of which state and generators are a part. hidden:
    labels of places outside its attributes that are a part of the state. remake: makes the same world again, for plain
    episodes; None where this is one of those.
    """

    discount: float | None = None

    def __init__(
        self,
        env: Any,
        states: WorldFamily,
        settings: WorldSettings,
        *,
        name: str,
        reward_names: tuple[str, ...] = ("reward",),
        time_limit: int | None = None,
        frame: Callable[[Any], Pixels | None] | None = None,
        actions: Sequence[str] = (),
        hidden: Collection[str] = (),
        remake: Callable[[], SteppedWorld] | None = None,
    ) -> None:
        self.name = name
        self.reward_names = reward_names
        self.rewards = len(reward_names)
        self._env = strip_standard_wrappers(env)
        self._states = states
        self._place = describe_place(states.env)
        self._settings = settings
        self._frame = frame
        self._remake = remake
        self._layers = list_layers(self._env)
        self._source = DrawSource(np.random.Generator(np.random.PCG64(0)))
        self.exact_keys = states.exact_keys
        self.actions = tuple(actions) or states.actions()
        self.kind = name_state_kind(states)
        self._walked = Simulated(self, settings.chance_of(env))
        self._undo: list[Callable[[], None]] = []
        self._by_seed: list[tuple[int, Hashable]] = []
        self._shown: tuple[Any, ...] = ()  # what the first reset gave
        self._latest: tuple[tuple[Any, ...], list[bool] | None, dict[int, Sequence[Successor]]] = ((), None, {})
        self._starts = self._reset_once_a_seed()
        places = find_places(self._layers, None if isinstance(states, AttributeStates | UsersStates) else states)
        self._still = Watch({label: place for label, place in places.items() if label not in hidden})
        self.drawing = states.drawing()
        self.time_limit = time_limit or states.time_limit() or TIME_LIMIT

    def _reset_once_a_seed(self) -> Mapping[Hashable, float]:
        """Prepare the environment, reset it once a seed, and remember where that leads."""
        starts: dict[Hashable, float] = {}
        self._states.prepare()
        if self._env is self._states.env:
            self._states.skip_observations()
        seeds = self._settings.reset_seeds
        with user_code(self._place), seed_modules(0):
            for seed in seeds:
                shown = reset(self._env, seed)
                self._shown = self._shown or (shown,)
                if self._remake is None:  # in plain episodes no state is ever restored
                    self._states.begin()
                    continue
                self._link_own_generators()
                self._states.begin()
                key = self._walked.remember()
                self._by_seed.append((int(seed), key))
                starts[key] = starts.get(key, 0.0) + 1.0 / len(seeds)
        return self._follow_resets() if self._settings.follows_resets and self._remake is not None else starts

    def _follow_resets(self) -> Mapping[Hashable, float]:
        """Return every state to which a reset may lead, with its probability."""

        def follow(draws: np.random.Generator) -> Hashable:
            self._source.use(draws)
            self._source.step(self._env.reset)
            self._states.begin()
            return self._walked.remember()

        starts: dict[Hashable, float] = {}
        with self.walking(), user_code(self._place):
            try:
                for probability, key in every_outcome(follow):
                    starts[key] = starts.get(key, 0.0) + probability
            except (NotFinite, DrawsDiffer) as error:
                remedy = "give seeds=range(N), whose start states are equally likely"
                raise ContractBroken(f"its reset: {error}", place=self.name, remedy=remedy) from None
        return starts

    def _link_own_generators(self) -> None:
        link_generators(self._layers, self._source, False)
        bare = self._layers[-1]
        if getattr(bare, "_np_random", False) is None:
            bare._np_random = link(self._source.generator, self._source)

    # what plain episodes need

    def plain(self) -> PlainEnvironment | None:
        return None if self._remake is None else self._remake()

    def begin(self, seed: int, number: int) -> None:
        with user_code(self._place):
            reset(self._env, seed)
            self._states.begin()
        if self._settings.random_seeds is not None:
            self._undo += link_generators(self._layers, self._source)
        elif self._settings.chance is not None:
            reseed(list_generators(self._layers), number)

    def act(self, action: int, number: float) -> tuple[tuple[float, ...], bool, bool]:
        self._settings.prepare_sample(self._env, action, number, self._source.use)
        sampled = self._settings.random_seeds is not None
        with user_code(self._place), link_modules(self._source) if sampled else nullcontext():
            return self._take(action)

    def end(self) -> None:
        while self._undo:
            self._undo.pop()()

    def read_mark(self) -> Hashable:
        return self._states.mark(self._states.key())

    def mark(self, key: Hashable) -> Hashable:
        return self._states.mark(key)

    def starts_by_seed(self) -> Sequence[tuple[int, Hashable | None]]:
        if self._settings.follows_resets:
            return [(seed, None) for seed in range(COMPARED_STARTS)]
        return self._by_seed

    @property
    def is_known(self) -> bool:
        return self.exact_marks and is_trusted(type(self._layers[-1]))

    @property
    def exact_marks(self) -> bool:
        """Of a family alone; other states may hold what no reset puts back."""
        return not isinstance(self._states, AttributeStates | UsersStates | LayeredStates)

    @property
    def remedy(self) -> str:
        """What to do where the table is not the environment."""
        if isinstance(self._states, UsersStates):
            return "let get_state= and set_state= hold everything that decides"
        if not self._states.exact_keys:
            return "let fingerprint= and ignore= leave out nothing that decides"
        return "let reset put back everything, keep what decides in attributes, or give get_state= and set_state="

    # what a Simulator does

    def snapshot(self) -> Any:
        return save_state(self._states)

    def restore(self, snapshot: Any) -> None:
        self._states.load(snapshot)

    def key(self) -> Hashable:
        return self._states.key()

    def use(self, generator: np.random.Generator) -> None:
        self._source.use(generator)

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        rewards, ended, _ = self._take(action)
        return rewards, ended

    def _take(self, action: int) -> tuple[tuple[float, ...], bool, bool]:
        """Take an action: the rewards, whether the episode has ended, whether it was cut."""
        given = self._source.step(self._env.step, action)
        try:
            _, reward, terminated, truncated, _ = given
            amounts = (read_amount(reward),) if self.rewards == 1 else self._read_amounts(reward)
            ended, cut = read_truth(terminated), read_truth(truncated)
        except (TypeError, ValueError, OverflowError):
            rewards = "a number" if self.rewards == 1 else f"{self.rewards} numbers"
            expected = f"(observation, reward, terminated, truncated, info), the reward being {rewards}"
            refuse(self._states.env, "step", given, f"{expected}, terminated and truncated being true or false")
        if self.rewards == 1:
            return (self._states.reward(amounts[0]),), ended, cut
        if len(amounts) != self.rewards:
            raise ContractBroken(
                f"a step gave {len(amounts)} rewards", place=self.name, remedy=f"give {self.rewards} in every step"
            )
        return amounts, ended, cut

    def _read_amounts(self, reward: Any) -> tuple[float, ...]:
        """Several rewards; TypeError where their order is not said."""
        if isinstance(reward, Mapping | Set):
            raise TypeError
        return tuple(map(read_amount, reward))

    # what a WrappedWorld does

    def starts(self) -> Mapping[Hashable, float]:
        return self._starts

    def successors(self, key: Hashable, action: int) -> Sequence[Successor]:
        """Of an action that is not available, those of the first one that is."""
        if isinstance(self._env, Door):
            if self._latest[0] != (key,):
                self._latest = (key,), self._find_available(key), {}
            _, mask, known = self._latest
            action = action if mask is None or mask[action] else list(mask).index(True)
            if action not in known:
                known[action] = self._find_successors(key, action)
            return known[action]
        return self._find_successors(key, action)

    def _find_successors(self, key: Hashable, action: int) -> Sequence[Successor]:
        try:
            return self._walked.successors(key, action)
        except Exception as error:
            place = f"{self.name}, state {self.describe(key)}, action '{self.actions[action]}'"
            if not isinstance(error, CaregridError | MemoryError) and not is_raised_by_users(error):
                _refuse_failure("step", error, place, REMEDY)
            with user_code(f"{self._place}, {place}"):
                raise
        except BaseException:
            with user_code(self._place):
                raise

    def repeat(self, key: Hashable, action: int) -> Iterator[tuple[Hashable, bool]]:
        return self._walked.repeat(key, action)

    # what travels to other processes and back

    @property
    def env(self) -> Any:
        """What is reset and stepped."""
        return self._env

    @property
    def states(self) -> WorldFamily:
        """How its states are saved."""
        return self._states

    def snapshot_of(self, key: Hashable) -> Any:
        """Return the snapshot of a state that is known."""
        return self._walked.snapshot_of(key)

    def enter_snapshot(self, snapshot: Any) -> Hashable:
        """Return the key of the state of a snapshot, which is known from now on."""
        with user_code(self._place):
            return self._remember_state(snapshot)

    def learn_snapshots(self, keys: Sequence[Hashable], snapshots: Sequence[Any]) -> None:
        """Know states that another world like this one has found."""
        self._walked.learn(keys, snapshots)

    def state_of(self, key: Hashable) -> Any:
        return self._states.state(self._walked.snapshot_of(key))

    def enter(self, state: Any) -> Hashable:
        return self._remember_state(self._states.snapshot(state))

    def list_continuations(self, key: Hashable, start: Hashable) -> Sequence[tuple[Hashable, float]]:
        snapshots = self._states.list_continuations(self._walked.snapshot_of(key), self._walked.snapshot_of(start))
        return [(self._remember_state(snapshot), chance) for snapshot, chance in snapshots]

    def observations(self, keys: Sequence[Hashable]) -> list[Hashable] | None:
        """Of the user's `observe`, else of the environment's own method where that agrees with its reset."""
        try:
            first = self._observe(self._by_seed[0][1])
            if self._settings.observe is None and not self._skips:
                require_observed(self._layers, self._states, None, self._shown[0])
        except BadValue:
            return None
        if first != self._observe(self._by_seed[0][1]):
            if self._settings.observe is None:
                return None
            raise ContractBroken(
                "it gives two observations of one state",
                place=describe_place(self._settings.observe),
                remedy="let it depend on the state alone",
            )
        return [self._observe(key) for key in keys]

    def flatten_observations(self, keys: Sequence[Hashable]) -> NDArray[np.float32] | None:
        if not keys or self.observations(keys[:1]) is None:
            return None
        shown = []
        for key in keys:
            with user_code(self._place):
                self._states.load(self._walked.snapshot_of(key))
            shown.append(make_observation(self._layers, self._states, self._settings.observe))
        return _flatten(getattr(self._env, "observation_space", None), shown)

    def available(self, keys: Sequence[Hashable]) -> NDArray[np.bool_] | None:
        masks = [self._find_available(key) for key in keys] if isinstance(self._env, Door) else []
        if all(mask is None for mask in masks):
            return None
        return np.array([mask or [True] * len(self.actions) for mask in masks], dtype=np.bool_)

    def is_over(self, key: Hashable) -> bool:
        return False

    def _find_available(self, key: Hashable) -> list[bool] | None:
        self._states.load(self._walked.snapshot_of(key))
        mask = self._env.available()
        return None if mask is None else list(mask)

    def _observe(self, key: Hashable) -> Hashable:
        with user_code(self._place):
            self._states.load(self._walked.snapshot_of(key))
        return freeze_value(make_observation(self._layers, self._states, self._settings.observe))

    @property
    def _skips(self) -> bool:
        """Whether what resets and steps show is left out: the family knows what it would be."""
        family = type(self._states)
        return self._env is self._states.env and family.skip_observations is not WorldFamily.skip_observations

    def words(self, key: Hashable) -> dict[str, Any]:
        return self._states.words(self.state_of(key))

    def frame(self, key: Hashable) -> Pixels | None:
        return None if self._frame is None else self._frame(self.state_of(key))

    def position(self, key: Hashable) -> tuple[int, int] | None:
        return self._states.position(self.state_of(key)) if self.drawing else None

    def with_agent_at(self, key: Hashable, cell: tuple[int, int]) -> Hashable | None:
        if not self.drawing:
            return None
        moved = self._states.with_agent_at(self.state_of(key), cell)
        return None if moved is None else self._states.snapshot(moved)

    def identity(self) -> list[str]:
        """Return the code of the environment's classes, its start states and how they were declared."""
        texts = [self.name, *self._settings.describe(), *self.actions, str(self.rewards)]
        texts += [repr(freeze_value(self.state_of(key))) for key in self._starts]
        for kind in type(self._states.env).__mro__:
            try:
                texts.append(Path(inspect.getfile(kind)).read_text(encoding="utf-8"))
            except (TypeError, OSError):
                texts.append(kind.__qualname__)
        return texts

    @contextmanager
    def walking(self) -> Iterator[None]:
        """All generators, those of the modules `random` and `numpy.random`, too, draw as the walk says inside."""
        undo = link_generators(self._layers, self._source, True)
        try:
            with link_modules(self._source) as escaped:
                yield
                if escaped():
                    raise ContractBroken(
                        "a step draws from a global generator by a way that cannot be followed",
                        place=self.name,
                        remedy="draw from self.np_random",
                    )
        finally:
            while undo:
                undo.pop()()

    def finish(self) -> None:
        self._states.require_nothing_forgotten()
        self._walked.require_keys_tell_states_apart()
        changed = self._still.find_changed()
        self._still.put_back(changed)
        if changed:
            raise ContractBroken(
                f"stepping changes {min(changed)}, which is not an attribute and seldom changes",
                place=self.name,
                remedy="make it an attribute, or give get_state= and set_state=",
            )

    def describe(self, key: Hashable) -> str:
        return self._states.describe(self._walked.snapshot_of(key))

    def advice(self, keys: Sequence[Hashable]) -> str:
        return self._states.advice(keys)

    def continuous(self, keys: Sequence[Hashable]) -> str:
        cause = self._states.continuous(keys)
        return f"{cause} (caregrid.Considerate learns in such worlds)" if cause else ""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        return self._states.growing(path)

    def _remember_state(self, snapshot: Any) -> Hashable:
        self._states.load(snapshot)
        return self._walked.remember()


def read_amount(given: Any) -> float:
    """A reward as a float; TypeError where it is none. A nan is always the same one, so that it equals itself."""
    if isinstance(given, str | bytes):
        raise TypeError
    amount = float(given)
    return amount if amount == amount else math.nan


def read_truth(given: Any) -> bool:
    """Return whether something is true; TypeError where it is a text: "False" is true."""
    if isinstance(given, str | bytes):
        raise TypeError
    return bool(given)


def name_state_kind(states: WorldFamily) -> str:
    """Return what kind of states these are: two environments of one kind understand each other's."""
    return f"{type(states).__name__} of {type(states.env).__qualname__}"


def reset(env: Any, seed: int) -> Any:
    """Reset an environment: what it shows; ContractBroken for what its own code, not the user's, raises."""
    try:
        given = env.reset(seed=int(seed))
    except Exception as error:
        if isinstance(error, CaregridError | MemoryError) or is_raised_by_users(error):
            raise
        _refuse_failure("reset", error, describe_place(env.unwrapped), "mend it, or choose another environment")
    return given[0] if isinstance(given, tuple) and given else given


def _refuse_failure(method: str, error: Exception, place: str, remedy: str) -> NoReturn:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    said = ": ".join(filter(None, (type(error).__name__, read_exception(error))))
    raise ContractBroken(
        f"its {method} fails at {Path(frame.filename).name}, line {frame.lineno}: {said}", place=place, remedy=remedy
    ) from error


def list_layers(env: Any) -> list[Any]:
    """Return an environment and what it wraps, from the outside in."""
    result = [env]
    while (inner := next((name for name in INNER if name in vars(result[-1])), None)) is not None:
        result.append(getattr(result[-1], inner))
    return result


def strip_standard_wrappers(env: Any) -> Any:
    """Return the environment without Gymnasium's standard wrappers, where there are no others."""
    every = list_layers(env)
    return every[-1] if all(map(is_standard, every[:-1])) else env


def is_standard(layer: Any) -> bool:
    """Return whether a wrapper is one that Gymnasium itself puts around an environment."""
    return type(layer).__name__ in STANDARD_WRAPPERS and type(layer).__module__.startswith("gymnasium.")


def only_observes(layer: Any) -> bool:
    """Return whether a wrapper of Gymnasium or MiniGrid passes actions, rewards and ends through: it holds no state."""
    kind = type(layer)
    if isinstance(layer, Door):
        return not layer.holds_state
    if not kind.__module__.startswith(("gymnasium.wrappers", "minigrid.wrappers")):
        return False
    return (
        is_standard(layer)
        or kind.__name__ in OBSERVERS
        or any(base.__name__ == "ObservationWrapper" for base in kind.__mro__)
    )
