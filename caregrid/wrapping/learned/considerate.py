"""A Gymnasium environment whose reward counts what those who come after will find, where none of it can be enumerated.

    r'(s, a, s') = r(s, a, s') + [s' terminal] gamma care F(V_1(s'), ..., V_n(s'))

V_i(s') is the estimated return of another agent that begins with what s' hands over to it (`caregrid.Other`). Estimates
are learned while the acting agent learns, from the states in which it leaves its environment (`Refresh`). Reference:
"Be Considerate: Objectives, Side Effects, and Deciding How to Act", Eqs 1 to 5.

    env = caregrid.Considerate(gymnasium.make("MiniGrid-DoorKey-8x8-v0"), care=1, learner="dqn")

Exact: the acting agent's own rewards, what is handed over. Estimated: the others' values. A sample: their true returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium

from caregrid.wrapping.family import WorldFamily, family_of
from caregrid.wrapping.given import real_number, require_all, whole_number
from caregrid.wrapping.learned.caring_amount import CaringAmount
from caregrid.wrapping.learned.continued_world import ContinuedWorld, saved
from caregrid.wrapping.learned.handing_over import Handover, Left
from caregrid.wrapping.learned.observing import Observe
from caregrid.wrapping.learned.other_values import OtherValues
from caregrid.wrapping.learned.refresh import Refresh
from caregrid.wrapping.learned.reward_timing import ENDED, EVERY_STEP, TERMINATED, timing_named
from caregrid.wrapping.learned.value_learner import ValueLearnerSpec, value_learner
from caregrid.wrapping.other import Other, names_of
from caregrid.wrapping.worlds.settings import WorldSettings
from caregrid.wrapping.worlds.world_of import is_maker, made_environment, states_of
from craftworld.formulation import Formulation
from engine.contracts import require_function, require_instance
from engine.errors import BadValue, ContractBroken, with_article
from engine.randomness.counter_based import randrange, split
from engine.user_code import place_of, user_code

PLACE = "Considerate"
LARGEST_SEED, MOST_EPISODES = 2**31, 10_000
OWN_SETTINGS = ("get_state", "set_state", "fingerprint", "ignore", "agent", "time_limit")


class Considerate(gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """A Gymnasium wrapper that adds care for others, whose values are learned ("Be Considerate", Eqs 1 to 5).

    env: an environment, its id, or a function that makes one. others: each an `Other`, as for `caregrid.wrap`; by
    default one agent that acts in the same environment, continued from the final state with the agent back at its
    initial position. care: the caring coefficient; with 0 every reward is the environment's own. learner: "tabular" (by
    fingerprint), "dqn" (extra `deep`), or the hyper-parameters of one (`caregrid.wrapping.value_learners`). refresh:
    when and for how long the others learn. formulation: F, one that applies at the end, over value functions. timing:
    when F is added: "terminated", "ended" or "every step" (`reward_timing`). discount: gamma, of the acting agent and
    the others. seed: of all random numbers drawn here. true_episodes: how many episodes of each other's greedy policy
    are run when an episode ends; 0 for none; may be changed later. observe: environment (without wrappers) ->
    observation in its present state, needed by networks if the environment has no such method.
    settings: get_state, set_state, fingerprint, ignore, agent and time_limit, as for `caregrid.wrap`.

    When an episode ends (terminated or cut), `info["others"]` holds for each other's name `estimated`, its estimated
    return, and `true`, the mean return of so many episodes of its greedy policy (None without any).

    Raises BadValue, UnknownName, ContractBroken or MissingExtra, in one line.
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
        self.care, self.timing = real_number(care, "care", place=PLACE), timing_named(timing)
        self.discount = real_number(discount, "discount", 0.0, 1.0, PLACE)
        self.refresh = Refresh() if refresh is None else refresh
        require_instance(self.refresh, Refresh, "schedule")
        self.true_episodes = whole_number(true_episodes, "true_episodes", 0, MOST_EPISODES, PLACE)
        self._key = split(whole_number(seed, "seed", 0, 2**63 - 1, PLACE), PLACE)
        if observe is not None:
            require_function("observe", observe, 1, "observe(env)")
        chosen = _checked_others(others)
        self._settings = WorldSettings.of(settings, place=PLACE, known=OWN_SETTINGS)
        self._amount = CaringAmount(formulation, chosen)
        acting = _acting_environment(env)
        super().__init__(acting)
        spec, self.others = value_learner(learner), dict[str, OtherValues]()
        for number, (name, other) in enumerate(zip(names_of(chosen), chosen, strict=True)):
            key = split(self._key, number)
            world = self._world(env if is_maker(env) else acting, other, name, key, observe)
            self.others[name] = OtherValues(other, world, spec, self.refresh.memory, key)
        self._states: WorldFamily | None = None
        self._start: Any = None
        self._episodes, self._times, self._next = 0, 0, 0
        self._potential = 0.0

    def _world(self, env: Any, other: Other, name: str, key: int, observe: Observe | None) -> ContinuedWorld:
        """Where another agent acts: an environment of its own."""
        given, settings = (env, self._settings) if other.env is None else (other.env, WorldSettings())
        made = made_environment(given)
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
        with user_code(place_of(self.unwrapped)):
            self._states = states_of(self.env, family_of(self.unwrapped), self._settings)
            self._states.begin()
        self._start = saved(self._states)
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
        """What each other, by its name, would begin with if the acting agent left its environment now."""
        if self._states is None:
            raise BadValue("no episode has begun", place=PLACE, remedy="call reset() first")
        return {values.world.name: handover for values, handover in self._handovers(saved(self._states))}

    def learn(self, steps: int) -> None:
        """Let each other learn for so many steps now, from what was handed over last."""
        for values in self.others.values():
            values.learn(whole_number(steps, "steps", 0, place=PLACE))

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take an action; the reward is augmented."""
        observation, reward, terminated, truncated, info = super().step(action)
        if not (terminated or truncated):
            return observation, self._stepwise(reward), terminated, truncated, info
        self._episodes += 1
        assert self._states is not None
        handovers = self._handovers(saved(self._states))
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
        return self._shaped(reward, self._estimates(saved(self._states)))

    def _shaped(self, reward: Any, estimates: Sequence[float]) -> float:
        before, self._potential = self._potential, self._amount(self.care, estimates)
        return _number(reward) + self._amount.factor(self.discount) * self._potential - before

    def _final(self, reward: Any, terminated: bool, estimates: Sequence[float]) -> Any:
        if self.timing == EVERY_STEP:
            return self._shaped(reward, estimates)
        if not terminated and self.timing != ENDED:
            return reward
        return _number(reward) + self._amount.factor(self.discount) * self._amount(self.care, estimates)

    def _handovers(self, final: Any) -> list[tuple[OtherValues, Handover]]:
        """What each other begins with when the acting agent leaves its environment in a state."""
        assert self._states is not None
        left = Left(self._states, final, self._start)
        return [(values, values.hand_over(left)) for values in self.others.values()]

    def _estimates(self, final: Any) -> list[float]:
        return [values.estimate(handover) for values, handover in self._handovers(final)]

    def _returns(
        self, handovers: Sequence[tuple[OtherValues, Handover]], estimates: Sequence[float]
    ) -> dict[str, dict[str, float | None]]:
        episodes = self.true_episodes
        return {
            values.world.name: {
                "estimated": estimate,
                "true": values.true_return(handover, episodes) if episodes else None,
            }
            for (values, handover), estimate in zip(handovers, estimates, strict=True)
        }


def _acting_environment(env: Any) -> gymnasium.Env[Any, Any]:
    """The environment itself, or a new one from an id or what makes one."""
    made = made_environment(env) if is_maker(env) else env
    if not isinstance(made, gymnasium.Env):
        raise ContractBroken(
            f"{with_article(type(made).__name__)} is not a Gymnasium environment",
            place=PLACE,
            remedy="give one, its id, or a function that makes one",
        )
    return made


def _checked_others(others: Sequence[Other] | None) -> tuple[Other, ...]:
    if others is None:
        return (Other(),)
    require_all(others, Other, "others", PLACE)
    if not others:
        raise BadValue("no others", place=PLACE, remedy="give one at least, or leave others= out")
    for other, name in zip(others, names_of(others), strict=True):
        if other.is_present:
            raise BadValue(
                f"'{name}' acts at the same time: it has no value to learn",
                place=PLACE,
                remedy="add its reward with gymnasium.wrappers.TransformReward, or use caregrid.wrap",
            )
    return tuple(others)


def _number(reward: Any) -> float:
    try:
        return float(reward)
    except (TypeError, ValueError):
        raise ContractBroken(
            f"a step gave {str(reward)[:60]} as its reward", place=PLACE, remedy="make it one number by a wrapper"
        ) from None
