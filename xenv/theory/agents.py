"""Agents as functions of whole histories: `def parity(prompt): return len(prompt) // 3 % 2` is one.

    T(r_0 o_0 a_0 ... r_n o_n) = a_n

An agent is a function from prompts to actions, of which each prompt is evaluated once: actions are checked, and
remembered in a tree of prompts. The work of computing an action is counted, in lines of Python and in items that
local variables hold, by Python's own tracing, so that the count does not depend on the machine's speed; lines of
the standard library do not count, so that it hardly depends on Python's version. S. A. Alexander, "Extending
environments to incentivize self-reflection in reinforcement learning", Definition 2.

Differs from the paper:
- agents are Python objects rather than Turing machines; a program that never halts never halts here, either
"""

from __future__ import annotations

import functools
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from types import FrameType
from typing import Any, NamedTuple

from engine.contracts import refuse, require_parameters
from engine.errors import BadValue, ContractBroken
from engine.user_code import describe_place, user_code
from xenv.theory.histories import Percept, Play, Prompt, as_natural
from xenv.traced_calls import call_traced


class Work(NamedTuple):
    """The work of a computation. steps: lines of Python. memory: the most items in local variables at once."""

    steps: int
    memory: int


class HistoryAgent(ABC):
    """T: called with a prompt, or a sequence that is one, it returns the action.

    name: what results call it. A subclass remembers what it has computed, so that asking again costs a look-up.
    """

    name = "agent"

    def __call__(self, prompt: Sequence[Any]) -> int:
        """Return T(p); raise BadValue where p is not a prompt, ContractBroken where the answer is not an action."""
        return self.action(Prompt(prompt))

    @abstractmethod
    def action(self, prompt: Prompt) -> int:
        """Return T(p) for a prompt that is validated already."""

    @abstractmethod
    def actions(self, prompt: Prompt) -> Iterator[int]:
        """Yield T(r_0 o_0), T(r_0 o_0 a_0 r_1 o_1), ..., T(p): what it would do at each turn of a history."""

    def answers(self, percepts: Iterable[Percept]) -> Play:
        """Return the play in which the agent meets these percepts and acts itself, as a copy would.

        Its r_i and o_i are those of the percepts, and a_i = T(r_0 o_0 a_0 ... r_i o_i).
        """
        play = Play()
        for percept in percepts:
            prompt = play.prompt(percept)
            play = prompt.play(self.action(prompt))
        return play

    def work(self, prompt: Prompt) -> Work:
        """Return the work of computing T(p) where nothing is remembered."""
        *_, last = self.works(prompt)
        return last

    @abstractmethod
    def works(self, prompt: Prompt) -> Iterator[Work]:
        """Yield the work of computing each of `actions`."""


class PromptNode:
    """A prompt. action: the agent's, None until it was evaluated. trained: a practical agent that was trained up to it,
    where one is kept. work: what evaluating it takes, once that was measured. longer: (action, reward, observation) ->
    the prompt that goes on with them.
    """

    __slots__ = ("action", "longer", "trained", "work")

    def __init__(self) -> None:
        self.action: int | None = None
        self.trained: Any = None
        self.work: Work | None = None
        self.longer: dict[tuple[Any, ...], PromptNode] = {}

    def extend_by(self, step: tuple[Any, ...]) -> PromptNode:
        """Return the node one step further, made where it is new."""
        longer = self.longer.get(step)
        if longer is None:
            longer = self.longer[step] = PromptNode()
        return longer


def walk_tree(root: PromptNode, prompt: Prompt) -> Iterator[PromptNode]:
    """Yield the nodes of r_0 o_0, of r_0 o_0 a_0 r_1 o_1, ..., and of the prompt itself; new ones are made."""
    node, end = root, 0
    for following in range(2, len(prompt) + 1, 3):
        node, end = node.extend_by(prompt[end:following]), following
        yield node


def recall_works(root: PromptNode, prompt: Prompt, measure: Callable[[Prompt], Work]) -> Iterator[Work]:
    """Yield the work at each of a prompt's own prompts: read off the tree, or measured where it has none."""
    for turn, node in enumerate(walk_tree(root, prompt)):
        if node.work is None:
            node.work = measure(prompt.prefix(turn))
        yield node.work


def answer_percepts(root: PromptNode, percepts: Iterable[Percept], action: Callable[[Prompt], int]) -> Play:
    """Return the play that an agent makes of percepts: actions are read off the tree, or evaluated."""
    node, entries = root, list[Any]()
    for reward, observation in percepts:
        node = node.extend_by((*entries[-1:], reward, observation))
        entries += (reward, observation)
        entries.append(action(Prompt(entries)) if node.action is None else node.action)
    return Play(entries)


_LIBRARY = os.path.dirname(os.__file__) + os.sep
_CONTAINERS = (tuple, list, dict, set, frozenset, str, bytes)


def measure_work(compute: Callable[[], object]) -> Work:
    """Measure the work of a computation; a container counts as many items as it holds, anything else as one."""
    steps = memory = total = 0
    held: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps, memory, total
        if event == "line":
            steps += 1
            items = 0
            for value in frame.f_locals.values():
                items += len(value) if isinstance(value, _CONTAINERS) else 1
            total += items - held.get(frame, 0)
            held[frame] = items
            memory = max(memory, total)
        elif event == "return":
            total -= held.pop(frame, 0)
        elif event == "call" and _is_library(frame.f_code.co_filename):
            return None
        return trace

    call_traced(trace, compute)
    return Work(steps, memory)


@functools.cache
def _is_library(file: str) -> bool:
    return file.startswith(_LIBRARY) and "site-packages" not in file


class FunctionAgent(HistoryAgent):
    """function: prompt -> action, a natural number. name: how results call it, by default the function's own name.

    evaluations: how many prompts were evaluated so far.
    """

    def __init__(self, function: Callable[[Prompt], int], name: str = "") -> None:
        if not callable(function):
            refuse(function, "it", function, "an agent, a function from a prompt to an action")
        require_parameters(function, 1, "agent(prompt)")
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.evaluations = 0
        self._root = PromptNode()

    __wrapped__ = property(attrgetter("function"))  # what messages name

    def action(self, prompt: Prompt) -> int:
        *_, node = walk_tree(self._root, prompt)
        return self._evaluate(node, prompt)

    def actions(self, prompt: Prompt) -> Iterator[int]:
        for turn, node in enumerate(walk_tree(self._root, prompt)):
            yield self._evaluate(node, prompt.prefix(turn)) if node.action is None else node.action

    def answers(self, percepts: Iterable[Percept]) -> Play:
        return answer_percepts(self._root, percepts, self.action)

    def works(self, prompt: Prompt) -> Iterator[Work]:
        return recall_works(self._root, prompt, self._work)

    def _work(self, prompt: Prompt) -> Work:
        with user_code(describe_place(self.function)):
            return measure_work(functools.partial(self.function, prompt))

    def place(self) -> str:
        """Return where the function is written: `mine.py, line 3, function agent`."""
        file, comma, rest = describe_place(self.function).partition(", ")
        function = inspect.unwrap(self.function)
        written: Any = function if inspect.isroutine(function) else type(function).__call__
        code = getattr(written, "__code__", None)
        return f"{file}, line {code.co_firstlineno}, {rest}" if code and comma else describe_place(self.function)

    def _evaluate(self, node: PromptNode, prompt: Prompt) -> int:
        if node.action is None:
            try:
                answer = self.function(prompt)
            except BaseException:
                with user_code(describe_place(self.function)):
                    raise
            self.evaluations += 1
            if type(answer) is not int or not 0 <= answer < 2**62:
                answer = self._check_action(answer, prompt)
            node.action = answer
        return node.action

    def _check_action(self, answer: Any, prompt: Prompt) -> int:
        try:
            return as_natural(answer, "action")
        except BadValue as error:
            problem = f"{error.problem}, given at turn {len(prompt) // 3 + 1}"
            raise ContractBroken(problem, place=self.place(), remedy=error.remedy) from None


def as_agent(agent: HistoryAgent | Callable[[Prompt], int]) -> HistoryAgent:
    """Return a `HistoryAgent` as it is, a function as one; raise ContractBroken for anything else."""
    return agent if isinstance(agent, HistoryAgent) else FunctionAgent(agent)
