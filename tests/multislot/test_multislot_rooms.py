"""Storyboard and twin: rooms on the engine's maps; without copies they have the engine's values; films of traces."""

from fractions import Fraction
from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import ContractBroken
from engine.grid import GridMap
from engine.mdp.tabulate import tabulate
from engine.planning.finite_horizon import plan_finite_horizon
from engine.scene import Bars, Graph
from multislot.film import make_slot_film
from multislot.learning import make_single_environment
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import slot_scenario
from multislot.scenarios.booth_corridor import Rooms, find_machine, make_booth_corridor_rooms
from multislot.simulation import simulate_slots
from multislot.worlds.mono_slot import MonoSlot

SLOW = Fraction(9, 10)
WALK = ["right", "use", "right", "right"]


def observed(words: str, actions: list[str]) -> list[dict[int, str]]:
    """What everyone observes, step by step, where the actions are done by the clock."""
    environment = slot_scenario(f"booth_corridor:{words}").environment
    moments = simulate_slots(environment, lambda history: actions[len(history)], len(actions))[1:]
    return [{slot: str(word) for slot, word in moment.observations.items()} for moment in moments]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("inert", [{1: "2"}, {1: "2"}, {1: "2"}, {1: "2"}]),
        ("delete", [{1: "2"}, {}, {}, {}]),
        ("move", [{1: "2"}, {2: "1"}, {2: "2 big"}, {2: "2 big"}]),
        ("copy", [{1: "2"}, {1: "1", 2: "1"}, {1: "2", 2: "2 big"}, {1: "2", 2: "2 big"}]),
        ("copy-then-delete", [{1: "2"}, {1: "1", 2: "1"}, {2: "2 big"}, {2: "2 big"}]),
        ("copy-with-bonus", [{1: "2"}, {1: "1 bonus", 2: "1 bonus"}, {1: "2", 2: "2 big"}, {1: "2", 2: "2 big"}]),
        (
            "copy,coloured",
            [{1: "red 2"}, {1: "red 1", 2: "blue 1"}, {1: "red 2", 2: "blue 2 big"}, {1: "red 2", 2: "blue 2 big"}],
        ),
    ],
)
def test_the_machines(words: str, expected: list[dict[int, str]]) -> None:
    assert observed(words, WALK) == expected


def test_the_machine_runs_once() -> None:
    again = ["right", "use", "right", "use", "use"]
    assert observed("copy", again)[3:] == [{1: "2", 2: "2 big"}] * 2
    assert observed("copy", ["use", "left", "left"]) == [{1: "1"}, {1: "0 small"}, {1: "0 small"}]


@pytest.mark.parametrize("look", ["alike", "coloured"])
def test_who_goes_where_for_a_bigger_coin(look: str) -> None:
    """Over a long life the copy-centred agent lets itself be moved or copied; the slot-centred ones never do."""
    taken = {
        (name, value): evaluate(make_booth_corridor_rooms(name, look), value, 10, SLOW).action
        for name in ("inert", "delete", "move", "copy")
        for value in ("cpy", "sta:1", "dyn")
    }
    going = {choice for choice, action in taken.items() if action == "right"}
    assert going == {("move", "cpy"), ("copy", "cpy")}
    assert {action for choice, action in taken.items() if choice not in going} == {"left"}


def test_a_coloured_room_is_worth_more_to_a_copy_than_one_that_looks_like_the_other() -> None:
    plain, coloured = (
        evaluate(make_booth_corridor_rooms("copy", look), "cpy", 10, SLOW).V for look in ("alike", "coloured")
    )
    assert plain < coloured


MAZE = GridMap.parse("@..#\n#.#c\n...C", {"@": "start", "c": "small", "C": "big"}, once=["start"])
COINS = {"small": Fraction(2, 5), "big": Fraction(1)}


@pytest.mark.parametrize("horizon", [1, 3, 6, 9])
@pytest.mark.parametrize("value", ["cpy", "sta:1", "dyn"])
def test_a_mono_slot_grid_world_has_the_values_of_the_engine(value: str, horizon: int) -> None:
    maze = Rooms("maze", {1: MAZE}, find_machine("inert"), COINS)
    for environment in (maze, make_booth_corridor_rooms("delete"), slot_scenario("mono").environment):
        mdp = tabulate(MonoSlot(environment), 0.75)
        engine = plan_finite_horizon(mdp, horizon)
        start = mdp.index[environment.start()]
        ours = evaluate(environment, value, horizon, Fraction(3, 4))
        assert [float(q) for q in ours.Q.values()] == pytest.approx(engine.action_value[start].tolist(), abs=1e-12)


def test_a_world_with_copies_is_no_mono_slot_world() -> None:
    with pytest.raises(ContractBroken, match=r"slot 1 is copied to \[1, 2\]"):
        tabulate(MonoSlot(make_booth_corridor_rooms("copy")), 0.9)


def test_films_show_rooms_histories_estimates_and_the_graph() -> None:
    environment = slot_scenario("split_tree").environment
    scenes = make_slot_film(environment, simulate_slots(environment, lambda history: 1, 3))
    assert [scene.caption[:5] for scene in scenes] == ["t = 0", "t = 1", "t = 2", "t = 3"]
    assert scenes[0].caption == "t = 0: 1 agent, 1 history"
    assert [len(scene.panels) for scene in scenes] == [3] * 4
    bars, graph = scenes[2].charts
    assert isinstance(bars, Bars)
    assert isinstance(graph, Graph)
    assert [(bar.label, bar.text) for bar in bars.bars] == [("slot 1", "1/3"), ("slot 2", "1/3"), ("slot 3", "1/3")]
    assert len({mark.role for panel in scenes[2].panels for mark in panel.marks}) == 1
    assert len({mark.role for panel in scenes[3].panels for mark in panel.marks}) == 2
    assert len(graph.edges) == 8
    assert {node.label: node.y for node in graph.nodes} == {"1": 0.1, "2": 0.5, "3": 0.9}


def test_films_of_rooms_show_the_agent_where_it_is() -> None:
    environment = make_booth_corridor_rooms("copy")
    trace = simulate_slots(
        environment, make_slot_policy("cpy", PolicyContext(make_single_environment(environment), 10, SLOW)), 3
    )
    last = make_slot_film(environment, trace)[-1]
    assert [scene.caption for scene in last.panels] == ["slot 1: observation 2", "slot 2: observation 2 big"]
    agents = [[mark.column for mark in panel.marks if mark.name.startswith("agent")] for panel in last.panels]
    assert agents == [[2], [2]]


def test_the_command_writes_a_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "swap.txt"
    command = ["multislot", "swap", "--simulate", "2", "--policy", "0", "--out", str(path)]
    assert main(command) == 0
    assert "slot 2: observation 1" in path.read_text()
    assert "t = 2: agents on slots 1, 2" in capsys.readouterr().out
    assert main(["multislot", "universal", "--simulate", "6", "--policy", "0", "--out", str(path)]) == 2
    assert "64 slots" in capsys.readouterr().err
