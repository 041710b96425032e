"""`check_crowd`: is this a crowd? See `multislot.crowd.Crowd`."""

from __future__ import annotations

from engine.contracts import refuse
from engine.user_code import place_of, user_code
from multislot.checkers._sample_worlds import HALF, sample_worlds, slot_situations
from multislot.checkers._tried import tried_class
from multislot.crowd import Crowd, Lineage
from multislot.crowds import CROWDS
from multislot.learning.mixture import single_environment
from multislot.planning.crowd_value import evaluate_crowd
from multislot.policies import slot_policy
from multislot.policy import PolicyContext


def check_crowd(crowd: type[Crowd] | str, argument: str | None = None) -> None:
    """ContractBroken, with one line, unless a crowd keeps its contract.

    crowd: the class, or a name, "has_output:1" and "my_file:Mine" among them. argument: made with it, by default with
    the class's example. In small worlds it must say True or False of every agent, the same when asked twice, and have a
    value.
    """
    kind, argument = tried_class(crowd, Crowd, CROWDS, argument)
    for environment in sample_worlds():
        mixture = single_environment(environment)
        with user_code(f"crowd in {place_of(kind)}"):
            made = kind(mixture, argument)
        for situation in slot_situations(environment):
            for ancestor in environment.initial:
                agent = Lineage(ancestor, situation.slot, situation.history)
                if made.includes(agent, ancestor) != made.includes(agent, ancestor):
                    refuse(made, "counts", f"different answers for {agent}", "a pure function")
        policy = slot_policy("always:0", PolicyContext(mixture))
        evaluate_crowd(mixture, made, policy, 2, HALF)
