"""History-based environments: what happens to slot i depends only on the history of the agent in it, and on i.

    nu(c^ij o^j | all that happened) = nu(c^ij o^j | h^i a^i, i, j)

A history enters through a state z: `start()` for the empty history and `update(z, action, observation)` after it, so
that histories with the same future share a state. `law(z, slot, action)` lists the outcomes of one slot: a
probability and, for every copy, the observation that it receives; an outcome without copies deletes the agent, and
"no copy" has to be listed like any other. In a `TimeDependentEnvironment` the state is the time step: for worlds with
ever more slots, which no finite table describes. Reference: The Multi-slot Framework, Definitions 3, 5 and 9.

Whoever plans or learns sees an environment through `CheckedEnvironment`: its declarations are checked, its laws are
checked once and kept, and its labels are in the spelling of the class that it belongs to. 1 and "1" are one label:
members of a class may spell it differently, by hand, in JSON or in code.

Differs from the paper: Definition 9 fixes the law of each slot alone; the slots are drawn independently here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from engine.contracts import call_method, refuse, require_steady
from engine.errors import ContractBroken
from engine.printable import show_value
from engine.user_code import OWN_PACKAGES, describe_place, find_package
from multislot.errors import BadLaw, BadSlot, ForeignObservation

Slot: TypeAlias = int
Label: TypeAlias = str | int
HistoryState: TypeAlias = Hashable
AgentHistory: TypeAlias = tuple[tuple[Label, Label], ...]
"""h^i: the (action, observation) pairs of an agent, oldest first."""
HistoryPolicy: TypeAlias = Callable[[AgentHistory], Label]
"""A deterministic policy of history-based agents (Definition 8)."""


ASKED_AGAIN, ASKED_EACH_TIME = 150, 5  # after so many laws of a user's own world, the last ones are asked for again


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
        """Say where it is defined, for messages: the file, the class and its name."""
        return f"{describe_place(self)}, {self.name}"

    @abstractmethod
    def start(self) -> HistoryState:
        """Return the state of the empty history."""

    @abstractmethod
    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """Return the state after one more action and observation."""

    @abstractmethod
    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Return the outcomes of a slot whose agent has a history with that state and acts so, with probabilities."""

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """Return a slot with the same future, for agents with a history of that state; by default the slot itself.

        Interchangeable slots have one representative. Their laws are equal up to the numbers of the copies, and copies
        that correspond have one representative again; agents that stay correspond to agents that stay.
        """
        return slot


def get_first_state(environment: HistoryBasedEnvironment) -> HistoryState:
    """Return the state of the empty history; ContractBroken where `start` raises, or gives what cannot be hashed."""
    return _require_hashable(environment, "start", call_method(environment, "start"))


def get_next_state(
    environment: HistoryBasedEnvironment, state: HistoryState, action: Label, observation: Label
) -> HistoryState:
    """Return the state after one more action and observation; ContractBroken as in `get_first_state`."""
    from engine.mdp.enumeration.frozen_values import freeze_value

    changes = not _is_fixed(state)
    before = freeze_value(state) if changes else None
    following = call_method(environment, "update", state, action, observation)
    if changes and freeze_value(state) != before:
        remedy = "return a new one: other histories have that state, too"
        raise ContractBroken("update changed the state that it was given", place=environment.where(), remedy=remedy)
    return _require_hashable(environment, "update", following)


def _is_fixed(thing: object) -> bool:
    """Return whether the class of a thing is Python's or of our packages, or a NamedTuple: nothing changes it."""
    return isinstance(thing, tuple | int | str) or find_package(thing) in ("builtins", "fractions", *OWN_PACKAGES)


def _require_hashable(environment: HistoryBasedEnvironment, method: str, state: HistoryState) -> HistoryState:
    try:
        _ = {state}
    except Exception:  # its class may be a user's own
        refuse(environment, method, state, "a state that can be hashed, such as a tuple")
    return state


def _require_same_state(environment: HistoryBasedEnvironment, first: HistoryState, second: HistoryState) -> None:
    """Raise ContractBroken where the state after one step is another one when it is asked for again."""
    from engine.mdp.enumeration.frozen_values import freeze_value

    if first != second and freeze_value(first) != freeze_value(second):
        raise ContractBroken(
            f"update gave {show_value(first)} and then {show_value(second)} for one step",
            place=environment.where(),
            remedy="let it depend on state, action and observation alone; chance belongs into law",
        )


def get_checked_law(environment: HistoryBasedEnvironment, state: HistoryState, slot: Slot, action: Label) -> Law:
    """Return the law of a slot, checked, its impossible outcomes left out.

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
    return tuple(CopyOutcome(probability, dict(copies)) for probability, copies in law if probability)


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
    """Return nu(c^ij o^j | h, a, i): the probability of each copy slot together with what it observes."""
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
    """Return the state that a history leads to."""
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
        """Return the first time step."""
        return 1

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """Return the next time step."""
        return int(str(state)) + 1

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Return the law at this time step."""
        return self.respond(int(str(state)), slot, action)

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """Return the slot that stands for this one at this time step."""
        return self.slots_alike(int(str(state)), slot)


def represent_by_slot_1(time: int, slot: Slot) -> Slot:
    """Slot 1 stands for every slot, always."""
    return 1


def make_deterministic_law(copies: Mapping[Slot, Label]) -> Law:
    """Return the law of a single outcome."""
    return (CopyOutcome(Fraction(1), copies),)


def check_declarations(environment: Any, observations: Any) -> None:
    """ContractBroken, or BadSlot, unless name, actions, observations and initial slots are declared as they should.

    environment: history-based or not. observations: those that it declares.
    """
    require_steady(environment)
    name = getattr(environment, "name", None)
    if not isinstance(name, str) or not name:
        refuse(environment, "name", name, "a word")
    check_labels(environment, "actions", getattr(environment, "actions", None))
    check_labels(environment, "observations", observations)
    initial = getattr(environment, "initial", None)
    if not isinstance(initial, Collection) or not initial:
        refuse(environment, "initial", initial, "the slots occupied at time 0, at least one")
    for slot in initial:
        check_slot(slot, f"{describe_place(environment)}, initial")


def check_labels(environment: Any, field: str, labels: Any) -> None:
    """ContractBroken unless the labels are words or integers that differ also when written out. field: for messages."""
    if not isinstance(labels, Collection) or isinstance(labels, str) or not labels:
        refuse(environment, field, labels, "a collection of labels, at least one")
    for label in labels:
        if not isinstance(label, str | int) or isinstance(label, bool) or any(mark in str(label) for mark in ",;"):
            refuse(environment, field, label, "words or integers without ',' and ';'")
    if len({str(label) for label in labels}) != len(labels):
        refuse(environment, field, list(labels), "different labels")


def check_rewards(environment: HistoryBasedEnvironment) -> None:
    """ContractBroken unless every observation has an exact reward."""
    rewards = getattr(environment, "rewards", None)
    if not isinstance(rewards, Mapping) or not rewards:
        refuse(environment, "rewards", rewards, "{observation: Fraction}, at least one")
    for reward in rewards.values():
        if not isinstance(reward, Fraction | int) or isinstance(reward, bool):
            refuse(environment, "rewards", reward, "Fractions as rewards")


Spelling = Mapping[str, Label]
"""A label as it is written out -> the label."""


class CheckedEnvironment(HistoryBasedEnvironment):
    """The same environment; its laws are legal, without impossible outcomes, and asked for once.

    actions, observations: spellings to use in place of the environment's own, None for its own. verified_steps: for how
    many time steps the interaction protocol holds, as `multislot.worlds.conflicts` has found.
    Raises ContractBroken where the environment declares anything wrong, and, when it is asked, what a bad law does.
    """

    def __init__(
        self,
        environment: HistoryBasedEnvironment,
        actions: Spelling | None = None,
        observations: Spelling | None = None,
    ) -> None:
        check_rewards(environment)
        rewards = environment.rewards
        check_declarations(environment, rewards)
        self.environment = environment
        self.name = environment.name
        self._own_action = {(actions or {}).get(str(own), own): own for own in environment.actions}
        self._own_observation = {(observations or {}).get(str(own), own): own for own in rewards}
        self._spelled = {own: label for label, own in self._own_observation.items()}
        self.actions = tuple(self._own_action)
        self.rewards = {label: Fraction(rewards[own]) for label, own in self._own_observation.items()}
        self.initial = tuple(sorted(set(environment.initial)))
        self.verified_steps = 0
        self._laws: dict[tuple[HistoryState, Slot, Label], Law] = {}
        ours = type(environment) is not TimeDependentEnvironment and _is_fixed(environment)
        self._asked_again = self._updates_asked_again = 0 if ours else ASKED_AGAIN

    def where(self) -> str:
        """Where the environment is defined."""
        return self.environment.where()

    def start(self) -> HistoryState:
        """Return the environment's first state. ContractBroken where `start` raises."""
        return get_first_state(self.environment)

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """Return the environment's next state. ContractBroken where `update` raises."""
        asked = (self.environment, state, self._own_action[action], self._own_observation[observation])
        following = get_next_state(*asked)
        if self._updates_asked_again:
            self._updates_asked_again -= 1
            _require_same_state(self.environment, following, get_next_state(*asked))
        return following

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Return the law of a slot, checked; raises what `get_checked_law` does."""
        key = (state, slot, action)
        if key not in self._laws:
            self._laws[key] = self._ask_for_law(state, slot, action)
            if self._asked_again:
                self._asked_again -= 1
                for asked in islice(reversed(self._laws), ASKED_EACH_TIME):
                    self._require_same_law(asked)
        return self._laws[key]

    def _require_same_law(self, key: tuple[HistoryState, Slot, Label]) -> None:
        """Raise ContractBroken where a law is another one when it is asked for again."""
        if self._ask_for_law(*key) != self._laws[key]:
            state, slot, action = key
            raise ContractBroken(
                f"the law of slot {slot} in state {state!r} under action {action!r} is another one when asked again",
                place=self.where(),
                remedy="let it depend on these three alone, and list what chance decides as outcomes",
            )

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """Return the environment's. ContractBroken where `representative` raises, BadSlot where it gives no slot."""
        found: Slot = call_method(self.environment, "representative", state, slot)
        check_slot(found, f"{self.where()}, representative of slot {slot} in state {state!r}")
        return found

    def _ask_for_law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        law = get_checked_law(self.environment, state, slot, self._own_action[action])
        if all(own == label and type(own) is type(label) for own, label in self._spelled.items()):
            return law
        return tuple(
            CopyOutcome(probability, {copy: self._spelled[own] for copy, own in copies.items()})
            for probability, copies in law
        )


def ensure_checked(environment: HistoryBasedEnvironment) -> CheckedEnvironment:
    """Return the environment, checked."""
    return environment if isinstance(environment, CheckedEnvironment) else CheckedEnvironment(environment)
