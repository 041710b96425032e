"""Agents and environments by name; names nest: `reality_check(q_learning)`, `opposite(crying_baby)`.

An agent's name may also be `MODULE:NAME`: a spec, a factory of specs or a factory of hand-written agents.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.agent import AgentSpec
from engine.agents import AGENTS as ENGINE_AGENTS
from engine.errors import BadValue, ContractBroken, UnknownName
from xenv.agents import AGENTS
from xenv.environments import ENVIRONMENTS
from xenv.opposites import OPPOSITES
from xenv.specs.simulation import as_spec
from xenv.transformations import TRANSFORMATIONS


def agent(name: str) -> AgentSpec:
    """The spec of a name such as `q_learning` or `reality_check(simple)`; UnknownName or BadValue otherwise."""
    spec: AgentSpec = _nested(name, "agent", TRANSFORMATIONS, tuple(EVERY_AGENT), _plain_agent)
    return spec


def environment(name: str) -> Any:
    """The environment of a name such as `repeater` or `opposite(repeater)`; UnknownName or BadValue otherwise."""
    return _nested(name, "environment", OPPOSITES, tuple(ENVIRONMENTS), ENVIRONMENTS.__getitem__)


def spec_of(given: Any) -> AgentSpec:
    """The spec of what a user may give as an agent: a name, a spec or a factory of hand-written agents."""
    return agent(given) if isinstance(given, str) else as_spec(given)


def maker_of(given: Any) -> Any:
    """What makes the environment that a user gives: by its name, or itself; ContractBroken where it tells no shape."""
    if isinstance(given, str):
        return environment(given)
    for name in ("n_observations", "n_actions"):
        if not hasattr(getattr(given, name, None), "__index__"):
            place = getattr(given, "__qualname__", type(given).__name__)
            raise ContractBroken(f"it has no integer '{name}'", place=place, remedy="give the class this attribute")
    return given


class EveryAgent(Mapping[str, type[AgentSpec]]):
    """Read-only mapping from plain name to class of spec: this programme's, then the engine's."""

    def __getitem__(self, name: str) -> type[AgentSpec]:
        if name not in self:
            raise UnknownName("agent", name, self)
        return AGENTS[name] if name in AGENTS else ENGINE_AGENTS[name]

    def __contains__(self, name: object) -> bool:
        return name in AGENTS or name in ENGINE_AGENTS

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*AGENTS, *ENGINE_AGENTS}))

    def __len__(self) -> int:
        return len({*AGENTS, *ENGINE_AGENTS})


EVERY_AGENT = EveryAgent()


def canonical(name: str) -> str:
    """How a name is written in results: no spaces, underscores for hyphens."""
    return name.replace(" ", "").replace("-", "_")


def imported(name: str) -> AgentSpec:
    """The spec or factory at `MODULE:NAME`; modules of the working directory count. BadValue where there is none."""
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, ValueError) as error:
        raise BadValue(f"cannot import '{module}': {error}", place="agent", remedy="write MODULE:NAME") from error
    except AttributeError as error:
        raise BadValue(f"no '{attribute}' in '{module}'", place="agent", remedy="write MODULE:NAME") from error
    return as_spec(found)


def _plain_agent(name: str) -> AgentSpec:
    return imported(name) if ":" in name else EVERY_AGENT[name]()


def _nested(
    name: str,
    kind: str,
    wrappers: Mapping[str, Callable[[Any], Any]],
    plain: tuple[str, ...],
    find: Callable[[str], Any],
) -> Any:
    """Read `wrapper(wrapper(plain))` from the outside in."""
    text = canonical(name)
    outer, bracket, inner = text.partition("(")
    if not bracket:
        if text not in plain and not (":" in text and kind == "agent"):
            raise UnknownName(kind, name, (*plain, *(f"{wrapper}(...)" for wrapper in wrappers)))
        return find(text)
    if not inner.endswith(")"):
        raise BadValue(f"'{name}' does not close its bracket", place=kind, remedy=f"write {outer}(NAME)")
    if outer not in wrappers:
        raise UnknownName(f"transformation of {kind}s", outer, wrappers)
    return wrappers[outer](_nested(inner[:-1], kind, wrappers, plain, find))
