"""Examples and agents of the theory by name.

    newcomb*deja_vu*ignoring_rewards    an environment e with handicaps, e*h*h'
    false_memories:0,0,1                an example with a parameter
    self_insertion(crying_baby)         an example of environments with one in brackets
    society(crying_baby,newcomb)        and with several
    mirror(crying_baby,modulo:2)        and with a function (`xenv.theory.functions`)
    twin(repeater)                      the formal twin of an environment of the battery
    recogniser(chat), denier(chat)      agents built to recognise themselves in an environment, and built not to
    always:1, my_file:agent             agents; `reality_check(parity)` and `reality_check_alternate(...)` around them

All of them nest. A name may also be `module:attribute` of a user's own file. A comma before a number belongs to the
argument of a name, any other one stands between two. Before e*h is played, e is searched for negative rewards and
each h for percepts that no handicap gives, unless they declare that they have none.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from engine.contracts import refuse, require_parameters, takes_arguments
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.printable import shorten
from engine.registry import Registry, spell_name
from engine.user_code import describe_place, names_user_code, user_code
from xenv.agents import BATTERY_AGENTS
from xenv.names import agent_spec, environment_factory
from xenv.simulation import Simulate
from xenv.theory import THEORY_AGENTS, THEORY_EXAMPLES
from xenv.theory.agents import FunctionAgent, HistoryAgent, as_agent
from xenv.theory.environments import HistoryEnvironment, TheoryExample
from xenv.theory.functions import bind_numbers
from xenv.theory.handicaps import Response, refute_handicap, refute_mercy, with_handicap
from xenv.theory.histories import read_natural
from xenv.theory.practical_agents import answer_every_prompt
from xenv.theory.reality_check import reality_check, reality_check_alternate
from xenv.theory.recognition import Recognition, make_denier, make_recogniser
from xenv.theory.twins.formal_twins import make_twin

DEEPEST = 20
BUILT = {"recogniser": make_recogniser, "denier": make_denier}
CHECKS = {"reality_check": reality_check, "reality_check_alternate": reality_check_alternate}


class NamedEnvironment(NamedTuple):
    """An environment, how many actions mean something in it, and how many observations it shows, None for ever more.

    is_handicap, is_merciful: whether it is declared to be.
    """

    name: str
    environment: HistoryEnvironment
    n_actions: int
    n_observations: int | None
    is_handicap: bool = False
    is_merciful: bool = False

    def as_example(self) -> TheoryExample:
        """Return it as an example without parameters."""
        declared = {"is_handicap": self.is_handicap, "is_merciful": self.is_merciful}
        shape = {"n_actions": self.n_actions, "n_observations": self.n_observations}
        return TheoryExample(lambda: self.environment, **declared, **shape)  # type: ignore[arg-type]


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
    """Return the environment of a name.

    Raises UnknownName or BadValue for a name that cannot be read, ContractBroken where e of e*h is not merciful, or h
    no handicap.
    """
    title = "".join(name.split())
    first, *others = [_read_factor(part) for part in _split_outside_brackets(title, r"\*")]
    if not others:
        return first
    every = [first, *others]
    if len(every) > DEEPEST:
        raise BadValue(f"{len(others)} handicaps at once", remedy=f"impose at most {DEEPEST - 1}")
    if not first.is_merciful:
        _refuse_refuted(refute_mercy(first.environment), f"'{first.name}' is not merciful", MERCIFUL_ONLY)
    for handicap in others:
        if not handicap.is_handicap:
            _refuse_refuted(refute_handicap(handicap.environment), f"'{handicap.name}' is no handicap", HANDICAPS_ONLY)
    environment = with_handicap(*(one.environment for one in every))
    return NamedEnvironment(title, environment, max(one.n_actions for one in every), first.n_observations)


MERCIFUL_ONLY = "give the e of e*h no negative rewards, as newcomb or counting have none"
HANDICAPS_ONLY = "give an h of e*h rewards 1 or -1 and observation 0, as deja_vu has"


def _refuse_refuted(refutation: Response | None, problem: str, remedy: str) -> None:
    if refutation is not None:
        turn = len(refutation.play) // 3 + 1
        reward, observation = refutation.percept
        proof = f"it gives '{refutation.agent.name}' reward {reward}, observation {observation} at turn {turn}"
        place = "e of e*h" if "merciful" in problem else "h of e*h"
        raise ContractBroken(f"{problem}: {proof}", place=place, remedy=remedy)


def find_example(name: str) -> TheoryExample:
    """Return the example of a name: a registered one or a user's own; any other name is read as a composed example."""
    if name in THEORY_EXAMPLES or (names_user_code(name) and name.partition(":")[0] not in THEORY_EXAMPLES):
        return THEORY_EXAMPLES[name]
    return read_environment(name).as_example()


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
    if inner is not None and spell_name(outer) == "twin":
        return _read_twin(name, inner)
    word, example, argument = _look_up(THEORY_EXAMPLES, outer)
    if inner is not None:
        return _apply(name, word, example, inner)
    if argument is not None and example.read is None:
        raise BadValue(f"'{word}' takes no argument", place="example", remedy=f"write '{word}'")
    with user_code(describe_place(example)):
        made = example() if argument is None or example.read is None else example(example.read(argument))
    declared = (example.is_handicap, example.is_merciful)
    return NamedEnvironment(name, made, example.n_actions, example.n_observations, *declared)


def _apply(name: str, word: str, example: TheoryExample, inner: str) -> NamedEnvironment:
    """Apply an example of environments to what stands in brackets."""
    if not example.of_environments:
        raise BadValue(f"'{word}' takes no environment in brackets", place="example", remedy=f"write '{word}'")
    parts = split_names(inner)
    written = [parts.pop()] if example.function is not None and len(parts) > 1 else []
    if not takes_arguments(example.environment, len(parts) + len(written)):
        remedy = f"write {word}(NAME{',FUNCTION' * (example.function is not None)})"
        raise BadValue(f"'{word}' does not take {len(parts) + len(written)} things", place="example", remedy=remedy)
    games = [read_environment(part) for part in parts]
    functions = [example.function(text) for text in written if example.function is not None]
    with user_code(describe_place(example)):
        made = example(*(game.environment for game in games), *functions)
    n_observations = games[0].n_observations if example.keeps_observations else example.n_observations
    return NamedEnvironment(name, made, max(game.n_actions for game in games), n_observations)


def _read_twin(name: str, practical: str) -> NamedEnvironment:
    """Read the formal twin of a practical environment, whose random numbers have key 0."""
    factory = environment_factory(practical)
    source = Simulate(agent_spec("constant"), factory.n_observations, factory.n_actions).random_source
    return NamedEnvironment(name, make_twin(practical)(source), factory.n_actions, factory.n_observations)


def _make_practical(spec: Any, name: str, n_observations: int | None, n_actions: int) -> HistoryAgent:
    return answer_every_prompt(spec, n_observations, n_actions, name=name)


def _read_plain_agent(name: str, n_observations: int | None, n_actions: int) -> HistoryAgent:
    word, agent, argument = _look_up(THEORY_AGENTS, name)
    numbers = [] if argument is None else [read_natural(number) for number in argument.split(",")]
    if isinstance(agent, HistoryAgent):
        return agent
    if _is_spec(agent):
        return _make_practical(agent, name, n_observations, n_actions)
    require_parameters(agent, 1 + len(numbers), f"{word} with {len(numbers)} numbers after it")
    return FunctionAgent(bind_numbers(agent, numbers) if numbers else agent, name)


def _is_spec(agent: Any) -> bool:
    """Return whether it is a practical agent's spec."""
    return callable(getattr(agent, "build", None)) and not isinstance(agent, type)


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


def split_names(text: str) -> list[str]:
    """Split names at commas outside of brackets; a comma before a number belongs to a name, as in `scrambled:7,2`."""
    return _split_outside_brackets("".join(text.split()), r",(?![-+\d])")


def _split_outside_brackets(name: str, separator: str) -> list[str]:
    """Split a name where a pattern matches outside of brackets: e, h, h' of `e*h*h'`."""
    parts, depth, begin = list[str](), 0, 0
    for match in re.finditer(rf"[()]|{separator}", name):
        depth += (match[0] == "(") - (match[0] == ")")
        if match[0] not in "()" and depth == 0:
            parts.append(name[begin : match.start()])
            begin = match.end()
    return [*parts, name[begin:]]
