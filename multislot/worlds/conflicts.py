"""Can two agents be copied onto one slot? What is reachable within so many steps is searched, before it is valued.

    c^i and c^k of occupied slots i != k are disjoint, for all actions and all outcomes      (Definition 3)

A conflict is between two agents, so pairs of them are followed: two agents are together at time t + 1 if they are
copies of one outcome of one agent, or of two agents that were together at time t. Agents with equal histories act
alike (Definition 8); others may do anything. The slots draw independently. No pair is looked at where, at every time
step, each slot can be reached from one slot alone. Reference: The Multi-slot Framework, Definitions 3, 8 and 9.

Choices: the search ends after `MOST_LAWS` laws or `MOST_PAIRS` pairs, earlier time steps and lower slots first. From
there on only pairs of agents with one history are followed: those that a plan weighs against each other. No more than
`MOST_PAIRS` pairs of initial agents, or of copies of one agent, are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice
from typing import NamedTuple, TypeAlias

from multislot.errors import BadTable, CopyConflict
from multislot.worlds.environment import CheckedEnvironment, HistoryState, Label, Law, Slot

MOST_LAWS = 20_000
MOST_PAIRS = 20_000


class SlotAgent(NamedTuple):
    """An agent as far as the environment knows it: its slot and the state of its history."""

    slot: Slot
    state: HistoryState


class AgentPair(NamedTuple):
    """Two agents that can be there at once, and whether they then have the same history."""

    one: SlotAgent
    other: SlotAgent
    alike: bool


Agents: TypeAlias = frozenset[SlotAgent]


def refuse_conflicts(environment: CheckedEnvironment, steps: int) -> None:
    """CopyConflict, naming slots, states and probability, where two agents can be copied onto one slot.

    steps: how many time steps from the start are looked at.
    """
    if steps > environment.verified_steps:
        if _sources_may_meet(environment, steps):
            _search_pairs(environment, steps)
        environment.verified_steps = steps


def _sources_may_meet(environment: CheckedEnvironment, steps: int) -> bool:
    """Return whether at some time step one slot can be reached from two slots, be they occupied at once or not."""
    agents: Agents = frozenset(SlotAgent(slot, environment.start()) for slot in environment.initial)
    seen: set[Agents] = set()
    asked = 0
    for _ in range(steps):
        if agents in seen or not agents or asked > MOST_LAWS:
            return False
        seen.add(agents)
        source_of: dict[Slot, Slot] = {}
        later: set[SlotAgent] = set()
        for agent in agents:
            for action in environment.actions:
                asked += 1
                for copy in _list_copies(environment, agent, action):
                    if source_of.setdefault(copy.slot, agent.slot) != agent.slot:
                        return True
                    later.add(copy)
        agents = frozenset(later)
    return False


def _list_copies(environment: CheckedEnvironment, agent: SlotAgent, action: Label) -> Iterator[SlotAgent]:
    for outcome in _find_law(environment, agent, action):
        for slot, observation in outcome.copies.items():
            yield SlotAgent(slot, environment.update(agent.state, action, observation))


def _find_law(environment: CheckedEnvironment, agent: SlotAgent, action: Label) -> Law:
    """Return the law of an agent's slot; empty where a table has no rule, which is an error where a plan needs it."""
    try:
        return environment.law(agent.state, agent.slot, action)
    except BadTable:
        return ()


def _search_pairs(environment: CheckedEnvironment, steps: int) -> None:
    """Follow all pairs, each from the first time step at which it can be there."""
    agents = {SlotAgent(slot, environment.start()) for slot in environment.initial}
    first = (SlotAgent(slot, environment.start()) for slot in sorted(environment.initial))
    pairs = {AgentPair(one, other, True) for one, other in islice(combinations(first, 2), MOST_PAIRS)}
    known_agents, known = set(agents), set(pairs)
    for time in range(1, steps + 1):
        everyone = len(known) < MOST_PAIRS and len(known_agents) < MOST_LAWS
        born: set[AgentPair] = set()
        for pair in sorted(pairs, key=repr):
            if everyone or pair.alike:
                born |= _follow_pair(environment, pair, time)
        later: set[SlotAgent] = set()
        for agent in agents:
            for action in environment.actions:
                later.update(_list_copies(environment, agent, action))
                born.update(islice(_pair_siblings(environment, agent, action), MOST_PAIRS))
        agents, pairs = later - known_agents, born - known
        known_agents |= agents
        known |= pairs
        if not agents and not pairs:
            return


def _pair_siblings(environment: CheckedEnvironment, agent: SlotAgent, action: Label) -> Iterator[AgentPair]:
    """Yield the pairs among the copies of one outcome."""
    for outcome in _find_law(environment, agent, action):
        copies = sorted(outcome.copies.items())
        for n, (slot, observation) in enumerate(copies):
            one = SlotAgent(slot, environment.update(agent.state, action, observation))
            for other_slot, seen in copies[n + 1 :]:
                other = SlotAgent(other_slot, environment.update(agent.state, action, seen))
                yield AgentPair(one, other, observation == seen)


def _follow_pair(environment: CheckedEnvironment, pair: AgentPair, time: int) -> set[AgentPair]:
    """Return the pairs that a pair can become in one step; CopyConflict where both can be copied onto one slot."""
    born: set[AgentPair] = set()
    for action in environment.actions:
        for other_action in (action,) if pair.alike else environment.actions:
            first, second = _find_law(environment, pair.one, action), _find_law(environment, pair.other, other_action)
            _refuse_overlap(environment, pair, (action, other_action), (first, second), time)
            for slot, observation in {copy for outcome in first for copy in outcome.copies.items()}:
                one = SlotAgent(slot, environment.update(pair.one.state, action, observation))
                for other_slot, seen in {copy for outcome in second for copy in outcome.copies.items()}:
                    other = SlotAgent(other_slot, environment.update(pair.other.state, other_action, seen))
                    alike = pair.alike and observation == seen
                    born.add(AgentPair(one, other, alike) if slot < other_slot else AgentPair(other, one, alike))
    return born


def _refuse_overlap(
    environment: CheckedEnvironment, pair: AgentPair, actions: tuple[Label, Label], laws: tuple[Law, Law], time: int
) -> None:
    targets = [{slot for outcome in law for slot in outcome.copies} for law in laws]
    for slot in sorted(targets[0] & targets[1]):
        chances = [sum((o.probability for o in law if slot in o.copies), Fraction(0)) for law in laws]
        agents = ", ".join(
            f"slot {agent.slot} in state {agent.state!r} under action {action!r}"
            for agent, action in zip((pair.one, pair.other), actions, strict=True)
        )
        problem = (
            f"slot {slot} is copied from both slot {pair.one.slot} and slot {pair.other.slot}"
            f" with probability {chances[0] * chances[1]}: {agents}"
        )
        remedy = "make the copy sets of different sources disjoint"
        raise CopyConflict(problem, place=f"{environment.where()}, t = {time}", remedy=remedy)
