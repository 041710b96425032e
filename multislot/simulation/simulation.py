"""Running the protocol with agents in the slots: act, copy, observe, repeat.

Copies are made in parallel, from the memories after acting, and are deep: two copies share nothing that can change.
Reference: The Multi-slot Framework, Definition 4.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy

from engine.contracts import called, refuse
from engine.limits.effort import ASK_FIRST, Effort
from multislot.errors import ActionsMismatch
from multislot.simulation.agents import HistoryBasedAgent, Memory
from multislot.worlds.environment import HistoryBasedEnvironment, HistoryPolicy, Label, Slot
from multislot.worlds.independent import Independent
from multislot.worlds.protocol import MultiSlotEnvironment, Trace, advance, initial_step


def simulate_slots(
    environment: MultiSlotEnvironment | HistoryBasedEnvironment,
    agents: Mapping[Slot, Memory] | HistoryPolicy,
    steps: int,
    key: int = 0,
    effort: Effort = ASK_FIRST,
) -> Trace:
    """Time 0 to `steps` of a run. agents: the memory of each initial slot, or one policy for all of them.

    The agents that are given are copied, and stay as they are. Raises the errors of `multislot.errors` where agents or
    environment break the protocol, ContractBroken for an agent without a good `run`, and BadValue, with an
    estimate, where the histories of all agents together are longer than `effort` allows.
    """
    world = environment if isinstance(environment, MultiSlotEnvironment) else Independent(environment)
    trace: Trace = (initial_step(world),)
    memories = _first_memories(agents, trace[0].agent_set, world.name)
    observations: Mapping[Slot, Label] = {}
    work = effort.in_steps(steps, "steps in the histories of agents", f"simulation of {steps} steps")
    for time in range(steps):
        work.step((time + 1) * max(len(memories), 1))
        actions, after_acting = act(memories, observations)
        step = advance(world, trace, actions, key)
        memories, observations = copy_memories(after_acting, step.copies), step.observations
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
    result = called(memory, "run", observation)
    if not isinstance(result, tuple) or len(result) != 2:
        refuse(memory, "run", result, "a pair (action, memory)")
    action, after = result
    return action, after


def copy_memories(memories: Mapping[Slot, Memory], copies: Mapping[Slot, Collection[Slot]]) -> dict[Slot, Memory]:
    """The memories after copying: only slots in a copy set, each with its own deep copy of the source's memory."""
    return {slot: deepcopy(memories[source]) for source, slots in copies.items() for slot in slots}
