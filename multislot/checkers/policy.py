"""`check_policy`: is this a policy? See `multislot.policy.SlotPolicy`."""

from __future__ import annotations

from engine.contracts import refuse
from engine.user_code import place_of, user_code
from multislot.checkers._sample_worlds import SAMPLE_DEPTH, sample_worlds, slot_situations
from multislot.checkers._tried import tried_class
from multislot.learning.mixture import single_environment
from multislot.policies import SLOT_POLICIES
from multislot.policy import PolicyContext, SlotPolicy
from multislot.simulation.simulation import simulate_slots


def check_policy(policy: type[SlotPolicy] | str, argument: str | None = None) -> None:
    """ContractBroken, with one line, unless a policy keeps its contract.

    policy: the class, or a name, "always:1" and "my_file:Mine" among them. argument: made with it, by default with the
    class's example. In small worlds it must give one of their actions at every history, the same when asked twice and
    when made twice, and be fit for a simulation.
    """
    kind, argument = tried_class(policy, SlotPolicy, SLOT_POLICIES, argument)
    for environment in sample_worlds():
        context = PolicyContext(single_environment(environment), SAMPLE_DEPTH)
        first, second = (_made(kind, context, argument) for _ in range(2))
        for situation in slot_situations(environment):
            action = first(situation.history)
            if not action == first(situation.history) == second(situation.history):
                refuse(first, "act", f"different actions at {situation.history}", "a pure function of the history")
        simulate_slots(environment, first, SAMPLE_DEPTH)


def _made(kind: type[SlotPolicy], context: PolicyContext, argument: str) -> SlotPolicy:
    with user_code(f"policy in {place_of(kind)}"):
        return kind(context, argument)
