"""Learners in a wrapped world, and those who come after, know no more than its environment shows them.

A ball lies under one of two cups, equally likely. Lifting the right one earns 1, looking first costs 1/4. Whoever sees
the ball earns 1; who does not earns 3/4 at best, by looking.
"""

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Discrete

import caregrid
from caregrid.wrapping.considerate import Refresh
from caregrid.wrapping.value_learners.tabular import Tabular
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate

LOOK = 2
WAYS = ["right", "down", "left", "up"]
SEEING, BLIND = 1.0, 0.75


class Cups(gymnasium.Env[int, int]):
    """ball: under which cup. agent_looked: whether the agent has looked."""

    action_space: ClassVar[Any] = Discrete(3)
    observation_space: ClassVar[Any] = Discrete(3)

    def __init__(self) -> None:
        self.ball, self.agent_looked = 0, False

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        self.ball, self.agent_looked = (seed or 0) % 2, False
        return self.show(), {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if action == LOOK:
            self.agent_looked = True
            return self.show(), -0.25, False, False, {}
        return self.show(), float(action == self.ball), True, False, {}

    def show(self) -> int:
        """0 before looking, then 1 or 2."""
        return self.agent_looked * (1 + self.ball)


class Shown(Cups):
    """The same, of which the usual method says what it shows."""

    def _get_obs(self) -> int:
        return self.show()


class Misleading(Shown):
    """Its method says other than its reset."""

    def _get_obs(self) -> int:
        return 7


def no_more(env: Cups) -> str:
    return "nothing"


@pytest.mark.parametrize(
    ("world", "settings", "best", "observations"),
    [
        (Shown, {}, BLIND, 3),
        (Cups, {"observe": Cups.show}, BLIND, 3),
        (Shown, {"observe": no_more}, 0.5, 1),
        (Cups, {}, SEEING, None),  # nobody knows what it shows
        (Misleading, {}, SEEING, None),
    ],
)
def test_a_wrapped_world_hides_what_its_environment_hides(
    world: type[Cups], settings: dict[str, Any], best: float, observations: int | None
) -> None:
    problem = caregrid.problem(caregrid.wrap(world, seeds=(0, 1), time_limit=10, **settings))
    known = problem.train(care=0, steps=4000, observes="state").curve[-1]
    assert (known["greedy_return"], known["optimum"]) == (SEEING, SEEING)
    assert problem.solve(care=0).own == SEEING
    assert ("observes the whole state" in problem.solve(care=0).text()) == (observations is not None)
    learned = problem.train(care=0, steps=4000)
    assert (learned.curve[-1]["greedy_return"], learned.curve[-1]["optimum"]) == pytest.approx((best, best))
    table = tabulate(caregrid.wrap(world, seeds=(0, 1), **settings))
    goes_on = table.observations[~table.terminal]
    assert len(set(goes_on.tolist())) == (observations or len(goes_on))


def test_what_a_table_hides_stays_hidden() -> None:
    shown = tabulate(caregrid.wrap(Shown, seeds=(0, 1)))
    again = tabulate(caregrid.wrap(shown))
    assert again.observation is not None
    assert shown.observation is not None
    pairs = set(
        zip(shown.observation[~shown.terminal].tolist(), again.observation[~again.terminal].tolist(), strict=True)
    )
    assert isinstance(shown, TabularMDP)
    assert len(pairs) == len(set(again.observation[~again.terminal].tolist())) == 3


def test_what_minigrid_shows_is_its_agents_view() -> None:
    """Two places from which the same is seen look alike; the environment itself says what is seen."""
    scenario = caregrid.wrap("MiniGrid-Empty-5x5-v0")
    table = tabulate(scenario)
    env = gymnasium.make("MiniGrid-Empty-5x5-v0").unwrapped
    env.reset(seed=0)
    seen: dict[int, bytes] = {}
    for number in np.flatnonzero(~table.terminal):
        state = scenario.describe(table.states[int(number)])
        env.agent_pos, env.agent_dir = state["cell"][::-1], WAYS.index(state["direction"])  # type: ignore[attr-defined]
        view = env.gen_obs()  # type: ignore[attr-defined]
        content = view["image"].tobytes() + bytes([view["direction"]])
        assert seen.setdefault(int(table.observations[number]), content) == content
    assert len(set(seen.values())) == len(seen)


def get_state(env: Cups) -> Any:
    return env.ball, env.agent_looked


def set_state(env: Cups, state: Any) -> None:
    env.ball, env.agent_looked = state


@pytest.mark.parametrize(
    ("world", "learner", "value", "observes"),
    [
        (Shown, "tabular", BLIND, "observation"),
        (Shown, Tabular(observes="state"), SEEING, "state"),
        (Cups, "tabular", SEEING, "state"),
    ],
)
def test_those_who_come_after_know_what_they_are_shown(
    world: type[Cups], learner: Any, value: float, observes: str
) -> None:
    either_cup = caregrid.Other(continues=lambda state: {(0, False): 0.5, (1, False): 0.5})
    env = caregrid.Considerate(
        world,
        [either_cup],
        learner=learner,
        refresh=Refresh(first=6000),
        true_episodes=40,
        get_state=get_state,
        set_state=set_state,
    )
    env.reset(seed=0)
    found = env.step(0)[-1]["others"]["next agent"]
    assert found["observes"] == observes
    assert found["estimated"] == pytest.approx(value, abs=0.1)
    assert found["true"] == pytest.approx(value, abs=1e-9)


def put_back(env: Any, number: int) -> None:
    env.unwrapped._state, env.unwrapped._steps = number, 0


@pytest.mark.parametrize(("observes", "value"), [("observation", 26.0), ("state", 46.0)])
def test_our_own_levels_hide_from_those_who_come_after(observes: Any, value: float) -> None:
    """A neutral bandit's reward is in the left box with probability 0.6: opening it earns 0.6 * 50 - 4."""
    level = gymnasium.make("caregrid/friend_foe-v0", care=0, bandit="neutral")
    table = level.unwrapped.mdp  # type: ignore[attr-defined]
    boxes = {int(number): float(table.start[number]) for number in table.start_states()}
    env = caregrid.Considerate(
        level,
        [caregrid.Other(continues=lambda state: boxes)],
        learner=Tabular(observes=observes),
        refresh=Refresh(first=10_000),
        true_episodes=0,
        get_state=lambda env: env.unwrapped._state,
        set_state=put_back,
    )
    env.reset(seed=0)
    values = env.others["next agent"]
    assert values.observes == observes
    assert values.estimate(env.hand_over()["next agent"]) == pytest.approx(value, abs=3)
