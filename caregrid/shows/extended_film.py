"""An extended environment turn by turn: what the agent did beside what its copy would have done, and the rewards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.agent import Transition
from engine.plain_values import number_text
from engine.scene import Film, Scene, Strip, Tick
from xenv.specs import names
from xenv.specs.simulation import Simulate

TURNS_SHOWN = 14


class EnvironmentLabels(NamedTuple):
    """What actions and observations mean in an environment: number -> a few letters."""

    actions: Mapping[int, str]
    observations: Mapping[int, str]


class Turn(NamedTuple):
    """One turn: observation, action, what the copy would have done (None: there is no copy), and reward."""

    observation: int
    action: int
    copy_action: int | None
    reward: float


def run_turns(
    environment: str, agent: Any, turns: int, copy_action_of: Callable[[Any], int | None], key: int = 0
) -> list[Turn]:
    """Run an agent and record what the environment's copy of it would do each turn.

    agent: a name or a spec. copy_action_of: environment -> the action of its copy, None where there is no copy; it must
    change nothing.
    """
    make = names.environment_factory(environment)
    simulate = Simulate(names.agent_spec(agent), make.n_observations, make.n_actions, key)
    world, actor = make(simulate), simulate()
    observation, history = world.start(), list[Turn]()
    for _ in range(turns):
        action, copy_action = actor.act(observation), copy_action_of(world)
        reward, following = world.step(action)
        actor.train(Transition(observation, action, reward, following))
        history.append(Turn(observation, action, copy_action, reward))
        observation = following
    return history


def film_of_turns(history: list[Turn], labels: EnvironmentLabels, title: str, copy_title: str) -> Film:
    """One scene a turn: four strips that grow, and the return so far.

    copy_title: the title of the strip of the copy's actions.
    """
    return tuple(_scene(history[: number + 1], labels, title, copy_title) for number in range(len(history)))


def _scene(history: list[Turn], labels: EnvironmentLabels, title: str, copy_title: str) -> Scene:
    shown, now = history[-TURNS_SHOWN:], history[-1]
    copied = [turn.copy_action for turn in shown]
    strips = (
        ("observation", [_tick(labels.observations, turn.observation, "history") for turn in shown]),
        ("action", [_tick(labels.actions, turn.action, "path") for turn in shown]),
        (copy_title, [_copy_tick(labels, action) for action in copied] if copied != [None] * len(copied) else []),
        ("reward", [_reward(turn.reward) for turn in shown]),
    )
    total = sum(turn.reward for turn in history)
    return Scene(
        caption=f"{title}, turn {len(history)}: observation {labels.observations[now.observation]}, "
        f"action {labels.actions[now.action]}, reward {_signed(now.reward)}",
        readings=(("return", _signed(total)), ("reward per turn", f"{total / len(history):+.2f}")),
        charts=tuple(Strip(name, tuple(ticks), len(shown) - 1) for name, ticks in strips if ticks),
    )


def _copy_tick(labels: EnvironmentLabels, action: int | None) -> Tick:
    return Tick("-") if action is None else _tick(labels.actions, action, "path")


def _tick(labels: Mapping[int, str], number: int, series: str) -> Tick:
    return Tick(labels[number], f"{series} {number}")


def _reward(reward: float) -> Tick:
    return Tick(_signed(reward), "gain" if reward > 0 else "loss" if reward < 0 else "plain")


def _signed(number: float) -> str:
    return f"+{number_text(number)}" if number > 0 else number_text(number) if number else "0"
