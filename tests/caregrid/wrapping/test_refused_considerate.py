"""What `caregrid.Considerate` cannot do is refused in one line that names culprit and remedy."""

import math
import sys
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

import caregrid
from caregrid.wrapping.value_learners.dqn import Dqn
from caregrid.wrapping.value_learners.tabular import Tabular
from engine.errors import BadValue, CaregridError, ContractBroken, MissingExtra, UnknownName
from tests.caregrid.wrapping.own_worlds import Corridor, TwoRewards

Other, Refresh = caregrid.Other, caregrid.Refresh


class Locked(Corridor):
    """Holds what cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.held = [threading.Lock()]


class Nowhere(Corridor):
    """No attribute of it is the agent's."""

    def __init__(self) -> None:
        super().__init__()
        del self.agent_cell
        self.place = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        gymnasium.Env.reset(self, seed=seed)
        self.place = 0
        return np.zeros(2), {}

    def step(self, action: int) -> Any:
        self.place += 1
        return np.zeros(2), -1.0, self.place > 2, False, {}


def misread(env: Any) -> Any:
    return np.array([7.0, 7.0])


def walk_ahead(env: Any, **settings: Any) -> None:
    made, over = caregrid.Considerate(env, **settings), False
    made.reset(seed=0)
    while not over:
        _, _, over, _, _ = made.step(0)


REFUSED: list[tuple[Any, dict[str, Any], type[CaregridError], str]] = [
    (
        Corridor,
        {"care": math.nan},
        BadValue,
        r"^Considerate: care is nan; give a finite number, 0 or of",
    ),
    (Corridor, {"care": "much"}, BadValue, "care is 'much'; give a finite number"),
    (Corridor, {"discount": 1.5}, BadValue, "discount is 1.5; give a number from 0 to 1"),
    (Corridor, {"seed": -1}, BadValue, "seed is -1; expected a whole number from 0"),
    (Corridor, {"true_episodes": 0.5}, BadValue, "true_episodes is 0.5; expected a whole number"),
    (Corridor, {"learner": "dnq"}, UnknownName, "unknown value learner 'dnq'; did you mean 'dqn'"),
    (Corridor, {"learner": 3}, ContractBroken, "3 is not a value learner; make a ValueLearnerSpec"),
    (Corridor, {"learner": Corridor}, ContractBroken, "is not a value learner; derive a class from ValueLearnerSpec"),
    (Corridor, {"refresh": 10}, ContractBroken, "10 is not a schedule; make a Refresh"),
    (Corridor, {"timing": "always"}, UnknownName, "Considerate: unknown timing 'always'"),
    (Corridor, {"formulation": "expectd"}, UnknownName, "unknown formulation 'expectd'; did you mean 'expected'"),
    (Corridor, {"formulation": "simultaneous"}, BadValue, "'simultaneous' does not weigh value functions at the end"),
    (Corridor, {"fingerprnt": len}, BadValue, "unknown setting 'fingerprnt'; did you mean 'fingerprint'"),
    (Corridor, {"observe": 5}, ContractBroken, r"observe is 5; give a function that is called as observe\(env\)"),
    (Corridor, {"others": []}, BadValue, "no others; give one at least"),
    (Corridor, {"others": "all"}, BadValue, "others is 'all'; expected several objects of the class Other"),
    (Corridor, {"others": [Other(reward=0)]}, BadValue, "'other agent' acts at the same time: it has no value"),
    (Corridor, {"get_state": len}, BadValue, "no set_state; give get_state= and set_state= together"),
    (Corridor, {"others": [Other(continues=lambda state: 7)]}, ContractBroken, "a continuation gave an int"),
    (
        Corridor,
        {"others": [Other(continues=lambda state: {(0, 1): 0.5})]},
        ContractBroken,
        r"a continuation of state .* has probabilities that sum to 0.5; make them sum to 1",
    ),
    (Corridor, {"others": [Other(continues=lambda state: 1 / 0)]}, ContractBroken, "line .*ZeroDivisionError"),
    (
        Corridor,
        {"fingerprint": lambda env: [env.agent_cell]},
        ContractBroken,
        "known by a list, which cannot be hashed; give fingerprint=",
    ),
    (
        "FrozenLake-v1",
        {"others": [Other("CliffWalking-v1")]},
        BadValue,
        "how a state of FrozenLakeEnv continues in CliffWalkingEnv is not known; say so",
    ),
    (Nowhere, {}, BadValue, "which attributes of Nowhere are the agent's is not known; give agent="),
    (Locked(), {}, ContractBroken, "Locked: it cannot be copied .*; give its id, or a function that makes it"),
    (Locked, {}, ContractBroken, "its state cannot be saved: TypeError: .*; give get_state= and set_state="),
    (
        Locked,
        {"get_state": lambda env: env.agent_cell, "set_state": lambda env, state: None},
        BadValue,
        r"what the next agent finds in Locked, and where it begins, is not known; say so: others=\[caregrid.Other",
    ),
    (TwoRewards, {}, ContractBroken, r"a step gave \[.*\] as its reward; make it one number by a wrapper"),
    ("Pendulum-v1", {}, BadValue, "its actions are Box"),
    (object(), {}, ContractBroken, "an? object is not a Gymnasium environment; give one, its id, or a function"),
    ("NoSuchLake-v1", {}, CaregridError, "NoSuchLake-v1"),
    (
        Corridor,
        {"learner": Tabular(most_states=3)},
        BadValue,
        "tabular: more than 3 states of next agent; learn by 'dqn'",
    ),
]


@pytest.mark.parametrize(("env", "settings", "kind", "message"), REFUSED)
def test_refused_in_one_line(env: Any, settings: dict[str, Any], kind: type[CaregridError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        walk_ahead(env, **{"refresh": Refresh(first=50), **settings})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["first", "every", "steps", "growth", "memory"])
@pytest.mark.parametrize("value", [-1, math.nan, "3", True, None, 10**12])
def test_schedules_are_checked(field: str, value: Any) -> None:
    with pytest.raises(BadValue, match=rf"^Refresh: {field} "):
        Refresh(**{field: value})


@pytest.mark.parametrize("spec", [Tabular, Dqn])
@pytest.mark.parametrize("value", [-1, math.nan, "x", None, (0,), [3], 10**30])
def test_hyper_parameters_are_checked(spec: Any, value: Any) -> None:
    for field in spec.__dataclass_fields__:
        if (field, value) != ("policy", "x"):
            with pytest.raises(BadValue, match=rf"^{spec.__name__.lower()}: {field} "):
                spec(**{field: value})


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(MissingExtra, match=r"torch and stable-baselines3 are needed; pip install 'caregrid\[deep\]'"):
        caregrid.Considerate("FrozenLake-v1", learner="dqn")


def test_before_an_episode_nothing_is_handed_over() -> None:
    with pytest.raises(BadValue, match=r"no episode has begun; call reset\(\) first"):
        caregrid.Considerate(Corridor).hand_over()


@pytest.mark.parametrize("learner", ["dqn", "stacked_dqn"])
def test_what_a_network_cannot_take_is_named_with_what_to_do(learner: str) -> None:
    """No traceback of Stable-Baselines3, and no learner recommended that refuses it, too."""
    pytest.importorskip("torch")
    pytest.importorskip("minigrid")
    says = f"{learner}: part 'mission' of what next agent observes is no number but of the kind MissionSpace; leave it"
    with pytest.raises(BadValue, match=says):
        caregrid.Considerate("MiniGrid-DoorKey-5x5-v0", learner=learner)


@pytest.mark.slow
def test_networks_need_observations() -> None:
    with pytest.raises(BadValue, match="what Corridor observes in a state is not known; give observe="):
        caregrid.Considerate(Corridor, learner="dqn")
    with pytest.raises(BadValue, match="is not the one that its reset gives; give observe="):
        caregrid.Considerate(Corridor, learner="dqn", observe=misread)
    with pytest.raises(ContractBroken, match="takes"):
        caregrid.Considerate(Corridor, learner="dqn", observe=lambda: 0)
