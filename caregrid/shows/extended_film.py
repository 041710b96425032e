"""An extended environment turn by turn: what the agent did beside what its copy would have done, and the rewards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.agent import Transition
from engine.scene import Film, Scene, Strip, Tick
from xenv.specs import names
from xenv.specs.simulation import Simulate

SHOWN = 14


class Words(NamedTuple):
    """What actions and observations mean in an environment: number -> a few letters."""

    actions: Mapping[int, str]
    observations: Mapping[int, str]


class Turn(NamedTuple):
    """One turn: observation, action, what the copy would have done (None: there is no copy), and reward."""

    observation: int
    action: int
    copy_action: int | None
    reward: float


def run_turns(environment: str, agent: str, turns: int, ask: Callable[[Any], int | None], key: int = 0) -> list[Turn]:
    """Run an agent and ask the environment's copy the same question each turn, before it is trained.

    ask: environment -> the copy's answer, None where there is no copy to ask (asking changes nothing).
    """
    make = names.environment_factory(environment)
    simulate = Simulate(names.agent_spec(agent), make.n_observations, make.n_actions, key)
    world, actor = make(simulate), simulate()
    observation, history = world.start(), list[Turn]()
    for _ in range(turns):
        action, copy_action = actor.act(observation), ask(world)
        reward, following = world.step(action)
        actor.train(Transition(observation, action, reward, following))
        history.append(Turn(observation, action, copy_action, reward))
        observation = following
    return history


def film_of_turns(history: list[Turn], words: Words, title: str, asked: str) -> Film:
    """One scene a turn: four strips that grow, and the total so far. asked: what the copy is asked, for its strip."""
    return tuple(_scene(history[: number + 1], words, title, asked) for number in range(len(history)))


def _scene(history: list[Turn], words: Words, title: str, asked: str) -> Scene:
    shown, now = history[-SHOWN:], history[-1]
    strips = (
        ("it sees", [_tick(words.observations, turn.observation, "history") for turn in shown]),
        ("it does", [_tick(words.actions, turn.action, "path") for turn in shown]),
        (asked, [_tick(words.actions, turn.copy_action, "path") for turn in shown if turn.copy_action is not None]),
        ("reward", [_reward(turn.reward) for turn in shown]),
    )
    total = sum(turn.reward for turn in history)
    return Scene(
        caption=f"{title}, turn {len(history)}: sees {words.observations[now.observation]}, "
        f"does {words.actions[now.action]}, gets {now.reward:+g}",
        readings=(("reward so far", f"{total:+g}"), ("a turn", f"{total / len(history):+.2f}")),
        charts=tuple(Strip(name, tuple(ticks), len(shown) - 1) for name, ticks in strips if ticks),
    )


def _tick(words: Mapping[int, str], number: int, series: str) -> Tick:
    return Tick(words[number], f"{series} {number}")


def _reward(reward: float) -> Tick:
    return Tick(f"{reward:+g}" if reward else "0", "gain" if reward > 0 else "loss" if reward < 0 else "plain")
