"""The interaction protocol: all agents act, then all copies are made at once, then all observe, and so on.

S_t = union of the copy sets c^i_t; a slot in no copy set is empty, c^ii is not implicit, and copy sets of different
sources are disjoint. `advance` is the environment's half of a step; it checks every one of these rules and names the
time step, the slots and the sources where one is broken. A history-based environment takes part as `Independent`:
every slot follows its own law, drawn independently,

    nu(c o | all that happened) = product over occupied slots i of  nu(c^i o^i | h^i a^i, i)

Reference: The Multi-slot Framework, Definitions 2 to 7 and 9.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sized
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from engine.contracts import refuse
from engine.randomness.counter_based import inverse_cdf, uniform
from engine.user_code import describe_place, user_code
from multislot.errors import (
    ActionsMismatch,
    BadLaw,
    CopyConflict,
    ForeignAction,
    ForeignObservation,
    ObservationsMismatch,
    UnboundedStart,
    UnoccupiedSource,
)
from multislot.worlds.environment import (
    AgentHistory,
    CopyOutcome,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    check_slot,
    compute_state_after,
    get_checked_law,
    get_next_state,
)


class ProtocolResponse(NamedTuple):
    """What an environment may do: its probability, {source: copy set} and {slot: observation}."""

    probability: Fraction
    copies: Mapping[Slot, Collection[Slot]]
    observations: Mapping[Slot, Label]


class ProtocolStep(NamedTuple):
    """One time step: S_t; the actions, copy set list and observations that led there; agent and slot histories."""

    time: int
    agent_set: tuple[Slot, ...]
    actions: Mapping[Slot, Label]
    copies: Mapping[Slot, tuple[Slot, ...]]
    observations: Mapping[Slot, Label]
    histories: Mapping[Slot, AgentHistory]
    slot_histories: Mapping[Slot, tuple[Slot, ...]]


Trace: TypeAlias = tuple[ProtocolStep, ...]


class MultiSlotEnvironment(ABC):
    """Definition 5: a distribution over copy set lists and observations, given everything that happened.

    name, actions, observations (all possible ones) and initial (S_0) are attributes.
    """

    name: str
    actions: tuple[Label, ...]
    observations: Collection[Label]
    initial: Collection[Slot]

    def where(self) -> str:
        """Say where it is defined, for messages: the file, the class and its name."""
        return f"{describe_place(self)}, {self.name}"

    @abstractmethod
    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        """Return every response of positive probability; the probabilities sum to 1."""

    def draw(self, past: Trace, actions: Mapping[Slot, Label], key: int) -> ProtocolResponse:
        """Return one response, by its probability."""
        responses = get_checked_responses(self, past, actions)
        return responses[inverse_cdf([response.probability for response in responses], uniform(key, len(past)))]


def get_checked_responses(
    environment: MultiSlotEnvironment, past: Trace, actions: Mapping[Slot, Label]
) -> tuple[ProtocolResponse, ...]:
    """The responses. ContractBroken for what is none, BadLaw for negative probabilities and sums other than 1."""
    with user_code(f"{describe_place(environment)}, responses"):
        listed = tuple(environment.responses(past, actions))
    for response in listed:
        if not isinstance(response, ProtocolResponse) or not isinstance(response.probability, Fraction | int):
            refuse(environment, "responses", response, "ProtocolResponses with Fractions as probabilities")
    total = sum((response.probability for response in listed), Fraction(0))
    if total != 1 or any(response.probability < 0 for response in listed):
        place = f"{environment.where()}, t = {len(past)}"
        raise BadLaw(f"response probabilities {[str(r.probability) for r in listed]} sum to {total}", place=place)
    return listed


def make_initial_step(environment: MultiSlotEnvironment) -> ProtocolStep:
    """Time 0. UnboundedStart, BadSlot."""
    initial = environment.initial
    if not isinstance(initial, Sized) or not isinstance(initial, Collection):
        raise UnboundedStart(
            "S_0 is not a finite collection", place=f"{environment.where()}, t = 0", remedy="list its slots"
        )
    for slot in initial:
        check_slot(slot, f"{environment.where()}, t = 0")
    slots = tuple(sorted(set(initial)))
    return ProtocolStep(0, slots, {}, {}, {}, dict.fromkeys(slots, ()), {slot: (slot,) for slot in slots})


def advance(environment: MultiSlotEnvironment, past: Trace, actions: Mapping[Slot, Label], key: int) -> ProtocolStep:
    """Return the next moment after actions on exactly the occupied slots; an error of `multislot.errors` otherwise."""
    place = f"{environment.where()}, t = {len(past)}"
    check_actions(environment, past[-1].agent_set, actions, place)
    response = environment.draw(past, actions, key)
    check_response(environment, past[-1].agent_set, response, place)
    return make_next_step(past[-1], actions, response)


def check_actions(
    environment: MultiSlotEnvironment, agent_set: tuple[Slot, ...], actions: Mapping[Slot, Label], place: str
) -> None:
    """ActionsMismatch, ForeignAction."""
    if set(actions) != set(agent_set):
        problem = f"actions for slots {sorted(actions)}, agents on slots {list(agent_set)}"
        raise ActionsMismatch(problem, place=place, remedy="give one action for each occupied slot")
    for slot, action in actions.items():
        if action not in environment.actions:
            problem = f"unknown action {action!r} on slot {slot}"
            raise ForeignAction(problem, place=place, remedy=f"choose from {list(environment.actions)}")


def check_response(
    environment: MultiSlotEnvironment, agent_set: tuple[Slot, ...], response: ProtocolResponse, place: str
) -> None:
    """UnoccupiedSource, CopyConflict, BadSlot, ObservationsMismatch, ForeignObservation."""
    _check_shape(environment, response)
    source_of: dict[Slot, Slot] = {}
    for source, copies in response.copies.items():
        if source not in agent_set:
            problem = f"copies from empty slot {source} to {sorted(copies)}"
            raise UnoccupiedSource(problem, place=place, remedy=f"copy from {list(agent_set)} only")
        for slot in copies:
            check_slot(slot, f"{place}, source slot {source}")
            if source_of.setdefault(slot, source) != source:
                problem = f"slot {slot} is copied from both slot {source_of[slot]} and slot {source}"
                raise CopyConflict(problem, place=place, remedy="make the copy sets of different sources disjoint")
    if set(response.observations) != set(source_of):
        problem = f"observations for slots {sorted(response.observations)}, agents on slots {sorted(source_of)}"
        raise ObservationsMismatch(problem, place=place, remedy="give one observation for each slot in a copy set")
    for slot, observation in response.observations.items():
        if observation not in environment.observations:
            problem = f"unknown observation {observation!r} on slot {slot}"
            raise ForeignObservation(problem, place=place, remedy=f"choose from {list(environment.observations)}")


def _check_shape(environment: MultiSlotEnvironment, response: ProtocolResponse) -> None:
    """ContractBroken unless copies and observations are mappings, and copy sets collections of slots."""
    copies = response.copies
    if not isinstance(copies, Mapping) or any(not isinstance(slots, Collection) for slots in copies.values()):
        refuse(environment, "responses", copies, "{source: copy set} as the copies of a response")
    if not isinstance(response.observations, Mapping):
        refuse(environment, "responses", response.observations, "{slot: observation}")


def make_next_step(last: ProtocolStep, actions: Mapping[Slot, Label], response: ProtocolResponse) -> ProtocolStep:
    """Return the moment that a checked response leads to, with the histories and slot histories of its agents."""
    copies = {source: tuple(sorted(response.copies[source])) for source in sorted(response.copies)}
    copies = {source: slots for source, slots in copies.items() if slots}
    source_of = {slot: source for source, slots in copies.items() for slot in slots}
    slots = tuple(sorted(source_of))
    return ProtocolStep(
        last.time + 1,
        slots,
        dict(sorted(actions.items())),
        copies,
        {slot: response.observations[slot] for slot in slots},
        {j: (*last.histories[source_of[j]], (actions[source_of[j]], response.observations[j])) for j in slots},
        {j: (*last.slot_histories[source_of[j]], j) for j in slots},
    )


class Independent(MultiSlotEnvironment):
    """The slots of a history-based environment side by side."""

    def __init__(self, environment: HistoryBasedEnvironment) -> None:
        self.environment = environment
        self.name = environment.name
        self.actions = environment.actions
        self.observations = tuple(environment.rewards)
        self.initial = environment.initial
        self._states: dict[AgentHistory, HistoryState] = {}

    def where(self) -> str:
        """Where the history-based environment is defined."""
        return self.environment.where()

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        """Yield every combination of the slots' outcomes."""
        laws = self._find_laws(past, actions)
        for outcomes in product(*laws.values()):
            yield self._combine_outcomes(dict(zip(laws, outcomes, strict=True)))

    def draw(self, past: Trace, actions: Mapping[Slot, Label], key: int) -> ProtocolResponse:
        """Return each slot's outcome by its own number."""
        chosen = {
            slot: law[inverse_cdf([outcome.probability for outcome in law], uniform(key, len(past), slot))]
            for slot, law in self._find_laws(past, actions).items()
        }
        return self._combine_outcomes(chosen)

    def _find_laws(self, past: Trace, actions: Mapping[Slot, Label]) -> dict[Slot, Law]:
        histories = past[-1].histories
        before = self._states
        self._states = {}
        for history in histories.values():
            if history not in self._states:
                self._states[history] = self._find_state(history, before)
        return {
            slot: get_checked_law(self.environment, self._states[histories[slot]], slot, action)
            for slot, action in actions.items()
        }

    def _find_state(self, history: AgentHistory, before: Mapping[AgentHistory, HistoryState]) -> HistoryState:
        """Return the state of a history, from those of the step before where it follows one of them."""
        if not history or history[:-1] not in before:
            return compute_state_after(self.environment, history)
        return get_next_state(self.environment, before[history[:-1]], *history[-1])

    def _combine_outcomes(self, outcomes: Mapping[Slot, CopyOutcome]) -> ProtocolResponse:
        observations = {slot: label for outcome in outcomes.values() for slot, label in outcome.copies.items()}
        probability = prod((outcome.probability for outcome in outcomes.values()), start=Fraction(1))
        return ProtocolResponse(probability, {source: tuple(o.copies) for source, o in outcomes.items()}, observations)
