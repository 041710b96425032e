"""An extended environment as a small table, for a person to play in the page against copies of that person.

The rule of a copy is that of `caregrid.playing.games.player_model`, which the page follows by itself. The table holds

    what is observed at every turn, whatever is done;  about which observation the copy is asked then;
    reward[observation][action][what the copy would do]

and a copy is shown every turn as it was. An environment that is more than that is refused: some games by the table are
compared with the same games in the environment itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle, islice
from typing import Any, NamedTuple

from caregrid.playing.games.player_model import PlayerModel
from caregrid.shows.copy_actions import asked_about, copy_action
from caregrid.shows.extended_film import EnvironmentLabels, Turn
from engine.agent import AgentSpec, Transition
from engine.agents.constant import Constant
from engine.errors import BadValue
from xenv.interaction_loop import run_environment
from xenv.specs import names
from xenv.specs.simulation import Simulate

FORMAT = "caregrid copy game 1"
COMPARED = 16


class CopyGame(NamedTuple):
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


def copy_game_data(game: CopyGame) -> dict[str, Any]:
    """The data of a game; BadValue where the environment does not fit into the table."""
    make = names.environment_factory(game.environment)
    actions = range(make.n_actions)
    played = [_played(game, [action], Constant(copied)) for action in actions for copied in actions]
    sees = [turn.observation for turn in played[0]]
    reward: dict[int, Any] = {}
    for turn in (turn for turns in played for turn in turns):
        of_action = reward.setdefault(turn.observation, [[None for _ in actions] for _ in actions])[turn.action]
        of_action[turn.copy_action] = turn.reward
    data = {
        "format": FORMAT,
        "environment": game.environment,
        "about": game.about,
        "actions": [game.labels.actions[action] for action in actions],
        "observations": {str(seen): game.labels.observations[seen] for seen in reward},
        "sees": sees,
        "asks": _asked(game),
        "reward": {str(seen): table for seen, table in reward.items()},
        "agents": {
            title: run_environment(game.environment, name, game.turns, game.key).mean
            for name, title in game.agents.items()
        },
    }
    _require_table(game, data, len(actions))
    return data


def _world(game: CopyGame, copy: AgentSpec) -> Any:
    make = names.environment_factory(game.environment)
    return make(Simulate(copy, make.n_observations, make.n_actions, game.key))


def _played(game: CopyGame, pattern: list[int], copy: AgentSpec) -> list[Turn]:
    """A game in which a person repeats some actions and the copies are of a kind."""
    world = _world(game, copy)
    observation, turns = world.start(), list[Turn]()
    for action in islice(cycle(pattern), game.turns):
        copied = copy_action(world)
        if copied is None:
            raise _refused(game, "it asks no copy before every action")
        reward, following = world.step(action)
        turns.append(Turn(observation, action, copied, reward))
        observation = following
    return turns


def _asked(game: CopyGame) -> list[int]:
    """The observation that the copy is asked about at every turn."""
    world, asked = _world(game, PlayerModel()), list[int]()
    world.start()
    for _ in range(game.turns):
        asked.append(asked_about(world))
        world.step(0)
    return asked


def _require_table(game: CopyGame, data: dict[str, Any], n_actions: int) -> None:
    """BadValue unless games by the table are those in the environment."""
    for number in range(COMPARED):
        pattern = [number // n_actions**place % n_actions for place in range(4)]
        turns = _played(game, pattern, PlayerModel())
        copy = PlayerModel().build(len(data["observations"]), n_actions, 0)
        for turn, seen, asked in zip(turns, data["sees"], data["asks"], strict=True):
            expected = Turn(seen, turn.action, copy.act(asked), data["reward"][str(seen)][turn.action][copy.act(asked)])
            if turn != expected:
                raise _refused(game, "its rewards are no table of what is seen, done and what the copy would do")
            copy.train(Transition(seen, turn.action, turn.reward, seen))


def _refused(game: CopyGame, problem: str) -> BadValue:
    return BadValue(problem, place=game.environment, remedy="play it with 'caregrid play'")
