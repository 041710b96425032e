"""What the live page of a lesson shows of extended environments: answers by a hyper-parameter, and a game as a table.

An answer says what agents of the battery do and what their copies would, at each value of a hyper-parameter. In the
game a person plays in the page against copies of that person, whose rule is that of `PlayerModel`, which the page
follows by itself. The table holds

    what is observed at every turn, whatever is done;  about which observation the copy is asked then;
    reward[observation][action][what the copy would do]

and a copy is shown every turn as it was. An environment that is more than that is refused: some games by the table
are compared with the same games in the environment itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, cycle, islice
from typing import Any

from caregrid.programmes.extended.film import (
    EnvironmentLabels,
    Turn,
    find_asked_observation,
    find_copy_action,
    run_turns,
)
from caregrid.programmes.extended.game import PlayerModel
from caregrid.programmes.programme import Live, SweepAnswer
from engine.agent import AgentSpec, Transition, with_hyperparameters
from engine.agents.constant import Constant
from engine.errors import BadValue
from engine.plain_values import write_number
from engine.scene import Strip, Tick, choose_reward_role
from xenv import names
from xenv.interaction_loop import run_environment
from xenv.simulation import Simulate


def answer_by_hyperparameter(
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
    numbers = dict[str, Fraction]()
    strips = list[Strip]()
    series = dict[str, list[float]]()
    words = list[str]()
    for name, title in agents.items():
        spec = with_hyperparameters(names.agent_spec(name), **{parameter: float(value)})
        run = run_turns(environment, spec, turns, copy_action_of, key)
        rewards = [turn.reward for turn in run]
        series[title] = list(accumulate(rewards))
        numbers[title] = Fraction(sum(rewards)) / turns
        words.append(f"{title}: {_count_actions(labels, run)}")
        strips += _draw_strips(title, run, labels)
    return SweepAnswer("; ".join(words), numbers, tuple(strips), series=series)


def _draw_strips(title: str, run: list[Turn], labels: EnvironmentLabels) -> list[Strip]:
    acted = [turn.action for turn in run]
    copied = [turn.copy_action for turn in run]
    return [
        Strip(f"{title}: sees", tuple(Tick(labels.observations[turn.observation]) for turn in run)),
        Strip(f"{title}: does", tuple(Tick(labels.actions[action], f"path {action}") for action in acted)),
        Strip(f"{title}: its copy would", tuple(_write_copy(labels, action) for action in copied)),
        Strip(f"{title}: reward", tuple(_write_reward(turn.reward) for turn in run)),
    ]


def _count_actions(labels: EnvironmentLabels, run: list[Turn]) -> str:
    """Return how often each action is taken, and how often the copy would."""
    acted, copied = (
        Counter(actions) for actions in zip(*((turn.action, turn.copy_action) for turn in run), strict=True)
    )
    return ", ".join(f"{text} {acted[action]} (copy {copied[action]})" for action, text in labels.actions.items())


def _write_copy(labels: EnvironmentLabels, action: int | None) -> Tick:
    return Tick("", "faded") if action is None else Tick(labels.actions[action], f"path {action}")


def _write_reward(reward: float) -> Tick:
    return Tick(f"+{write_number(reward)}" if reward > 0 else write_number(reward), choose_reward_role(reward))


COPY_GAME_FORMAT = "caregrid copy game 1"
COMPARED = 16


@dataclass(frozen=True)
class CopyGame(Live):
    """An environment to play in the page.

    label: its name among several. environment, turns, key: which, how long, and of what chance. labels: of actions and
    observations. about: what is rewarded. agents: name -> as it is written, to compare with.
    """

    label: str
    environment: str
    turns: int
    key: int
    labels: EnvironmentLabels
    about: str
    agents: Mapping[str, str]

    def describe(self) -> dict[str, Any]:
        """Return the game as a table."""
        return write_copy_game(self)


def write_copy_game(game: CopyGame) -> dict[str, Any]:
    """Return the data of a game; BadValue where the environment does not fit into the table."""
    make = names.environment_factory(game.environment)
    actions = range(make.n_actions)
    played = [_play_pattern(game, [action], Constant(copied)) for action in actions for copied in actions]
    sees = [turn.observation for turn in played[0]]
    reward: dict[int, Any] = {}
    for turn in (turn for turns in played for turn in turns):
        of_action = reward.setdefault(turn.observation, [[None for _ in actions] for _ in actions])[turn.action]
        of_action[turn.copy_action] = turn.reward
    data = {
        "format": COPY_GAME_FORMAT,
        "environment": game.environment,
        "about": game.about,
        "actions": [game.labels.actions[action] for action in actions],
        "observations": {str(seen): game.labels.observations[seen] for seen in reward},
        "sees": sees,
        "asks": _list_questions(game),
        "reward": {str(seen): table for seen, table in reward.items()},
        "agents": {
            title: run_environment(game.environment, name, game.turns, game.key).mean
            for name, title in game.agents.items()
        },
    }
    _require_table(game, data, len(actions))
    return data


def _make_environment(game: CopyGame, copy: AgentSpec) -> Any:
    make = names.environment_factory(game.environment)
    return make(Simulate(copy, make.n_observations, make.n_actions, game.key))


def _play_pattern(game: CopyGame, pattern: list[int], copy: AgentSpec) -> list[Turn]:
    """Return a game in which a person repeats some actions and the copies are of a kind."""
    world = _make_environment(game, copy)
    observation = world.start()
    turns = list[Turn]()
    for action in islice(cycle(pattern), game.turns):
        copied = find_copy_action(world)
        if copied is None:
            raise _refuse(game, "it asks no copy before every action")
        reward, following = world.step(action)
        turns.append(Turn(observation, action, copied, reward))
        observation = following
    return turns


def _list_questions(game: CopyGame) -> list[int]:
    """Return the observation that the copy is asked about at every turn."""
    world = _make_environment(game, PlayerModel())
    asked = list[int]()
    world.start()
    for _ in range(game.turns):
        asked.append(find_asked_observation(world))
        world.step(0)
    return asked


def _require_table(game: CopyGame, data: dict[str, Any], n_actions: int) -> None:
    """BadValue unless games by the table are those in the environment."""
    for number in range(COMPARED):
        pattern = [number // n_actions**position % n_actions for position in range(4)]
        turns = _play_pattern(game, pattern, PlayerModel())
        copy = PlayerModel().build(len(data["observations"]), n_actions, 0)
        for turn, seen, asked in zip(turns, data["sees"], data["asks"], strict=True):
            expected = Turn(seen, turn.action, copy.act(asked), data["reward"][str(seen)][turn.action][copy.act(asked)])
            if turn != expected:
                raise _refuse(game, "its rewards are no table of what is seen, done and what the copy would do")
            copy.train(Transition(seen, turn.action, turn.reward, seen))


def _refuse(game: CopyGame, problem: str) -> BadValue:
    return BadValue(problem, place=game.environment, remedy="play it with 'caregrid play'")
