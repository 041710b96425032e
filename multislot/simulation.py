"""Running the protocol with agents in the slots: act, copy, observe, repeat; traces as JSON and as graphs.

    <a_t, m_tc> = m_{t-1}(o_{t-1})

An agent is a memory: running it on an observation gives an action and the memory that is left, which may be another.
`Memory` is the general, possibly self-modifying agent; `HistoryBasedAgent` remembers its history and follows one
policy. Copies are made in parallel, from the memories after acting, and are deep: two copies share nothing that can
change. In JSON a history is written "a,o;a,o"; time 0 has no actions, copies or observations. Reference: The
Multi-slot Framework, Definitions 1, 4 and 8.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from engine.contracts import call_method, refuse
from engine.effort import ASK_FIRST, Effort
from multislot.errors import ActionsMismatch
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, HistoryPolicy, Label, Slot
from multislot.worlds.protocol import Independent, MultiSlotEnvironment, ProtocolStep, Trace, advance, make_initial_step

if TYPE_CHECKING:
    import networkx as nx


class Memory(Protocol):
    """The content of an occupied slot."""

    def run(self, observation: Label | None) -> tuple[Label, Memory]:
        """Return the action, and the memory after it; the observation is None at the first step."""
        ...


@dataclass(frozen=True)
class HistoryBasedAgent:
    """Definition 8: a history (with the action last taken, whose observation is still to come) and a policy."""

    policy: HistoryPolicy
    history: AgentHistory = ()
    acted: tuple[Label, ...] = ()

    def run(self, observation: Label | None) -> tuple[Label, HistoryBasedAgent]:
        """Complete the history with the observation and ask the policy."""
        history = self.history
        if self.acted and observation is not None:
            history = (*history, (self.acted[0], observation))
        action = self.policy(history)
        return action, HistoryBasedAgent(self.policy, history, (action,))

    def __deepcopy__(self, memo: dict[int, Any]) -> HistoryBasedAgent:
        """Return a copy with its own policy; histories cannot change and are shared."""
        return HistoryBasedAgent(deepcopy(self.policy, memo), self.history, self.acted)


def simulate_slots(
    environment: MultiSlotEnvironment | HistoryBasedEnvironment,
    agents: Mapping[Slot, Memory] | HistoryPolicy,
    steps: int,
    key: int = 0,
    effort: Effort = ASK_FIRST,
) -> Trace:
    """Return time 0 to `steps` of a run. agents: the memory of each initial slot, or one policy for all of them.

    The agents that are given are copied, and stay as they are. Raises the errors of `multislot.errors` where agents or
    environment break the protocol, ContractBroken for an agent without a good `run`, and BadValue, with an
    estimate, where the histories of all agents together are longer than `effort` allows.
    """
    world = environment if isinstance(environment, MultiSlotEnvironment) else Independent(environment)
    trace: Trace = (make_initial_step(world),)
    memories = _first_memories(agents, trace[0].agent_set, world.name)
    observations: Mapping[Slot, Label] = {}
    work = effort.in_steps(steps, "steps in the histories of agents", f"simulation of {steps} steps")
    for time in range(steps):
        work.step((time + 1) * max(len(memories), 1))
        actions, after_acting = act(memories, observations)
        step = advance(world, trace, actions, key)
        memories = copy_memories(after_acting, step.copies)
        observations = step.observations
        trace = (*trace, step)
    return trace


def _first_memories(
    agents: Mapping[Slot, Memory] | HistoryPolicy, slots: tuple[Slot, ...], name: str
) -> Mapping[Slot, Memory]:
    if not isinstance(agents, Mapping):
        return {slot: HistoryBasedAgent(agents) for slot in slots}
    if set(agents) != set(slots):
        problem = f"agents for slots {sorted(agents)}, S_0 is {list(slots)}"
        raise ActionsMismatch(problem, place=f"{name}, t = 0", remedy="give one agent for each slot of S_0")
    return {slot: deepcopy(agents[slot]) for slot in slots}


def act(
    memories: Mapping[Slot, Memory], observations: Mapping[Slot, Label]
) -> tuple[dict[Slot, Label], dict[Slot, Memory]]:
    """Every agent runs on its own observation: the actions and the memories after them.

    ContractBroken, naming the agent, where its `run` raises or does not return a pair.
    """
    results = {slot: _run(memory, observations.get(slot)) for slot, memory in memories.items()}
    actions = {slot: action for slot, (action, _) in results.items()}
    return actions, {slot: memory for slot, (_, memory) in results.items()}


def _run(memory: Memory, observation: Label | None) -> tuple[Label, Memory]:
    result = call_method(memory, "run", observation)
    if not isinstance(result, tuple) or len(result) != 2:
        refuse(memory, "run", result, "a pair (action, memory)")
    action, after = result
    return action, after


def copy_memories(memories: Mapping[Slot, Memory], copies: Mapping[Slot, Collection[Slot]]) -> dict[Slot, Memory]:
    """The memories after copying: only slots in a copy set, each with its own deep copy of the source's memory."""
    return {slot: deepcopy(memories[source]) for source, slots in copies.items() for slot in slots}


def format_history(history: AgentHistory) -> str:
    """Return a history as "a,o;a,o"."""
    return ";".join(f"{action},{observation}" for action, observation in history)


def format_trace(trace: Trace) -> list[dict[str, Any]]:
    """Return one object a time step, slots as strings."""
    return [_format_step(step) for step in trace]


def _format_step(step: ProtocolStep) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "t": step.time,
        "agent_set": list(step.agent_set),
        "histories": {str(slot): format_history(history) for slot, history in step.histories.items()},
        "slot_histories": {str(slot): list(slots) for slot, slots in step.slot_histories.items()},
    }
    if step.time:
        entry["actions"] = {str(slot): action for slot, action in step.actions.items()}
        entry["copy_set_list"] = {str(source): list(slots) for source, slots in step.copies.items()}
        entry["observations"] = {str(slot): observation for slot, observation in step.observations.items()}
    return entry


def build_slot_history_graph(trace: Trace) -> nx.DiGraph[tuple[int, int]]:
    """Nodes (t, slot) for every agent, an edge for every copy instance c^ij; edges carry `action` and `observation`."""
    import networkx as nx

    graph: nx.DiGraph[tuple[int, int]] = nx.DiGraph()
    for step in trace:
        for slot in step.agent_set:
            graph.add_node((step.time, slot), history=format_history(step.histories[slot]))
        for source, slots in step.copies.items():
            for slot in slots:
                graph.add_edge(
                    (step.time - 1, source),
                    (step.time, slot),
                    action=step.actions[source],
                    observation=step.observations[slot],
                )
    return graph
