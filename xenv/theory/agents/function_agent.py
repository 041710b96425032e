"""An agent that is written as a function of prompts: `def parity(prompt): return len(prompt) // 3 % 2`.

What it gives is checked, and remembered in a tree of prompts, so that each prompt is evaluated once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engine.contracts import refuse, require_parameters
from engine.errors import BadValue, ContractBroken
from engine.user_code import place_of, user_code
from xenv.theory.agents.computation import measured_work
from xenv.theory.agents.history_agent import HistoryAgent, Work
from xenv.theory.agents.prompt_tree import PromptNode, answered, path, remembered_works
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.numbers import natural


class FunctionAgent(HistoryAgent):
    """function: prompt -> action, a natural number. name: how results call it, by default the function's own name.

    evaluations: how many prompts were evaluated so far.
    """

    def __init__(self, function: Callable[[Prompt], int], name: str = "") -> None:
        if not callable(function):
            refuse(function, "it", function, "an agent, a function from a prompt to an action")
        require_parameters(function, 1, "agent(prompt)")
        self.function, self.name = function, name or str(getattr(function, "__name__", type(function).__name__))
        self.evaluations = 0
        self._root = PromptNode()

    @property
    def __wrapped__(self) -> Callable[[Prompt], int]:
        """The function, which is what messages name."""
        return self.function

    def action(self, prompt: Prompt) -> int:
        *_, node = path(self._root, prompt)
        return self._evaluated(node, prompt)

    def actions(self, prompt: Prompt) -> Iterator[int]:
        for turn, node in enumerate(path(self._root, prompt)):
            yield self._evaluated(node, prompt.prefix(turn)) if node.action is None else node.action

    def answers(self, percepts: Iterable[Percept]) -> Play:
        return answered(self._root, percepts, self.action)

    def works(self, prompt: Prompt) -> Iterator[Work]:
        return remembered_works(self._root, prompt, self._work)

    def _work(self, prompt: Prompt) -> Work:
        with user_code(place_of(self.function)):
            return measured_work(functools.partial(self.function, prompt))

    def place(self) -> str:
        """Where the function is written: `mine.py, line 3, function agent`."""
        file, comma, rest = place_of(self.function).partition(", ")
        function = inspect.unwrap(self.function)
        written: Any = function if inspect.isroutine(function) else type(function).__call__
        code = getattr(written, "__code__", None)
        return f"{file}, line {code.co_firstlineno}, {rest}" if code and comma else place_of(self.function)

    def _evaluated(self, node: PromptNode, prompt: Prompt) -> int:
        if node.action is None:
            try:
                given = self.function(prompt)
            except BaseException:
                with user_code(place_of(self.function)):
                    raise
            self.evaluations += 1
            if type(given) is not int or not 0 <= given < 2**62:
                given = self._checked(given, prompt)
            node.action = given
        return node.action

    def _checked(self, given: Any, prompt: Prompt) -> int:
        try:
            return natural(given, "action")
        except BadValue as error:
            problem = f"{error.problem}, given at turn {len(prompt) // 3 + 1}"
            raise ContractBroken(problem, place=self.place(), remedy=error.remedy) from None
