"""The incentives of published diagrams, as an independent implementation of the criteria (pycid 0.8.2) gives them."""

import networkx as nx
import pytest

from counterfactual.influence.incentives import INCENTIVES

# name: (edges, decision, utilities, control, response, value of information, value of control)
PUBLISHED = {
    "5node_cid": (
        "S1>D S1>U1 D>U1 D>U2 S2>D S2>U2",
        "D",
        "U1 U2",
        "",
        "S1 S2",
        "S1 S2",
        "S1 S2",
    ),
    "quantitative_voi_cid": (
        "S>X S>U X>D D>U",
        "D",
        "U",
        "",
        "S X",
        "S X",
        "S X",
    ),
    "introduced_bias": (
        "A>X X>D X>Y Z>X Z>Y Y>U D>U",
        "D",
        "U",
        "",
        "A X Z",
        "A X Y Z",
        "A X Y Z",
    ),
    "fitness_tracker": (
        "TD>TF TF>SC TF>C SC>C SC>EWD C>F EF>EWD EWD>C P>D P>SC P>F",
        "C",
        "F",
        "",
        "P SC TD TF",
        "D P SC TF",
        "P SC TD TF",
    ),
    "car_accident_predictor": (
        "B>N N>AP N>P AP>Accu P>Race Race>Accu Age>Adt Adt>Race M>AP",
        "AP",
        "Accu",
        "",
        "B N",
        "Adt Age N P Race",
        "Adt Age B N P Race",
    ),
    "content_recommender": (
        "O>I O>M I>C M>P P>I P>C",
        "P",
        "C",
        "I",
        "M O",
        "M O",
        "I M O",
    ),
    "content_recommender2": (
        "O>M M>P P>I P>C I>C",
        "P",
        "C",
        "I",
        "",
        "",
        "I",
    ),
    "modified_content_recommender": (
        "O>I O>M M>P M>C P>I P>C",
        "P",
        "C",
        "",
        "M O",
        "M",
        "M O",
    ),
    "grade_predictor": (
        "R>HS HS>E HS>P E>Gr P>Ac Gr>Ac Ge>P",
        "P",
        "Ac",
        "",
        "HS R",
        "E Gr HS",
        "E Gr HS R",
    ),
}
CRITERIA = ("control_incentive", "response_incentive", "value_of_information", "value_of_control")


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_diagrams(name: str) -> None:
    edges, decision, utilities, *expected = PUBLISHED[name]
    diagram: nx.DiGraph = nx.DiGraph([edge.split(">") for edge in edges.split()])
    for node in diagram:
        kind = "decision" if node == decision else "utility" if node in utilities.split() else "chance"
        diagram.nodes[node].update(kind=kind, letter=node, step=0)
    for criterion, nodes in zip(CRITERIA, expected, strict=True):
        assert sorted(INCENTIVES[criterion](diagram)) == nodes.split(), criterion
