"""A tree of prompts: each node is a prompt, and remembers what the agent did at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xenv.theory.agents.history_agent import Work
from xenv.theory.histories import Percept, Play, Prompt


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

    def extended(self, step: tuple[Any, ...]) -> PromptNode:
        """The node one step further, made where it is new."""
        longer = self.longer.get(step)
        if longer is None:
            longer = self.longer[step] = PromptNode()
        return longer


def path(root: PromptNode, prompt: Prompt) -> Iterator[PromptNode]:
    """The nodes of r_0 o_0, of r_0 o_0 a_0 r_1 o_1, ..., and of the prompt itself; those that are new are made."""
    node, end = root, 0
    for following in range(2, len(prompt) + 1, 3):
        node, end = node.extended(prompt[end:following]), following
        yield node


def remembered_works(root: PromptNode, prompt: Prompt, measure: Callable[[Prompt], Work]) -> Iterator[Work]:
    """The work at each of a prompt's own prompts: read off the tree, or measured where it has none."""
    for turn, node in enumerate(path(root, prompt)):
        if node.work is None:
            node.work = measure(prompt.prefix(turn))
        yield node.work


def answered(root: PromptNode, percepts: Iterable[Percept], action: Callable[[Prompt], int]) -> Play:
    """The play of an agent that is given percepts: actions are read off the tree, or evaluated where it has none."""
    node, entries = root, list[Any]()
    for reward, observation in percepts:
        node = node.extended((*entries[-1:], reward, observation))
        entries += (reward, observation)
        entries.append(action(Prompt(entries)) if node.action is None else node.action)
    return Play(entries)
