"""What agents of the battery do in an extended environment, and what their copies would, by a hyper-parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

from caregrid.lessons.sweeps.live_sweep import SweepAnswer
from caregrid.shows.extended_film import EnvironmentLabels, Turn, run_turns
from engine.plain_values import number_text
from engine.scene import Strip, Tick
from xenv.specs import names
from xenv.specs.hyperparameters import with_hyperparameters


def extended_answer(
    environment: str,
    agents: Mapping[str, str],
    labels: EnvironmentLabels,
    copy_action_of: Callable[[Any], int | None],
    turns: int,
    key: int,
    parameter: str,
    value: Fraction,
) -> SweepAnswer:
    """Mean rewards of agents, and turn by turn what each saw, did and would have done. agents: name -> as written."""
    numbers, strips, series, words = dict[str, Fraction](), list[Strip](), dict[str, list[float]](), list[str]()
    for name, title in agents.items():
        spec = with_hyperparameters(names.agent_spec(name), **{parameter: float(value)})
        run = run_turns(environment, spec, turns, copy_action_of, key)
        rewards = [turn.reward for turn in run]
        series[title] = list(accumulate(rewards))
        numbers[title] = Fraction(sum(rewards)) / turns
        words.append(f"{title}: {_counted(labels, run)}")
        strips += _strips(title, run, labels)
    return SweepAnswer("; ".join(words), numbers, tuple(strips), series=series)


def _strips(title: str, run: list[Turn], labels: EnvironmentLabels) -> list[Strip]:
    acted = [turn.action for turn in run]
    copied = [turn.copy_action for turn in run]
    return [
        Strip(f"{title}: sees", tuple(Tick(labels.observations[turn.observation]) for turn in run)),
        Strip(f"{title}: does", tuple(Tick(labels.actions[action], f"path {action}") for action in acted)),
        Strip(f"{title}: its copy would", tuple(_copied(labels, action) for action in copied)),
        Strip(f"{title}: reward", tuple(_reward(turn.reward) for turn in run)),
    ]


def _counted(labels: EnvironmentLabels, run: list[Turn]) -> str:
    """How often each action is taken, and how often the copy would."""
    acted, copied = (
        Counter(actions) for actions in zip(*((turn.action, turn.copy_action) for turn in run), strict=True)
    )
    return ", ".join(f"{text} {acted[action]} (copy {copied[action]})" for action, text in labels.actions.items())


def _copied(labels: EnvironmentLabels, action: int | None) -> Tick:
    return Tick("", "faded") if action is None else Tick(labels.actions[action], f"path {action}")


def _reward(reward: float) -> Tick:
    role = "gain" if reward > 0 else "loss" if reward < 0 else "plain"
    return Tick(f"+{number_text(reward)}" if reward > 0 else number_text(reward), role)
