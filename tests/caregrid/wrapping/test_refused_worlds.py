"""What `caregrid.wrap` cannot make a scenario of is refused in one line that names culprit and remedy."""

import warnings
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import caregrid
from engine.errors import BadValue, CaregridError, ContractBroken, UnknownName
from tests.caregrid.wrapping.own_worlds import Corridor, Counting, Hiding, Meeting, Slippery

Other = caregrid.Other


class InSlots:
    __slots__ = ("cell",)

    def __init__(self, cell: int) -> None:
        self.cell = cell


class OldStep(Corridor):
    """Steps as before Gymnasium: four values."""

    def step(self, action: int) -> Any:
        return super().step(action)[:4]


class NoReward(Corridor):
    """A step without a reward."""

    def step(self, action: int) -> Any:
        observation, _, *rest = super().step(action)
        return observation, None, *rest


def paying(given: Any) -> type[Corridor]:
    """The corridor with another reward in every step."""

    class Paying(Corridor):
        def step(self, action: int) -> Any:
            observation, _, *rest = super().step(action)
            return observation, given, *rest

    return Paying


class EndingInWords(Corridor):
    """Its end is "False", which is true."""

    def step(self, action: int) -> Any:
        observation, reward, ended, *rest = super().step(action)
        return observation, reward, str(ended), *rest


class PayingByName(Corridor):
    reward_space = gymnasium.spaces.Box(-9, 9, (2,))

    def step(self, action: int) -> Any:
        observation, _, *rest = super().step(action)
        return observation, {0: 1.0, 1: 2.0}, *rest


def _next_cell(env: Any, state: Any) -> None:
    env.agent_cell = state + 1


def _put_car(env: Any, state: Any) -> None:
    env.unwrapped.state = np.array(state)


REFUSED: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    (
        Slippery,
        {},
        ContractBroken,
        r"Slippery, state agent_cell 0, .*, action '0': chance: it has several outcomes; declare",
    ),
    (Counting, {"most_states": 50}, BadValue, r"more than 50 states: .* ignore=\('steps',\)"),
    (
        Corridor,
        {"fingerprint": lambda env: [env.agent_cell]},
        ContractBroken,
        "known by a list, which cannot be hashed",
    ),
    (Hiding, {"fingerprint": lambda env: env.agent_cell}, ContractBroken, "its key hides a part of the state"),
    (Corridor, {"get_state": lambda env: env.agent_cell}, BadValue, "no set_state; give get_state= and set_state="),
    (
        Corridor,
        {"get_state": lambda env: env.agent_cell, "set_state": _next_cell},
        ContractBroken,
        "get_state gives another state after set_state",
    ),
    (
        Corridor,
        {"others": [Other(continues=lambda state: 7)]},
        ContractBroken,
        "a continuation gave an int; change the",
    ),
    (
        "FrozenLake-v1",
        {"others": [Other(continues=lambda state: (99, 99))]},
        ContractBroken,
        "no state .*99.*; give a state of its table",
    ),
    (
        "FrozenLake-v1",
        {"others": [Other(continues=lambda state: {state: 0.5})]},
        ContractBroken,
        "has probabilities that sum to 0.5",
    ),
    (
        "FrozenLake-v1",
        {"others": [Other("CliffWalking-v1")]},
        BadValue,
        "how a state of FrozenLake-v1 continues in CliffWalking-v1 is not known; say so",
    ),
    (Corridor, {"others": [Other(goal=lambda state: False)]}, BadValue, "no state fulfils it"),
    (Corridor, {"others": [Other(name="a"), Other(name="a")]}, BadValue, "two others are called 'a'"),
    (Corridor, {"agent": ("cel",)}, BadValue, "no attribute 'cel'"),
    (Corridor, {"agent": ()}, BadValue, "which attributes of Corridor are the agent's is not known"),
    (Corridor, {"agents": 1}, TypeError, "unexpected keyword argument 'agents'; did you mean 'agent'"),
    (Corridor, {"other": []}, TypeError, "unexpected keyword argument 'other'; did you mean 'others'"),
    (Corridor, {"zzzz": 1}, TypeError, "choose from env, others, options, discount, own, .* name, seeds"),
    (
        OldStep,
        {},
        ContractBroken,
        r"class OldStep: step gave \(array.*False\); expected \(observation, reward, terminated",
    ),
    (NoReward, {}, ContractBroken, r"class NoReward: step gave \(.* None, .*, the reward being a number"),
    (paying("1.5"), {}, ContractBroken, r"Paying: step gave \(.* '1.5', .*, the reward being a number"),
    (paying(10**400), {}, ContractBroken, r"Paying: step gave \(.*, the reward being a number"),
    (paying(float("nan")), {}, ContractBroken, "action '0': reward nan is not finite; give finite numbers"),
    (EndingInWords, {}, ContractBroken, "'False', .* terminated and truncated being true or false"),
    (PayingByName, {}, ContractBroken, "the reward being 2 numbers"),
    (Corridor, {"seeds": ()}, BadValue, "seeds"),
    (Corridor, {"chance": "often"}, BadValue, "chance 'often'; write 'every draw'"),
    (Corridor, {"chance": "every draw", "random_seeds": (1,)}, BadValue, "declare chance one way"),
    (Corridor, {"most_states": 0}, BadValue, "most_states is 0; give a whole number from 1"),
    (Corridor, {"discount": 2.0}, BadValue, "discount is 2.0"),
    (Corridor, {"own": 1}, BadValue, "reward 1 of 1; count from 0"),
    (Corridor, {"own": "time"}, UnknownName, "unknown reward 'time'"),
    (Meeting(), {}, BadValue, "no policy for right"),
    (Meeting(), {"agent": "top"}, UnknownName, "unknown agent 'top'"),
    (Meeting(), {"policies": {"right": lambda seen: 9}}, BadValue, "the policy of right gave 9"),
    ("FrozenLake-v9", {}, CaregridError, "FrozenLake-v9"),
    (3, {}, ContractBroken, "an int is not an environment"),
    ("Pendulum-v1", {}, BadValue, "give a finite number of actions"),
    ("CartPole-v1", {}, BadValue, "its states are continuous: its attribute 'state' took .* values in 50. states"),
    (
        "MountainCar-v0",
        {"get_state": lambda env: tuple(env.unwrapped.state), "set_state": _put_car},
        BadValue,
        "its states are continuous: what get_state gives took",
    ),
]


@pytest.mark.parametrize(("env", "settings", "error", "says"), REFUSED, ids=[row[3][:40] for row in REFUSED])
def test_in_one_line(env: Any, settings: dict[str, Any], error: type[Exception], says: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error, match=says) as caught:
            caregrid.wrap(env, **settings)
    assert "\n" not in str(caught.value)


def test_a_table_that_the_steps_do_not_follow() -> None:
    with pytest.raises(ContractBroken, match="which is not a row of its table; switch off what only step"):
        caregrid.wrap(gymnasium.make("Taxi-v4", fickle_passenger=True))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"probability": 1.5}, "probability is 1.5; give a number from 0 to 1"),
        ({"weight": float("nan")}, "weight is nan"),
        ({"continues": lambda: 0}, r"it is called as continues\(final state\)"),
        ({"goal": 3}, "goal is 3"),
        ({"reward": lambda state: 0}, r"it is called as reward\(state, action, next_state\)"),
    ],
)
def test_others_that_cannot_be(given: dict[str, Any], says: str) -> None:
    with pytest.raises(CaregridError, match=says):
        Other(**given)


@pytest.mark.parametrize("seeds", [(0,), (1, 2)])
def test_a_reset_that_fails_names_the_line(seeds: Any) -> None:
    class NoFile(Corridor):
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            raise FileNotFoundError("no maze.png")

    with pytest.raises(
        ContractBroken, match=r"its reset fails at test_refused_worlds.py, line \d+: FileNotFoundError: no maze.png"
    ):
        caregrid.wrap(NoFile, seeds=seeds)


def test_what_an_environment_raises_names_its_file() -> None:
    class Failing(Corridor):
        def step(self, action: int) -> Any:
            raise RuntimeError("out of order")

    with pytest.raises(ContractBroken, match=r"test_refused_worlds.py.*: RuntimeError: out of order"):
        caregrid.wrap(Failing)


@pytest.mark.parametrize(("reward", "discount"), [(1e308, 0.9), (-1e308, 0.5), (1e300, 0.9999)])
def test_returns_that_no_float_holds_are_named_and_those_below_are_right(reward: float, discount: float) -> None:
    """A reward for ever is worth reward / (1 - discount)."""

    class Endless(Corridor):
        def step(self, action: int) -> Any:
            observation, *_ = super().step(action)
            self.agent_cell = 0
            return observation, reward, False, False, {}

    with pytest.raises(BadValue, match=r"its own rewards are of size .*; measure them in a larger unit"):
        caregrid.problem(caregrid.wrap(Endless(), others=[], discount=discount)).solve(care=0)
    reward /= 1e20
    world = caregrid.wrap(Endless(), others=[], discount=discount)
    assert caregrid.problem(world).solve(care=0).own == pytest.approx(reward / (1 - discount))


@pytest.mark.parametrize("kind", [SimpleNamespace, InSlots])
def test_a_state_within_an_object_is_named_by_what_the_object_holds(kind: Any) -> None:
    class Held(gymnasium.Env[Any, Any]):
        observation_space = action_space = gymnasium.spaces.Discrete(3)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.held = kind(cell=0)
            return 0, {}

        def step(self, action: int) -> Any:
            self.held.cell += 1
            return 0, np.nan if self.held.cell == 3 else 1.0, self.held.cell == 3, False, {}

    with pytest.raises(CaregridError, match=r"Held, state held\.cell 2, action '0': reward nan is not finite"):
        caregrid.wrap(Held(), others=[])


def test_a_world_that_draws_each_step_into_a_window_is_refused() -> None:
    class Drawn(Corridor):
        def __init__(self) -> None:
            super().__init__()
            self.render_mode = "human"

    for given in (Drawn, Drawn()):
        with pytest.raises(BadValue, match="its render_mode is 'human'; make it without"):
            caregrid.wrap(given)


@pytest.mark.parametrize("draw", [lambda: np.random.RandomState(5).randint(9), lambda: vars(np.random)["seed"](5)])
def test_a_seed_that_draws_from_the_system_names_one_that_does_not(draw: Any) -> None:
    class Seeding(Corridor):
        def step(self, action: int) -> Any:
            draw()
            return super().step(action)

    with pytest.raises(ContractBroken, match=r"a default_rng\(N\) draws none; declare random_seeds="):
        caregrid.wrap(Seeding(), others=())


def test_a_space_that_changes_between_two_readings_is_refused() -> None:
    class Growing(Corridor):
        readings = 0

        @property
        def action_space(self) -> Any:
            type(self).readings += 1
            return gymnasium.spaces.Discrete(2 + self.readings % 3)

        @action_space.setter
        def action_space(self, space: Any) -> None:
            pass

    with pytest.raises(ContractBroken, match="its 'action_space' is Discrete"):
        caregrid.wrap(Growing(), others=())
