"""`check_slot_world`: is this an environment that keeps the interaction protocol, and are its worked examples right?

See `multislot.worlds.environment.HistoryBasedEnvironment` and, for environments in which agents of several slots
interact, `multislot.worlds.protocol.MultiSlotEnvironment`.
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from typing import Any

from engine.contracts import refuse, require_class
from engine.errors import BadValue, ContractBroken
from engine.limits.whole_numbers import WholeNumbers, shown
from engine.user_code import place_of, user_code
from multislot.checkers._sample_worlds import slot_situations
from multislot.naming import Family, with_example
from multislot.scenario import SlotScenario
from multislot.scenarios import SLOT_SCENARIOS, accept_slot_scenario, slot_scenario
from multislot.validity.declarations import check_declarations, check_rewards
from multislot.validity.interchangeable import check_representative
from multislot.validity.situations import joint_situations
from multislot.worlds.checked import CheckedEnvironment
from multislot.worlds.environment import (
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    checked_law,
    first_state,
    next_state,
)
from multislot.worlds.protocol import MultiSlotEnvironment

SIZES = WholeNumbers(0, 100_000)


def check_slot_world(world: Any, depth: int = 3, most: int = 5000) -> None:
    """ContractBroken, with one line, unless a world keeps its contract.

    world: a scenario, a family of them (tried with its example), an environment or a class of one made without
    arguments, or a name, "threshold:2,1,1,3,1" and "my_file:world" among them. The laws of its slots must be
    probability distributions over copies, its labels known, its methods pure, slots with one representative
    interchangeable; and whatever its agents do in the first
    `depth` steps, no two slots are copied onto one, also by chance (tried until `most` responses have been seen). The
    action values of its worked examples must be exact.
    """
    for name, number in (("depth", depth), ("most", most)):
        if not SIZES.admit(number):
            problem = f"{name} is {shown(number)}"
            raise BadValue(problem, place="check_slot_world", remedy=f"give a whole number from {SIZES}")
    if inspect.isclass(world) and issubclass(world, MultiSlotEnvironment):
        require_class(world, MultiSlotEnvironment, "multi-slot environment")
        with user_code(f"multi-slot environment in {place_of(world)}"):
            world = world()
    if isinstance(world, MultiSlotEnvironment):
        check_declarations(world, world.observations)
        _check_protocol(world, depth, most)
        return
    scenario = _scenario(world)
    environment = scenario.environment
    check_rewards(environment)
    check_declarations(environment, environment.rewards)
    known = CheckedEnvironment(environment)
    for situation in slot_situations(_Repeated(environment), depth):
        check_representative(known, situation.state, situation.slot)
    _check_protocol(environment, depth, most)
    for example in scenario.examples:
        values = dict(example.evaluate(environment).Q)
        if not example.holds(environment):
            given = {action: str(value) for action, value in values.items()}
            refuse(environment, f"example '{example.statement}'", given, f"the action values {dict(example.Q)}")


def _scenario(world: Any) -> SlotScenario:
    if isinstance(world, str):
        return slot_scenario(with_example(SLOT_SCENARIOS, world))
    accepted = accept_slot_scenario(world.make(world.example) if isinstance(world, Family) else world)
    if isinstance(accepted, Family):
        refuse(world, "make", accepted, "a scenario")
    return accepted


def _check_protocol(environment: MultiSlotEnvironment | HistoryBasedEnvironment, depth: int, most: int) -> None:
    """The rules of the interaction protocol, in all that can happen; an error names the file as well."""
    try:
        for _ in joint_situations(environment, depth, most):
            pass
    except ContractBroken as error:
        if place_of(environment) in error.place:
            raise
        place = f"{place_of(environment)}: {error.place}"
        raise type(error)(error.problem, place=place, remedy=error.remedy) from error


class _Repeated(HistoryBasedEnvironment):
    """An environment whose every method is called twice and must give the same, states that can be hashed."""

    def __init__(self, environment: HistoryBasedEnvironment) -> None:
        self.environment, self.name = environment, environment.name
        self.actions, self.rewards, self.initial = environment.actions, environment.rewards, environment.initial

    def start(self) -> HistoryState:
        return self._same("start", *(first_state(self.environment) for _ in range(2)))

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        return self._same("update", *(next_state(self.environment, state, action, observation) for _ in range(2)))

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        first, second = (checked_law(self.environment, state, slot, action) for _ in range(2))
        if first != second:
            refuse(self.environment, "law", "different laws when asked twice", "a pure function")
        return first

    def _same(self, method: str, first: HistoryState, second: HistoryState) -> HistoryState:
        if not isinstance(first, Hashable):
            refuse(self.environment, method, first, "a state that can be hashed, such as a tuple")
        if first != second:
            refuse(self.environment, method, "different states when asked twice", "a pure function")
        return first
