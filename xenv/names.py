"""Agents and environments by name; names nest: `reality_check(q_learning)`, `opposite(crying_baby)`.

A name may also be `module:attribute` of a user's own file: a spec, a factory of specs or of agents; a transformation
of specs; a class of environments. An agent's name may set hyper-parameters: `sarsa(epsilon=0.3)`,
`my_file:Sarsa(epsilon=0.3)`, `reality_check(q_learning(epsilon=0.3))`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from engine.agent import AgentSpec, with_hyperparameters
from engine.errors import BadValue, UnknownName
from engine.registry import Registry, spell_name, split_call, write_call
from engine.user_code import names_user_code, user_code
from xenv.agents import BATTERY_AGENTS
from xenv.environments import ENVIRONMENTS
from xenv.opposites import OPPOSITES, SignedFactory
from xenv.simulation import as_spec
from xenv.transformations import TRANSFORMATIONS, AdaptedTransformation, TransformedSpec
from xenv.user_agents import FactorySpec
from xenv.user_environments import as_environment


def agent_spec(agent: Any) -> AgentSpec:
    """Return the spec of an agent: of a name, a spec or a factory of agents.

    Raises UnknownName or BadValue for a name that cannot be read, BadValue for anything that is not an agent.
    """
    if not isinstance(agent, str):
        return as_spec(agent)
    spec: AgentSpec = _read_nested(agent, BATTERY_AGENTS, TRANSFORMATIONS, _find_agent)
    return spec


def agent_title(spec: AgentSpec) -> str:
    """Return what messages call an agent: `RealityCheck(QLearning)`, the name of a user's class or function."""
    if isinstance(spec, TransformedSpec):
        outer = spec.name if isinstance(spec, AdaptedTransformation) else type(spec).__name__
        return f"{outer}({agent_title(spec.spec)})"
    made = spec.factory if isinstance(spec, FactorySpec) else type(spec)
    return str(getattr(made, "__name__", type(made).__name__))


def environment_factory(environment: Any) -> Any:
    """Return the class or factory that makes an environment: of a name, or of a class or factory itself.

    Raises UnknownName or BadValue for a name that cannot be read, ContractBroken for anything that `as_environment`
    refuses.
    """
    if isinstance(environment, str):
        return _read_nested(environment, ENVIRONMENTS, OPPOSITES, ENVIRONMENTS.__getitem__)
    if isinstance(environment, SignedFactory):
        return dataclasses.replace(environment, environment=as_environment(environment.environment))
    return as_environment(environment)


def normalise_name(name: str, registry: Registry[Any]) -> str:
    """Return a nested name as results write it: no spaces, words joined by "_", old names of the registry replaced.

    Hyper-parameters are sorted by name.
    """
    plain, settings = split_call(name, registry.kind)
    if settings:
        return write_call(normalise_name(plain, registry), settings)
    outer, bracket, inner = plain.replace(" ", "").partition("(")
    if not bracket:
        return registry.current_name(spell_name(outer))
    wrapped = inner.removesuffix(")")
    return f"{spell_name(outer)}({normalise_name(wrapped, registry)}{inner[len(wrapped) :]}"


def _find_agent(name: str) -> AgentSpec:
    entry = BATTERY_AGENTS[name]
    return entry() if isinstance(entry, type) else entry


def _read_nested(
    name: str, registry: Registry[Any], wrappers: Mapping[str, Callable[[Any], Any]], find: Callable[[str], Any]
) -> Any:
    """Read `wrapper(wrapper(plain))` from the outside in; hyper-parameters, such as `plain(x=1)`, are of agents."""
    kind = registry.kind
    plain, settings = split_call(name, kind)
    if settings:
        spec = _read_nested(plain, registry, wrappers, find)
        if not isinstance(spec, AgentSpec):
            raise BadValue(f"{kind} '{plain}' takes no arguments, got '{name}'", remedy=f"write '{plain}'")
        with user_code(f"{kind} {name}"):
            changed = with_hyperparameters(spec, **settings)
            changed.build(2, 2, 0)  # a value that is none is refused now
        return changed
    text = normalise_name(plain, registry)
    outer, bracket, inner = text.partition("(")
    if not bracket:
        if text not in registry and not names_user_code(text):
            raise UnknownName(kind, name, (*registry, *(f"{wrapper}(...)" for wrapper in wrappers)))
        return find(text)
    if not inner.endswith(")"):
        raise BadValue(f"'{name}' does not close its bracket", place=kind, remedy=f"write {outer}(NAME)")
    if outer not in wrappers and not (isinstance(wrappers, Registry) and names_user_code(outer)):
        raise UnknownName(f"transformation of {kind}s", outer, wrappers)
    return wrappers[outer](_read_nested(inner[:-1], registry, wrappers, find))
