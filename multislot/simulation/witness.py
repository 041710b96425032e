"""A violation of locality as a picture: two pasts that an agent cannot distinguish, and the different laws after them.

Above, the slot histories of both pasts, the agent marked; below, nu(c^ij o^j) in each as bars. Reference: The
Multi-slot Framework, Definition 9.
"""

from __future__ import annotations

from engine.scene import Bar, Bars, Film, Graph, Scene
from multislot.simulation.film import graph_of_slots
from multislot.simulation.traces import history_text
from multislot.validity.locality import LocalityViolation
from multislot.validity.situations import JointSituation


def witness_film(violation: LocalityViolation) -> Film:
    """One scene: the two situations side by side; what differs between them is in the captions and the bars."""
    copies = sorted({*violation.laws[0], *violation.laws[1]}, key=str)
    panels = []
    for number, (situation, law) in enumerate(zip(violation.situations, violation.laws, strict=True), start=1):
        bars = tuple(
            Bar(f"slot {copy[0]}: {copy[1]}", float(law.get(copy, 0)), "agent", str(law.get(copy, 0)))
            for copy in copies
        )
        charts = (_graph(situation, violation), Bars(f"copies of slot {violation.slot}", bars, limit=1.0))
        panels.append(Scene(caption=f"situation {number}: {_actions(situation)}", charts=charts))
    return (Scene(caption=statement(violation), panels=tuple(panels), columns=2),)


def statement(violation: LocalityViolation) -> str:
    """What the agent cannot distinguish, in one line."""
    history = history_text(violation.history) or "empty"
    return f"slot {violation.slot}, history {history}, action {violation.action}: two laws of copies and observations"


def _actions(situation: JointSituation) -> str:
    others = ", ".join(f"slot {slot} acts {action}" for slot, action in situation.actions.items())
    return f"t = {len(situation.past)}, {others}"


def _graph(situation: JointSituation, violation: LocalityViolation) -> Graph:
    step = situation.past[-1]
    slots = sorted({slot for past in situation.past for slot in past.agent_set})
    roles = {
        history: "agent" if history == violation.history else "plain"
        for history in dict.fromkeys(step.histories[slot] for slot in step.agent_set)
    }
    return graph_of_slots(situation.past, step, slots, roles)
