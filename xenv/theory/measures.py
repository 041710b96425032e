"""How self-reflective an agent is: its mean reward over environments and their opposites, weighted.

    measure(T) = sum over e of w_e (mean reward in e + mean reward in the opposite of e) / 2
    w_e uniform,   or proportional to 2^-k with k the length of e's description

Opposites give blind agents, whose actions depend on nothing but the turn, exactly 0: what chance gives them in e, it
takes from them in the opposite. S. A. Alexander, "Extending environments to incentivize self-reflection in
reinforcement learning", section 7; Alexander et al. 2021, sections 2 and 6.

Differs from the paper:
- finitely many environments over finitely many turns, where a universal measure takes all of them
- the length of the shortest program cannot be computed; k counts the tokens of the file that defines e
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from engine.errors import BadValue
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.agents import HistoryAgent, as_agent
from xenv.theory.environments import HistoryEnvironment, opposite_example
from xenv.theory.histories import Prompt
from xenv.theory.interaction import interact

_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
ExampleWeights = Callable[[Sequence[str]], Mapping[str, Fraction]]


def description_length(name: str) -> int:
    """Tokens of code in an example's file, without comments, docstrings and layout; UnknownName for other names."""
    text = THEORY_EXAMPLES.file(name).read_text(encoding="utf-8")
    count, at_start = 0, True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_documentation = token.type == tokenize.STRING and at_start
        count += token.type not in _NO_CODE and token.type != tokenize.ENDMARKER and not is_documentation
        at_start = token.type in _NO_CODE if token.type != tokenize.COMMENT else at_start
    return count


def uniform_weights(names: Sequence[str]) -> dict[str, Fraction]:
    """1/n for each of n examples."""
    return {name: Fraction(1, len(names)) for name in names}


def description_weights(names: Sequence[str]) -> dict[str, Fraction]:
    """Proportional to 2^-k, with k the example's `description_length`; the weights sum to 1."""
    lengths = {name: description_length(name) for name in names}
    shortest = min(lengths.values())
    weights = {name: Fraction(1, 2 ** (length - shortest)) for name, length in lengths.items()}
    whole = sum(weights.values())
    return {name: weight / whole for name, weight in weights.items()}


def measure(
    agent: HistoryAgent | Callable[[Prompt], int],
    names: Sequence[str],
    turns: int = 50,
    weights: ExampleWeights = uniform_weights,
) -> Fraction:
    """The measure of an agent over examples, each with its sample of parameters, and their opposites.

    names: of examples. turns: of each interaction. weights: names -> weight of each. Raises BadValue for no names.
    """
    if not names:
        raise BadValue("no examples to measure in", remedy="name at least one")
    measured, weight_of = as_agent(agent), weights(names)
    return sum((weight_of[name] * _mean(measured, THEORY_EXAMPLES[name](), turns) for name in names), Fraction(0))


def _mean(agent: HistoryAgent, environment: HistoryEnvironment, turns: int) -> Fraction:
    """The mean reward in an environment and in its opposite."""
    pair = (environment, opposite_example(environment))
    return sum((interact(agent, one, turns).total for one in pair), Fraction(0)) / (2 * (turns + 1))
