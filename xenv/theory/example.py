"""What an example of the theory is: an extended environment on histories, or a family of them with parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.contracts import require_instance, require_parameters
from xenv.theory.histories import HistoryEnvironment


@dataclass(frozen=True)
class TheoryExample:
    """An example of the theory; called with its parameters it gives the environment.

    environment: parameters -> environment. sample: parameters that it can be tried with, () where it has none.
    is_handicap: whether its rewards are 1 or -1 (0 before the first action) and its observations 0.
    """

    environment: Callable[..., HistoryEnvironment]
    sample: tuple[Any, ...] = ()
    is_handicap: bool = False

    def __call__(self, *parameters: Any) -> HistoryEnvironment:
        """The environment with these parameters."""
        return self.environment(*parameters)


def require_theory_example(thing: Any) -> TheoryExample:
    """The thing, if it is a `TheoryExample` that can be called with its sample; ContractBroken otherwise."""
    require_instance(thing, TheoryExample, "example of the theory")
    example: TheoryExample = thing
    require_parameters(example.environment, len(example.sample), f"environment with {len(example.sample)} parameters")
    return example
