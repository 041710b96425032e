"""Worlds without an end are refused in seconds, naming what grows; those with one are walked to it."""

import time
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.wrapping.states import AttributeStates
from engine.errors import BadValue
from tests.caregrid.wrapping.own_worlds import Corridor, Counting


class Remembering(Corridor):
    """Keeps a list of what was done."""

    def reset(self, **settings: Any) -> Any:
        self.done: list[int] = []
        return super().reset(**settings)

    def step(self, action: int) -> Any:
        self.done.append(int(action))
        return super().step(action)


class Plane(Corridor):
    """Cells of a tenth, without a border: each coordinate comes back in many states."""

    def reset(self, **settings: Any) -> Any:
        self.agent_x = self.agent_y = 0.0
        return super().reset(**settings)

    def step(self, action: int) -> Any:
        self.agent_x += 0.1 * (action == 0)
        self.agent_y += 0.1 * (action == 1)
        return np.zeros(2), -1.0, False, False, {}


class Line(Corridor):
    """Whole cells without a border on one side."""

    def step(self, action: int) -> Any:
        self.agent_cell += 2 * action - 1
        return np.zeros(2), -1.0, self.agent_cell == 5, False, {}


class Stairs(Corridor):
    """One foot after the other, without an end: no single action leads on."""

    def reset(self, **settings: Any) -> Any:
        self.foot = 0
        return super().reset(**settings)

    def step(self, action: int) -> Any:
        if action == self.foot:
            self.agent_cell, self.foot = self.agent_cell + 1, 1 - self.foot
        return np.zeros(2), -1.0, False, False, {}


class Limited(Corridor):
    """Ends by itself after 300 steps: it counts them, and it has an end."""

    def reset(self, **settings: Any) -> Any:
        self.steps = 0
        return super().reset(**settings)

    def step(self, action: int) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        self.steps += 1
        return observation, reward, terminated or self.steps == 300, truncated, info


class Slow(Counting):
    """A fiftieth of a second a step."""

    def step(self, action: int) -> Any:
        time.sleep(0.02)
        return super().step(action)


@pytest.mark.parametrize(
    ("env", "says"),
    [
        (Counting, r"it has no end: 'steps' grows along every path; ignore it with ignore=\('steps',\)"),
        (Remembering, r"it has no end: 'done' grows along every path; ignore it with ignore=\('done',\)"),
        (Plane, "it has no end: 'agent_[xy]' grows along a path: its states are continuous; bound"),
        (Line, "it has no end: 'agent_cell' grows along every path"),
    ],
)
def test_what_grows_for_ever_is_named_early(env: Any, says: str) -> None:
    found: list[int] = []
    with pytest.raises(BadValue, match=says):
        caregrid.wrap(env, others=[], progress=lambda done, states: found.append(states))
    assert max(found) < 20_000  # of 200,000 that would be walked


def test_on_a_short_way_only_what_rises_is_said_to_grow() -> None:
    path = [(("agent_dir", n % 4), ("agent_pos", (n % 3, n // 3)), ("done", (0,) * n), ("steps", n)) for n in range(6)]
    cause, remedy = AttributeStates(Corridor()).growing(path)
    assert cause == "'done', 'steps' grow along every path"
    assert "ignore=('done', 'steps',)" in remedy


def test_what_grows_in_what_a_user_saves_is_refused_early() -> None:
    def get_state(env: Any) -> Any:
        return env.agent_cell, env.lit, getattr(env, "steps", 0)

    def set_state(env: Any, state: Any) -> None:
        env.agent_cell, env.lit, env.steps = state

    with pytest.raises(BadValue, match=r"it has no end: .*; let get_state leave out what keeps growing"):
        caregrid.wrap(Counting, others=[], get_state=get_state, set_state=set_state)


def test_a_world_that_counts_and_ends_is_walked_to_its_end() -> None:
    assert caregrid.problem(caregrid.wrap(Limited, others=[])).solve(care=0).own == -5.0


@pytest.mark.slow
def test_seconds_count_as_states_do(capsys: pytest.CaptureFixture[str]) -> None:
    began = time.perf_counter()
    with pytest.raises(BadValue, match=r"more than 2 s: \d+ are done in .* s, \d+ wait; raise most_seconds"):
        caregrid.wrap(Slow, others=[], most_seconds=2)
    assert time.perf_counter() - began < 60
    with pytest.raises(BadValue, match="most_seconds is 'long'; give a number from 0"):
        caregrid.wrap(Slow, others=[], most_seconds="long")  # type: ignore[arg-type]


@pytest.mark.slow
def test_progress_is_reported_from_the_first_second() -> None:
    told: list[float] = []
    began = time.perf_counter()
    with pytest.raises(BadValue):
        caregrid.wrap(Slow, others=[], most_seconds=4, progress=lambda *_: told.append(time.perf_counter() - began))
    assert len(told) >= 3


@pytest.mark.slow
def test_a_narrow_world_without_an_end_is_named_at_once_and_refused_long_before_the_table_is_full(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more states asked for than by default it is walked on, as far as is said."""
    monkeypatch.setattr("engine.mdp.enumeration.walk.LONGEST_PATH", 3_000)
    found: list[int] = []
    with pytest.raises(BadValue, match="it has no end: 'agent_cell' grows along every path; ignore it"):
        caregrid.wrap(Stairs, others=[], progress=lambda done, states: found.append(states))
    assert max(found) < 10_000
    assert "Stairs: 'agent_cell' grows along every path" in capsys.readouterr().err
    with pytest.raises(BadValue, match=r"more than 3 s: .* raise most_seconds"):
        caregrid.wrap(Stairs, others=[], most_states=300_000, most_seconds=3)


class Sack(Corridor):
    """Six things, each taken or left: the room that is left is another number in each of 127 states."""

    def reset(self, **settings: Any) -> Any:
        self.agent_taken, self.agent_left = 0, 1.0
        return super().reset(**settings)

    def step(self, action: int) -> Any:
        thing = self.agent_cell
        self.agent_cell += 1
        if action:
            self.agent_taken += 2**thing
        self.agent_left = 1.0 - (64 * self.agent_cell + self.agent_taken) / 997
        return np.zeros(2), action * float(thing - 2), self.agent_cell == 6, False, {}


def test_a_slow_world_of_few_states_is_not_taken_for_a_continuous_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long states take depends on the machine: what seems so is said, and whether it is refused does not."""
    monkeypatch.setattr("engine.mdp.enumeration.walk.SLOW_SECONDS", 0.0)
    assert caregrid.problem(caregrid.wrap(Sack, others=[])).solve(care=0).own == 0 + 1 + 2 + 3
    assert "its states seem to be continuous: its attribute 'agent_left' took 5" in capsys.readouterr().err


@pytest.mark.slow
def test_what_a_library_does_before_the_first_state_counts_as_well() -> None:
    class Compiling(Corridor):
        def reset(self, **settings: Any) -> Any:
            time.sleep(0.5)
            return super().reset(**settings)

    with pytest.raises(BadValue, match=r"more than 0.4 s: \d are done in .* s, \d wait; raise most_seconds"):
        caregrid.wrap(Compiling, others=[], most_seconds=0.4)


def test_a_world_with_too_many_tasks_is_solved_without_care(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody else acts, side effects are weighed by tasks, of which care 0 weighs none."""
    lake = caregrid.wrap("FrozenLake-v1", others=[])
    known = caregrid.problem(lake).solve(care=0).own
    monkeypatch.setattr("craftworld.others.auxiliary_tasks.MOST_TASKS_WITH_CHANCE", 3)
    problem = caregrid.problem(lake)
    assert problem.solve(care=0).own == known
    with pytest.raises(BadValue, match="16 states, with chance; ask for care=0, which weighs none of them, or draw"):
        problem.solve(care=1)
