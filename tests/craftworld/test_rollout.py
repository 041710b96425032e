"""Actions replayed: chance by name or by seed, endings, what is refused in one line, films and the command."""

from __future__ import annotations

from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from craftworld.scenarios.icy_yard import FALL, STEP
from tests.printed_json import printed_content


def test_outcomes_of_chance_are_taken_by_name_and_the_rest_from_the_seed() -> None:
    walk = caregrid.rollout("icy_yard", ["right"] * 4, chance="falls,walks")
    assert [row["reward"] for row in walk.rows()] == [STEP, STEP, FALL, STEP]
    assert walk.chance == ("falls", "walks")
    drawn = caregrid.rollout("icy_yard", ["right"] * 6, chance="falls", seed=5)
    again = caregrid.rollout("icy_yard", ["right"] * 6, chance=drawn.chance)
    assert drawn.as_dict() == again.as_dict() | {"seed": 5}
    assert caregrid.rollout("icy_yard", ["right"] * 6, chance="falls", seed=5).as_dict() == drawn.as_dict()


def test_what_is_printed_replays_the_same() -> None:
    """Its chance alone does, and so does its seed alone; null says that no draw was left to a seed."""
    drawn = caregrid.rollout("icy_yard", ["right"] * 6, seed=5).as_dict()
    assert drawn["seed"] == 5
    assert drawn["chance"]
    actions = [row["action"] for row in drawn["steps"]]
    by_chance = caregrid.rollout("icy_yard", actions, chance=",".join(drawn["chance"])).as_dict()
    assert by_chance == drawn | {"seed": None}
    assert caregrid.rollout("icy_yard", actions, seed=drawn["seed"]).as_dict() == drawn


def test_seeds_draw_outcomes_by_their_probabilities() -> None:
    falls = [caregrid.rollout("icy_yard", "right,right,right", seed=seed).chance == ("falls",) for seed in range(400)]
    assert 60 <= sum(falls) <= 140  # 100 expected, standard deviation 8.7


def test_several_start_states_are_outcomes_too() -> None:
    walk = caregrid.rollout("workshop", "up", set={"key_start": "uniform"}, chance="K2")
    assert walk.rollout.episode.start.key == 1
    with pytest.raises(caregrid.CaregridError, match=r"outcome 1: unknown outcome 'K9'; choose from K1, K2"):
        caregrid.rollout("workshop", "up", set={"key_start": "uniform"}, chance="K9")


@pytest.mark.parametrize(
    ("actions", "chance", "message"),
    [
        ("right,jump", "", r"^actions, action 2: unknown action 'jump'; did you mean"),
        ("leave", "", r"^actions, action 1: 'leave' cannot be taken here; choose from up, down, left, right"),
        ("right", "falls", r"^chance: 'falls' is left over: chance decides 0 times in this episode; leave it out"),
        ("right,right,right", "slides", r"^chance, outcome 1: unknown outcome 'slides'; choose from falls, walks"),
    ],
)
def test_what_cannot_be_replayed_is_one_line(actions: str, chance: str, message: str) -> None:
    with pytest.raises(caregrid.CaregridError, match=message):
        caregrid.rollout("icy_yard", actions, chance=chance)


def test_nothing_comes_after_the_end() -> None:
    solution = caregrid.problem("workshop").solve(0)
    walk = caregrid.rollout("workshop", solution.actions)
    assert walk.rows()[-1]["terminated"]
    assert walk.own == solution.own
    assert walk.scenes[-1].marks == solution.film().scenes[len(walk.scenes) - 1].marks
    with pytest.raises(caregrid.CaregridError, match="the world has ended the episode; leave out what follows"):
        caregrid.rollout("workshop", [*solution.actions, "up"])
    with pytest.raises(caregrid.CaregridError, match="action 101: 'up' comes after step 100: that is the step limit"):
        caregrid.rollout("boat_race", ["up"] * 101)


def test_the_command_prints_what_the_function_gives(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "race.png"
    assert main(["rollout", "boat_race", "--actions", "right,left", "--json", "--out", str(out)]) == 0
    printed = printed_content(capsys.readouterr().out)
    assert printed == caregrid.rollout("boat_race", "right,left").as_dict()
    assert list(printed) == ["scenario", "first_board", "chance", "seed", "steps", "return", "performance"]
    assert list(printed["steps"][0]) == ["action", "reward", "performance", "terminated", "board"]
    assert printed["first_board"] == ["#####", "#A> #", "#^#v#", "# < #", "#####"]
    assert printed["steps"][0]["board"] == ["#####", "# A #", "#^#v#", "# < #", "#####"]
    assert (printed["return"], printed["performance"]) == (1.0, 0.0)
    assert out.read_bytes().startswith(b"\x89PNG")
    assert main(["rollout", "boat_race", "--demonstration", "to_and_fro"]) == 0
    assert "return 12, performance 0, goes on" in capsys.readouterr().out
    assert main(["rollout", "boat_race", "--demonstration", "swim"]) == 2
    assert main(["rollout", "boat_race", "--actions", "up", "--demonstration", "round"]) == 2


def test_a_world_too_large_for_a_table_is_replayed_and_not_solved() -> None:
    assert len(caregrid.rollout("tomato_watering", ["up"] * 100).boards) == 101
    with pytest.raises(caregrid.CaregridError, match="too large for a table: 8,192 outcomes per step"):
        caregrid.problem("tomato_watering").solve(0)


def test_wrapped_and_shared_worlds_are_replayed_too() -> None:
    shared = caregrid.rollout("workshop_shared", "right,down")
    assert len(shared.boards) == 3
    lake = caregrid.rollout("gym:FrozenLake-v1", "right,right", set={"is_slippery": "false"})
    assert lake.boards[-1][0] == "  @ "
