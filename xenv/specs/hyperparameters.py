"""Reading and changing the hyper-parameters of a spec by name.

A spec is a frozen dataclass; one around another (a transformation, a factory) answers for it by its own methods
`changed(**changes)` and `setting(name)`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from engine.agent import AgentSpec
from engine.errors import BadValue


class NoSuchSetting(BadValue):
    """A copy was asked for with a setting that the agent's spec does not have; environments may handle it."""

    def __init__(self, name: str, owner: str, known: list[str]) -> None:
        remedy = "choose from " + ", ".join(known) if known else "it has no settings"
        super().__init__(f"no setting '{name}'", place=owner, remedy=remedy)


def changed(spec: AgentSpec, **changes: Any) -> AgentSpec:
    """A spec with some hyper-parameters changed; NoSuchSetting where it has none of that name."""
    if not changes:
        return spec
    own = getattr(spec, "changed", None)
    if own is not None:
        other: AgentSpec = own(**changes)
        return other
    for name in changes:
        if name not in _fields(spec):
            raise NoSuchSetting(name, type(spec).__name__, _fields(spec))
    replaced: AgentSpec = dataclasses.replace(spec, **changes)  # type: ignore[type-var]
    return replaced


def setting(spec: AgentSpec, name: str) -> Any:
    """The value of a hyper-parameter; NoSuchSetting where the spec has none of that name."""
    own = getattr(spec, "setting", None)
    if own is not None:
        return own(name)
    if name not in _fields(spec):
        raise NoSuchSetting(name, type(spec).__name__, _fields(spec))
    return getattr(spec, name)


def _fields(spec: AgentSpec) -> list[str]:
    return [field.name for field in dataclasses.fields(spec)] if dataclasses.is_dataclass(spec) else []
