"""An extended environment: what the agent did beside what its copy would have done (`--set agent=simple`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.agent import Transition
from engine.errors import argument
from engine.plain_values import write_number
from engine.scene import Film, Scene, Strip, Tick, choose_reward_role
from engine.value_types import FilmTurns, Seed, require
from experiments.figures.labels import format_name
from xenv import names
from xenv.environments.rewritten_past import RewrittenPast
from xenv.simulation import Simulate


def find_copy_action(world: Any, action: int | None = None) -> int | None:
    """Return what the copy would do, given the present action where that matters; None where no copy is asked."""
    world = getattr(world, "environment", world)
    if isinstance(world, RewrittenPast):
        return int(world.train_copy(action).act(0)) if world.past and action is not None else None
    copy = getattr(world, "copy", None)
    if copy is None:
        return None
    return int(copy.act(find_asked_observation(world)))


def find_asked_observation(world: Any) -> int:
    """Return the observation that an environment asks its copy about now."""
    question = getattr(world, "question", None)
    return int(question() if question else getattr(world, "observation", 0))


TURNS_SHOWN = 14


class EnvironmentLabels(NamedTuple):
    """What actions and observations mean in an environment: number -> a few letters."""

    actions: Mapping[int, str]
    observations: Mapping[int, str]

    def name_action(self, number: int) -> str:
        """Return its name; the number of an action that only copies have."""
        return self.actions.get(number, str(number))


def read_labels(make: Any) -> EnvironmentLabels:
    """Return the names that an environment gives its actions and observations, else their numbers. make: makes it."""
    named = getattr(make, "environment", make)

    def label(names: Sequence[str], count: int) -> dict[int, str]:
        return {number: names[number] if number < len(names) else str(number) for number in range(count)}

    return EnvironmentLabels(
        label(getattr(named, "action_names", ()), make.n_actions),
        label(getattr(named, "observation_names", ()), make.n_observations),
    )


class Turn(NamedTuple):
    """One turn: observation, action, what the copy would have done (None: there is no copy), and reward."""

    observation: int
    action: int
    copy_action: int | None
    reward: float


def run_turns(
    environment: str, agent: Any, turns: int, copy_action_of: Callable[[Any], int | None], key: int = 0
) -> list[Turn]:
    """Run an agent and record what its copy in the environment would do each turn.

    agent: a name or a spec. copy_action_of: environment -> the action of its copy, None where there is no copy; it must
    change nothing.
    """
    make = names.environment_factory(environment)
    simulate = Simulate(names.agent_spec(agent), make.n_observations, make.n_actions, key)
    world = make(simulate)
    actor = simulate()
    observation = world.start()
    history = list[Turn]()
    for _ in range(turns):
        action = actor.act(observation)
        copy_action = copy_action_of(world)
        reward, following = world.step(action)
        actor.train(Transition(observation, action, reward, following))
        history.append(Turn(observation, action, copy_action, reward))
        observation = following
    return history


def film_turns(history: list[Turn], labels: EnvironmentLabels, title: str, copy_title: str) -> Film:
    """Return one scene a turn: four strips that grow, and the return so far.

    copy_title: the title of the strip of the copy's actions.
    """
    return tuple(_draw_turn(history[: number + 1], labels, title, copy_title) for number in range(len(history)))


def _draw_turn(history: list[Turn], labels: EnvironmentLabels, title: str, copy_title: str) -> Scene:
    shown = history[-TURNS_SHOWN:]
    now = history[-1]
    copied = [turn.copy_action for turn in shown]
    strips = (
        ("observation", [_make_tick(labels.observations, turn.observation, "history") for turn in shown]),
        ("action", [_make_tick(labels.actions, turn.action, "path") for turn in shown]),
        (copy_title, [_make_copy_tick(labels, action) for action in copied] if copied != [None] * len(copied) else []),
        ("reward", [_make_reward_tick(turn.reward) for turn in shown]),
    )
    total = sum(turn.reward for turn in history)
    return Scene(
        caption=f"{title}, turn {len(history)}: observation {labels.observations[now.observation]}, "
        f"action {labels.actions[now.action]}, reward {_write_signed(now.reward)}",
        readings=(("return", _write_signed(total)), ("reward per turn", f"{total / len(history):+.2f}")),
        charts=tuple(Strip(name, tuple(ticks), len(shown) - 1) for name, ticks in strips if ticks),
    )


def _make_copy_tick(labels: EnvironmentLabels, action: int | None) -> Tick:
    return Tick("-") if action is None else Tick(labels.name_action(action), f"path {action}")


def _make_tick(labels: Mapping[int, str], number: int, series: str) -> Tick:
    return Tick(labels[number], f"{series} {number}")


def _make_reward_tick(reward: float) -> Tick:
    return Tick(_write_signed(reward), choose_reward_role(reward))


def _write_signed(number: float) -> str:
    return f"+{write_number(number)}" if number > 0 else write_number(number) if number else "0"


def film_environment(name: str, settings: dict[str, Any]) -> Film:
    """Return the first turns of an agent (default: q_learning) in an environment."""
    agent = settings.get("agent", "q_learning")
    turns = settings.get("turns", 40)
    key = settings.get("key", 0)
    require(argument("turns", option="--set turns"), turns, FilmTurns)
    require(argument("key", option="--set key"), key, Seed)
    make = names.environment_factory(name)
    labels = read_labels(make)
    history = run_turns(name, str(agent), turns, find_copy_action, key)
    return film_turns(history, labels, f"{format_name(name)}, {format_name(agent)}", "copy's action")
