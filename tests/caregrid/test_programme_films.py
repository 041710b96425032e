"""Films of the other programmes: extended environments, slots and terminals, by name and with settings."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from caregrid.main import main
from caregrid.programmes.extended.film import run_turns
from caregrid.programmes.programme import make_film
from engine.errors import BadValue, UnknownName
from engine.scene import Bars, Graph, Strip
from multislot.errors import BadTable
from multislot.scenarios import SLOT_SCENARIOS
from renderers.drawing.picture import Painter
from xenv.environments import ENVIRONMENTS
from xenv.interaction_loop import run_environment


def strips(scene) -> dict[str, list[str]]:
    return {
        chart.name.partition(":")[0]: [tick.text for tick in chart.ticks]
        for chart in scene.charts
        if isinstance(chart, Strip)
    }


@pytest.mark.parametrize("name", sorted(set(ENVIRONMENTS) - {"punish_slow_agent"}))
def test_every_extended_environment_has_a_film(name: str) -> None:
    film = make_film(f"extended/{name}", {"turns": 5})
    shown = strips(film[-1])
    assert len(film) == 5
    assert {len(ticks) for ticks in shown.values()} == {5}
    assert {"observation", "action", "reward"} <= set(shown)


def test_the_film_is_the_run_and_asking_the_copy_changes_nothing() -> None:
    asked = run_turns("tempting_button", "q_learning", 30, lambda world: world.copy.act(0), key=3)
    record = run_environment("tempting_button", "q_learning", 30, key=3, record=True).record
    assert record is not None
    assert [turn.action for turn in asked] == record["action"].tolist()
    assert [turn.reward for turn in asked] == record["reward"].tolist()


def test_rewards_follow_the_copys_answers() -> None:
    for turn in run_turns("ignore_rewards", "q_learning", 40, lambda world: world.copy.act(world.question())):
        assert turn.reward == (1 if turn.action == turn.copy_action else -1)


@pytest.mark.parametrize("name", SLOT_SCENARIOS.names())
def test_every_slot_scenario_has_a_film(name: str) -> None:
    film = make_film(f"slots/{name}", {"horizon": 2, "policy": "first" if name == "universal" else "cpy"})
    assert len(film) == 3
    assert all(scene.panels for scene in film)


def test_slots_show_estimates_and_crossed_leaves() -> None:
    film = make_film("slots/copy_delete_original", {"horizon": 3, "policy": "always:1"})
    bars = [chart for chart in film[-1].charts if isinstance(chart, Bars)]
    (tree,) = [chart for chart in film[-1].charts if isinstance(chart, Graph)]
    assert all(sum(Fraction(bar.text) for bar in chart.bars) == 1 for chart in bars)
    assert [node.name for node in tree.nodes if node.crossed] == ["1,1"]


def test_one_colour_a_history() -> None:
    film = make_film("slots/exponential", {"horizon": 3, "policy": "always:1"})
    for scene in film:
        marks = [mark for panel in scene.panels for mark in panel.marks]
        assert marks
        assert len({mark.role for mark in marks}) == 1
    assert len(film[-1].panels) == 8


def test_terminals_show_production_line_and_update() -> None:
    film = make_film("terminal/car-factory", {"agent": "itf", "lobbying": "0.6"})
    assert "actions: p petrol cars, > lobby for later" in [chart.name for chart in film[5].charts]
    line = "".join(strips(film[-1])["actions"])
    assert ">" in line
    assert line.count("#") == 1
    assert np.ptp(Painter(16).picture(film[-1])) > 0


@pytest.mark.parametrize("ending", ["gif", "json"])
def test_recorded_from_the_command_line(ending: str, tmp_path: Path) -> None:
    out = tmp_path / f"film.{ending}"
    assert main(["record", "slots/teleport_move", "--set", "horizon=2", "--out", str(out)]) == 0
    assert main(["view", "extended/repeater", "--headless", "--frames", "3", "--out", str(out)]) == 0
    assert out.stat().st_size > 500


WORDS = {
    "crying_baby": ({"feed", "ignore"}, {"laughs", "cries"}),
    "crying_baby_2": ({"laugh", "cry"}, {"fed", "not fed"}),
    "newcomb": ({"one box", "both"}, {"boxes"}),
    "self_recognition": ({"false", "true"}, {"none", "at 0: 0", "at 0: 1", "at 1: 0", "at 1: 1"}),
    "tempting_button": ({"push", "skip"}, {"button", "empty"}),
}


@pytest.mark.parametrize("name", WORDS)
def test_actions_and_observations_that_mean_something_are_named(name: str) -> None:
    shown = strips(make_film(f"extended/{name}", {"turns": 40, "agent": "random"})[-1])
    actions, observations = WORDS[name]
    assert set(shown["action"]) <= actions
    assert set(shown["observation"]) <= observations
    kind = ENVIRONMENTS[name]
    assert len(set(kind.action_names)) == kind.n_actions == len(actions)
    assert len(kind.observation_names) == kind.n_observations


BAD = [
    ("slot/x", {}, UnknownName),
    ("slots/x", {}, BadTable),
    ("extended/x", {}, UnknownName),
    ("terminal/x", {}, UnknownName),
    ("slots/mono", {"horizon": -1}, BadValue),
    ("slots/mono", {"discount": "1/0"}, BadValue),
    ("slots/mono", {"turns": 3}, BadValue),
    ("extended/repeater", {"turns": 0}, BadValue),
    ("extended/repeater", {"key": -1}, BadValue),
    ("extended/repeater", {"agent": "nobody"}, UnknownName),
    ("terminal/car-factory", {"agent": "nobody"}, UnknownName),
]


@pytest.mark.parametrize(("name", "settings", "error"), BAD)
def test_bad_names_and_settings(name: str, settings: dict, error: type[Exception]) -> None:
    with pytest.raises(error) as refused:
        make_film(name, settings)
    assert "\n" not in str(refused.value)
