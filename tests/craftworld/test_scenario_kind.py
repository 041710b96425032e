"""The kind "scenario": every registered one passes its checker; a user's own works, and each mistake is one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caregrid.gym.scenario import GymnasiumWorld
from caregrid.main import main
from craftworld.others.value_distribution import precompute
from craftworld.scenario import Newcomer
from craftworld.scenario_contract import check_scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.playroom import Playroom
from craftworld.solution.exact_solution import solve
from craftworld.solution.problem import make_problem
from engine.errors import BadValue, ContractBroken
from engine.mdp.tabulate import tabulate
from tests.printed_json import printed_content
from tests.users_files import read_right_file

KITCHEN = read_right_file("scenarios", "Kitchen")
Write = Callable[..., type]


@pytest.fixture
def write(users_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write the kitchen, parts of it replaced, into the working directory, which is forgotten afterwards."""

    def write_module(name: str, *replacements: tuple[str, str]) -> type:
        text = KITCHEN
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        (users_folder / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return SCENARIOS[f"{name}:Kitchen"]

    return write_module


def test_a_users_own_scenario_is_a_scenario_like_any_other(write: Write) -> None:
    kitchen = write("user_kitchen")
    check_scenario(kitchen)
    check_scenario(make_scenario(kitchen, dirty=0))
    problem = make_problem(make_scenario(kitchen))
    assert [solve(problem, care)[0].others["next cook"] for care in (0.0, 1.0)] == [-6.0, -3.0]
    with pytest.raises(BadValue, match="Kitchen: unknown option 'dirt'; did you mean 'dirty'"):
        make_scenario(kitchen, dirt=0)


COMMANDS = {
    "solve": ["--care", "1", "--draw"],
    "breakpoints": [],
    "sweep": ["--care", "0:2:1", "--seeds", "1", "--workers", "2", "--out", "swept"],
    "view": ["--headless", "--out", "seen.gif"],
    "record": ["--care", "1", "--out", "film.gif"],
    "compare": ["--care", "0,1"],
    "precompute": ["--out", "values.npz"],
    "play": ["--headless", "--out", "played.gif"],
}


@pytest.mark.slow_cases("sweep")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_it(write: Write, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("user_kitchen")
    code = main([command, "user_kitchen:Kitchen", *COMMANDS[command]])
    assert code == 0
    assert "caregrid:" not in capsys.readouterr().err


def test_it_is_a_gymnasium_environment(write: Write) -> None:
    write("user_kitchen")
    world = GymnasiumWorld("user_kitchen:Kitchen", care=1.0, dirty=1)
    world.reset(seed=0)
    for action in ("right", "right", "wash up"):
        _, _, terminated, _, info = world.step(world.mdp.actions.index(action))
        assert not terminated
    _, reward, terminated, _, info = world.step(world.mdp.actions.index("right"))
    assert (reward, terminated, info["welfare"]) == (-1.0 - 3.0, True, -3.0)


def test_a_class_without_an_entrance_is_told_to_name_one(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("user_kitchen", ('    entrance = "start"\n', ""))
    assert main(["breakpoints", "user_kitchen:Kitchen"]) == 2
    assert "no 'entrance' on the map; draw it; or name another feature in the class" in capsys.readouterr().err


def test_where_one_is_shown_its_options_are(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("user_kitchen")
    assert main(["solve", "user_kitchen:Kitchen", "--set", "dirty=0", "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["others"] == {"next cook": -3.0}


SCENE = "    def scene(self, state):\n        return self.picture(state.cell)\n"


def test_a_wrong_glyph_of_its_own_map_is_named_with_file_and_class(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("glyph", ("#S DE#", "#S DEQ"))
    assert main(["solve", "glyph:Kitchen"]) == 2
    error = capsys.readouterr().err.splitlines()[0]
    assert error.startswith("caregrid: glyph.py, class Kitchen, art, row 1, column 5: unknown glyph 'Q'")


DRAWING = {
    "view": ["--headless", "--out", "seen.gif"],
    "record": ["--care", "1", "--out", "film.gif"],
    "solve": ["--draw"],
    "compare": [],
}


@pytest.mark.parametrize("command", DRAWING)
def test_a_scene_that_fails_is_one_line_of_every_command_that_draws(
    write: Write, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("unpainted", (SCENE, "    def scene(self, state):\n        raise ValueError('no paint')\n"))
    assert main([command, "unpainted:Kitchen", *DRAWING[command]]) == 2
    place = "unpainted.py, class Kitchen, scene: unpainted.py, line 46"
    assert capsys.readouterr().err == f"caregrid: {place}: ValueError: no paint; mend it there\n"


def test_our_own_mistakes_are_not_laid_at_the_users_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("craftworld.solution.exact_solution.solve", lambda *_: {}["missing"])
    with pytest.raises(KeyError, match="missing"):
        main(["solve", "garden"])


class _Declared(Playroom):
    """A playroom with an option of every plain type."""

    def __init__(
        self, grid: Any = None, *, word: str = "a", whole: int = 1, number: float = 0.5, flag: bool = False
    ) -> None:
        super().__init__(grid)
        self.given = (word, whole, number, flag)


@pytest.mark.parametrize(
    ("options", "given"),
    [({"word": 2}, ("2", 1, 0.5, False)), ({"number": 1}, ("a", 1, 1, False)), ({"flag": "yes"}, ("a", 1, 0.5, True))],
)
def test_options_are_read_as_they_are_declared(options: dict[str, Any], given: tuple[Any, ...]) -> None:
    made: Any = make_scenario(_Declared, **options)
    assert made.given == given


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"whole": "x"}, "'whole' is 'x'; give a whole number"),
        ({"whole": 0.5}, "'whole' is 0.5"),
        ({"number": "much"}, "'number' is 'much'; give a number"),
        ({"flag": "perhaps"}, "'flag' is 'perhaps'; give True or False"),
        ({"word": True}, "'word' is True; give a text"),
    ],
)
def test_options_of_another_type_are_refused_by_name(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadValue, match=words):
        make_scenario(_Declared, **options)


@pytest.mark.parametrize(
    ("newcomers", "words"),
    [
        ([("a", 0.5, 1.0), ("a", 0.5, 1.0)], "newcomers names 'a' twice"),
        ([("a", 2.0, 1.0)], "gave 2.0; expected a probability between 0 and 1 for 'a'"),
        ([("a", -1.0, 1.0), ("b", 2.0, 1.0)], "gave -1.0; expected a probability"),
        ([("a", "1", 1.0)], "gave '1'; expected a probability"),
        ([("a", 1.0, 1e308)], "gave 1e\\+308; expected a finite weight"),
        ([("", 1.0, 1.0)], "expected a word for each name"),
    ],
)
def test_newcomers_are_checked_where_their_values_are_computed(
    newcomers: list[tuple[str, Any, Any]], words: str
) -> None:
    class Wrong(Playroom):
        """A playroom with odd newcomers."""

        def newcomers(self) -> Any:
            world = super().newcomers()[0].scenario
            return tuple(Newcomer(name, world, probability=p, weight=weight) for name, p, weight in newcomers)

    scenario: Any = Wrong()
    with pytest.raises(ContractBroken, match=words):
        precompute(scenario, tabulate(scenario))
