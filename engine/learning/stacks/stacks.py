"""All the stacks of a computation: learners of equal shape and settings share one.

A spec that is given the same `Stacks` as others puts its learners beside theirs; one that is given none makes a stack
of its own for every learner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from engine.errors import BadValue, MissingExtra
from engine.learning.stacks import CPU
from engine.learning.stacks.lanes import HIDDEN, ActionValueSettings, Draws, Lane, PolicySettings, Stack, Waiting
from engine.value_types import ValueType

if TYPE_CHECKING:
    from engine.learning.stacks.rules import ArithmeticOfRules


class Stacks:
    """One stack for each kind of learner that was asked for.

    Parameters
    ----------
    arithmetic : of each rule, by default compiled code for the processor.

    Attributes
    ----------
    waiting : lanes that have to learn before they answer.
    """

    def __init__(self, arithmetic: ArithmeticOfRules | None = None) -> None:
        self.waiting = Waiting()
        self._arithmetic = arithmetic
        self._stacks: dict[tuple[Any, ...], Stack] = {}

    def make_lane(
        self,
        rule: str,
        n_observations: int,
        n_actions: int,
        settings: ActionValueSettings | PolicySettings,
        key: int,
        learning_rate: float,
        hidden: tuple[int, ...] = HIDDEN,
        draws: Draws = "turn",
    ) -> Lane:
        """Return a fresh learner; equal keys give equal learners.

        rule: a key of `rules.COMPILED`. hidden: units of each hidden layer. draws: by "turn" or by "history".
        """
        from engine.learning.stacks.rules import COMPILED  # loads numba

        kind = (rule, n_observations, n_actions, settings, hidden)
        if kind not in self._stacks:
            arithmetic = (self._arithmetic or COMPILED)[rule](n_observations, n_actions, settings, hidden)
            self._stacks[kind] = Stack(arithmetic, n_observations, n_actions, settings.every, self.waiting)
        return self._stacks[kind].make_lane(key, learning_rate, draws)


SharedStacks = Annotated[
    Stacks | None, ValueType("Stacks or None", lambda value: value is None or isinstance(value, Stacks))
]
"""What a spec says of where its learners lie."""


def make_stacks(device: str) -> Stacks:
    """Make stacks on "cpu" (compiled code) or on torch's "cuda", "cuda:1" ...; BadValue where it is not there."""
    if device == CPU:
        return Stacks()
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(
            "torch is needed", place=f"device {device}", remedy="pip install 'caregrid[deep]'"
        ) from error
    try:
        torch.zeros(1, device=device).tolist()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise BadValue(
            f"torch has no device '{device}' here",
            place="device",
            remedy="choose cpu, or a GPU of this machine, such as cuda",
        ) from error
    from engine.learning.stacks.rules import make_batched_arithmetic

    return Stacks(make_batched_arithmetic(device))
