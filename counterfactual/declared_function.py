"""Functions that are entries of a registry: a frozen declaration that checks the function and names it in messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from engine.contracts import Contract, require_parameters
from engine.user_code import describe_place, user_code

DeclaredKind = TypeVar("DeclaredKind", bound="DeclaredFunction")


@dataclass(frozen=True)
class DeclaredFunction:
    """Base of the kinds that are functions; a subclass is used as a decorator.

    Raises ContractBroken unless the function can be called with the kind's arguments.
    kind: what an entry is called in messages. arguments: the names of the function's arguments.
    """

    function: Callable[..., Any]

    kind: ClassVar[str]
    arguments: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        require_parameters(self.function, len(self.arguments), f"{self.name}({', '.join(self.arguments)})")
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__module__", self.function.__module__)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The function, for tools that ask where this was written."""
        return self.function

    @property
    def name(self) -> str:
        """The function's name."""
        return str(getattr(self.function, "__name__", "function"))

    def call(self, *arguments: Any) -> Any:
        """What the function returns; ContractBroken, with the file and line, where it raises."""
        with user_code(describe_place(self.function)):
            return self.function(*arguments)

    @classmethod
    def accept(cls: type[DeclaredKind], thing: Any) -> DeclaredKind:
        """The declaration, or a plain function made one; ContractBroken for everything else."""
        made = cls(thing) if inspect.isfunction(thing) else thing
        return Contract[DeclaredKind](cls.kind, instance_of=cls).accept(made)


def takes_argument(function: Callable[..., Any], name: str) -> bool:
    """Whether a function declares an argument of that name."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
