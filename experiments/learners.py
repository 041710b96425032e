"""Agents that learn a world through Gymnasium and are asked for their greedy policy now and then.

A learner is a function `tasks -> policies`: for each task (`LearningTask`) one policy (action of each state,
int64[S]) for every `every` turns; `LEARNERS` names them. What a task gives does not depend on the others.
Stable-Baselines3 draws from global generators; they are put back as found. `stacked_...` learn the tasks as lanes
of one stack of networks.

Agents that are trained on transitions step a copy of a world of their own, some of them in shared stacks:

    repeat:  for each training: steps until its learner waits;   then: all learners that wait learn in one call

A learner that lies in no stack never waits, and is trained to the end before the next one begins. Who learns
together changes no learner (`engine.learning.stacks`), so that policies are those of the trainings one by one.

DQNs learn in one copy and replay it. A2C and PPO forget what they have learned from, so that the few finishes
of a random walk in a large world must all be among what they learn from then, and a first, poor way to finish must
not become the only one they try. Hence several copies at once, generalised advantages over many steps, and a large
weight of the policy's entropy, which means something in units of (scaled) reward because advantages are not
normalised. A lane acts in one copy: a rollout of it is as long as those of all copies together.

A model of a user's own is any class or function that takes `env` and makes an algorithm of Stable-Baselines3: the
class itself, a `functools.partial` of it, or `def model(env, seed=0, rate=1e-3): return PPO(...)`. It learns in one
copy of the world, with its own hyper-parameters, gamma among them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, AgentSpec, Transition, UnknownHyperparameter, ask_for_action, with_hyperparameters
from engine.errors import BadValue, ContractBroken, argument
from engine.learning.stacks import CPU
from engine.learning.stacks.lanes import Lane, Waiting
from engine.learning.stacks.stacks import make_stacks
from engine.printable import show_value
from engine.randomness.library_generators import keep_global_generators, use_one_thread
from engine.registry import split_call
from engine.user_code import describe_place, load_user_code, names_user_code, user_code
from xenv.agents.a2c import StackedA2C
from xenv.agents.dqn import DQN, StackedDQN
from xenv.agents.ppo import StackedPPO
from xenv.user_agents import as_agent, list_parameters

Policies = list[NDArray[np.int64]]


class LearningTask(NamedTuple):
    """What is learned. make: makes one copy of the world. turns: of training. every: turns between two policies."""

    make: Callable[[], Any]
    discount: float
    turns: int
    every: int
    seed: int


def step_learners(
    specs: Sequence[AgentSpec], tasks: Sequence[LearningTask], waiting: Waiting | None = None
) -> list[Policies]:
    """Return the greedy policies of each task's agent, one for every `every` turns.

    specs: of the agents, one a task; each has a discount of its own. waiting: where learners wait that lie in stacks.
    """
    waiting = Waiting() if waiting is None else waiting
    trainings = [_Training(spec, task) for spec, task in zip(specs, tasks, strict=True)]
    unfinished = trainings
    while unfinished:
        for training in unfinished:
            training.go_on(waiting)
        waiting.learn()
        unfinished = [training for training in unfinished if training.turn < training.task.turns]
    return [training.policies for training in trainings]


class _Training:
    """One agent in one world. turn: how many are done. policies: so far."""

    def __init__(self, spec: AgentSpec, task: LearningTask) -> None:
        self.task = task
        self.turn = 0
        self.policies = Policies()
        self._world = task.make()
        self._n, self._actions = int(self._world.observation_space.n), int(self._world.action_space.n)
        self._agent = as_agent(spec.build(self._n, self._actions, task.seed))
        self._observation, _ = self._world.reset(seed=task.seed)

    def go_on(self, waiting: Waiting) -> None:
        """Step the world until a learner has noted enough to learn, or all turns are done."""
        world = self._world
        agent = self._agent
        task = self.task
        before = len(waiting.lanes)
        while self.turn < task.turns and len(waiting.lanes) == before:
            action = ask_for_action(agent, self._observation, self._actions)
            following, reward, terminated, truncated, info = world.step(action)
            executed = info.get("extra_observations", {}).get("actual_actions", action)
            agent.train(Transition(self._observation, action, reward, following, terminated, executed, info))
            self._observation = world.reset()[0] if terminated or truncated else following
            self.turn += 1
            if self.turn % task.every == 0:
                self.policies.append(_read_greedy_policy(agent, self._n, self._actions))


def _read_greedy_policy(agent: Agent, observations: int, actions: int) -> NDArray[np.int64]:
    """int64[observations]: the greedy action by what the agent has learned, where it says so; else what it would do."""
    if isinstance(agent, Lane):
        return agent.greedy()
    if takes_explore(agent):
        asked: Any = _WithoutExploration(agent)
        return np.array([ask_for_action(asked, observation, actions) for observation in range(observations)])
    if (table := _find_values(agent, observations, actions)) is not None:
        return np.asarray(table.argmax(axis=1), dtype=np.int64)
    return np.array([ask_for_action(agent, observation, actions) for observation in range(observations)])


class _WithoutExploration:
    """An agent that is asked not to explore. __wrapped__: the user's object, which messages name."""

    def __init__(self, agent: Agent) -> None:
        self.__wrapped__: Any = getattr(agent, "wrapped", agent)

    def act(self, observation: int) -> Any:
        return self.__wrapped__.act(observation, explore=False)


def takes_explore(agent: Agent) -> bool:
    """Return whether an agent can be asked not to explore: its method is act(observation, explore=True)."""
    return any(each.name == "explore" for each in list_parameters(getattr(agent, "wrapped", agent).act))


def says_greedy_action(agent: Agent, observations: int, actions: int) -> bool:
    """Return whether an agent says what its greedy action is: by act(observation, explore=False), or by `values`."""
    known = isinstance(agent, Lane) or takes_explore(agent)
    return known or _find_values(agent, observations, actions) is not None


def _find_values(agent: Agent, observations: int, actions: int) -> NDArray[Any] | None:
    """Return the agent's action values, f64[observations, actions]; None where it has none."""
    table = getattr(agent, "values", None)
    return table if isinstance(table, np.ndarray) and table.shape == (observations, actions) else None


Learner = Callable[[Sequence[LearningTask]], list[Policies]]


def learn_stacked(
    spec: AgentSpec, of_task: Mapping[str, str], tasks: Sequence[LearningTask], device: str = CPU
) -> list[Policies]:
    """Learners that are lanes of the same stacks.

    spec: their hyper-parameters. of_task: those that the task says: hyper-parameter -> field of `LearningTask`. device:
    where the stacks lie.
    """
    stacks = make_stacks(device)
    own = [{name: getattr(task, field) for name, field in of_task.items()} for task in tasks]
    specs = [with_hyperparameters(spec, stacks=stacks, **values) for values in own]
    return step_learners(specs, tasks, stacks.waiting)


def learn_stable_baselines(
    name: str, settings: dict[str, Any], copies: int, tasks: Sequence[LearningTask]
) -> list[Policies]:
    """Run one of Stable-Baselines3's algorithms, one task after the other."""
    return [_drive(partial(_make_model, name, settings, copies, task), task) for task in tasks]


def _make_model(name: str, settings: dict[str, Any], copies: int, task: LearningTask) -> Any:
    """Return a fresh model of one of Stable-Baselines3's algorithms, in several copies of the world."""
    import stable_baselines3
    from stable_baselines3.common.vec_env import DummyVecEnv

    defaults = {"gamma": task.discount, "seed": task.seed, "device": "cpu"}
    worlds = DummyVecEnv([task.make] * copies)
    return getattr(stable_baselines3, name)("MlpPolicy", worlds, **{**defaults, **settings})


def _drive(make: Callable[[], Any], task: LearningTask) -> Policies:
    """Return a model of Stable-Baselines3, driven by its own `learn`; a turn is a step of one of the copies."""
    from stable_baselines3.common.callbacks import BaseCallback

    policies = Policies()

    class Ask(BaseCallback):
        """Notes the greedy policy every `every` turns."""

        def _on_step(self) -> bool:
            if min(self.num_timesteps, task.turns) >= task.every * (len(policies) + 1):
                observations = np.arange(int(self.model.observation_space.n))  # type: ignore[attr-defined]
                policies.append(self.model.predict(observations, deterministic=True)[0])
            return True

    with keep_global_generators(), use_one_thread():
        make().learn(task.turns, callback=Ask())
    return policies


class OwnModel(NamedTuple):
    """A class or function of a user's own that makes a model of Stable-Baselines3 from `env`, and what it is given."""

    maker: Callable[..., Any]
    settings: Mapping[str, Any]

    def make(self, env: Any, seed: int) -> Any:
        """Make a model in a world; ContractBroken where it is none, UnknownHyperparameter for a setting it lacks."""
        from stable_baselines3.common.base_class import BaseAlgorithm

        known = _find_parameters(self.maker)
        place = describe_place(getattr(self.maker, "func", self.maker))
        takes_any = any(each.kind is each.VAR_KEYWORD for each in list_parameters(self.maker))
        own = [name for name in known if name not in ("self", "env", "seed", "_init_setup_model")]
        if unknown := [name for name in self.settings if name not in own and not takes_any]:
            raise UnknownHyperparameter(unknown[0], place, own)
        usual = {"policy": "MlpPolicy", "device": "cpu"}
        needed = {name: value for name, value in usual.items() if known.get(name) in (inspect.Parameter.empty, "auto")}
        seeds = {"seed": seed} if "seed" in known else {}
        with user_code(place):
            model = self.maker(env=env, **needed, **seeds, **self.settings)
        if not isinstance(model, BaseAlgorithm):
            remedy = "return an algorithm of Stable-Baselines3"
            raise ContractBroken(f"it made {show_value(model)}", place=place, remedy=remedy)
        return model


def find_own_model(agent: Any) -> OwnModel | None:
    """Return the model of a user's own that an agent is, by name or object; None for an agent of another sort.

    Raises BadValue for a model that is made already: its weights and its world are no longer the training's.
    """
    maker, settings = agent, dict[str, Any]()
    if isinstance(agent, str):
        name, settings = split_call(agent, "agent")
        if not names_user_code(name):
            return None
        maker = load_user_code(name, "agent")
    if callable(getattr(maker, "learn", None)) and callable(getattr(maker, "predict", None)) and not callable(maker):
        remedy = "give its class, or a function of env that makes it"
        raise BadValue("a model that is made already has its world", place=argument("agent"), remedy=remedy)
    return OwnModel(maker, settings) if callable(maker) and "env" in _find_parameters(maker) else None


def _find_parameters(maker: Callable[..., Any]) -> dict[str, Any]:
    """Name -> default of what a function takes, or a class and its bases."""
    functions = [vars(each).get("__init__") for each in reversed(maker.__mro__)] if isinstance(maker, type) else [maker]
    return {each.name: each.default for function in functions if function for each in list_parameters(function)}


def learn_own_model(model: OwnModel, tasks: Sequence[LearningTask]) -> list[Policies]:
    """Return a user's own model, one task after the other, each in one world."""
    return [_drive(lambda task=task: model.make(task.make(), task.seed), task) for task in tasks]  # type: ignore[misc]


REPLAYED = 100_000
COPIES = 16
_DQN: dict[str, Any] = {
    "learning_rate": 1e-3,
    "buffer_size": REPLAYED,
    "train_freq": 2,
    "target_update_interval": 50,
    "exploration_fraction": 0.5,
    "exploration_final_eps": 0.2,
}
_A2C: dict[str, Any] = {"n_steps": 16, "gae_lambda": 0.95, "ent_coef": 0.5, "learning_rate": 2e-3}
_PPO: dict[str, Any] = {
    "n_steps": 128,
    "batch_size": 512,
    "n_epochs": 5,
    "ent_coef": 0.25,
    "learning_rate": 1e-3,
    "normalize_advantage": False,
}
_OF_DQN = {"gamma": "discount", "total_timesteps": "turns"}
LEARNERS: dict[str, Learner] = {
    "dqn": partial(learn_stacked, DQN(**_DQN, layers=(256,)), _OF_DQN),
    "sb3_dqn": partial(learn_stable_baselines, "DQN", {**_DQN, "policy_kwargs": {"net_arch": [256]}}, 1),
    "sb3_a2c": partial(learn_stable_baselines, "A2C", _A2C, COPIES),
    "sb3_ppo": partial(learn_stable_baselines, "PPO", _PPO, COPIES),
    "stacked_dqn": partial(learn_stacked, StackedDQN(**_DQN, learning_starts=100), _OF_DQN),
    "stacked_a2c": partial(learn_stacked, StackedA2C(**{**_A2C, "n_steps": 16 * COPIES}), {"gamma": "discount"}),
    "stacked_ppo": partial(learn_stacked, StackedPPO(**{**_PPO, "n_steps": 128 * COPIES}), {"gamma": "discount"}),
}


def place_learner(name: str, device: str, settings: Mapping[str, Any] | None = None) -> Learner:
    """Return the learner of a name with its networks on a device.

    settings: hyper-parameters that replace its own. Raises BadValue where it cannot lie there or has no such
    hyper-parameter, MissingExtra.
    """
    learner = LEARNERS.get(name)
    if learner is not None and settings:
        learner = _set_hyperparameters(name, learner, settings)
    if learner is not None and device == CPU:
        return learner
    if not isinstance(learner, partial) or learner.func is not learn_stacked:
        remedy = "train dqn, stacked_dqn, stacked_a2c or stacked_ppo there, and this one on cpu"
        raise BadValue(f"'{name}' cannot learn on {device}", place="device", remedy=remedy)
    make_stacks(device)
    return partial(learner, device=device)


def _set_hyperparameters(name: str, learner: Learner, settings: Mapping[str, Any]) -> Learner:
    """Return a learner of `LEARNERS` with other hyper-parameters; one that is set is no longer the task's."""
    assert isinstance(learner, partial)
    if learner.func is learn_stacked:
        spec, of_task = learner.args
        with user_code(f"agent {name}"):
            changed = with_hyperparameters(spec, **settings)
            changed.build(2, 2, 0)  # a value that is none is refused now
        return partial(learn_stacked, changed, {key: of for key, of in of_task.items() if key not in settings})
    import stable_baselines3

    algorithm, own, copies = learner.args
    known = [each.name for each in list_parameters(getattr(stable_baselines3, algorithm))]
    fixed = ("self", "policy", "env", "seed", "device", "_init_setup_model")
    if unknown := [key for key in settings if key not in known or key in fixed]:
        raise UnknownHyperparameter(unknown[0], name, [key for key in known if key not in fixed])
    return partial(learn_stable_baselines, algorithm, {**own, **settings}, copies)
