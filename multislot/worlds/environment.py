"""History-based environments: what happens to slot i depends only on the history of the agent in it, and on i.

    nu(c^ij o^j | all that happened) = nu(c^ij o^j | h^i a^i, i, j)

A history enters through a state z: `start()` for the empty history and `update(z, action, observation)` after it, so
that histories with the same future share a state. `law(z, slot, action)` lists the outcomes of one slot: a
probability and, for every copy, the observation that it receives; an outcome without copies deletes the agent, and
"no copy" has to be listed like any other. In a `TimeDependentEnvironment` the state is the time step: for worlds with
ever more slots, which no finite table describes. Reference: The Multi-slot Framework, Definitions 3, 5 and 9.

Differs from the paper: Definition 9 fixes the law of each slot alone; the slots are drawn independently here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from engine.contracts import call_method, refuse
from engine.user_code import describe_place
from multislot.errors import BadLaw, BadSlot, ForeignObservation

Slot: TypeAlias = int
Label: TypeAlias = str | int
HistoryState: TypeAlias = Hashable
AgentHistory: TypeAlias = tuple[tuple[Label, Label], ...]
"""h^i: the (action, observation) pairs of an agent, oldest first."""
HistoryPolicy: TypeAlias = Callable[[AgentHistory], Label]
"""A deterministic policy of history-based agents (Definition 8)."""


class CopyOutcome(NamedTuple):
    """One outcome of a slot's step: its probability and {copy slot: observation received there}."""

    probability: Fraction
    copies: Mapping[Slot, Label]


Law: TypeAlias = tuple[CopyOutcome, ...]


class SlotTransition(NamedTuple):
    """One action on one slot: the slot, its copy law, the time step (from 1), the reward of each observation."""

    slot: Slot
    law: Law
    time: int
    rewards: Mapping[Label, Fraction]


class HistoryBasedEnvironment(ABC):
    """Definition 9: the environment of one agent on a slot, as a function of its history. All methods are pure.

    name: for messages. actions: in the order that breaks ties. rewards: every observation with the reward r(o)
    extracted from it. initial: the slots occupied at time 0. All four are attributes.
    """

    name: str
    actions: tuple[Label, ...]
    rewards: Mapping[Label, Fraction]
    initial: tuple[Slot, ...]

    def where(self) -> str:
        """Where it is defined, for messages: the file, the class and its name."""
        return f"{describe_place(self)}, {self.name}"

    @abstractmethod
    def start(self) -> HistoryState:
        """The state of the empty history."""

    @abstractmethod
    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """The state after one more action and observation."""

    @abstractmethod
    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """The outcomes of one slot whose agent has a history with that state and acts so; probabilities sum to 1."""

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """A slot with the same future, for agents with a history of that state; by default the slot itself.

        Interchangeable slots have one representative. Their laws are equal up to the numbers of the copies, and copies
        that correspond have one representative again; an agent that stays corresponds to one that stays.
        """
        return slot


def get_first_state(environment: HistoryBasedEnvironment) -> HistoryState:
    """The state of the empty history; ContractBroken where `start` raises, or gives what cannot be hashed."""
    return _require_hashable(environment, "start", call_method(environment, "start"))


def get_next_state(
    environment: HistoryBasedEnvironment, state: HistoryState, action: Label, observation: Label
) -> HistoryState:
    """The state after one more action and observation; ContractBroken as in `get_first_state`."""
    return _require_hashable(environment, "update", call_method(environment, "update", state, action, observation))


def _require_hashable(environment: HistoryBasedEnvironment, method: str, state: HistoryState) -> HistoryState:
    try:
        _ = {state}
    except Exception:  # its class may be a user's own
        refuse(environment, method, state, "a state that can be hashed, such as a tuple")
    return state


def get_checked_law(environment: HistoryBasedEnvironment, state: HistoryState, slot: Slot, action: Label) -> Law:
    """The law of a slot, checked, its impossible outcomes left out.

    Raises ContractBroken where `law` raises or gives no outcomes, BadLaw, BadSlot, ForeignObservation.
    """
    law = call_method(environment, "law", state, slot, action)
    if not isinstance(law, Sequence) or not all(isinstance(outcome, CopyOutcome) for outcome in law):
        refuse(environment, "law", law, "a tuple of CopyOutcome")
    for probability, copies in law:
        if not isinstance(probability, Fraction | int):
            refuse(environment, "law", probability, "a Fraction as the probability of an outcome")
        if not isinstance(copies, Mapping):
            refuse(environment, "law", copies, "{copy slot: observation} as the copies of an outcome")
    check_law(
        tuple(law),
        environment.rewards,
        f"{environment.where()}, state {state!r}, source slot {slot}, action {action!r}",
    )
    return tuple(outcome for outcome in law if outcome.probability)


def check_law(law: Law, rewards: Mapping[Label, Fraction], place: str) -> None:
    """BadLaw, BadSlot or ForeignObservation where a law is not a probability distribution over legal outcomes."""
    if any(outcome.probability < 0 for outcome in law):
        raise BadLaw("a negative probability", place=place, remedy="give probabilities >= 0")
    total = sum((outcome.probability for outcome in law), Fraction(0))
    if total != 1:
        raise BadLaw(f"the probabilities sum to {total}", place=place, remedy='make them sum to 1; list "no copy" too')
    for slot, observation in (copy for outcome in law for copy in outcome.copies.items()):
        check_slot(slot, place)
        if observation not in rewards:
            problem = f"observation {observation!r} for slot {slot} has no reward"
            raise ForeignObservation(problem, place=place, remedy="give it a reward")


def check_slot(slot: object, place: str) -> None:
    """BadSlot where a slot is not an integer >= 1."""
    if not isinstance(slot, int) or isinstance(slot, bool) or slot < 1:
        raise BadSlot(f"slot {slot!r} is not an integer >= 1", place=place, remedy="number slots from 1")


def copy_observation(law: Law) -> dict[tuple[Slot, Label], Fraction]:
    """nu(c^ij o^j | h, a, i): the probability of each copy slot together with what it observes."""
    joint: dict[tuple[Slot, Label], Fraction] = {}
    for probability, copies in law:
        for copy in copies.items():
            joint[copy] = joint.get(copy, Fraction(0)) + probability
    return joint


def copy_probability(law: Law) -> dict[Slot, Fraction]:
    """nu(c^ij | h, a, i): the probability of each copy slot."""
    marginal: dict[Slot, Fraction] = {}
    for (copy, _), probability in copy_observation(law).items():
        marginal[copy] = marginal.get(copy, Fraction(0)) + probability
    return marginal


def compute_state_after(environment: HistoryBasedEnvironment, history: AgentHistory) -> HistoryState:
    """The state that a history leads to."""
    state = get_first_state(environment)
    for action, observation in history:
        state = get_next_state(environment, state, action, observation)
    return state


@dataclass(frozen=True)
class TimeDependentEnvironment(HistoryBasedEnvironment):
    """An environment whose laws depend on the time step alone, not on what the agent has observed.

    respond: (time step from 1, slot, action) -> the law of the slot. slots_alike: (time step, slot) -> a slot with the
    same future (`HistoryBasedEnvironment.representative`). The state of a history is the time step to come.
    """

    name: str
    actions: tuple[Label, ...]
    rewards: Mapping[Label, Fraction]
    respond: Callable[[int, Slot, Label], Law]
    initial: tuple[Slot, ...] = (1,)
    slots_alike: Callable[[int, Slot], Slot] = lambda time, slot: slot

    def where(self) -> str:
        """Its name: what is wrong with it is wrong where it is made."""
        return self.name

    def start(self) -> int:
        """The first time step."""
        return 1

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """The next time step."""
        return int(str(state)) + 1

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """The law at this time step."""
        return self.respond(int(str(state)), slot, action)

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """The slot that stands for this one at this time step."""
        return self.slots_alike(int(str(state)), slot)


def represent_by_slot_1(time: int, slot: Slot) -> Slot:
    """Slot 1 stands for every slot, always."""
    return 1


def make_deterministic_law(copies: Mapping[Slot, Label]) -> Law:
    """The law of a single outcome."""
    return (CopyOutcome(Fraction(1), copies),)
