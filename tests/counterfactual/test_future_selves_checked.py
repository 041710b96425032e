"""Fault: worlds in which actions make the agent another one are checked in `self_of` and `future_self` too."""

from collections.abc import Callable

import pytest

from counterfactual.contract_checks import check_terminal_world
from counterfactual.worlds import TERMINAL_WORLDS
from engine.errors import ContractBroken

SELVES = '''
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from counterfactual.worlds import FutureSelf, PhysicsOutcome, Signal, SignalOutcome, TerminalWorld


class Mind(NamedTuple):
    changed: int


@dataclass(frozen=True)
class Minds(TerminalWorld[Mind]):
    """Action c changes what the agent wants."""

    horizon: int = 3
    discount: Fraction = Fraction(1, 2)
    want: int = 1
    self_index: int = 0

    name, features = "minds", ("cars",)
    action_names = {"w": "work", "c": "change"}

    @property
    def signals(self):
        return (Signal("first", (Fraction(self.want),)), Signal("second", (Fraction(-1),)))

    def start(self):
        return Mind(0)

    def physics(self, step, x, action):
        return [PhysicsOutcome(1, Mind(x.changed | (action == 1)), (1 * (action == 0),))]

    def terminal(self, signal, step, x, action, next_x):
        return [SignalOutcome(1, signal)]

    def self_of(self, x):
        return x.changed

    def future_self(self, index):
        return FutureSelf(replace(self, want=5, self_index=index))
'''


def test_worlds_in_which_the_agent_becomes_another_one(written: Callable[..., str]) -> None:
    check_terminal_world(TERMINAL_WORLDS[f"{written(SELVES)}:Minds"])


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("return x.changed\n", "return 1.5 * x.changed\n", "self_of gave .*which self the agent is"),
        ("return x.changed\n", "return -x.changed\n", "self_of gave -1; expected numbers of selves"),
        ("return x.changed\n", "return x.changed + (len(x.changed) > 1)\n", "self_of gives . for Mind.* among other"),
        ("return x.changed\n", "return 1\n", "self_of gave 1; expected int64"),
        ("return x.changed\n", "return x.chnaged\n", "self_of.*AttributeError"),
        ("return FutureSelf(replace(self, want=5, self_index=index))", "return index", "expected a FutureSelf"),
        ("replace(self, want=5, self_index=index)", "index", "expected a TerminalWorld as its world"),
        (", self_index=index)", ")", "self_index=1 in that world"),
        ("replace(self, want=5,", "replace(self, horizon=9,", "a world with other horizon"),
        ("self_index=index))", "self_index=index), fine=0.5)", "expected a Fraction as fine"),
        ("self_index=index))", "self_index=index), 7)", "future_self gave 7; expected a PlanningAgent"),
        ("def future_self(self, index):", "def future_self(self, index, why):", "future_self"),
    ],
)
def test_what_is_wrong_with_selves_is_named(right: str, wrong: str, message: str, written: Callable[..., str]) -> None:
    module = written(SELVES, right, wrong)
    with pytest.raises(ContractBroken, match=message) as caught:
        check_terminal_world(TERMINAL_WORLDS[f"{module}:Minds"])
    assert module in str(caught.value)
