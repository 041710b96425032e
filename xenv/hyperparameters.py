"""Read and change the hyper-parameters of a spec by name; find specs whose learners can be lanes of shared stacks.

A spec is a frozen dataclass; one around another (a transformation, a factory) answers for it by its own methods
`with_hyperparameters(**changes)` and `hyperparameter(name)`. A spec with a hyper-parameter `stacks` can put its
learners into stacks that others share.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from engine.agent import AgentSpec
from engine.errors import BadValue
from engine.learning.stacks.stacks import Stacks


class UnknownHyperparameter(BadValue):
    """A copy was asked for with a hyper-parameter that the agent's spec does not have; environments may handle it."""

    def __init__(self, name: str, owner: str, known: list[str]) -> None:
        remedy = "choose from " + ", ".join(known) if known else "it has none"
        super().__init__(f"no hyper-parameter '{name}'", place=owner, remedy=remedy)


def with_hyperparameters(spec: AgentSpec, **changes: Any) -> AgentSpec:
    """Return a spec with some hyper-parameters replaced; raise UnknownHyperparameter where it refuses one of that name.

    A spec that `ignores_other_hyperparameters` refuses none: those that it does not have change nothing.
    """
    if not changes:
        return spec
    own = getattr(spec, "with_hyperparameters", None)
    if own is not None:
        other: AgentSpec = own(**changes)
        return other
    known = hyperparameter_names(spec)
    for name in changes:
        if name not in known and not getattr(spec, "ignores_other_hyperparameters", False):
            raise UnknownHyperparameter(name, type(spec).__name__, known)
    own_changes = {name: value for name, value in changes.items() if name in known}
    replaced: AgentSpec = dataclasses.replace(spec, **own_changes) if own_changes else spec  # type: ignore[type-var]
    return replaced


def hyperparameter(spec: AgentSpec, name: str) -> Any:
    """Return the value of a hyper-parameter; raise UnknownHyperparameter where the spec has none of that name."""
    own = getattr(spec, "hyperparameter", None)
    if own is not None:
        return own(name)
    if name not in hyperparameter_names(spec):
        raise UnknownHyperparameter(name, type(spec).__name__, hyperparameter_names(spec))
    return getattr(spec, name)


def hyperparameter_names(spec: AgentSpec) -> list[str]:
    """Return the names of the hyper-parameters that a spec itself has."""
    return [field.name for field in dataclasses.fields(spec)] if dataclasses.is_dataclass(spec) else []


def is_stackable(spec: AgentSpec) -> bool:
    """Return whether the learners of a spec, or of one that it transforms, can lie in stacks."""
    try:
        hyperparameter(spec, "stacks")
    except UnknownHyperparameter:
        return False
    return True


def put_in_stacks(spec: AgentSpec, stacks: Stacks) -> AgentSpec:
    """Return the spec with its learners in these stacks; raise UnknownHyperparameter where it is not stackable."""
    return with_hyperparameters(spec, stacks=stacks)
