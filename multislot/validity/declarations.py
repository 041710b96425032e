"""What an environment declares: a name, actions, rewards, initial slots; labels differ also when written out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from engine.contracts import refuse
from engine.user_code import place_of
from multislot.worlds.environment import HistoryBasedEnvironment, check_slot


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
        check_slot(slot, f"{place_of(environment)}, initial")


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
