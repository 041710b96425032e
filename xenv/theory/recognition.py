"""Environments that show trial after trial and ask of each: does this look like you? And agents that know it.

    e(T, p a) = (r, t_n),   r = 1 where a > 0 and t_{n-1} looks like T, or a = 0 and it does not, else 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
"Examples involving self-recognition".

Choices:
- wrong answers give 0, as in self-recognition; the paper punishes them in some of its other aspects
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xenv.theory.agents import FunctionAgent, HistoryAgent
from xenv.theory.environments import truth
from xenv.theory.histories import Percept, Play, Prompt

Trial = TypeVar("Trial")


@dataclass(frozen=True)
class Recognition:
    """An environment that shows trials.

    show: n -> the observation that shows trial n. looks_like: (T, n) -> whether trial n looks like T. find_trial:
    prompt -> the trial that it asks about, None where it asks for something else.
    """

    show: Callable[[int], int]
    looks_like: Callable[[HistoryAgent, int], bool]
    find_trial: Callable[[Prompt], int | None]

    def __call__(self, agent: HistoryAgent, play: Play) -> Percept:
        """e(T, p)."""
        turn = len(play.actions)
        right = bool(play) and (play[-1] > 0) == self.looks_like(agent, turn - 1)
        return Percept(truth(right), self.show(turn))


def show_trials(count: int, looks_like: Callable[[HistoryAgent, int], bool]) -> Recognition:
    """Return an environment that shows finitely many trials again and again, trial k as 2 k.

    looks_like: (T, n) -> whether the trial of turn n, which is trial n mod `count`, looks like T.
    """

    def find_trial(prompt: Prompt) -> int | None:
        return None if prompt.observations[-1] % 2 else len(prompt.actions)

    return Recognition(lambda turn: 2 * (turn % count), looks_like, find_trial)


def show_listed_trials(shown: Sequence[Trial], looks_like: Callable[[HistoryAgent, Trial], bool]) -> Recognition:
    """Return an environment that shows listed trials. looks_like: (T, trial) -> whether the trial looks like T."""
    return show_trials(len(shown), lambda agent, turn: looks_like(agent, shown[turn % len(shown)]))


def make_recogniser(recognition: Recognition, acts: Callable[[Prompt], int]) -> HistoryAgent:
    """Make an agent that recognises itself: it answers trials truly, and acts as a function says elsewhere."""

    def act(prompt: Prompt) -> int:
        number = recognition.find_trial(prompt)
        return acts(prompt) if number is None else int(recognition.looks_like(itself, number))

    itself = FunctionAgent(act, "recogniser")
    return itself


def make_denier(recognition: Recognition, acts: Callable[[Prompt], int]) -> HistoryAgent:
    """Make an agent that denies itself: it answers trials falsely, and acts as a function says elsewhere."""

    def act(prompt: Prompt) -> int:
        number = recognition.find_trial(prompt)
        return acts(prompt) if number is None else int(not recognition.looks_like(itself, number))

    itself = FunctionAgent(act, "denier")
    return itself
