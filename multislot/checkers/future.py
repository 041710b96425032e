"""`check_future`: is this a future? See `multislot.future.Future`."""

from __future__ import annotations

from fractions import Fraction

from engine.contracts import called, refuse
from multislot.checkers._sample_worlds import HALF, SAMPLE_DEPTH, sample_worlds, slot_situations
from multislot.checkers._tried import tried_object
from multislot.future import Future
from multislot.futures import FUTURES
from multislot.naming import Family
from multislot.planning.arithmetic import float_arithmetic
from multislot.planning.evaluate import evaluate
from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment, Label, Slot, SlotTransition

VALUE_ROUNDING = 1e-9


def check_future(future: Future | Family[Future] | str) -> None:
    """ContractBroken, with one line, unless a future keeps its contract.

    future: the object, a family of futures (tried with its example), or a name, "my_file:mine" among them. On small
    worlds its weights must be Fractions >= 0 of copies in the law, the same when asked twice, its slots counted by
    Fractions > 0, other numbers of slots must not matter where it says so, and values must come out, the same in
    fractions and in floats.
    """
    made = tried_object(future, Future, FUTURES)
    for environment in sample_worlds():
        for time, situation in enumerate(slot_situations(environment), start=1):
            called(made.admissible, "__call__", situation.slot)
            for law in situation.laws.values():
                transition = SlotTransition(situation.slot, law, time, environment.rewards)
                first = dict(made.copy_weights_of(transition))
                if dict(made.copy_weights_of(transition)) != first:
                    refuse(made.copy_weights, "it", "different weights when asked twice", "a pure function")
                made.multiplicity_of(law)
                if made.ignores_slot_numbers and _renumbered(made, transition) != first:
                    problem = "other weights where slots have other numbers"
                    refuse(made.copy_weights, "it", problem, "the same, or a future without ignores_slot_numbers")
        _check_values(made, environment)


def _renumbered(future: Future, transition: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """The weights where all slots are numbered the other way round, under the old numbers."""
    last = max((copy for outcome in transition.law for copy in outcome.copies), default=0) + transition.slot
    law = tuple(CopyOutcome(p, {last + 1 - slot: o for slot, o in copies.items()}) for p, copies in transition.law)
    weights = future.copy_weights_of(transition._replace(slot=last + 1 - transition.slot, law=law))
    return {(last + 1 - slot, o): weight for (slot, o), weight in weights.items()}


def _check_values(future: Future, environment: HistoryBasedEnvironment) -> None:
    exact = evaluate(environment, future, SAMPLE_DEPTH, HALF)
    rounded = evaluate(environment, future, SAMPLE_DEPTH, HALF, arithmetic=float_arithmetic)
    for action, value in exact.Q.items():
        if abs(float(value) - float(rounded.Q[action])) > VALUE_ROUNDING:
            values = f"{value} in fractions and {rounded.Q[action]} in floats"
            refuse(future.copy_weights, f"the value of action {action!r} in '{environment.name}'", values, "the same")
