"""Examples and agents of the theory by name.

    newcomb*deja_vu*ignoring_rewards    an environment e with handicaps, e*h*h'
    false_memories:0,0,1                an example with a parameter
    self_insertion(crying_baby)         an example of environments with one in brackets
    opposite(newcomb)                   all rewards negated
    recogniser(chat), denier(chat)      agents built to recognise themselves in an environment, and built not to
    always:1, my_file:agent             agents; `reality_check(parity)` and `reality_check_alternate(...)` around them

A name may also be `module:attribute` of a user's own file.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from engine.contracts import refuse, require_parameters
from engine.errors import BadValue, UnknownName
from engine.printable import shorten
from engine.registry import Registry, spell_name
from engine.user_code import describe_place, names_user_code, user_code
from xenv.agents import BATTERY_AGENTS
from xenv.names import agent_spec
from xenv.theory import THEORY_AGENTS, THEORY_EXAMPLES
from xenv.theory.agents import FunctionAgent, HistoryAgent, as_agent
from xenv.theory.environments import HistoryEnvironment, TheoryExample, opposite_example
from xenv.theory.handicaps import with_handicap
from xenv.theory.histories import read_natural
from xenv.theory.interaction import MOST_TURNS
from xenv.theory.practical_agents import as_history_agent, number_by_appearance
from xenv.theory.reality_check import reality_check, reality_check_alternate
from xenv.theory.recognition import Recognition, make_denier, make_recogniser

DEEPEST = 20
BUILT = {"recogniser": make_recogniser, "denier": make_denier}
CHECKS = {"reality_check": reality_check, "reality_check_alternate": reality_check_alternate}


class NamedEnvironment(NamedTuple):
    """An environment, how many actions mean something in it, and how many observations it shows, None for ever more."""

    name: str
    environment: HistoryEnvironment
    n_actions: int
    n_observations: int | None


def resolve_environment(example: str | TheoryExample | HistoryEnvironment) -> NamedEnvironment:
    """Return the environment of a name, of an example or as it is; raise ContractBroken for anything else."""
    if isinstance(example, str):
        return read_environment(example)
    name = str(getattr(example, "__name__", type(example).__name__))
    if isinstance(example, TheoryExample):
        return NamedEnvironment(name, example(), example.n_actions, example.n_observations)
    if not callable(example):
        refuse(example, "it", example, "an environment, a function of agent and play")
    require_parameters(example, 2, "environment(agent, play)")
    return NamedEnvironment(name, example, 2, None)


def resolve_agent(agent: Any, n_observations: int | None, n_actions: int) -> HistoryAgent:
    """Return the agent of a name, of a function or as it is. The other arguments are those of `read_agent`."""
    if isinstance(agent, str):
        return read_agent(agent, n_observations, n_actions)
    return _make_practical(agent, "", n_observations, n_actions) if _is_spec(agent) else as_agent(agent)


def read_environment(name: str) -> NamedEnvironment:
    """Return the environment of a name; raise UnknownName or BadValue for a name that cannot be read."""
    title = "".join(name.split())
    first, *others = [_read_factor(part) for part in _split_factors(title)]
    if not others:
        return first
    every = [first, *others]
    environment = with_handicap(*(one.environment for one in every))
    return NamedEnvironment(title, environment, max(one.n_actions for one in every), first.n_observations)


def read_agent(name: str, n_observations: int | None = None, n_actions: int = 2) -> HistoryAgent:
    """Return the agent of a name; raise UnknownName or BadValue for a name that cannot be read.

    n_observations, n_actions: what an agent of the battery, such as q_learning, is built for; None: observations are
    numbered in the order in which they appear.
    """
    outer, inner = _split_brackets("".join(name.split()))
    if inner is not None and spell_name(outer) in BUILT:
        recognition = read_environment(inner).environment
        if not isinstance(recognition, Recognition):
            remedy = f"write {outer}(self_recognition) or its like"
            raise BadValue(f"'{inner}' shows no trials", place=outer, remedy=remedy)
        built = BUILT[spell_name(outer)](recognition, THEORY_AGENTS["scrambled"])
        built.name = name
        return built
    if inner is not None and spell_name(outer) in CHECKS:
        return CHECKS[spell_name(outer)](read_agent(inner, n_observations, n_actions))
    if inner is not None:
        raise UnknownName("transformation of agents of the theory", outer, {**CHECKS, **BUILT})
    if spell_name(outer) in BATTERY_AGENTS and spell_name(outer) not in THEORY_AGENTS:
        return _make_practical(agent_spec(outer), outer, n_observations, n_actions)
    return _read_plain_agent(outer, n_observations, n_actions)


def _read_factor(name: str) -> NamedEnvironment:
    outer, inner = _split_brackets(name)
    if inner is not None and spell_name(outer) == "opposite":
        negated = read_environment(inner)
        return negated._replace(name=name, environment=opposite_example(negated.environment))
    word, example, argument = _look_up(THEORY_EXAMPLES, outer)
    with user_code(describe_place(example)):
        if inner is not None:
            if not example.of_environments:
                raise BadValue(f"'{word}' takes no environment in brackets", place="example", remedy=f"write '{word}'")
            game = read_environment(inner)
            return NamedEnvironment(name, example(game.environment), game.n_actions, example.n_observations)
        if argument is not None and example.read is None:
            raise BadValue(f"'{word}' takes no argument", place="example", remedy=f"write '{word}'")
        made = example() if argument is None or example.read is None else example(example.read(argument))
        return NamedEnvironment(name, made, example.n_actions, example.n_observations)


def _make_practical(spec: Any, name: str, n_observations: int | None, n_actions: int) -> HistoryAgent:
    if n_observations is None:
        return as_history_agent(spec, MOST_TURNS, n_actions, name=name, labels=number_by_appearance)
    return as_history_agent(spec, n_observations, n_actions, name=name)


def _read_plain_agent(name: str, n_observations: int | None, n_actions: int) -> HistoryAgent:
    word, agent, argument = _look_up(THEORY_AGENTS, name)
    numbers = [] if argument is None else [read_natural(number) for number in argument.split(",")]
    if isinstance(agent, HistoryAgent):
        return agent
    if _is_spec(agent):
        return _make_practical(agent, name, n_observations, n_actions)
    require_parameters(agent, 1 + len(numbers), f"{word} with {len(numbers)} numbers after it")
    return FunctionAgent(_bind_numbers(agent, numbers) if numbers else agent, name)


def _bind_numbers(agent: Callable[..., int], numbers: list[int]) -> Callable[..., int]:
    """Bind numbers to the parameters after the prompt; messages name the function itself."""

    @functools.wraps(agent)
    def made(prompt: Any) -> int:
        return agent(prompt, *numbers)

    made.__signature__ = inspect.Signature([_PROMPT])  # type: ignore[attr-defined]
    return made


def _is_spec(agent: Any) -> bool:
    """Return whether it is a practical agent's spec."""
    return callable(getattr(agent, "build", None)) and not isinstance(agent, type)


_PROMPT = inspect.Parameter("prompt", inspect.Parameter.POSITIONAL_ONLY)


def _look_up(registry: Registry[Any], name: str) -> tuple[str, Any, str | None]:
    """Return a name without its argument, the entry, and the argument, None where there is none."""
    prefix, colon, rest = name.partition(":")
    if prefix in registry or not colon:
        return prefix, registry[prefix], rest if colon else None
    attribute, colon, argument = rest.partition(":")
    if not names_user_code(f"{prefix}:{attribute}"):
        raise UnknownName(registry.kind, prefix, registry.names())
    return f"{prefix}:{attribute}", registry[f"{prefix}:{attribute}"], argument if colon else None


def _split_brackets(name: str) -> tuple[str, str | None]:
    """`outer(inner)` as a pair; without brackets the name and None."""
    outer, bracket, inner = name.partition("(")
    if not bracket:
        return outer, None
    if not inner.endswith(")"):
        raise BadValue(f"'{shorten(name)}' does not close its bracket", remedy=f"write {shorten(outer)}(NAME)")
    if name.count("(") > DEEPEST:
        raise BadValue(f"'{shorten(name)}' nests deeper than {DEEPEST}", remedy="use fewer brackets")
    return outer, inner[:-1]


def _split_factors(name: str) -> list[str]:
    """e, h, h' of `e*h*h'`, brackets left whole."""
    parts = [""]
    depth = 0
    for character in name:
        depth += (character == "(") - (character == ")")
        if character == "*" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if len(parts) > DEEPEST:
        raise BadValue(f"{len(parts) - 1} handicaps at once", remedy=f"impose at most {DEEPEST - 1}")
    return parts
