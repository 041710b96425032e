"""Best responses in rounds: every agent plans against what the others do now, in turn or all at once.

A policy is a function of the state (stationary, Markov). A profile of policies is

    a Nash equilibrium from the start states  where nobody's expected return from there is larger under another policy,
    a Markov perfect equilibrium              where this holds from every state, those that are never reached included

(D. Fudenberg, J. Tirole, "Game Theory", 1991, chapter 13), each agent's return being that of its own weighed sum of
rewards. What is compared is one agent's change at a time: a profile that several would gain by leaving together is an
equilibrium all the same. An agent keeps what it does wherever this is as good as anything else, so that rounds in which
nobody changes are Markov perfect equilibria. Rounds need not settle: they may run in a cycle, and a game need not have
an equilibrium of deterministic policies (matching pennies). Which equilibrium is found depends on where
rounds begin and on their order; others may exist, better or worse for everybody.

With damping d an agent moves to  d old + (1 - d) best response:  a mixture in each state. What is no best response any
more is dropped when its probability falls below `SMALL`, so that settled mixtures become plain policies again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.games.markov_game import MarkovGame, Profile, deterministic

SAME = 1e-9
SMALL = 1e-3
DIGITS = 9
IN_TURN, AT_ONCE = "in turn", "at once"


class Round(NamedTuple):
    """returns: f64[N], each agent's own return from the start states. regret: f64[N], how much more of its weighed
    return a best response would give from there. off_path: the same in the state where it is most. Of the policies
    before the round; changed: the numbers of agents that then changed theirs.
    """

    returns: Floats
    regret: Floats
    off_path: Floats
    changed: tuple[int, ...]


@dataclass(frozen=True)
class ResponseDynamics:
    """rounds: one after another; the last one is of `policies`, f64[S, A_i] each. cycle: after how many rounds policies
    come back to what they were, None where they do not.
    """

    rounds: tuple[Round, ...]
    policies: tuple[Floats, ...]
    cycle: int | None

    @property
    def is_nash(self) -> bool:
        """Whether nobody gains from the start states by a policy of its own, but for rounding."""
        return bool((self.rounds[-1].regret <= SAME).all())

    @property
    def is_markov_perfect(self) -> bool:
        """Whether nobody gains from any state, but for rounding."""
        return self.is_nash and bool((self.rounds[-1].off_path <= SAME).all())


def best_responses(
    game: MarkovGame,
    coefficients: Floats,
    begin: Profile,
    order: str = IN_TURN,
    damping: float = 0.0,
    rounds: int = 100,
) -> ResponseDynamics:
    """Rounds of best responses until nobody changes, policies come back, or there were enough rounds.

    coefficients: C, f64[N, N], whose row is what an agent weighs rewards with. begin: policies, f64[S, A_i] each.
    order: "in turn" (each responds to what those before it have just changed to) or "at once" (to the last round).
    damping: how much of the old policy stays, from 0 to below 1. Raises BadValue for settings that cannot be, NoPlan
    where an agent could gain for ever.
    """
    if order not in (IN_TURN, AT_ONCE):
        raise BadValue(f"it is '{order}'", place="order", remedy=f"choose '{IN_TURN}' or '{AT_ONCE}'")
    if not 0.0 <= damping < 1.0:
        raise BadValue(f"it is {damping}", place="damping", remedy="choose a number from 0 to below 1")
    policies, done = [np.array(each) for each in begin], list[Round]()
    met = {_key(policies): 0}
    while True:
        judged = _judged(game, coefficients, policies)
        last = len(done) == rounds
        changed = () if last else _respond(game, coefficients, policies, order, damping)
        done.append(judged._replace(changed=changed))
        if not changed:
            return ResponseDynamics(tuple(done), tuple(policies), None)
        key = _key(policies)
        if key in met:
            done.append(_judged(game, coefficients, policies))
            return ResponseDynamics(tuple(done), tuple(policies), len(done) - 1 - met[key])
        met[key] = len(done)


def expected_returns(game: MarkovGame, policies: Profile) -> Floats:
    """f64[N]: each agent's own return from the start states where all follow their policies."""
    everywhere = np.zeros(len(game.table.terminal), dtype=np.int32)
    own = np.eye(len(policies))
    return np.array(
        [_mean(game.table.start, evaluate_policy(game.followed(policies, each), everywhere)) for each in own]
    )


def _respond(
    game: MarkovGame, coefficients: Floats, policies: list[Floats], order: str, damping: float
) -> tuple[int, ...]:
    """One round: `policies` are replaced; who changed."""
    seen, changed = list(policies), []
    for agent in range(len(policies)):
        table = game.facing(agent, policies if order == IN_TURN else seen, coefficients[agent])
        response = _response(table, policies[agent])
        moved = _mixed(policies[agent], response, damping)
        if not np.array_equal(moved, policies[agent]):
            policies[agent] = moved
            changed.append(agent)
    return tuple(changed)


def _response(table: TabularMDP, policy: Floats) -> Floats:
    """A best response, f64[S, A], that keeps the policy wherever it is as good as any."""
    best = plan(table)
    value, action_value = best.value[:, None], best.action_value
    good = action_value >= value - SAME * np.maximum(1.0, np.abs(np.where(np.isfinite(value), value, 1.0)))
    keeps = (good | (policy == 0.0)).all(axis=1) | table.terminal
    chosen = deterministic(best.policy, policy.shape[1])
    kept = np.where(keeps[:, None], policy, chosen)
    loss = _difference(best.value, _value(table, kept))
    if (loss <= _tolerance(best.value)).all():
        return np.asarray(kept)
    return chosen  # putting off what is good for ever would be as good at every step


def _value(table: TabularMDP, policy: Floats) -> Floats:
    """f64[S]: what a policy, f64[S, A], earns on a table of one agent."""
    alone = MarkovGame(("agent",), table, table.reward[None], (table.actions,)).followed([policy], np.ones(1))
    return evaluate_policy(alone, np.zeros(len(policy), dtype=np.int32))


def _judged(game: MarkovGame, coefficients: Floats, policies: Sequence[Floats]) -> Round:
    """What policies earn, and what each agent could gain by another one of its own."""
    count = len(policies)
    regret, off_path = np.zeros(count), np.zeros(count)
    for agent in range(count):
        table = game.facing(agent, policies, coefficients[agent])
        best = plan(table).value
        gain = _difference(best, _value(table, policies[agent]))
        gain = np.where(gain <= _tolerance(best), 0.0, gain)
        regret[agent], off_path[agent] = _mean(game.table.start, gain), float(gain.max())
    return Round(expected_returns(game, policies), regret, off_path, ())


def _tolerance(value: Floats) -> Floats:
    return np.asarray(SAME * np.maximum(1.0, np.abs(np.where(np.isfinite(value), value, 1.0))))


def _difference(best: Floats, value: Floats) -> Floats:
    """How much better the best is; nothing where both are endless."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(best == value, 0.0, best - value))


def _mean(start: Floats, value: Floats) -> float:
    """The expectation over start states."""
    return float(start[start > 0.0] @ value[start > 0.0])


def _mixed(old: Floats, new: Floats, damping: float) -> Floats:
    """damping old + (1 - damping) new, without what is hardly ever done."""
    if not damping or np.array_equal(old, new):
        return new
    mixture = damping * old + (1.0 - damping) * new
    mixture = np.where((mixture < SMALL) & (new == 0.0), 0.0, mixture)
    return np.asarray(mixture / mixture.sum(axis=1, keepdims=True))


def _key(policies: Sequence[Floats]) -> bytes:
    return b"".join((np.round(each, DIGITS) + 0.0).tobytes() for each in policies)
