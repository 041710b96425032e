"""How self-reflective an agent is: its mean reward over environments and their opposites, weighted.

    measure(T) = sum over e of w_e score_e(T)
    score_e(T) = (mean of r / c_e in e + mean of r / c_e in the opposite of e) / 2,   -1 <= r / c_e <= 1
    c_e: the scale of e, its largest absolute reward
    w_e uniform,   or proportional to 2^-k with k the length of e's description

Every environment has a score from -1 to 1, so that Newcomb's millions do not drown handicaps. Opposites
give blind agents, whose actions depend on nothing but the turn, exactly 0: what chance gives them in e, it takes from
them in the opposite. S. A. Alexander, "Extending environments to incentivize self-reflection in
reinforcement learning", section 7; Alexander et al. 2021, sections 2 and 6.

Differs from the paper:
- finitely many environments over finitely many turns, where a universal measure takes all of them
- the length of the shortest program cannot be computed; k counts tokens of the code that defines e

Choices:
- the code that defines e is its own statement and every definition of its file that this statement uses, directly or
  through others; imports and what other modules define do not count
- c_e is the largest absolute reward that any toy agent finds in a search of small plays and of its own (`handicaps`),
  and 1 where it finds none but 0; a greater reward counts as one of c_e
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from engine.errors import BadValue
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.agents import HistoryAgent, as_agent
from xenv.theory.environments import ONE, ZERO, HistoryEnvironment, negate, replace_rewards
from xenv.theory.handicaps import list_answers
from xenv.theory.histories import Prompt
from xenv.theory.interaction import interact
from xenv.theory.naming import read_environment

_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
ExampleWeights = Callable[[Sequence[str]], Mapping[str, Fraction]]


def count_description_tokens(name: str) -> int:
    """Count the tokens of the code that defines an example, without comments, docstrings and layout.

    Raises UnknownName for what is not the name of an example of our own.
    """
    text = THEORY_EXAMPLES.file(name).read_text(encoding="utf-8")
    lines = _find_defining_lines(ast.parse(text), THEORY_EXAMPLES.current_name(name))
    count = 0
    at_start = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_documentation = token.type == tokenize.STRING and at_start
        is_code = token.type not in _NO_CODE and token.type != tokenize.ENDMARKER and not is_documentation
        count += is_code and token.start[0] in lines
        at_start = token.type in _NO_CODE if token.type != tokenize.COMMENT else at_start
    return count


def _find_defining_lines(tree: ast.Module, name: str) -> set[int]:
    """Return the lines of the statements that define a name of a module, and of those definitions that they use."""
    definitions: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        for defined in _list_defined_names(statement):
            definitions.setdefault(defined, []).append(statement)
    lines = set[int]()
    waiting = [name]
    while waiting:
        for statement in definitions.pop(waiting.pop(), []):
            nodes = list(ast.walk(statement))
            lines |= {line for node in nodes if isinstance(node, ast.expr | ast.stmt) for line in _span_lines(node)}
            waiting += [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return lines


def _list_defined_names(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module assigns, or the name of the class or function that it defines."""
    if isinstance(statement, ast.ClassDef | ast.FunctionDef):
        return [statement.name]
    return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _span_lines(node: ast.expr | ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def weigh_uniformly(names: Sequence[str]) -> dict[str, Fraction]:
    """Give each of n examples the weight 1/n."""
    return {name: Fraction(1, len(names)) for name in names}


def weigh_by_description(names: Sequence[str]) -> dict[str, Fraction]:
    """Give each example a weight proportional to 2^-k, with k its `count_description_tokens`; they sum to 1."""
    lengths = {name: count_description_tokens(name) for name in names}
    shortest = min(lengths.values())
    weights = {name: Fraction(1, 2 ** (length - shortest)) for name, length in lengths.items()}
    whole = sum(weights.values())
    return {name: weight / whole for name, weight in weights.items()}


def measure(
    agent: HistoryAgent | Callable[[Prompt], int],
    names: Sequence[str],
    turns: int = 50,
    weights: ExampleWeights = weigh_uniformly,
) -> Fraction:
    """Measure how self-reflective an agent is, over examples and their opposites.

    Parameters
    ----------
    agent : HistoryAgent or function
        A function from a prompt to an action.
    names : sequence of str
        The names of the examples, composed ones among them.
    turns : int
        The number of actions of each interaction.
    weights : function
        From the names to the weight of each, `weigh_uniformly` or `weigh_by_description`.

    Returns
    -------
    Fraction
        The weighted mean score, from -1 to 1.

    Raises
    ------
    BadValue
        If there are no names.

    Examples
    --------
    >>> str(measure(lambda prompt: int(min(prompt.rewards) < 0), ["newcomb"], turns=4))
    '2997/10010'

    References
    ----------
    S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", section 7.
    """
    if not names:
        raise BadValue("no examples to measure in", remedy="name at least one")
    measured = as_agent(agent)
    weight_of = weights(names)
    return sum((weight_of[name] * score(measured, read_environment(name).environment, turns) for name in names), ZERO)


def score(agent: HistoryAgent, environment: HistoryEnvironment, turns: int, scale: Fraction | None = None) -> Fraction:
    """Return an agent's mean of scaled rewards in an environment and in its opposite, from -1 to 1.

    scale: by default the environment's own.
    """
    largest = find_scale(environment) if scale is None else scale
    pair = (environment, negate(environment))
    bounded = [replace_rewards(one, lambda reward: min(max(reward / largest, -ONE), ONE)) for one in pair]
    return sum((interact(agent, one, turns).total for one in bounded), ZERO) / (2 * (turns + 1))


def find_scale(environment: HistoryEnvironment) -> Fraction:
    """Return the largest absolute reward that a search finds, 1 where it finds only 0."""
    return max(abs(percept.reward) for _, _, percept in list_answers(environment)) or ONE
