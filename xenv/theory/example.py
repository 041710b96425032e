"""What an example of the theory is: an extended environment on histories, or a family of them with parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.contracts import require_instance, require_parameters
from xenv.theory.response import HistoryEnvironment


@dataclass(frozen=True)
class TheoryExample:
    """An example of the theory; called with its parameters it gives the environment.

    environment: parameters -> environment. sample: the parameters that it has where none are given.
    is_handicap: its rewards are 1 or -1 (or 0 before the first action), its observations 0.
    is_merciful: its rewards are never negative.
    read: the text after its name, as in `false_memories:0,0,1`, -> its parameter; None where it takes none.
    of_environments: its parameter is an environment, written in brackets.
    n_actions: actions from there on mean what the last one means.
    n_observations: how many it shows at most; None where that grows with the turns.
    """

    environment: Callable[..., HistoryEnvironment]
    sample: tuple[Any, ...] = ()
    is_handicap: bool = False
    is_merciful: bool = False
    read: Callable[[str], Any] | None = None
    of_environments: bool = False
    n_actions: int = 2
    n_observations: int | None = 1

    @property
    def __wrapped__(self) -> Callable[..., HistoryEnvironment]:
        """The function that makes the environment, which is what messages name."""
        return self.environment

    def __call__(self, *parameters: Any) -> HistoryEnvironment:
        """The environment with these parameters, or with those of the sample where there are none."""
        return self.environment(*(parameters or self.sample))


def require_theory_example(thing: Any) -> TheoryExample:
    """The thing, if it is a `TheoryExample` that can be called with its sample; ContractBroken otherwise.

    A function of an agent and a play is an environment itself, and counts as an example that has no parameters.
    """
    if inspect.isfunction(thing):
        require_parameters(thing, 2, "environment(agent, play)")
        return TheoryExample(functools.wraps(thing)(lambda: thing), n_observations=None)
    require_instance(thing, TheoryExample, "example of the theory")
    example: TheoryExample = thing
    require_parameters(example.environment, len(example.sample), f"environment with {len(example.sample)} parameters")
    return example
