"""An environment behind its contract: declarations checked, laws checked once and kept, labels in one spelling.

An environment declares a name, actions, rewards and initial slots; labels differ also when written out. 1 and "1" are
one label: members of a class may spell it differently, by hand, in JSON or in code. Whoever plans or learns sees an
environment through `CheckedEnvironment`, in the spelling of the class.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from engine.contracts import call_method, refuse
from engine.user_code import describe_place
from multislot.worlds.environment import (
    CopyOutcome,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    check_slot,
    get_checked_law,
    get_first_state,
    get_next_state,
)


def check_declarations(environment: Any, observations: Any) -> None:
    """ContractBroken, or BadSlot, unless name, actions, observations and initial slots are declared as they should.

    environment: history-based or not. observations: those that it declares.
    """
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
        check_declarations(environment, environment.rewards)
        self.environment = environment
        self.name = environment.name
        self._own_action = {(actions or {}).get(str(own), own): own for own in environment.actions}
        self._own_observation = {(observations or {}).get(str(own), own): own for own in environment.rewards}
        self._spelled = {own: label for label, own in self._own_observation.items()}
        self.actions = tuple(self._own_action)
        self.rewards = {label: Fraction(environment.rewards[own]) for label, own in self._own_observation.items()}
        self.initial = tuple(sorted(set(environment.initial)))
        self.verified_steps = 0
        self._laws: dict[tuple[HistoryState, Slot, Label], Law] = {}

    def where(self) -> str:
        """Where the environment is defined."""
        return self.environment.where()

    def start(self) -> HistoryState:
        """The environment's first state. ContractBroken where `start` raises."""
        return get_first_state(self.environment)

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """The environment's next state. ContractBroken where `update` raises."""
        return get_next_state(self.environment, state, self._own_action[action], self._own_observation[observation])

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """The law of a slot, checked; raises what `get_checked_law` does."""
        key = (state, slot, action)
        if key not in self._laws:
            self._laws[key] = self._ask_for_law(state, slot, action)
        return self._laws[key]

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """The environment's. ContractBroken where `representative` raises, BadSlot where it gives no slot."""
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
    """The environment, checked."""
    return environment if isinstance(environment, CheckedEnvironment) else CheckedEnvironment(environment)
