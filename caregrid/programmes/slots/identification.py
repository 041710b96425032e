"""Which future an agent counts as its own: its actions at its histories, against the values of every future.

    P(a | h) = (1 - e) softmax(Q_F(h, .) / T)(a) + e / |A|            or, exact, the best actions alone

for each future F and each discount of a grid. An agent that may be copied is one function of its history: copies with
the same history decide together, so that what they do counts once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from caregrid.programmes.agent_evidence import AgentModel, Explanation, ObservedDecision
from caregrid.programmes.slots.values import STEPS, choose_discount, read_file_settings, read_mixture
from caregrid.programmes.turns import RecordedTurn, RecordedTurns, refuse_turn, require_registered
from engine.plain_values import parse_rational
from engine.value_types import GameTurns, require
from multislot.futures import find_future
from multislot.learning import Mixture
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import SLOT_SCENARIOS
from multislot.simulation import simulate_slots
from multislot.worlds.environment import (
    AgentHistory,
    HistoryBasedEnvironment,
    Label,
    Slot,
    compute_state_after,
    get_checked_law,
)
from multislot.worlds.protocol import Independent, Trace, make_initial_step

DEFAULT = ("cpy", "cpy_joint", "dyn", "every", "first", "sta:1")
DISCOUNTS = ("1/4", "1/2", "3/4", "9/10")
OTHER_DISCOUNTS = ("0", "99/100")
"""With which an agent is none of the hypotheses."""


def list_turns(environment: HistoryBasedEnvironment, trace: Trace) -> list[RecordedTurn]:
    """List every agent's actions in a run of the protocol, time by time and slot by slot."""
    turns = []
    for before, after in itertools.pairwise(trace):
        last = after.time == trace[-1].time
        for slot in before.agent_set:
            copies = {str(copy): str(after.observations[copy]) for copy in after.copies.get(slot, ())}
            state = {"slot": slot, "history": write_history(before.histories[slot])}
            available = list(map(str, environment.actions))
            turns.append(RecordedTurn(state, available, str(after.actions[slot]), {"copies": copies}, last))
    return turns


def write_history(history: AgentHistory) -> list[list[str]]:
    """Write a history as pairs of texts."""
    return [[str(action), str(observation)] for action, observation in history]


def record_slots(name: str, policy: str, episodes: int, seed: int, settings: Mapping[str, str]) -> RecordedTurns:
    """Record runs of agents that share a policy, such as a future's. settings: horizon and discount."""
    mixture, horizon, discount = _read_world(name, settings)
    (environment,) = mixture.environments
    context = PolicyContext(mixture, horizon, discount)
    runs = [simulate_slots(environment, make_slot_policy(policy, context), horizon, seed + n) for n in range(episodes)]
    return RecordedTurns(
        "slots", name, dict(settings), policy, [list_turns(environment, trace) for trace in runs], seed
    )


def _read_world(name: str, settings: Mapping[str, str]) -> tuple[Mixture, int, Fraction]:
    given = settings.get("horizon")
    horizon = read_file_settings(name).horizon or STEPS if given is None else int(parse_rational(given, "horizon"))
    require("horizon", horizon, GameTurns)
    return read_mixture(name, None, "exists"), horizon, choose_discount(settings.get("discount"), name)


def explain(several: Sequence[RecordedTurns], names: Sequence[str]) -> Explanation:
    """Explain actions by futures with every discount of a grid; by some alone where named, such as cpy or cpy@1/2."""
    asked = _list_hypotheses(names)
    decisions: list[ObservedDecision] = []
    points: list[_Point] = []
    late: list[bool] = []
    repeated = 0
    for file, turns in enumerate(several, start=1):
        require_registered(turns, SLOT_SCENARIOS.names(), with_arguments=True)
        mixture, horizon, _ = _read_world(turns.world, turns.settings)
        (environment,) = mixture.environments
        seen: set[tuple[AgentHistory, Label]] = set()
        for where, history, action in _replay(environment, turns, horizon):
            if (history, action) in seen:
                repeated += 1
                continue
            seen.add((history, action))
            situation = turns.world, horizon, history
            taken = mixture.actions.index(action)
            decisions.append(ObservedDecision((file, *where), len(mixture.actions), taken, situation))
            points.append(_Point(mixture, horizon - len(history), history))
            late.append(2 * file > len(several) if len(several) > 1 else 2 * len(history) >= horizon)
    note = f"{repeated} decisions repeat another copy's with the same history, and count once"
    others = {
        f"{future}@{discount}": (future, choose_discount(discount, ""))
        for future in dict.fromkeys(future for future, _ in asked.values())
        for discount in (*DISCOUNTS, *OTHER_DISCOUNTS)
    }
    rest = {name: each for name, each in others.items() if each not in asked.values()}
    notes = [note] if repeated else []
    return Explanation(decisions, _make_models(asked, points), notes, late, lambda: _make_models(rest, points))


class _Point(NamedTuple):
    """Where an agent decided: the world, how many steps are left, and the history."""

    mixture: Mixture
    left: int
    history: AgentHistory


def _make_models(asked: Mapping[str, tuple[str, Fraction]], points: Sequence[_Point]) -> list[AgentModel]:
    """Make hypotheses, name -> future and discount, with their action values at every point."""
    models = []
    for name, (future, discount) in asked.items():
        values = []
        for mixture, left, history in points:
            found = evaluate(mixture, future, left, discount, history)
            values.append(np.array([float(found.Q[each]) for each in mixture.actions]))
        models.append(AgentModel(name, values=tuple(values)))
    return models


def _list_hypotheses(names: Sequence[str]) -> dict[str, tuple[str, Fraction]]:
    found = {}
    for name in names or DEFAULT:
        future, at, discount = name.partition("@")
        find_future(future)
        for each in (discount,) if at else DISCOUNTS:
            found[f"{future}@{each}"] = future, choose_discount(each, "")
    return found


def _replay(
    environment: HistoryBasedEnvironment, turns: RecordedTurns, horizon: int
) -> list[tuple[tuple[int, int], AgentHistory, Label]]:
    """Replay a file: (episode, step), the history and the action of each turn; BadFile for what cannot be."""
    actions = {str(action): action for action in environment.actions}
    labels = {str(label): label for label in environment.rewards}
    found = []
    for episode, rows in enumerate(turns.episodes, start=1):
        waiting: dict[Slot, AgentHistory] = dict(make_initial_step(Independent(environment)).histories)
        later: dict[Slot, AgentHistory] = {}
        time = 1
        for step, turn in enumerate(rows, start=1):
            if not waiting:
                waiting, later, time = later, {}, time + 1
            slot: Any = turn.state.get("slot")
            copies = turn.next.get("copies")
            history = waiting.get(slot) if isinstance(slot, int) else None
            if history is None or time > horizon or turn.state != {"slot": slot, "history": write_history(history)}:
                remedy = "let each agent act once at each time, on its slot and with its history"
                raise refuse_turn(turns, episode, step, f"state {turn.state} cannot come there", remedy)
            if list(turn.available) != list(actions):
                raise refuse_turn(turns, episode, step, "available differs", f"give {', '.join(actions)}")
            action = actions[turn.action]
            law = get_checked_law(environment, compute_state_after(environment, history), slot, action)
            outcomes = [{str(copy): str(seen) for copy, seen in one.items()} for _, one in law]
            if not isinstance(copies, dict) or copies not in outcomes:
                raise refuse_turn(turns, episode, step, f"copies {copies} cannot follow", "give what the law allows")
            del waiting[slot]
            later |= {int(copy): (*history, (action, labels[seen])) for copy, seen in copies.items()}
            found.append(((episode, step), history, action))
    return found
