"""The checkers of the theory: of its examples and of its agents."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from engine.contracts import refuse
from engine.errors import ContractBroken
from engine.user_code import place_of, user_code
from xenv.theory import THEORY_AGENTS, THEORY_EXAMPLES, require_theory_agent
from xenv.theory.agents.coercion import as_agent
from xenv.theory.agents.function_agent import FunctionAgent
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample, require_theory_example
from xenv.theory.handicaps import is_handicap_percept
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.response import HistoryEnvironment, response


def _after_a_punishment(prompt: Prompt) -> int:
    return int(prompt.rewards[-1] < 0)


_PROBES = (lambda prompt: 0, lambda prompt: 1, _after_a_punishment)


def check_theory_example(example: Any, turns: int = 12) -> None:
    """Check that a thing is an example of the theory: make its environment and let agents interact with it.

    example: a `TheoryExample`, a registered name or `module:attribute`. turns: how long each interaction is.

    Raises ContractBroken, naming what was given and what was expected, unless
    - it is a `TheoryExample` whose environment can be made with its sample of parameters;
    - the environment gives a rational reward and a natural number, the same for the same agent and play;
    - a handicap's rewards are 1 or -1 (or 0 before the first action) and its observations 0;
    - a merciful environment's rewards are not negative.
    """
    is_name = isinstance(example, str)
    checked = THEORY_EXAMPLES[example] if is_name else require_theory_example(example)
    place = place_of(checked.environment)
    with user_code(place):
        environment: Any = checked()
        if not callable(environment):
            refuse(checked.environment, "it", environment, "an environment, a function of agent and play")
        for probe in _PROBES:
            agent, play = as_agent(probe), Play()
            for _ in range(turns):
                prompt = play.prompt(_percept(checked, environment, agent, play))
                play = prompt.play(agent(prompt))


def check_theory_agent(agent: Any, turns: int = 6) -> None:
    """Check that a thing is an agent of the theory: ask it about prompts of up to `turns` turns, each twice.

    agent: a function from a prompt to an action, a registered name or `module:attribute`. Raises ContractBroken where
    it gives no natural number, or another one when it is asked again.
    """
    checked = THEORY_AGENTS[agent] if isinstance(agent, str) else require_theory_agent(agent)
    play = Play()
    for turn in range(turns):
        prompt = play.prompt(Percept(Fraction((-1) ** turn), turn % 3))
        actions = [FunctionAgent(checked)(prompt) for _ in range(2)]
        if actions[0] != actions[1]:
            raise ContractBroken(
                f"it gave {actions[0]} and then {actions[1]} for one prompt",
                place=place_of(checked),
                remedy="depend on the prompt only",
            )
        play = prompt.play(turn % 2)


def _percept(example: TheoryExample, environment: HistoryEnvironment, agent: HistoryAgent, play: Play) -> Percept:
    given = response(environment, agent, play)
    if response(environment, agent, play) != given:
        raise ContractBroken(
            f"it gave {given} and then something else",
            place=place_of(environment),
            remedy="depend on agent and play only",
        )
    if example.is_handicap and not is_handicap_percept(given, play):
        refuse(environment, "it", given, "a handicap's reward 1 or -1 (or 0 before the first action) and observation 0")
    if example.is_merciful and given.reward < 0:
        refuse(environment, "it", given, "a merciful environment's reward, 0 or more")
    return given
