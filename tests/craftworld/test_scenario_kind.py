"""The kind "scenario": every registered one passes its checker; a user's own works, and each mistake is one line."""

from __future__ import annotations

import contextlib
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

KITCHEN = """\
from typing import NamedTuple

import numpy as np

from craftworld.scenario import MOVES, Newcomer, Option, Scenario, SimultaneousAgent, move, where


class KitchenState(NamedTuple):
    cell: int
    dirty: int


class Kitchen(Scenario):
    \"\"\"One cooks and may wash up before leaving; who comes next leaves by the same door.\"\"\"

    art = "######\\n#S DE#\\n######"
    legend = {"S": "start", "D": "dishes", "E": "exit"}
    once = ("start", "dishes", "exit")
    entrance = "start"
    actions = (*MOVES, "wash up")

    def __init__(self, grid=None, *, dirty: int = 1):
        super().__init__(grid)
        self.dirty = dirty
        self.sizes = (len(self.grid.floor), 2)

    def starts(self):
        return {KitchenState(self.cell("start"), self.dirty): 1.0}

    def step(self, state, action):
        if action == len(MOVES):
            return state._replace(dirty=where(self.at("dishes")[state.cell], 0, state.dirty))
        return state._replace(cell=move(self, state.cell, action))

    def is_terminal(self, state):
        return self.at("exit")[state.cell]

    def newcomers(self):
        return (Newcomer("next cook", Dinner(self.grid)),)

    def handover(self, state, newcomer):
        return KitchenState(0 * state.cell + self.cell("start"), state.dirty)

    def scene(self, state):
        return self.picture(state.cell)


class Dinner(Kitchen):
    def reward(self, state, action, next_state):
        return where(np.asarray(state.dirty) == 1, -2.0, -1.0)

    def newcomers(self):
        return ()
"""
Write = Callable[..., type]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write the kitchen, parts of it replaced, into the working directory, which is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def write_module(name: str, *replacements: tuple[str, str]) -> type:
        text = KITCHEN
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return SCENARIOS[f"{name}:Kitchen"]

    return write_module


@pytest.mark.parametrize("name", SCENARIOS.names())
def test_every_scenario_keeps_the_contract(name: str) -> None:
    check_scenario(SCENARIOS[name])


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
    assert (reward, terminated, info["performance"]) == (-1.0 - 3.0, True, -3.0)


def test_a_class_without_an_entrance_is_told_to_name_one(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("user_kitchen", ('    entrance = "start"\n', ""))
    assert main(["breakpoints", "user_kitchen:Kitchen"]) == 2
    assert "no 'entrance' on the map; draw it; or name another feature in the class" in capsys.readouterr().err


def test_where_one_is_shown_its_options_are(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("user_kitchen")
    assert main(["solve", "user_kitchen:Kitchen", "--set", "dirty=0", "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["others"] == {"next cook": -3.0}


SCENE = "    def scene(self, state):\n        return self.picture(state.cell)\n"
STEP = "        return state._replace(cell=move(self, state.cell, action))\n"
HANDOVER = '        return KitchenState(0 * state.cell + self.cell("start"), state.dirty)\n'
COMES = '        return (Newcomer("next cook", Dinner(self.grid)),)\n'
ENDS = '        return self.at("exit")[state.cell]\n'
MISTAKES = {
    "a missing method": (SCENE, "", "broken.py, class Kitchen: no 'scene'; define what Scenario leaves open"),
    "no scenario": (
        "class Kitchen(Scenario)",
        "class Kitchen(list)",
        "list.* is not a scenario|Kitchen.* is not a scenario",
    ),
    "no map": ("    art = ", "    drawing = ", "broken.py, class Kitchen: no 'art'; define art"),
    "no legend": ("    legend = ", "    letters = ", "broken.py, class Kitchen: no 'legend'; define legend"),
    "too few parameters": ("def is_terminal(self, state)", "def is_terminal(self)", r"called as is_terminal\(state\)"),
    "an option without a default": ("dirty: int = 1", "dirty: int", "option 'dirty' of __init__ has no default"),
    "an option without annotation": ("dirty: int = 1", "dirty=1", "option 'dirty' of __init__ has no annotation"),
    "a method that is none": (
        "    def newcomers(self):\n" + COMES,
        "    newcomers = ()\n",
        "'newcomers' is not a method",
    ),
    "no map is taken": ("self, grid=None, *, ", "self, *, ", "class Kitchen: __init__ takes no map"),
    "no sizes": ("self.sizes =", "self.size =", "class Kitchen: sizes gave None; expected a tuple of integers above 0"),
    "too few sizes": (
        "(len(self.grid.floor), 2)",
        "(len(self.grid.floor),)",
        "expected one size for each of cell, dirty",
    ),
    "no actions": (
        "    actions =",
        "    deeds =",
        "class Kitchen: actions gave None; expected a tuple of different words",
    ),
    "start probabilities": ("dirty): 1.0}", "dirty): 0.9}", "expected probabilities that sum to 1, not to 0.9"),
    "start states of floats": ("self.dirty): 1.0", "0.5): 1.0", "expected an integer from 0 to 1 in field 'dirty'"),
    "no start states": (
        '{KitchenState(self.cell("start"), self.dirty): 1.0}',
        "{}",
        "starts gave {}; expected a mapping",
    ),
    "steps of floats": (STEP, STEP.replace("cell=", "dirty=0.5 * state.dirty, cell="), "field 'dirty' of type float64"),
    "steps of another shape": (
        STEP,
        STEP.replace("cell=", "dirty=state.dirty[:0], cell="),
        r"field 'dirty' of shape \(0,\)",
    ),
    "a constant step": (STEP, STEP.replace("cell=", "dirty=1, cell="), "gave the constant 1 for field 'dirty'"),
    "a step that gives no state": (
        STEP,
        "        return 3\n",
        "step, action 'up', gave int; expected a NamedTuple of columns, or a list of pairs",
    ),
    "a step out of range": (
        STEP,
        STEP.replace("cell=", "dirty=state.dirty + 1, cell="),
        "'up', gave 2 to 2 in field 'dirty'",
    ),
    "writing into a state": (
        STEP,
        "        state.cell[:] = 0\n        return state\n",
        "line 33: ValueError: assignment dest",
    ),
    "chance in a step": (
        STEP,
        "        self.asked = 1 - getattr(self, 'asked', 0)\n"
        "        return state._replace(dirty=0 * state.dirty + self.asked)\n",
        "step gave two answers for field 'dirty'",
    ),
    "an if on columns": (
        STEP,
        "        if state.dirty:\n            return state\n" + STEP,
        "ValueError: The truth value of an",
    ),
    "rules of many at once": (
        STEP,
        STEP.replace("state.cell,", "np.full_like(state.cell, np.max(state.cell)),"),
        "among many",
    ),
    "an exception": (
        STEP,
        "        return {}['key']\n",
        "broken.py, class Kitchen, step: broken.py, line 33: KeyError: 'key'",
    ),
    "an exception in __init__": (
        "        self.dirty = dirty\n",
        "        1 / 0\n",
        "broken.py, line 24: ZeroDivisionError",
    ),
    "ends that are not truth values": (
        ENDS,
        "        return 0.0 * state.cell\n",
        "is_terminal gave an array of float64 of shape",
    ),
    "no end in reach": (
        ENDS,
        "        return state.cell < 0\n",
        "no terminal state can be reached from the start state Kitchen",
    ),
    "a constant handover": (
        HANDOVER,
        "        return KitchenState(0, 1)\n",
        "handover gave the constant 0 for field 'cell'",
    ),
    "a handover of floats": (HANDOVER, HANDOVER.replace("0 *", "0.0 *"), "handover gave field 'cell' of type float64"),
    "a handover out of range": (
        HANDOVER,
        HANDOVER.replace("state.dirty", "state.dirty + 7"),
        "handover to 'next cook' gave 7 to 8 in field 'dirty'; its size is 2: give 0 to 1",
    ),
    "no handover": (
        "    def handover",
        "    def hand_over",
        "broken.py, class Kitchen: no 'handover'; define what newcomers begin with",
    ),
    "two newcomers of one name": (
        COMES,
        COMES.replace("),)", "),) * 2"),
        "newcomers names 'next cook' twice; give each a name",
    ),
    "a newcomer without a world": (
        COMES,
        COMES.replace("Dinner(self.grid)", "Dinner"),
        "to act in a scenario .an instance.",
    ),
    "a newcomer's probability": (
        COMES,
        COMES.replace("grid)", "grid), 1.5"),
        "newcomers gave 1.5; expected a probability between",
    ),
    "probabilities that sum to less": (
        COMES,
        COMES.replace("grid)", "grid), 0.5"),
        "newcomers gave .0.5.; expected probabilities that",
    ),
    "a newcomer's rules": ("-2.0, -1.0)", "None, -1.0)", "class Dinner: reward gave an array of object of shape"),
    "a newcomer's weight": (
        COMES,
        COMES.replace("grid)", "grid), weight=np.inf"),
        "newcomers gave inf; expected a finite weight",
    ),
    "nobody for the formulation": (COMES, "        return ()\n", "'expected' needs newcomers, and 'kitchen' has none"),
    "an unknown formulation": (
        "    entrance =",
        "    default_formulation = 'expcted'\n    entrance =",
        "unknown formulation 'expcted'",
    ),
    "a scene that is none": (
        SCENE,
        "    def scene(self, state):\n        return 'a kitchen'\n",
        "scene gave 'a kitchen'; expected a Sc",
    ),
    "a scene off the floor": (
        "picture(state.cell)",
        "picture(state.cell, (Mark(9, 9, 'x', 'cat'),))",
        "expected one letter on the floor",
    ),
    "a scene of one state that fails": (
        SCENE,
        SCENE.replace("return", "assert state.dirty\n        return"),
        "line 45: AssertionError",
    ),
    "a column of a fixed length": (
        "    def newcomers",
        "    def reward(self, s, a, t):\n        return [1.0, 2.0]\n\n    def newcomers",
        "class Kitchen: reward gave .* of shape .2,.; expected one finite number, or a column of 3",
    ),
    "no finite reward": (
        "    def newcomers",
        "    def reward(self, s, a, t):\n        return -np.inf\n\n    def newcomers",
        "reward, action 'up': reward -inf is not finite",
    ),
    "a discount": (
        "    entrance =",
        "    discount = 1.5\n    entrance =",
        "discount gave 1.5; expected a number from 0 to 1",
    ),
    "a time limit": (
        "    entrance =",
        "    time_limit = 0\n    entrance =",
        "time_limit gave 0; expected a number of steps",
    ),
    "learning": ("    entrance =", "    learning = 7\n    entrance =", "learning gave 7; expected a LearningProtocol"),
    "a simultaneous agent's reward": (
        "    def handover",
        "    def simultaneous_agents(self):\n        return (SimultaneousAgent('cat', lambda *_: np.zeros(3)),)\n\n"
        "    def handover",
        "the reward of 'cat' gave array.*; expected a finite number, or a column of",
    ),
    "an option's initiation set": (
        "    def handover",
        "    def options(self):\n        return (Option('eat', lambda state: 0.5 + 0 * state.cell, 1.0),)\n\n"
        "    def handover",
        "the initiation set of 'eat' gave array.*; expected true or false",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_one_line(write: Write, mistake: str) -> None:
    old, new, message = MISTAKES[mistake]
    imports = ("import NamedTuple\n", "import NamedTuple\n\nfrom engine.scene import Mark\n".replace("\n\n", "\n"))
    replacements = [(old, new)] if mistake != "a scene off the floor" else [imports, (old, new)]
    with pytest.raises(ContractBroken, match=message) as caught:
        check_scenario(write("broken", *replacements))
    assert "\n" not in str(caught.value)
    assert "broken.py" in str(caught.value)


@pytest.mark.parametrize(
    "mistake", ["a missing method", "no sizes", "an exception", "a constant handover", "a handover of floats"]
)
def test_commands_say_it_in_one_line_too(write: Write, mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    old, new, _ = MISTAKES[mistake]
    with contextlib.suppress(ContractBroken):
        write("broken", (old, new))
    assert main(["solve", "broken:Kitchen"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("caregrid: broken.py, class Kitchen")
    assert error.count("\n") == 1
    assert main(["solve", "garden", "--json"]) == 0


NAMED_BY_COMMANDS = {
    "start states of floats": "starts gave 0.5 for field 'dirty'",
    "steps of floats": "step, action 'up', gave field 'dirty' of type float64",
    "steps of another shape": "step, action 'up', gave field 'dirty' of shape (0,) for 1 states",
    "a constant step": "step, action 'up', gave the constant 1 for field 'dirty'",
    "a step that gives no state": "step, action 'up', gave int",
    "a step out of range": "step, action 'up', gave 2 to 2 in field 'dirty'",
    "writing into a state": "class Kitchen, step: wrong.py, line 33: ValueError: assignment destination is read-only",
    "ends that are not truth values": "is_terminal gave an array of float64",
    "a column of a fixed length": "reward, action 'up', gave an array of float64 of shape (2,)",
    "no finite reward": "class Kitchen, reward, action 'up': reward -inf is not finite",
}


@pytest.mark.parametrize("mistake", NAMED_BY_COMMANDS)
def test_commands_name_the_method_that_gave_a_wrong_thing(
    write: Write, mistake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, _ = MISTAKES[mistake]
    write("wrong", (old, new))
    assert main(["solve", "wrong:Kitchen"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("caregrid: wrong.py, class Kitchen")
    assert NAMED_BY_COMMANDS[mistake] in error
    assert error.count("\n") == 1


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
    place = "unpainted.py, class Kitchen, scene: unpainted.py, line 45"
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
