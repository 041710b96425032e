"""The diagrams, their incentives, how ITC's was made from ITF's, and their pictures."""

import math
import re
import struct
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from caregrid.main import main
from counterfactual.agents import PLANNING_AGENTS, PlanningAgent
from counterfactual.contract_checks import check_planning_agent
from counterfactual.influence.diagrams import find_diagram, make_planning_diagram
from counterfactual.influence.graph import add_parents, find_rewiring
from counterfactual.influence.incentives import INCENTIVES
from counterfactual.influence.picture import draw_diagram_scene, make_diagram_picture, place_nodes
from engine.errors import BadValue, ContractBroken
from engine.scene import Graph
from renderers.charts import lay_out_graph
from renderers.drawing import palette
from renderers.text import draw

HORIZONS = [1, 2, 3, 7, 50]


@pytest.mark.parametrize("horizon", HORIZONS)
@pytest.mark.parametrize(("name", "nodes", "edges"), [("itf", (4, 2), 11), ("itc", (4, 2), 10), ("citc", (3, 2), 7)])
def test_sizes(name: str, nodes: tuple[int, int], edges: int, horizon: int) -> None:
    diagram = find_diagram(name)(horizon)
    assert len(diagram) == nodes[0] * horizon + nodes[1]
    assert diagram.number_of_edges() == edges * horizon
    assert nx.is_directed_acyclic_graph(diagram)


@pytest.mark.parametrize("horizon", HORIZONS)
def test_control_incentives(horizon: int) -> None:
    control = INCENTIVES["control_incentive"]
    on_x = {f"X_{t}" for t in range(1, horizon + 1)}
    assert set(control(find_diagram("itf")(horizon))) == on_x | {f"I_{t}" for t in range(1, horizon)}
    assert set(control(find_diagram("itc")(horizon))) == set(control(find_diagram("citc")(horizon))) == on_x
    assert control(find_diagram("learning")(horizon)) == []


def test_what_was_rerouted_and_deleted() -> None:
    made = find_rewiring(find_diagram("itf")(3), find_diagram("itc")(3))
    assert {reroute.after for reroute in made.rerouted} == {("I_0", f"{letter}_{t}") for letter in "AR" for t in (1, 2)}
    assert {reroute.before for reroute in made.rerouted} == {(f"I_{t}", f"{n}_{t}") for n in "AR" for t in (1, 2)}
    assert set(made.deleted) == {(f"I_{t}", f"X_{t + 1}") for t in range(3)}
    assert made.added == ()


def test_single_decision_incentives_of_a_step() -> None:
    itf = find_diagram("itf")(1)
    assert set(INCENTIVES["response_incentive"](itf)) == {"X_0", "I_0"}
    assert set(INCENTIVES["value_of_information"](itf)) == {"X_0", "I_0"}
    assert set(INCENTIVES["value_of_control"](itf)) == {"X_0", "I_0", "X_1"}


def test_an_irrelevant_observation_is_worth_nothing() -> None:
    diagram: nx.DiGraph = nx.DiGraph()
    add_parents(diagram, "A_0", "W_0")
    add_parents(diagram, "R_0", "A_0", "S_0")
    add_parents(diagram, "W_1", "S_0")
    assert INCENTIVES["response_incentive"](diagram) == []
    assert INCENTIVES["value_of_information"](diagram) == ["S_0", "W_1"]
    assert INCENTIVES["value_of_control"](diagram) == ["S_0"]
    assert INCENTIVES["control_incentive"](diagram) == []


@pytest.mark.parametrize("name", ["response_incentive", "value_of_information", "value_of_control"])
def test_single_decision_criteria_refuse_more(name: str) -> None:
    with pytest.raises(BadValue, match="2 decisions"):
        INCENTIVES[name](find_diagram("itf")(2))


@pytest.mark.parametrize("name", ["Race", "_0", "Race_", "Race_x", "Race_-1", "", 5, "<b>_0", "two words_0"])
def test_a_node_is_named_by_a_word_and_a_step(name: str) -> None:
    with pytest.raises(ContractBroken, match="a word and a time step"):
        add_parents(nx.DiGraph(), name, "X_0")


def test_nodes_of_ones_own_words_are_chance_unless_another_kind_is_given() -> None:
    diagram: nx.DiGraph = nx.DiGraph()
    add_parents(diagram, "High_School_0", "Race_0", "Exam_0")
    add_parents(diagram, "Exam_0", kind="decision")
    assert dict(diagram.nodes.data("kind")) == {"Race_0": "chance", "Exam_0": "decision", "High_School_0": "chance"}
    assert dict(diagram.nodes.data("letter"))["High_School_0"] == "High_School"
    with pytest.raises(ContractBroken, match="choose from chance, decision, utility"):
        add_parents(diagram, "Grade_0", kind="reward")


def test_a_diagram_of_ones_own_words_is_placed_by_depth() -> None:
    diagram: nx.DiGraph = nx.DiGraph()
    for node, parents in {"B_0": "A_0", "C_0": "A_0 B_0", "D_0": "", "R_0": "C_0 D_0"}.items():
        add_parents(diagram, node, *parents.split())
    place = place_nodes(diagram)
    assert len(set(place.values())) == len(diagram)
    assert all(place[source][0] < place[target][0] for source, target in diagram.edges)


def test_no_horizon_no_diagram() -> None:
    with pytest.raises(BadValue, match="horizon is 0; give a whole number from 1 to 1000"):
        find_diagram("itc")(0)


def draw_graph_of(name: str, horizon: int) -> Graph:
    """The graph that every renderer draws."""
    [chart] = draw_diagram_scene(make_diagram_picture(name, horizon)).charts
    assert isinstance(chart, Graph)
    return chart


def test_the_drawing_has_every_node_and_arrow_once_and_marks_what_matters() -> None:
    graph = draw_graph_of("itc", 3)
    diagram = find_diagram("itc")(3)
    assert [node.name for node in graph.nodes] == list(diagram)
    assert [(edge.source, edge.target) for edge in graph.edges] == list(diagram.edges)
    assert {node.name for node in graph.nodes if node.ring} == {"X_1", "X_2", "X_3"}
    assert {node.name for node in graph.nodes if node.role == "utility"} == {"R_0", "R_1", "R_2"}
    green = {(edge.source, edge.target) for edge in graph.edges if edge.role == "changed"}
    assert green == {("I_0", f"{letter}_{t}") for letter in "AR" for t in (1, 2)}
    assert {(node.label, node.subscript) for node in graph.nodes} == {tuple(name.split("_")) for name in diagram}
    assert [key.sign for key in graph.legend] == ["square", "diamond", "ring", "arrow"]


def test_a_record_is_marked_in_the_learning_world_alone() -> None:
    graph = draw_graph_of("learning", 2)
    assert {node.label for node in graph.nodes if node.role == "record"} == {"P", "Q"}
    assert "record: P of X, Q of I" in [key.words for key in graph.legend]
    assert not any(key.role == "record" for key in draw_graph_of("split_state", 2).legend)


def test_svg_and_png_are_one_drawing(tmp_path: Path) -> None:
    """The SVG has the PNG's size, and spells every label, subscript and word of the legend as text."""
    pytest.importorskip("contourpy")
    for ending in ("svg", "png"):
        line = f"terminal diagram --agent itc --horizon 3 --out {tmp_path / f'itc.{ending}'}"
        assert main(line.split()) == 0
    text = (tmp_path / "itc.svg").read_text(encoding="utf-8")
    root = ET.fromstring(text)
    header = (tmp_path / "itc.png").read_bytes()[16:24]
    assert (int(root.get("width", "0")), int(root.get("height", "0"))) == struct.unpack(">II", header)
    words = Counter(element.text for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert words >= Counter("IIIIXXXXAAARRR") + Counter(str(t) for t in range(3) for _ in range(4)) + Counter("33")
    assert {"decision", "utility", "control incentive", "rerouted from ITF"} <= set(words)
    green, orange = (f"#{bytes(palette.colour(role)).hex()}" for role in ("changed", "danger"))
    assert text.count(green) == 2 * (4 + 1)  # shaft and head of four arrows, and of the legend's
    assert text.count(orange) == 3 + 1


@pytest.mark.parametrize("horizon", [1, 3])
@pytest.mark.parametrize("name", ["itf", "itc", "citc", "fc", "learning", "split_state"])
def test_no_arrow_passes_behind_another_node(name: str, horizon: int) -> None:
    graph = draw_graph_of(name, horizon)
    layout = lay_out_graph(graph, 676, 10.56)
    for edge, line in zip(graph.edges, layout.lines, strict=True):
        assert len(line) > 1
        for node in {node.name for node in graph.nodes} - {edge.source, edge.target}:
            near = min(math.dist(point, layout.centres[node]) for point in _along(line))
            assert near > 1.1 * layout.radius, (edge, node)


def _along(line: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Points along straight pieces."""
    for (x, y), (right, down) in pairwise(line):
        yield from ((x + (right - x) * i / 20, y + (down - y) * i / 20) for i in range(21))


def test_a_diagram_says_what_its_own_graph_says_about_the_signal() -> None:
    assert "allows" in make_diagram_picture("itf", 3).note
    assert "rules out" in make_diagram_picture("itc", 3).note


def test_the_drawing_in_words_says_the_same() -> None:
    drawn = draw(draw_diagram_scene(make_diagram_picture("itc", 2)))
    assert "  I0 -> A1 (rerouted from ITF)" in drawn.splitlines()
    assert "  control incentive: X1, X2" in drawn.splitlines()
    assert all(0 <= node.x <= 1 and 0 <= node.y <= 1 for node in draw_graph_of("itc", 2).nodes)


def test_the_balancing_agent_has_a_diagram_of_its_own() -> None:
    made = find_rewiring(find_diagram("itf")(3), find_diagram("fc")(3))
    assert set(made.added) == {(f"I_{t + 1}", f"R_{t}") for t in range(3)}
    control = INCENTIVES["control_incentive"]
    assert set(control(find_diagram("fc")(2))) == {"X_1", "X_2", "I_1", "I_2"}


def test_an_agent_that_declares_nothing_may_depend_on_everything() -> None:
    diagram = make_planning_diagram(PlanningAgent(PLANNING_AGENTS["itf"].function))(1)
    assert set(diagram.predecessors("R_0")) == {"X_0", "X_1", "I_0", "I_1"}
    assert set(diagram.predecessors("A_0")) == {"X_0", "I_0"}


def _draw(function: Callable[..., Any], horizon: int) -> set[tuple[str, str]]:
    return set(make_planning_diagram(PlanningAgent(function))(horizon).edges)


def test_an_agent_that_declares_nothing_may_plan_by_the_signal_of_the_present() -> None:
    assert {("I_0", "X_2"), ("I_0", "I_2"), ("I_0", "A_1")} <= _draw(PLANNING_AGENTS["itf"].function, 2)


LIAR = '''
from counterfactual.agents import PlanningAgent
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld, list_joint_outcomes
from counterfactual.planning_world import reward_function


@PlanningAgent.depending_on(next_x=("X", "A"), next_signal=("X", "I", "A"), reward=("I_0", "X", "X'"))
def liar(learned, signal):
    """Plans with the later signals, and says that it does not."""
    reward = reward_function(learned)

    def outcomes(step, now, action):
        physics = learned.physics(step, now.x, action)
        for weight, next_x, events, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(now.signal, events))

    return PlanningWorld(learned, outcomes)
'''


def test_a_diagram_is_not_drawn_of_a_declaration_that_lies(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    module = written(LIAR)
    assert main(["terminal", "diagram", "--agent", f"{module}:liar"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"{module}.py" in printed.err
    assert "a reward changes with the signal, and 'reward' is declared to depend on I_0, X, X'" in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    honest = written(LIAR, "reward(now.signal, events)", "reward(signal, events)")
    assert main(["terminal", "diagram", "--agent", f"{honest}:liar"]) == 0


LIES = [  # what the reward is, and what it is declared to depend on
    ("reward(signal, events) + now.x[0]", ("I_0", "X'"), "a reward changes with the world"),
    ("reward(signal, events)", ("I_0", "X"), "a reward changes with the next state"),
    ("0 * events[0] + sent", ("I_0", "X", "X'"), "a reward changes with the next signal"),
    ("reward(signal, events)", ("X", "X'"), "a reward changes with the signal of the present"),
]


@pytest.mark.parametrize(("reward", "declared", "complaint"), LIES)
def test_validate_finds_an_input_of_a_reward_that_is_not_declared(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str], reward: str, declared: tuple[str], complaint: str
) -> None:
    agent = LIAR.replace('("I_0", "X", "X\'")', str(declared))
    assert main(["validate", "planning_agents", f"{written(agent, 'reward(now.signal, events)', reward)}:liar"]) == 2
    assert complaint in capsys.readouterr().err
    everything = str(("I_0", "I", "I'", "X", "X'"))
    agent = LIAR.replace('("I_0", "X", "X\'")', everything)
    assert main(["validate", "planning_agents", f"{written(agent, 'reward(now.signal, events)', reward)}:liar"]) == 0


WRONG = [
    ("itf", {"reward": ("I", "X")}, "a reward changes with the next state"),
    ("itf", {"next_x": ("I", "A"), "reward": ("I", "X", "X'")}, "physics changes with the world"),
    ("itf", {"next_x": ("I", "X"), "reward": ("I", "X", "X'")}, "physics changes with the action"),
    ("itf", {"next_signal": ("I", "A"), "reward": ("I", "X", "X'")}, "the next signal changes with the world"),
    ("itf", {"next_signal": ("I", "X"), "reward": ("I", "X", "X'")}, "the next signal changes with the action"),
    ("itf", {"next_signal": ("X", "A"), "reward": ("I", "X", "X'")}, "the next signal changes with the signal"),
    ("shutdown_seeking", {"reward": ("X", "X'", "I'")}, "a reward changes with the signal"),
    ("itf", {"reward": ("X", "X'")}, "a reward changes with the signal"),
    ("itf", {"next_x": ("X", "A"), "reward": ("I", "X", "X'")}, "physics changes with the signal"),
    ("itc", {"next_x": ("X", "A"), "reward": ("X", "X'")}, "a reward changes with the signal of the present"),
    ("citc", {"next_x": ("X", "A"), "reward": ("I_0", "X", "X'")}, "plans without later signals"),
    ("fc", {"reward": ("I", "X", "X'")}, "a reward changes with the next signal"),
    ("itc", {"next_x": ("X", "A"), "next_signal": (), "reward": ("I_0", "X", "X'")}, "plans with later signals"),
]


@pytest.mark.parametrize(("agent", "kernels", "complaint"), WRONG)
def test_a_dependency_that_is_not_declared_is_found(agent: str, kernels: dict, complaint: str) -> None:
    declared = PlanningAgent.depending_on(**kernels)(PLANNING_AGENTS[agent].function)
    with pytest.raises(ContractBroken, match=complaint):
        check_planning_agent(declared)


def test_a_dependency_that_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(ContractBroken, match="next_x depends on 'R'"):
        PlanningAgent.depending_on(next_x=("X", "R"))(PLANNING_AGENTS["itf"].function)
    with pytest.raises(ContractBroken, match="depends on later signals, and there are none"):
        PlanningAgent.depending_on(next_signal=())(PLANNING_AGENTS["itf"].function)


def test_the_learning_world_is_built_in_three_steps() -> None:
    """Joining signal and rest gives the first diagram back; leaving the records out gives the second one."""
    first, second, third = (find_diagram(name)(3) for name in ("interaction", "split_state", "learning"))
    without = third.subgraph(node for node in third if node[0] not in "PQ")
    assert set(without.edges) == set(second.edges)
    joined = {(re.sub("[XI]_", "S_", source), re.sub("[XI]_", "S_", target)) for source, target in second.edges}
    assert joined == set(first.edges)
