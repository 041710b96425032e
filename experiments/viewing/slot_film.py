"""A multi-slot trace as a film: a panel a slot, a colour and letter a history, P^i as bars, the tree of slot histories.

An agent that is deleted leaves a crossed-out leaf. Reference: The Multi-slot Framework, Definitions 4 and 7.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from string import ascii_uppercase
from typing import NamedTuple

from engine.scene import Bar, Bars, Edge, Film, Graph, Mark, Node, Scene
from multislot.environment import History, HistoryEnvironment, Label, Slot
from multislot.mixture import known
from multislot.protocol import Moment, Trace
from multislot.traces import slot_history_graph
from multislot.values import slot_estimate

ROOM = ("###", "# #", "###")
SHOWN, COLUMNS = 16, 4


class Words(NamedTuple):
    """Actions and observations as a reader knows them."""

    actions: Mapping[Label, str]
    observations: Mapping[Label, str]


def film_of_trace(environment: HistoryEnvironment, trace: Trace, words: Words, others: Collection[Slot] = ()) -> Film:
    """One scene a time step, with the first few slots. others: slots to show although nobody is ever in them."""
    slots = sorted({*others, *(slot for moment in trace for slot in moment.agent_set)})[:SHOWN]
    numbers: dict[History, int] = {}
    for moment in trace:
        for slot in moment.agent_set:
            numbers.setdefault(moment.histories[slot], len(numbers))
    return tuple(_scene(environment, trace[: moment.time + 1], slots, numbers, words) for moment in trace)


def _scene(
    environment: HistoryEnvironment,
    trace: Trace,
    slots: list[Slot],
    numbers: Mapping[History, int],
    words: Words,
) -> Scene:
    now, before = trace[-1], trace[-2] if len(trace) > 1 else None
    deeds = sorted({words.actions.get(action, str(action)) for action in now.actions.values()})
    told = f"time {now.time}: {' and '.join(deeds)}" if deeds else "time 0: before anything has happened"
    hidden = len(set(now.agent_set) - set(slots))
    return Scene(
        caption=told + (f" (and {hidden} agents more)" if hidden else ""),
        panels=tuple(_panel(environment, slot, now, before, numbers, words) for slot in slots),
        charts=(*_estimates(environment, now, slots, numbers), _tree(trace, slots, numbers)),
        columns=min(COLUMNS, len(slots)),
    )


def _panel(
    environment: HistoryEnvironment,
    slot: Slot,
    now: Moment,
    before: Moment | None,
    numbers: Mapping[History, int],
    words: Words,
) -> Scene:
    """A slot's room: who is in it, or whose copy was not made."""
    here = now if slot in now.agent_set else before if before is not None and slot in before.agent_set else None
    marks: tuple[Mark, ...] = ()
    if here is not None:
        number = numbers[here.histories[slot]]
        letter = _letter(number)
        marks = (Mark(1, 1, letter, f"history {letter}", f"history {number}", crossed=here is not now),)
    observed = now.observations.get(slot)
    paid = (
        ""
        if observed is None
        else f"{words.observations.get(observed, str(observed))}, gets {environment.rewards[observed]}"
    )
    return Scene(ROOM, marks, caption=f"slot {slot}", readings=(("sees", paid or "–"),))


def _estimates(
    environment: HistoryEnvironment, now: Moment, slots: list[Slot], numbers: Mapping[History, int]
) -> list[Bars]:
    """Where somebody with each of the present histories believes to be."""
    charts = []
    for history in dict.fromkeys(now.histories[slot] for slot in slots if slot in now.histories):
        estimate = slot_estimate(known(environment), history)
        role, letter = f"history {numbers[history]}", _letter(numbers[history])
        bars = tuple(
            Bar(f"slot {slot}", float(estimate.get(slot, 0)), role, str(estimate.get(slot, 0))) for slot in slots
        )
        charts.append(Bars(f"where am I, with history {letter}?", bars, limit=1.0))
    return charts


def _tree(trace: Trace, slots: list[Slot], numbers: Mapping[History, int]) -> Graph:
    graph, last = slot_history_graph(trace), trace[-1].time
    nodes = []
    for moment in trace:
        for slot in sorted(set(moment.agent_set) & set(slots)):
            number = numbers[moment.histories[slot]]
            gone = moment.time < last and graph.out_degree((moment.time, slot)) == 0
            name, role = _name(moment.time, slot), f"history {number}"
            nodes.append(Node(name, moment.time, slot, _letter(number), role, crossed=gone))
    edges = tuple(Edge(_name(*source), _name(*target)) for source, target in graph.edges)
    return Graph("slot histories: time to the right, slots downwards", tuple(nodes), edges)


def _letter(number: int) -> str:
    return ascii_uppercase[number % len(ascii_uppercase)]


def _name(time: int, slot: Slot) -> str:
    return f"{time}/{slot}"
