"""A Gymnasium environment whose reward counts what those who come after will find, where no states can be enumerated.

    r'(s, a, s') = r(s, a, s') + [s' terminal] gamma care F(V_1(s'), ..., V_n(s'))

V_i(s') is the estimated return of another agent that begins with what s' hands over to it (`caregrid.Other`).
Estimates are learned while the acting agent learns, from the states in which it leaves its environment (`Refresh`).
Reference: "Be Considerate: Objectives, Side Effects, and Deciding How to Act", Eqs 1 to 5.

    env = caregrid.Considerate(gymnasium.make("MiniGrid-DoorKey-8x8-v0"), care=1, learner="dqn")

Exact: the acting agent's own rewards, what is handed over. Estimated: the others' values. A sample: their true
returns.

When the values F enter the acting agent's reward (s' is the state that a step leads to):

| timing      | reward                                       |                                                        |
| ----------- | -------------------------------------------- | ------------------------------------------------------ |
| terminated  | r + [s' terminal] gamma care F(s')           | "Be Considerate", Eqs 1 to 5                           |
| ended       | r + [s' terminal or cut] gamma care F(s')    | where learners take a time limit for an end            |
| every step  | r + care (gamma F(s') - F(s))                | the same return less care F(s0), in small parts        |

The parts of the last one sum up, discounted, to gamma^T F(s_T) - F(s_0): potential-based shaping, which changes no
preference between policies (A. Ng, D. Harada, S. Russell, "Policy invariance under reward transformations", 1999).
Agents of fixed weight count whatever the care, as in `craftworld.solution.problem`.

The values are learned for `first` steps before the first episode, from where the acting agent itself begins, and
again for `steps` steps after `every` episodes, from the last `memory` states in which it has left its environment.
The policy of a learning agent changes quickly at first: with a `growth` above 1 each wait is as many times as long as
the last. Within an episode nothing is learned, so that all its rewards come from the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium
import numpy as np

from caregrid.wrapping.continued_world import ContinuedWorld
from caregrid.wrapping.family import WorldFamily, family_of
from caregrid.wrapping.make_world import choose_states, is_maker, make_environment
from caregrid.wrapping.observations import Observe
from caregrid.wrapping.other_values import Handover, Left, OtherValues
from caregrid.wrapping.settings import (
    Other,
    WorldSettings,
    name_others,
    require_all,
    require_real_number,
    require_whole_number,
)
from caregrid.wrapping.states import save_state
from caregrid.wrapping.value_learner import VALUE, ValueLearnerSpec, find_value_learner
from craftworld.formulation import Formulation, RewardTiming
from craftworld.formulations import resolve_formulation
from craftworld.others.other_agents import split_weights
from craftworld.others.value_distribution import ValueDistribution
from engine.contracts import refuse, require_function, require_instance
from engine.errors import BadValue, ContractBroken, UnknownName, add_article
from engine.randomness.counter_based import randrange, split
from engine.user_code import describe_place, user_code
from engine.value_types import Coefficient, require

TERMINATED = "terminated"
ENDED = "ended"
EVERY_STEP = "every step"
TIMINGS = (TERMINATED, ENDED, EVERY_STEP)


def find_timing(given: Any) -> str:
    """Return the timing of a name; UnknownName where there is none."""
    name = given.replace("_", " ").strip() if isinstance(given, str) else str(given)
    if name not in TIMINGS:
        raise UnknownName("timing", name, TIMINGS, place="Considerate")
    return name


REFRESH = "Refresh"
MOST_LEARNING_STEPS = 10**8
MOST_REMEMBERED = 100_000


@dataclass(frozen=True)
class Refresh:
    """When the others learn, and for how long.

    Parameters
    ----------
    first : int
        Steps of each other agent before the first episode.
    every : int
        Episodes between two times of learning.
    steps : int
        Steps of each other agent at each time of learning.
    growth : float, at least 1
        The factor by which the interval grows each time.
    memory : int
        The others begin from so many of the last final states of episodes, terminated or truncated.

    Raises
    ------
    BadValue
        If a number is out of its range.

    Examples
    --------
    >>> Refresh(every=10, growth=2.0).wait(3)
    80
    """

    first: int = 10_000
    every: int = 50
    steps: int = 2_000
    growth: float = 1.0
    memory: int = 100

    def __post_init__(self) -> None:
        require_whole_number(self.first, "first", 0, MOST_LEARNING_STEPS, REFRESH)
        require_whole_number(self.every, "every", 1, place=REFRESH)
        require_whole_number(self.steps, "steps", 0, MOST_LEARNING_STEPS, REFRESH)
        require_real_number(self.growth, "growth", 1.0, 1e6, REFRESH)
        require_whole_number(self.memory, "memory", 1, MOST_REMEMBERED, REFRESH)

    def wait(self, times: int) -> int:
        """Return how many episodes to wait when the others have learned `times` times since the first episode."""
        return int(min(self.every * self.growth ** min(times, 10_000), 1e9)) if self.growth > 1.0 else self.every


class CaringAmount:
    """(care, estimates of N others) -> care F. BadValue for a formulation of something else than value functions."""

    def __init__(self, formulation: str | Formulation, others: Sequence[Other]) -> None:
        name, self._formulation = resolve_formulation(formulation)
        of_the_end = self._formulation.reward_timing is RewardTiming.AT_THE_END
        if self._formulation.weighs is not ValueDistribution or not of_the_end:
            raise BadValue(
                f"formulation '{name}' does not weigh value functions at the end",
                place="Considerate",
                remedy="choose expected, worst_case, no_worse_off, per_agent or least_well_off",
            )
        names = name_others(others)
        owners = tuple(other.owner or name for other, name in zip(others, names, strict=True))
        self._others = ValueDistribution(
            tuple(names),
            owners,
            np.zeros((len(names), 1)),
            np.array([other.probability for other in others]),
            np.array([other.weight for other in others]),
            np.zeros(len(names)),
            tuple(owner for owner, other in zip(owners, others, strict=True) if not other.swept),
        )

    @property
    def has_fixed(self) -> bool:
        """Whether there are agents whose weight no care multiplies."""
        return self._formulation.additive and bool(self._others.fixed)

    def factor(self, discount: float) -> float:
        """Return what F is multiplied by: gamma, unless the formulation says otherwise."""
        return discount if self._formulation.discounted else 1.0

    def set_baseline(self, estimates: Sequence[float]) -> None:
        """The values had the acting agent ended in its start state (Eq 3's baseline)."""
        self._others = replace(self._others, baseline_value=np.array(estimates))

    def __call__(self, care: float, estimates: Sequence[float]) -> float:
        """care F, and F of those of fixed weight."""
        others = replace(self._others, value=np.array(estimates)[:, None])
        if not self.has_fixed:
            return care * self._function(others)
        fixed, swept = split_weights(others)
        return self._function(replace(others, weight=fixed)) + care * self._function(replace(others, weight=swept))

    def _function(self, others: Any) -> float:
        with user_code(describe_place(self._formulation.function)):
            return float(self._formulation.function(others)[0])


CONSIDERATE = "Considerate"
LARGEST_SEED = 2**31
MOST_EPISODES = 10_000
OWN_SETTINGS = ("get_state", "set_state", "fingerprint", "ignore", "agent", "time_limit")


class Considerate(gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """A Gymnasium wrapper that adds care for others, whose values are learned.

    When an episode ends (terminated or truncated), `info["others"]` holds for each other's name `estimated`, its
    estimated return, `true`, the mean return of `true_episodes` episodes of its greedy policy (None without any), and
    `observes`, "state" where its learner knows what its environment hides, else "observation".

    Parameters
    ----------
    env : environment, id or function
        An environment, its id, or a function that makes one.
    others : sequence of Other, optional
        As for `caregrid.wrap`; by default one agent acts in the same environment, continued from the final state with
        the agent back at its initial position.
    care : float
        The caring coefficient; with 0 every reward is the environment's own.
    learner : str or ValueLearnerSpec
        "tabular" (by fingerprint), "dqn" (extra `deep`), or the hyper-parameters of one
        (`caregrid.wrapping.value_learners`).
    refresh : Refresh, optional
        When and for how long the others learn.
    formulation : str or Formulation
        F, one that applies at the end, over value functions.
    timing : {"terminated", "ended", "every step"}
        When F is added (`reward_timing`).
    discount : float from 0 to 1
        gamma, of the acting agent and of the others.
    seed : int
        Of all random numbers that the wrapper draws.
    true_episodes : int
        How many episodes of each other's greedy policy are run when an episode ends; it may be changed later.
    observe : function, optional
        environment (without wrappers) -> observation in its present state; networks need it if the environment has no
        such method.
    **settings
        get_state, set_state, fingerprint, ignore, agent and time_limit, as for `caregrid.wrap`.

    Raises
    ------
    BadValue, UnknownName, ContractBroken, MissingExtra
        With one line.

    References
    ----------
    "Be Considerate", Eqs 1 to 5.

    Examples
    --------
    >>> import caregrid
    >>> refresh = caregrid.Refresh(first=200, steps=0)
    >>> env = caregrid.Considerate("FrozenLake-v1", care=2.0, refresh=refresh)
    >>> _ = env.reset(seed=1)
    >>> ended = False
    >>> while not ended:
    ...     _, reward, terminated, truncated, info = env.step(1)
    ...     ended = terminated or truncated
    >>> list(info["others"])
    ['next agent']
    """

    def __init__(
        self,
        env: Any,
        others: Sequence[Other] | None = None,
        care: float = 1.0,
        *,
        learner: str | ValueLearnerSpec = "tabular",
        refresh: Refresh | None = None,
        formulation: str | Formulation = "expected",
        timing: str = TERMINATED,
        discount: float = 1.0,
        seed: int = 0,
        true_episodes: int = 1,
        observe: Observe | None = None,
        **settings: Any,
    ) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(
            self,
            others=others,
            care=care,
            learner=learner,
            refresh=refresh,
            formulation=formulation,
            timing=timing,
            discount=discount,
            seed=seed,
            true_episodes=true_episodes,
            observe=observe,
            **settings,
        )
        self.care = float(require("care", care, Coefficient, CONSIDERATE))
        self.timing = find_timing(timing)
        self.discount = require_real_number(discount, "discount", 0.0, 1.0, CONSIDERATE)
        self.refresh = Refresh() if refresh is None else refresh
        require_instance(self.refresh, Refresh, "schedule")
        self.true_episodes = require_whole_number(true_episodes, "true_episodes", 0, MOST_EPISODES, CONSIDERATE)
        self._key = split(require_whole_number(seed, "seed", 0, 2**63 - 1, CONSIDERATE), CONSIDERATE)
        if observe is not None:
            require_function("observe", observe, 1, "observe(env)")
        chosen = _check_others(others)
        self._settings = WorldSettings.read(settings, OWN_SETTINGS, CONSIDERATE)
        self._amount = CaringAmount(formulation, chosen)
        acting = _make_acting_environment(env)
        super().__init__(acting)
        spec = find_value_learner(learner)
        self.others = dict[str, OtherValues]()
        for number, (name, other) in enumerate(zip(name_others(chosen), chosen, strict=True)):
            key = split(self._key, number)
            world = self._world(env if is_maker(env) else acting, other, name, key, observe)
            self.others[name] = OtherValues(other, world, spec, self.refresh.memory, key)
        self._states: WorldFamily | None = None
        self._start: Any = None
        self._episodes = 0
        self._times = 0
        self._next = 0
        self._potential = 0.0

    def _world(self, env: Any, other: Other, name: str, key: int, observe: Observe | None) -> ContinuedWorld:
        """Where another agent acts: an environment of its own."""
        given, settings = (env, self._settings) if other.env is None else (other.env, WorldSettings())
        made = make_environment(given)
        if made is given:
            raise ContractBroken(
                "it cannot be copied for another agent to act in",
                place=type(given.unwrapped).__name__,
                remedy="give its id, or a function that makes it, in its place",
            )
        seed = randrange(LARGEST_SEED, key, 0)
        return ContinuedWorld(name, made, other, settings, discount=self.discount, seed=seed, observe=observe)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; what is due is learned before."""
        observation, info = super().reset(seed=seed, options=options)
        with user_code(describe_place(self.unwrapped)):
            self._states = choose_states(self.env, family_of(self.unwrapped), self._settings)
            self._states.begin()
        self._start = save_state(self._states)
        if self._next == 0:
            for values, handover in self._handovers(self._start):
                values.remember(handover)
            self.learn(self.refresh.first)
            self._next = self.refresh.every
        elif self._episodes >= self._next:
            self._times += 1
            self._next = self._episodes + self.refresh.wait(self._times)
            self.learn(self.refresh.steps)
        if self._counts_others:
            estimates = self._estimates(self._start)
            self._amount.set_baseline(estimates)
            self._potential = self._amount(self.care, estimates)
        return observation, info

    def hand_over(self) -> dict[str, Handover]:
        """Show what each other would begin with if the acting agent left its environment now.

        Returns
        -------
        dict of str to Handover
            By the others' names.

        Raises
        ------
        BadValue
            Before the first `reset`.
        """
        if self._states is None:
            raise BadValue("no episode has begun", place=CONSIDERATE, remedy="call reset() first")
        return {values.world.name: handover for values, handover in self._handovers(save_state(self._states))}

    def learn(self, steps: int) -> None:
        """Let each other learn now, from what was handed over last.

        Parameters
        ----------
        steps : int
            Steps of each other in its environment.
        """
        for values in self.others.values():
            values.learn(require_whole_number(steps, "steps", 0, place=CONSIDERATE))

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take an action; the reward is augmented."""
        observation, reward, terminated, truncated, info = super().step(action)
        if not (terminated or truncated):
            return observation, self._stepwise(reward), terminated, truncated, info
        self._episodes += 1
        assert self._states is not None
        handovers = self._handovers(save_state(self._states))
        for values, handover in handovers:
            values.remember(handover)
        estimates = [values.estimate(handover) for values, handover in handovers]
        info = {**info, "others": self._returns(handovers, estimates)}
        if self._counts_others:
            reward = self._final(reward, bool(terminated), estimates)
        return observation, reward, terminated, truncated, info

    @property
    def _counts_others(self) -> bool:
        return self.care != 0.0 or self._amount.has_fixed

    def _stepwise(self, reward: Any) -> Any:
        if self.timing != EVERY_STEP or not self._counts_others:
            return reward
        assert self._states is not None
        return self._shape_reward(reward, self._estimates(save_state(self._states)))

    def _shape_reward(self, reward: Any, estimates: Sequence[float]) -> float:
        before = self._potential
        self._potential = self._amount(self.care, estimates)
        return _require_number(reward) + self._amount.factor(self.discount) * self._potential - before

    def _final(self, reward: Any, terminated: bool, estimates: Sequence[float]) -> Any:
        if self.timing == EVERY_STEP:
            return self._shape_reward(reward, estimates)
        if not terminated and self.timing != ENDED:
            return reward
        return _require_number(reward) + self._amount.factor(self.discount) * self._amount(self.care, estimates)

    def _handovers(self, final: Any) -> list[tuple[OtherValues, Handover]]:
        """Return what each other begins with when the acting agent leaves its environment in a state."""
        assert self._states is not None
        left = Left(self._states, final, self._start)
        return [(values, values.hand_over(left)) for values in self.others.values()]

    def _estimates(self, final: Any) -> list[float]:
        return [values.estimate(handover) for values, handover in self._handovers(final)]

    def _returns(
        self, handovers: Sequence[tuple[OtherValues, Handover]], estimates: Sequence[float]
    ) -> dict[str, dict[str, Any]]:
        episodes = self.true_episodes
        return {
            values.world.name: {
                "estimated": estimate,
                "true": values.true_return(handover, episodes) if episodes else None,
                "observes": values.observes,
            }
            for (values, handover), estimate in zip(handovers, estimates, strict=True)
        }


def _make_acting_environment(env: Any) -> gymnasium.Env[Any, Any]:
    """Return the environment itself, or a new one from an id or what makes one."""
    made = make_environment(env) if is_maker(env) else env
    if not isinstance(made, gymnasium.Env):
        raise ContractBroken(
            f"{add_article(type(made).__name__)} is not a Gymnasium environment",
            place=CONSIDERATE,
            remedy="give one, its id, or a function that makes one",
        )
    return made


def _check_others(others: Sequence[Other] | None) -> tuple[Other, ...]:
    if others is None:
        return (Other(),)
    require_all(others, Other, "others", CONSIDERATE)
    if not others:
        raise BadValue("no others", place=CONSIDERATE, remedy="give one at least, or leave others= out")
    for other, name in zip(others, name_others(others), strict=True):
        if other.is_present:
            raise BadValue(
                f"'{name}' acts at the same time: it has no value to learn",
                place=CONSIDERATE,
                remedy="add its reward with gymnasium.wrappers.TransformReward, or use caregrid.wrap",
            )
        if other.policy is not None:
            problem = f"'{name}' follows a policy: there is nothing to learn of how it acts"
            raise BadValue(problem, place=CONSIDERATE, remedy="use caregrid.wrap, which evaluates policies exactly")
    return tuple(others)


def _require_number(reward: Any) -> float:
    try:
        return float(reward)
    except (TypeError, ValueError):
        raise ContractBroken(
            f"a step gave {str(reward)[:60]} as its reward", place=CONSIDERATE, remedy="make it one number by a wrapper"
        ) from None


CHECK_STEPS = 600
CHECK_WORLDS = ("FrozenLake-v1", "CliffWalking-v1")
"""Of four actions and numbered states, with chance and without."""


def check_value_learner(learner: Any) -> None:
    """Let others learn in small worlds, estimate and act; ContractBroken for what goes wrong.

    One goes on as usual, one is at its goal as soon as it begins. They are asked before they have learned, after they
    have, and once more. learner: a name, a class or the hyper-parameters of one. Equal seeds must give equal estimates.
    """
    spec = find_value_learner(learner)
    for world in CHECK_WORLDS:
        first, second = (_estimate_twice(spec, world) for _ in range(2))
        if first != second:
            refuse(spec, "build", f"learners that estimate {first} and {second}", "equal ones for equal keys")


def _estimate_unlearned(env: Considerate) -> Any:
    """Return what is estimated of where the others' own worlds begin, before anything is learned."""
    found = []
    for values in env.others.values():
        values.world.begin(values.world.start)
        found.append(VALUE.ask(values.learner))
    return found


def _estimate_twice(spec: ValueLearnerSpec, world: str) -> Any:
    """Return what is estimated before learning and after each of two episodes."""
    others = [Other(), Other(goal=lambda state: True, name="at the goal")]
    refresh = Refresh(CHECK_STEPS, 1, CHECK_STEPS // 10)
    env = Considerate(world, others, learner=spec, refresh=refresh, discount=0.9, time_limit=CHECK_STEPS // 10)
    found = [_estimate_unlearned(env)]
    for seed in range(2):
        env.reset(seed=seed)
        found.append({name: env.others[name].estimate(handover) for name, handover in env.hand_over().items()})
        for step in range(CHECK_STEPS // 10):
            _, _, terminated, truncated, info = env.step(step % int(env.action_space.n))  # type: ignore[attr-defined]
            if terminated or truncated:
                found.append(info["others"])
                break
    return found
