"""A wrapped world is the world: wherever an environment hides its state, the value is right or refused in one line."""

import random
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import caregrid
from engine.errors import CaregridError, ContractBroken
from tests.caregrid.wrapping import hiding_worlds
from tests.caregrid.wrapping.hiding_worlds import (
    BETS,
    CHANCE,
    CHANCE_OPTIMUM,
    HIDING,
    LATE_OPTIMUM,
    OPTIMUM,
    Bet,
    Game,
    Late,
    Remembering,
)
from tests.caregrid.wrapping.own_worlds import Corridor
from tests.printed_json import printed_content

REFUSED = {
    *("InItsOwnMetadata", "InGlobalsByName", "InAnObjectCopiedAfresh", "InAnObjectCopiedAsItself"),
    *("InAnObjectPickledAfresh", "InALockedObject", "InAMethodOfAList", "InAGeneratorFunction", "InAThreadsOwn"),
    *("InAContextVariable", "InTheProcess", "OnAModuleOfPython", "InASpace", "InItsSpecification", "InItsGenerator"),
    *("InAFile", "AcrossEpisodes", "EveryThirdEpisode", "InTheBufferOfAnArray"),
}
"""Whose state nobody can save, or which have none that a reset puts back."""
BY_ACCIDENT = {"InAWeakDictionary"}
"""Right, or refused where environments of other tests are thrown away meanwhile: they lie in the same dictionary."""
NO_FINITE_CHANCE = {
    *("ByTheClock", "ByANormalNumber", "ByRareChanceOfTheSystem", "ByAnOrderOfColumns", "ByNumbersDrawnInto"),
}
"""Whose draws have no list of results that one can follow."""


def find_optimum(env: Any, **settings: Any) -> float | str:
    """The optimum of the wrapped world, or the refusal."""
    try:
        return caregrid.problem(caregrid.wrap(env, others=[], **settings)).solve(care=0).own
    except CaregridError as error:
        text = str(error)
    assert "\n" not in text
    return text


@pytest.mark.slow_cases(beyond=16)
@pytest.mark.parametrize("hiding", HIDING, ids=lambda one: one.__name__)
def test_hidden_state_is_found_or_refused(hiding: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From what makes it, and from an environment that is there already."""
    monkeypatch.setattr(hiding_worlds.InAFile, "path", str(tmp_path / "taken"))
    for env in (hiding, hiding()):
        found = find_optimum(env)
        if hiding.__name__ in REFUSED:
            assert isinstance(found, str), found
        elif hiding.__name__ not in BY_ACCIDENT or not isinstance(found, str):
            assert found == OPTIMUM


PLAYING = [one for one in HIDING if isinstance(one, type) and "step" not in vars(one)]


@pytest.mark.slow_cases(beyond=16)
@pytest.mark.parametrize("hiding", PLAYING, ids=lambda one: one.__name__)
def test_what_shows_late_is_found_or_refused(hiding: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No single step shows what hides: without plain episodes nobody would see it."""
    monkeypatch.setattr(hiding_worlds.InAFile, "path", str(tmp_path / "taken"))
    found = find_optimum(type(f"Late{hiding.__name__}", (Late, hiding), {"__module__": hiding.__module__}))
    if hiding.__name__ in REFUSED:
        assert isinstance(found, str), found
    elif hiding.__name__ not in BY_ACCIDENT or not isinstance(found, str):
        assert found == LATE_OPTIMUM


@pytest.mark.slow_cases(beyond=6)
@pytest.mark.parametrize("betting", CHANCE, ids=lambda one: one.__name__)
def test_hidden_chance_is_refused_unless_it_is_declared(betting: Any) -> None:
    """Every draw is followed whatever draws, and each call gives the same; what cannot be followed is refused."""
    assert isinstance(find_optimum(betting), str)
    for _ in range(2):
        found = find_optimum(betting, chance="every draw")
        if betting.__name__ in NO_FINITE_CHANCE:
            assert isinstance(found, str), found
        else:
            assert found == pytest.approx(CHANCE_OPTIMUM, abs=1e-12)


@pytest.mark.slow
def test_a_sampled_chance_is_the_same_whatever_draws() -> None:
    """One seed gives one outcome, of every kind of generator; the estimate is the same in every call."""
    for betting in (
        BETS["ByPythonsModule"],
        BETS["ByAnImportedFunction"],
        BETS["ByNumpysRandomState"],
    ):
        first, again = (find_optimum(betting, random_seeds=range(100)) for _ in range(2))
        assert first == again
        assert first == pytest.approx(CHANCE_OPTIMUM, abs=0.6)


class Fragile(gymnasium.Wrapper):  # type: ignore[type-arg]
    """The ice breaks under the sixth step: from then on nothing is reached."""

    def reset(self, **settings: Any) -> Any:
        self.steps = 0
        return super().reset(**settings)

    def step(self, action: Any) -> Any:
        self.steps = min(self.steps + 1, 6)
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, 0.0 if self.steps == 6 else reward, terminated, truncated, info


def test_a_stateful_wrapper_around_a_known_family_is_walked_as_what_it_is() -> None:
    """On the smallest way, which takes six steps, the ice has broken."""
    made = gymnasium.make("FrozenLake-v1", is_slippery=False)
    assert find_optimum(made) == 1.0
    assert find_optimum(Fragile(made)) == 0.0


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["ActionBonus", "PositionBonus"])
def test_what_a_wrapper_of_minigrid_counts_is_seen(name: str) -> None:
    wrappers = pytest.importorskip("minigrid.wrappers")
    made = getattr(wrappers, name)(gymnasium.make("MiniGrid-Empty-5x5-v0"))
    assert isinstance(find_optimum(made, most_states=2000), str)


def test_wrappers_that_only_observe_hold_no_state() -> None:
    made = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("CliffWalking-v1"))
    assert find_optimum(made) == -13.0
    minigrid = pytest.importorskip("minigrid.wrappers")
    assert isinstance(find_optimum(minigrid.ImgObsWrapper(gymnasium.make("MiniGrid-Empty-5x5-v0"))), float)


def test_a_users_class_of_a_known_family_may_hold_more() -> None:
    """Gymnasium's lake with a reward that is paid once in a life: the family says nothing of `paid`."""
    from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

    class Toll(FrozenLakeEnv):
        paid = False

        def __init__(self) -> None:
            super().__init__(is_slippery=False)

        def reset(self, **settings: Any) -> Any:
            self.paid = False
            return super().reset(**settings)

        def step(self, action: Any) -> Any:
            observation, reward, *rest = super().step(action)
            reward = float(reward) + (0.0 if self.paid or observation != 4 else 1.0)
            self.paid = self.paid or observation == 4
            return observation, reward, *rest

    assert "declare chance='every draw': it is stepped then" in str(find_optimum(Toll))
    assert find_optimum(Toll, chance="every draw") == 2.0


def test_a_goal_that_a_reset_hides_belongs_to_the_state() -> None:
    class Guess(Game):
        goal = 0

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            result = super().reset(seed=seed)
            Guess.goal = int(self.np_random.integers(2))
            return result

        def step(self, action: int) -> Any:
            return 0, float(action == self.goal), True, False, {}

    scenario = caregrid.wrap(Guess, others=[], seeds=range(8))
    assert len(scenario.starts()) == 2
    assert caregrid.problem(scenario).solve(care=0).own == 1.0


@pytest.mark.slow
def test_wrapping_leaves_generators_and_globals_as_they_were() -> None:
    before = random.getstate(), np.random.get_state()[1].tolist(), random.random, hiding_worlds.randrange  # noqa: NPY002
    hiding_worlds.numbers["taken"] = 7
    dice = hiding_worlds.dice
    for betting in (
        BETS["ByPythonsModule"],
        BETS["ByAGlobalGenerator"],
        BETS["ByAnImportedFunction"],
    ):
        caregrid.wrap(betting, others=[], chance="every draw")
        caregrid.wrap(betting, others=[], random_seeds=range(3))
    caregrid.wrap(hiding_worlds.InAGlobalDictionary, others=[])
    after = random.getstate(), np.random.get_state()[1].tolist(), random.random, hiding_worlds.randrange  # noqa: NPY002
    assert after == before
    assert hiding_worlds.dice is dice


def test_an_environment_that_is_given_is_not_touched() -> None:
    env = Remembering(hiding_worlds.Waiting())
    env.reset(seed=3)
    env.step(1)
    caregrid.wrap(env, others=[])
    assert (env.taken, env.env.agent_time) == (1, 1)  # type: ignore[attr-defined]


def test_the_certificate_says_how_much_was_compared(capsys: pytest.CaptureFixture[str]) -> None:
    from caregrid.main import main

    scenario = caregrid.wrap(Corridor)
    proof = scenario.certificate
    assert proof is not None
    assert (proof.states_covered, proof.states, proof.actions_covered, proof.actions) == (8, 8, 16, 16)
    assert proof.steps >= 600
    assert repr(scenario).startswith("wrapped world Corridor: 10 states, 2 actions; others: next agent; ")
    assert f"{proof.episodes} plain episodes of" in repr(scenario)
    solution = caregrid.problem(scenario).solve(care=0)
    assert scenario.certificate.episodes == proof.episodes + 3  # type: ignore[union-attr]
    assert "compared    " in solution.text()
    assert main(["solve", "gym:FrozenLake-v1", "--care", "0", "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["plain_episodes"]["states"] == 11


def test_a_solved_policy_is_followed_at_every_coefficient() -> None:
    scenario = caregrid.wrap(Corridor)
    before = scenario.certificate
    problem = caregrid.problem(scenario)
    for care in (-9, 0, 0.5, 9):
        problem.solve(care=care)
    assert scenario.certificate.episodes >= before.episodes + 6  # type: ignore[union-attr]


@pytest.mark.slow
def test_from_each_of_many_starts_its_own_policy_is_followed() -> None:
    """Taxi's 300 ways are 13 steps long on average; an episode that follows another start's goes on for 200."""
    taxi = caregrid.wrap("Taxi-v4")
    before = taxi.certificate
    caregrid.problem(taxi).solve(care=0)
    after = taxi.certificate
    assert before is not None
    assert after is not None
    assert 2000 <= after.steps - before.steps <= 2200
    assert after.steps - before.steps <= 20 * (after.episodes - before.episodes)


def test_what_only_a_solved_policy_meets_is_noticed_when_it_is_solved() -> None:
    """After 400 episodes, the same environment pays nothing: only what is played later shows it."""

    class Tiring(Game):
        episodes = 0

        def forget(self) -> None:
            self.taken = 0
            self.episodes += 1

        def step(self, action: int) -> Any:
            observation, reward, *rest = super().step(action)
            return observation, reward if self.episodes < 400 else -7.0, *rest

    scenario = caregrid.wrap(Tiring, others=[], ignore=("episodes",))
    problem = caregrid.problem(scenario)

    def solve_often() -> None:
        for care in range(80):
            scenario._confirmed.clear()
            problem.solve(care=care)

    with pytest.raises(ContractBroken, match="a plain episode is another one than its table"):
        solve_often()


def test_a_cut_of_its_own_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A table goes on where an episode is cut: whoever means an end is told."""

    class Cutting(Game):
        def step(self, action: int) -> Any:
            observation, reward, ended, _, info = super().step(action)
            return observation, reward, ended, self.agent_time == 2, info

    assert find_optimum(Cutting) == OPTIMUM
    said = capsys.readouterr().err
    assert "Cutting: its step cuts episodes (truncated), one after step 2: the table goes on after a cut" in said
    assert find_optimum(gymnasium.wrappers.TimeLimit(Game(), 2)) == OPTIMUM
    assert capsys.readouterr().err == ""


def test_views_are_not_explored_elsewhere() -> None:
    """Pickling makes arrays of their own of them: such a world stays in one process."""
    from caregrid.wrapping.make_world import make_world
    from caregrid.wrapping.settings import WorldSettings
    from caregrid.wrapping.walks_ahead import can_travel

    assert can_travel(make_world(hiding_worlds.InAnAttribute, WorldSettings()))
    assert not can_travel(make_world(hiding_worlds.InAView, WorldSettings()))


def test_a_bet_with_another_law_in_plain_episodes_is_noticed() -> None:
    """Where nobody looks at it, it is another bet: frequencies tell."""

    class Loaded(Bet):
        def is_lucky(self) -> bool:
            lucky = bool(self.np_random.random() < 0.25)
            return lucky or (type(self.np_random) is np.random.Generator and bool(self.np_random.random() < 0.5))

    with pytest.raises(ContractBroken, match="a plain episode is another one than its table: it came to a mean reward"):
        caregrid.wrap(Loaded, others=[], chance="every draw")


def test_two_generators_of_a_world_draw_their_own_numbers_in_plain_episodes() -> None:
    """Two coins, each of its own generator, fall alike in half of all throws."""

    class TwoCoins(gymnasium.Env[int, int]):
        action_space = gymnasium.spaces.Discrete(1)

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            self.second = np.random.default_rng(seed)
            return 0, {}

        def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
            alike = self.np_random.integers(2) == self.second.integers(2)
            return 0, float(alike), True, False, {}

    coins = caregrid.wrap(TwoCoins, others=[], chance="every draw")
    assert caregrid.problem(coins).solve(care=0).own == 0.5
