"""Which registered agent takes these actions: each is shown what was observed, and asked what it would do.

An agent is a function of what it has been trained on, and of chance. So a hypothesis learns from the recorded
observations, actions and rewards, turn by turn, and is asked before each turn. It draws its random numbers from the
seed of the file, as in the battery. Beside it stands the same agent with "any key", as where nobody knows the seed: it
is asked with several, and q is the share of them that takes an action. Hyper-parameters are hypotheses, too:
`sarsa(epsilon=0.3)`; `reality_check(...)` is one of them.

Also said: in which environments the agent acts as its own copy predicts, that is, how often it did what the copy that
the environment asked would have done.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.programmes.agent_evidence import AgentModel, Explanation, ObservedDecision
from caregrid.programmes.extended import film
from caregrid.programmes.turns import RecordedTurn, RecordedTurns, refuse_turn, require_registered
from engine.agent import Transition
from engine.effort import require_confirmed
from engine.files import all_or_none, output_directory
from xenv import names as nested_names
from xenv.environments import ENVIRONMENTS
from xenv.opposites import OPPOSITES
from xenv.simulation import Simulate

if TYPE_CHECKING:
    from engine.mdp.mdp import Floats

TABULAR = ("constant", "simple", "q_learning", "sarsa")
DEFAULT = (*TABULAR, *(f"reality_check({name})" for name in TABULAR))
MOST_TURNS, SECONDS_A_TURN = 2_000_000, 1e-4
ANY_KEY = ", any key"
KEYS = 8
"""With how many keys an agent is asked where nobody knows its own."""


def list_turns(turns: Sequence[film.Turn], following: Sequence[int], n_actions: int) -> list[RecordedTurn]:
    """List turns as a file does. following: what is observed after each."""
    available = [str(number) for number in range(n_actions)]
    return [
        RecordedTurn(
            {"observation": int(one.observation)},
            available,
            str(int(one.action)),
            {"observation": int(after), "reward": float(one.reward), "copy": one.copy_action},
            False,
        )
        for one, after in zip(turns, following, strict=True)
    ]


def record_extended(name: str, agent: Any, turns: int, seed: int, title: str) -> RecordedTurns:
    """Record turns of an agent in an environment."""
    factory = nested_names.environment_factory(name)
    played = film.run_turns(name, agent, turns + 1, film.find_copy_action, seed)
    rows = list_turns(played[:-1], [one.observation for one in played[1:]], factory.n_actions)
    return RecordedTurns("extended", name, {}, title, [rows], seed)


def record_battery(
    folder: Path, agents: Sequence[str], environments: Sequence[str], turns: int, seeds: Sequence[int]
) -> None:
    """Write what each agent does in each environment with each seed, a file per run."""
    with all_or_none():
        output_directory(folder)
        for environment, agent, seed in itertools.product(environments, agents, seeds):
            name = "-".join(re.sub(r"\W+", "_", part).strip("_") for part in (environment, agent, str(seed)))
            record_extended(environment, agent, turns, seed, agent).save(folder / f"{name}.jsonl")


def explain(several: Sequence[RecordedTurns], names: Sequence[str]) -> Explanation:
    """Explain actions by agents of the battery, by default the tabular ones and their reality checks."""
    asked = {name: nested_names.agent_spec(name) for name in names or DEFAULT}
    turns_in_all = sum(each.steps for each in several)
    require_confirmed(turns_in_all * len(asked), "turns of hypotheses", "identify", SECONDS_A_TURN, False, MOST_TURNS)
    decisions: list[ObservedDecision] = []
    chances: dict[str, list[Floats]] = {name + key: [] for name in asked for key in ("", ANY_KEY)}
    copied: dict[str, list[bool]] = {}
    for file, turns in enumerate(several, start=1):
        require_registered(turns, [*ENVIRONMENTS.names(), *OPPOSITES])
        factory = nested_names.environment_factory(turns.world)
        shape = factory.n_observations, factory.n_actions
        for episode, rows in enumerate(turns.episodes, start=1):
            transitions = _read_episode(turns, episode, rows, shape)
            for step, (row, transition) in enumerate(zip(rows, transitions, strict=True), start=1):
                situation = turns.world, transition.observation
                decisions.append(ObservedDecision((file, episode, step), shape[1], transition.action, situation))
                if row.next["copy"] is not None:
                    copied.setdefault(turns.world, []).append(row.next["copy"] == transition.action)
            for name, spec in asked.items():
                drawn = _ask_agent(spec, shape, transitions, range(KEYS))
                chances[name + ANY_KEY] += drawn
                unknown = turns.seed is None or episode > 1
                chances[name] += drawn if unknown else _ask_agent(spec, shape, transitions, [turns.seed or 0])
    models = [AgentModel(name, tuple(several)) for name, several in chances.items()]
    notes = [
        f"in {world} it did what its copy would have done in {sum(same)} of {len(same)} turns"
        for world, same in copied.items()
    ]
    return Explanation(decisions, models, notes)


def _ask_agent(
    spec: Any, shape: tuple[int, int], transitions: Sequence[Transition], keys: Sequence[int]
) -> list[Floats]:
    """f64[A] for each turn: the share of some keys with which the agent takes each action."""
    counts = np.zeros((len(transitions), shape[1]))
    for key in keys:
        agent: Any = Simulate(spec, *shape, key).make_measured_agent()
        for turn, transition in enumerate(transitions):
            counts[turn, int(agent.act(transition.observation))] += 1.0
            agent.train(transition)
    return list(counts / len(keys))


def _read_episode(
    turns: RecordedTurns, episode: int, rows: Sequence[RecordedTurn], shape: tuple[int, int]
) -> list[Transition]:
    """Return the transitions of an episode; BadFile for numbers that the environment does not have."""
    result: list[Transition] = []
    available = [str(number) for number in range(shape[1])]
    for step, row in enumerate(rows, start=1):
        seen: Any = row.state.get("observation")
        after: Any = row.next.get("observation")
        reward = row.next.get("reward")
        for name, number in (("observation", seen), ("next observation", after)):
            if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < shape[0]:
                raise refuse_turn(turns, episode, step, f"{name} is {number}", f"give 0 to {shape[0] - 1}")
        if not isinstance(reward, int | float) or isinstance(reward, bool):
            raise refuse_turn(turns, episode, step, f"reward is {reward}", "give a number")
        if list(row.available) != available:
            raise refuse_turn(turns, episode, step, "available differs", f"give {', '.join(available)}")
        copy: Any = row.next.get("copy", "missing")
        if copy is not None and (not isinstance(copy, int) or not 0 <= copy < shape[1]):
            raise refuse_turn(turns, episode, step, f"copy is {copy}", f"give null or 0 to {shape[1] - 1}")
        if result and result[-1].next_observation != seen:
            raise refuse_turn(turns, episode, step, "it does not go on where the turn before ended", "keep every turn")
        result.append(Transition(seen, int(row.action), float(reward), after))
    return result
