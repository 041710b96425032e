"""Traces for other eyes: as JSON and as the graph of slot histories.

In JSON a history is written "a,o;a,o"; time 0 has no actions, copies or observations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.errors import BadValue
from multislot.learning.mixture import Mixture
from multislot.worlds.environment import AgentHistory, Label
from multislot.worlds.protocol import ProtocolStep, Trace

if TYPE_CHECKING:
    import networkx as nx


def history_text(history: AgentHistory) -> str:
    """A history as "a,o;a,o"."""
    return ";".join(f"{action},{observation}" for action, observation in history)


def parse_history(text: str, mixture: Mixture) -> AgentHistory:
    """The history written "a,o;a,o", in the labels of a world; BadValue for an unknown one."""
    steps: list[tuple[Label, Label]] = []
    for number, pair in enumerate(text.split(";") if text.strip() else (), start=1):
        words = [word.strip() for word in pair.split(",")]
        if len(words) != 2:
            place = f"history, step {number}"
            raise BadValue(f"'{pair}' is not a step", place=place, remedy="write action,observation")
        steps.append((words[0], words[1]))
    return mixture.spelled(tuple(steps))


def trace_json(trace: Trace) -> list[dict[str, Any]]:
    """One object a time step, slots as strings."""
    return [_step_json(step) for step in trace]


def _step_json(step: ProtocolStep) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "t": step.time,
        "agent_set": list(step.agent_set),
        "histories": {str(slot): history_text(history) for slot, history in step.histories.items()},
        "slot_histories": {str(slot): list(slots) for slot, slots in step.slot_histories.items()},
    }
    if step.time:
        entry["actions"] = {str(slot): action for slot, action in step.actions.items()}
        entry["copy_set_list"] = {str(source): list(slots) for source, slots in step.copies.items()}
        entry["observations"] = {str(slot): observation for slot, observation in step.observations.items()}
    return entry


def slot_history_graph(trace: Trace) -> nx.DiGraph[tuple[int, int]]:
    """Nodes (t, slot) for every agent, an edge for every copy instance c^ij; edges carry `action` and `observation`."""
    import networkx as nx

    graph: nx.DiGraph[tuple[int, int]] = nx.DiGraph()
    for step in trace:
        for slot in step.agent_set:
            graph.add_node((step.time, slot), history=history_text(step.histories[slot]))
        for source, slots in step.copies.items():
            for slot in slots:
                graph.add_edge(
                    (step.time - 1, source),
                    (step.time, slot),
                    action=step.actions[source],
                    observation=step.observations[slot],
                )
    return graph
