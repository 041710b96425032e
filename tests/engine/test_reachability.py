"""Which states may reach a goal, and how fast, against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.mdp.mdp import TabularMDP
from engine.mdp.reachability import Reachability, find_states_leading_to
from tests.engine.worlds import tables


def _graph(mdp: TabularMDP) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(mdp.terminal)))
    origin, action, slot = np.nonzero(mdp.probability > 0)
    graph.add_edges_from(zip(origin.tolist(), mdp.next_state[origin, action, slot].tolist(), strict=True))
    return graph


@given(tables(successors=2), st.data())
@settings(max_examples=60, deadline=None)
def test_states_that_lead_to_a_goal_are_its_ancestors(mdp: TabularMDP, data: st.DataObject) -> None:
    n = len(mdp.terminal)
    goal = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    origin, action, slot = np.nonzero(mdp.probability > 0)
    inside = find_states_leading_to(origin, mdp.next_state[origin, action, slot], goal)
    graph, goals = _graph(mdp), np.flatnonzero(goal).tolist()
    assert set(np.flatnonzero(inside).tolist()) == set(goals).union(*(nx.ancestors(graph, one) for one in goals))


@given(tables())
@settings(max_examples=40, deadline=None)
def test_steps_to_a_goal_reach_as_far_as_its_ancestors(mdp: TabularMDP) -> None:
    for goal in range(len(mdp.terminal)):
        found = np.flatnonzero(Reachability(mdp).steps_to(goal) >= 0).tolist()
        assert set(found) == {goal} | nx.ancestors(_graph(mdp), goal)
