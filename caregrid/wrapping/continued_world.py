"""Another agent's environment, put into the state in which it begins, observed there, and stepped until the end.

Its reward is counted as by `caregrid.wrap`: that of its environment, of a reward function, or -1 a step until a goal;
a MiniGrid's as its family says. Discounted returns of its episodes bound what may be expected of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from caregrid.wrapping.family import family_of
from caregrid.wrapping.make_world import choose_states, find_time_limit, require_environment
from caregrid.wrapping.observations import Observe, make_observation, require_observed
from caregrid.wrapping.settings import Other, WorldSettings, weigh_components
from caregrid.wrapping.states import UsersStates, save_state
from caregrid.wrapping.worlds import list_layers, strip_standard_wrappers
from craftworld.scenario import TIME_LIMIT
from engine.contracts import refuse
from engine.errors import BadValue, ContractBroken
from engine.mdp.enumeration.frozen_values import freeze_value
from engine.user_code import describe_place, user_code

ELAPSED = "_elapsed_steps"
GOAL_STEP = -1.0


class StepTaken(NamedTuple):
    """reward: counted as it counts. ended: whether the episode is over by itself. cut: whether its time is."""

    reward: float
    ended: bool
    cut: bool


class ContinuedWorld:
    """The environment of `other`, which nobody else uses.

    name: the other agent's. env: with its wrappers. settings: how its states are saved. seed: of its generator. start:
    the snapshot of a reset. lowest, highest: the returns of its episodes so far.
    """

    def __init__(
        self,
        name: str,
        env: Any,
        other: Other,
        settings: WorldSettings,
        *,
        discount: float,
        seed: int,
        observe: Observe | None = None,
    ) -> None:
        require_environment(env, "Considerate")
        limit = settings.time_limit or find_time_limit(env)
        self.name = name
        self.env = strip_standard_wrappers(env)
        self.discount = discount
        self._other = other
        self._observe = observe
        self._observes = False
        self._seed = seed
        self._place = describe_place(env.unwrapped)
        with user_code(self._place):
            self.env.reset(seed=seed)
            self.states = choose_states(self.env, family_of(env.unwrapped), settings)
            self.states.prepare()
            self._reset_gave, _ = self.env.reset(seed=seed)
            self.states.begin()
            if isinstance(self.states, UsersStates):
                self.states.require_round_trip()
            self.start = save_state(self.states)
        self.actions = self.states.actions()
        self.time_limit = limit or self.states.time_limit() or TIME_LIMIT
        self._timers = [layer for layer in list_layers(self.env) if ELAPSED in vars(layer)]
        self._weights: list[float] | None = None
        self.lowest, self.highest = math.inf, -math.inf
        self._steps = 0
        self._returned = 0.0
        self._weight = 1.0

    def require_observations(self) -> None:
        """BadValue where an observation cannot be made from a state; asked once by those who need it."""
        if not self._observes:
            require_observed(list_layers(self.env), self.states, self._observe, self._reset_gave)
            self._observes = True

    def knows_observations(self) -> bool:
        """Whether what it observes in a state can be made of it; BadValue where the user's `observe` makes another."""
        try:
            self.require_observations()
        except BadValue:
            if self._observe is not None:
                raise
            return False
        return True

    def skip_observations(self) -> None:
        """Leave out what is slow about observations; called by those who look at none."""
        if self.env is self.states.env:
            self.states.skip_observations()

    def begin(self, snapshot: Any) -> bool:
        """Go to where an episode begins; whether it is over already."""
        with user_code(self._place):
            self.states.load(snapshot)
        for layer in self._timers:
            setattr(layer, ELAPSED, 0)
        self._steps = 0
        self._returned = 0.0
        self._weight = 1.0
        over = self._at_goal()
        if over:
            self._note_return()
        return over

    def step(self, action: int) -> StepTaken:
        """Take an action (its number)."""
        before = self._state() if callable(self._other.reward) else None
        with user_code(self._place):
            given = self.env.step(action)
            try:
                _, reward, terminated, truncated, _ = given
            except (TypeError, ValueError):
                refuse(self.env.unwrapped, "step", given, "(observation, reward, terminated, truncated, info)")
        amount = self._amount(before, action, reward)
        self._steps += 1
        self._returned += self._weight * amount
        self._weight *= self.discount
        ended = bool(terminated) or self._at_goal()
        cut = not ended and (bool(truncated) or self._steps >= self.time_limit)
        if ended or cut:
            self._note_return()
        return StepTaken(amount, ended, cut)

    @property
    def returned(self) -> float:
        """The discounted return of the present episode so far."""
        return self._returned

    def observe(self) -> Any:
        """Return what the agent observes in the present state."""
        return make_observation(list_layers(self.env), self.states, self._observe)

    def freeze_observation(self) -> Hashable:
        """Return what the agent observes in the present state, as something that can be hashed."""
        return freeze_value(self.observe())

    def fingerprint(self) -> Hashable:
        """Return what the present state is known by; ContractBroken where that cannot be hashed."""
        with user_code(self._place):
            key = self.states.fingerprint()
        try:
            _ = {key}
        except TypeError:
            raise ContractBroken(
                f"its states are known by a {type(key).__name__}, which cannot be hashed",
                place=self._place,
                remedy="give fingerprint=, a function that makes a tuple of numbers or words of the environment",
            ) from None
        return key

    def _state(self) -> Any:
        return self.states.state(self.states.save())

    def _at_goal(self) -> bool:
        goal = self._other.goal
        if goal is None:
            return False
        with user_code(describe_place(goal)):
            return bool(goal(self._state()))

    def _note_return(self) -> None:
        self.lowest, self.highest = min(self.lowest, self._returned), max(self.highest, self._returned)

    def _amount(self, before: Any, action: int, reward: Any) -> float:
        function = self._other.reward
        if callable(function):
            with user_code(describe_place(function)):
                amount = float(function(before, self.actions[action], self._state()))
            return _require_finite(amount, describe_place(function))
        if function is None and self._other.goal is not None:
            return GOAL_STEP
        if not _is_vector(reward):
            with user_code(self._place):
                return _require_finite(self.states.reward(float(reward)), self._place)
        amounts = [float(each) for each in reward]
        if self._weights is None:
            count = len(amounts)
            component = [1.0] * count if function is None else function
            self._weights = weigh_components(component, count, f"others, {self.name}")
        return _require_finite(sum(w * each for w, each in zip(self._weights, amounts, strict=True)), self._place)


def _is_vector(reward: Any) -> bool:
    return isinstance(reward, Sequence) or bool(getattr(reward, "shape", ()))


def _require_finite(amount: float, place: str) -> float:
    if not math.isfinite(amount):
        raise ContractBroken("a reward that is not finite", place=place, remedy="give finite numbers")
    return amount


BeginEpisode = Callable[[], bool]
"""Puts a world where an episode begins; whether that is over already."""
