"""What an agent does in a Gymnasium environment of caregrid, as behaviour that `caregrid identify` reads.

    env = caregrid.RecordBehaviour(gymnasium.make("caregrid/garden-v0"), "mine.jsonl", agent="ppo")
    ...                                    any training or evaluation
    env.close()                            writes the file

Recorded is what happened in the world: where an action is not available, the first available one is taken, and that
one is in the file. Rewards and their weights are not: by which ones the agent acts is what the file is asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium

from caregrid.gym.extended import GymnasiumExtendedEnvironment
from caregrid.gym.scenario import NEED_A_TABLE, OF_THE_ENVIRONMENT, GymnasiumReplay, GymnasiumWorld
from engine.errors import BadValue
from engine.files import require_file_place
from engine.printable import show_value
from engine.user_code import find_code_names
from engine.value_types import Episodes, require

if TYPE_CHECKING:
    from caregrid.programmes.turns import RecordedTurn, RecordedTurns
    from craftworld.identification.behaviour import Behaviour, ObservedStep, ObservedWorld

_Stepped = tuple[Any, Any, bool, bool, dict[str, Any]]
_Step = Callable[[Any], _Stepped]
PLACE = "RecordBehaviour"


class RecordBehaviour(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Keep what is done in a scenario or in an extended environment; `close` writes the file.

    Parameters
    ----------
    env : gymnasium.Env
        `caregrid/NAME-v0`, or wrappers around it.
    file : str or Path, optional
        Where to write JSON lines. Without it ask for `behaviour`.
    agent : str
        What the agent is called there.
    last : int, optional
        Only so many episodes, the last ones, are kept; all by default. An agent that learns changes.

    Raises
    ------
    BadValue
        For an environment whose world a file cannot name, or that is too large for a table, and for several at once.
    BadFile
        For a place where no file can be written.

    Examples
    --------
    >>> import caregrid, gymnasium
    >>> env = caregrid.RecordBehaviour(gymnasium.make("caregrid/garden-v0"))
    >>> _, info = env.reset(seed=1)
    >>> _ = env.step(int(info["action_mask"].argmax()))
    >>> env.behaviour.steps
    1
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        file: str | Path | None = None,
        *,
        agent: str = "agent",
        last: int | None = None,
    ) -> None:
        if isinstance(env, gymnasium.vector.VectorEnv):
            remedy = "record one environment, made by gymnasium.make"
            raise BadValue("several environments at once", place=PLACE, remedy=remedy)
        if not isinstance(env, gymnasium.Env):
            raise BadValue(f"it is {show_value(env)}", place=f"{PLACE}, env", remedy="give an environment of Gymnasium")
        super().__init__(env)
        if last is not None:
            require("last", last, Episodes, PLACE)
        self._file = None if file is None else require_file_place(file)
        self._recorder = _make_recorder(env.unwrapped)
        self._agent = agent
        self._episodes: deque[_KeptEpisode] = deque(maxlen=last)

    @property
    def behaviour(self) -> Behaviour | RecordedTurns:
        """What was recorded up to now, as `caregrid.identify` takes it; BadValue before the first step."""
        kept = [each for each in self._episodes if each.steps]
        if not kept:
            raise BadValue("no step to record", place=PLACE, remedy="step the environment first")
        return self._recorder.make_behaviour(self._agent, [tuple(each.steps) for each in kept], kept[0].seed)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode. The file has the seed of its first one."""
        found = super().reset(seed=seed, options=options)
        if self._episodes and not self._episodes[-1].steps:
            self._episodes.pop()
        self._episodes.append(_KeptEpisode(seed, []))
        return found

    def step(self, action: Any) -> _Stepped:
        """Take an action and keep it; BadValue before `reset`."""
        if not self._episodes:
            raise BadValue("the environment has not begun", place=PLACE, remedy="call reset first")
        kept, found = self._recorder.take(action, super().step)
        self._episodes[-1].steps.append(kept)
        return found

    def close(self) -> None:
        """Close the environment and write the file; where no step was taken there is none, with a warning."""
        super().close()
        if self._file is None:
            return
        if any(each.steps for each in self._episodes):
            self.behaviour.save(self._file)
        else:
            gymnasium.logger.warn(f"no step was taken: {self._file} is not written")


class _KeptEpisode(NamedTuple):
    """Steps in order, and the seed that the episode was begun with, None where none was given."""

    seed: int | None
    steps: list[Any]


class _CaringRecorder:
    """Keeps numbers of states and actions, whatever the wrappers between show and take."""

    def __init__(self, env: GymnasiumWorld) -> None:
        self._env = env
        self._world = _describe_world(env)

    def take(self, action: Any, step: _Step) -> tuple[ObservedStep, _Stepped]:
        """Step the environment, and return what is kept of it."""
        from craftworld.identification.behaviour import ObservedStep

        before = self._env.state_number
        found = step(action)
        return ObservedStep(before, self._env.taken_action, self._env.state_number), found

    def make_behaviour(self, agent: str, episodes: Sequence[Any], seed: int | None) -> Behaviour:
        """Return all episodes together."""
        from craftworld.identification.behaviour import Behaviour

        return Behaviour(self._world, agent, tuple(episodes), seed)


class _ExtendedRecorder:
    """Keeps turns, with what the environment's copy would have done in each."""

    def __init__(self, env: GymnasiumExtendedEnvironment) -> None:
        self._env = env
        self._name = _name_extended(env.named)
        self._available = [str(number) for number in range(env.shape[1])]
        self._copy: int | None = None
        env.watch = self._ask_copy

    def take(self, action: Any, step: _Step) -> tuple[RecordedTurn, _Stepped]:
        """Step the environment, and return what is kept of it."""
        from caregrid.programmes.turns import RecordedTurn

        found = step(action)
        turn = self._env.transition
        assert turn is not None
        following = {"observation": int(turn.next_observation), "reward": turn.reward, "copy": self._copy}
        state = {"observation": int(turn.observation)}
        return RecordedTurn(state, self._available, str(turn.action), following, False), found

    def make_behaviour(self, agent: str, episodes: Sequence[Any], seed: int | None) -> RecordedTurns:
        """Return all episodes together."""
        from caregrid.programmes.turns import RecordedTurns

        return RecordedTurns("extended", self._name, {}, agent, list(episodes), seed)

    def _ask_copy(self, world: Any, action: int) -> None:
        from caregrid.programmes.extended.film import find_copy_action

        self._copy = find_copy_action(world, action)


def _make_recorder(env: Any) -> _CaringRecorder | _ExtendedRecorder:
    if isinstance(env, GymnasiumWorld):
        return _CaringRecorder(env)
    if isinstance(env, GymnasiumExtendedEnvironment):
        return _ExtendedRecorder(env)
    if isinstance(env, GymnasiumReplay):
        name = env.scenario.name
        raise BadValue(f"'{name}' is too large for a table", place=PLACE, remedy="choose a smaller world")
    problem = f"{type(env).__name__} is no environment of caregrid"
    raise BadValue(problem, place=PLACE, remedy="make one by gymnasium.make('caregrid/NAME-v0')")


def _describe_world(env: GymnasiumWorld) -> ObservedWorld:
    """Describe the world by registered name, map and options."""
    from caregrid.programmes.caring.problem_source import make_problem_source
    from caregrid.programmes.caring.replayed_behaviour import describe_world

    scenario, settings = env.named
    options = {name: value for name, value in settings.items() if name not in (*NEED_A_TABLE, *OF_THE_ENVIRONMENT)}
    problem = env.table.problem
    named = scenario if isinstance(scenario, str) else problem.scenario
    source = make_problem_source(named, map=options.pop("map_file", None), set=options)
    return describe_world(source, problem.scenario, problem.mdp)


def _name_extended(environment: Any) -> str:
    """Return the registered name, also of a registered class; BadValue for an environment of the user's own."""
    from xenv.environments import ENVIRONMENTS

    if isinstance(environment, str) and not any(find_code_names(environment)):
        return environment
    for name in ENVIRONMENTS.names():
        if ENVIRONMENTS[name] is environment:
            return str(name)
    raise BadValue("an environment that is not registered", place=PLACE, remedy="name a registered one")
