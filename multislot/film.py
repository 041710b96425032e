"""Traces as films: one panel per slot, one colour per history, slot estimates P^i as bars, the graph of slot histories.

Environments that have a place to show (`multislot.scenarios.booth_corridor`) draw their own panels; the others get a
cell a slot. In the graph, deleted agents are crossed out. A violation of locality (`multislot.worlds.locality`) is
one picture: above, the slot histories of the two pasts that an agent cannot distinguish, the agent marked; below,
nu(c^ij o^j) in each as bars. Reference: The Multi-slot Framework, Definition 9.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from engine.errors import BadValue
from engine.scene import Bar, Bars, Edge, Film, Graph, Mark, Node, Scene
from multislot.futures import admit_any_slot
from multislot.planning.belief import compute_belief
from multislot.simulation import build_slot_history_graph, format_history
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label, Slot
from multislot.worlds.locality import JointSituation, LocalityViolation
from multislot.worlds.protocol import ProtocolStep, Trace

MOST_SLOTS = 24
NO_LABELS: Mapping[Label, str] = MappingProxyType({})


@runtime_checkable
class HasPanels(Protocol):
    """An environment whose slots are places that can be drawn."""

    def panel(self, slot: Slot, history: AgentHistory | None, role: str) -> Scene:
        """Return the place of a slot, with the agent of that history in it, if any, in that colour."""
        ...


def make_slot_film(
    environment: HistoryBasedEnvironment,
    trace: Trace,
    extra_slots: Collection[Slot] = (),
    labels: Mapping[Label, str] = NO_LABELS,
) -> Film:
    """Return a scene a time step; BadValue where there are too many slots to be seen.

    extra_slots: slots to show although they stay empty. labels: observations as a reader is to see them.
    """
    slots = require_few_slots(trace, extra_slots)
    return tuple(_draw_scene(environment, trace, step, slots, labels) for step in trace)


def require_few_slots(trace: Trace, extra_slots: Collection[Slot] = ()) -> list[Slot]:
    """Return the slots of a film; BadValue where there are too many to be seen."""
    slots = sorted({*extra_slots, *(slot for step in trace for slot in step.agent_set)})
    if len(slots) > MOST_SLOTS:
        raise BadValue(f"{len(slots)} slots do not fit into a picture", remedy="simulate fewer steps")
    return slots


def _draw_scene(
    environment: HistoryBasedEnvironment,
    trace: Trace,
    step: ProtocolStep,
    slots: list[Slot],
    labels: Mapping[Label, str],
) -> Scene:
    roles = _assign_roles(step)
    estimates = tuple(_draw_estimate(environment, history, role, slots) for history, role in roles.items())
    return Scene(
        caption=f"t = {step.time}: {_count_agents(len(step.agent_set))}, {_count_histories(len(roles))}",
        panels=tuple(_draw_panel(environment, step, slot, roles, labels) for slot in slots),
        charts=(*estimates, draw_slot_histories(trace, step, slots, roles)),
        columns=min(len(slots), 8),
    )


def _count_agents(number: int) -> str:
    return "1 agent" if number == 1 else f"{number} agents"


def _count_histories(number: int) -> str:
    return "1 history" if number == 1 else f"{number} histories"


def _assign_roles(step: ProtocolStep) -> dict[AgentHistory, str]:
    """Return a colour for each history that some agent has, in the order of the slots."""
    histories = dict.fromkeys(step.histories[slot] for slot in step.agent_set)
    return {history: f"history {number}" for number, history in enumerate(histories)}


def _draw_panel(
    environment: HistoryBasedEnvironment,
    step: ProtocolStep,
    slot: Slot,
    roles: dict[AgentHistory, str],
    labels: Mapping[Label, str],
) -> Scene:
    history = step.histories.get(slot)
    role = roles[history] if history is not None else "faded"
    if isinstance(environment, HasPanels):
        drawn = environment.panel(slot, history, role)
    else:
        marks = () if history is None else (Mark(0, 0, "@", "agent", role),)
        drawn = Scene((" ",), marks)
    label = step.observations.get(slot)
    observation = "" if label is None else f": observation {labels.get(label, label)}"
    caption = f"slot {slot}{observation}" if history is not None else f"slot {slot}: empty"
    return Scene(drawn.floor, drawn.marks, drawn.overlays, caption)


def _draw_estimate(environment: HistoryBasedEnvironment, history: AgentHistory, role: str, slots: list[Slot]) -> Bars:
    """Where an agent with this history is."""
    belief = compute_belief(environment, history, admit_any_slot)
    estimate = belief.estimate() if belief else {}
    shown = [(slot, estimate[slot]) for slot in slots if slot in estimate]
    bars = tuple(Bar(f"slot {slot}", float(probability), role, str(probability)) for slot, probability in shown)
    return Bars(f"slot estimate, history {format_history(history) or 'empty'}", bars, limit=1.0)


def draw_slot_histories(trace: Trace, step: ProtocolStep, slots: list[Slot], roles: dict[AgentHistory, str]) -> Graph:
    """The slot histories of the whole run, time to the right; the present agents in the colour of their history."""
    graph = build_slot_history_graph(trace)
    wide, high = max(len(trace) - 1, 1), max(len(slots) - 1, 1)
    nodes = tuple(
        Node(
            f"{time},{slot}",
            0.05 + 0.9 * time / wide,
            0.1 + 0.8 * slots.index(slot) / high if len(slots) > 1 else 0.5,
            str(slot),
            roles[step.histories[slot]] if time == step.time else "faded",
            crossed=time < step.time and graph.out_degree((time, slot)) == 0,
        )
        for time, slot in sorted(graph.nodes)
    )
    edges = tuple(
        Edge(f"{a},{i}", f"{b},{j}", "plain" if b == step.time else "faded") for (a, i), (b, j) in sorted(graph.edges)
    )
    return Graph("slot histories", nodes, edges)


def make_witness_film(violation: LocalityViolation) -> Film:
    """Return one scene: the two situations side by side; what differs between them is in the captions and the bars."""
    copies = sorted({*violation.laws[0], *violation.laws[1]}, key=str)
    panels = []
    for number, (situation, law) in enumerate(zip(violation.situations, violation.laws, strict=True), start=1):
        bars = tuple(
            Bar(f"slot {copy[0]}: {copy[1]}", float(law.get(copy, 0)), "agent", str(law.get(copy, 0)))
            for copy in copies
        )
        charts = (_draw_situation(situation, violation), Bars(f"copies of slot {violation.slot}", bars, limit=1.0))
        panels.append(Scene(caption=f"situation {number}: {_describe_actions(situation)}", charts=charts))
    return (Scene(caption=describe_violation(violation), panels=tuple(panels), columns=2),)


def describe_violation(violation: LocalityViolation) -> str:
    """Return what the agent cannot distinguish, in one line."""
    history = format_history(violation.history) or "empty"
    return f"slot {violation.slot}, history {history}, action {violation.action}: two laws of copies and observations"


def _describe_actions(situation: JointSituation) -> str:
    others = ", ".join(f"slot {slot} acts {action}" for slot, action in situation.actions.items())
    return f"t = {len(situation.past)}, {others}"


def _draw_situation(situation: JointSituation, violation: LocalityViolation) -> Graph:
    step = situation.past[-1]
    slots = sorted({slot for past in situation.past for slot in past.agent_set})
    roles = {
        history: "agent" if history == violation.history else "plain"
        for history in dict.fromkeys(step.histories[slot] for slot in step.agent_set)
    }
    return draw_slot_histories(situation.past, step, slots, roles)
