"""The checker of the theory's examples."""

from __future__ import annotations

import math
from typing import Any

from engine.contracts import refuse
from engine.errors import ContractBroken
from engine.user_code import place_of, user_code
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.example import TheoryExample, require_theory_example
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept


def _after_a_punishment(prompt: History) -> int:
    return int(prompt[-2] < 0)


_PROBES: tuple[HistoryAgent, ...] = (lambda prompt: 0, lambda prompt: 1, _after_a_punishment)


def check_theory_example(example: Any, turns: int = 12) -> None:
    """Check that a thing is an example of the theory: make its environment and let agents interact with it.

    example: a `TheoryExample`, a registered name or `module:attribute`. turns: how long each interaction is.

    Raises ContractBroken, naming what was given and what was expected, unless
    - it is a `TheoryExample` whose environment can be made with its sample of parameters;
    - the environment gives a `Percept` with a finite reward, the same for the same agent and play;
    - a handicap's rewards are 1 or -1 (0 before the first action) and its observations 0.
    """
    is_name = isinstance(example, str)
    checked = THEORY_EXAMPLES[example] if is_name else require_theory_example(example)
    place = place_of(checked.environment)
    with user_code(place):
        environment: Any = checked(*checked.sample)
        if not callable(environment):
            refuse(checked.environment, "it", environment, "an environment, a function of agent and play")
        for agent in _PROBES:
            play: History = ()
            for _ in range(turns):
                percept = _percept(checked, environment, agent, play)
                prompt = (*play, *percept)
                play = (*prompt, agent(prompt))


def _percept(example: TheoryExample, environment: HistoryEnvironment, agent: HistoryAgent, play: History) -> Percept:
    given: Any = environment(agent, play)
    if not isinstance(given, Percept):
        refuse(environment, "it", given, "a Percept (reward, observation)")
    if not isinstance(given.reward, int | float) or not math.isfinite(given.reward):
        refuse(environment, "it", given, "a finite number as the reward")
    if environment(agent, play) != given:
        raise ContractBroken(
            f"it gave {given} and then something else",
            place=place_of(environment),
            remedy="depend on agent and play only",
        )
    if example.is_handicap and (given.observation != 0 or given.reward not in ((-1, 1) if play else (0,))):
        refuse(environment, "it", given, "a handicap's reward 1 or -1 (0 before the first action) and observation 0")
    return given
