"""Markov games: N agents who act at once on one table, best responses in rounds, and when these are an equilibrium.

    r_i'(s, a, s') = sum_j C_ij r_j(s, a, s')

Actions of the table are joint ones. C_ij is agent i's coefficient for agent j, C_ii that for itself. Where the
others' policies are fixed, what is left is a table of one agent's own actions, so that every planner for tables
finds a best response. Reference: L. Shapley, "Stochastic games", 1953; "Be Considerate", Eq 6.

In rounds of best responses every agent plans against what the others do now, in turn or all at once. A policy is a
function of the state (stationary, Markov). A profile of policies is

    a Nash equilibrium from the start states, where nobody's expected return there is larger under another policy,
    a Markov perfect equilibrium, where this holds from every state, those that are never reached included

(D. Fudenberg, J. Tirole, "Game Theory", 1991, chapter 13), each agent's return being that of its own weighed sum of
rewards. What is compared is one agent's change at a time: a profile that several would gain by leaving together is
an equilibrium all the same. An agent keeps what it does wherever this is as good as anything else, so that rounds
in which nobody changes are Markov perfect equilibria. Rounds need not settle: they may run in a cycle, and a game
need not have an equilibrium of deterministic policies (matching pennies). Which equilibrium is found depends on
where rounds begin and on their order; others may exist, better or worse for everybody.

With damping d an agent moves to  d old + (1 - d) best response:  a mixture in each state. What is no best response
any more is dropped when its probability falls below `SMALL`, so that settled mixtures become plain policies again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, UnknownName
from engine.mdp.mdp import Floats, Integers, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.endless_returns import average_over_starts
from engine.value_types import Coefficient, Damping, require

Profile = Sequence[Floats]
MOST_ENTRIES = 50_000_000
"""Rewards of a game, agents by transitions, and transitions that an agent faces: some minutes a round."""


@dataclass(frozen=True)
class MarkovGame:
    """N agents who act at once on one table.

    agents: N names. table: its J actions are joint, the first agent's slowest to change; discount and starts are its
    own, its reward does not count. rewards: f64[N, S, J, K]. actions: each agent's A_i actions, by name.
    """

    agents: tuple[str, ...]
    table: TabularMDP
    rewards: Floats
    actions: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        joint = math.prod(map(len, self.actions))
        fits = len(self.agents) == len(self.actions) == len(self.rewards) and joint == len(self.table.actions)
        if not fits or self.rewards.shape[1:] != self.table.reward.shape:
            raise BadValue(
                f"{len(self.agents)} agents, {joint} joint actions, rewards of shape {self.rewards.shape}",
                place="Markov game",
                remedy=f"a table of shape {self.table.reward.shape} needs rewards for each agent, and as many actions",
            )

        states, joint, outcomes = self.table.reward.shape
        if self.rewards.size > MOST_ENTRIES:
            raise BadValue(
                f"{states:,} states, {joint:,} joint actions, {outcomes} outcomes and {len(self.agents)} agents",
                place="Markov game",
                remedy=f"choose a smaller world: these are {self.rewards.size:,} rewards, at most {MOST_ENTRIES:,}",
            )

    def join(self, weights: Floats) -> TabularMDP:
        """Make the table of one planner for all, rewarded with  sum_i w_i r_i;  weights: f64[N]."""
        return self.table.with_reward(np.tensordot(weights, self.rewards, axes=1))

    def fix_others(self, agent: int, policies: Profile, weights: Floats) -> TabularMDP:
        """Make the table of one agent's own actions, in which the others act by their policies, f64[S, A_j] each.

        weights: f64[N], the agent's coefficients.
        """
        return self._fix_policies([None if number == agent else each for number, each in enumerate(policies)], weights)

    def fix_all(self, policies: Profile, weights: Floats) -> TabularMDP:
        """Make the table of one action, which stands for what all policies do together."""
        return self._fix_policies(list(policies), weights)

    def _fix_policies(self, policies: Sequence[Floats | None], weights: Floats) -> TabularMDP:
        """Make the table in which each agent that has a policy follows it; one agent at most has none."""
        free = [number for number, policy in enumerate(policies) if policy is None]
        own = len(self.actions[free[0]]) if free else 1
        choices = [[_Choice(None, np.ones(1))] if policy is None else _split_support(policy) for policy in policies]
        slots = math.prod(map(len, choices)) * self.table.next_state.shape[2]
        states = len(self.table.terminal)
        if states * own * slots > MOST_ENTRIES:
            raise BadValue(
                f"{states:,} states with {own} actions and {slots:,} outcomes each",
                place="Markov game",
                remedy="use no damping, a smaller world or fewer agents",
            )
        at = np.arange(states)[:, None]
        parts: list[tuple[Integers, Floats, Floats]] = []
        for chosen in itertools.product(*choices):
            joint = np.zeros((states, own), dtype=np.int64)
            chance = np.ones((states, 1))
            for names, (action, probability) in zip(self.actions, chosen, strict=True):
                taken = np.arange(own)[None, :] if action is None else action[:, None]
                joint = joint * len(names) + taken
                chance = chance * probability[:, None]
            gained = np.zeros((*joint.shape, self.table.next_state.shape[2]))
            for weight, reward in zip(weights, self.rewards, strict=True):
                if weight:
                    gained += weight * reward[at, joint]
            parts.append(
                (self.table.next_state[at, joint], self.table.probability[at, joint] * chance[..., None], gained)
            )
        following, probability, reward = (np.concatenate(each, axis=2) for each in zip(*parts, strict=True))
        names = self.actions[free[0]] if free else ("all",)
        possible = probability > 0.0
        return replace(
            self.table,
            actions=names,
            next_state=np.where(possible, following, 0),
            probability=probability,
            reward=np.where(possible, reward, 0.0),
            available=None,
        )


def make_deterministic(actions: Integers, count: int) -> Floats:
    """Make the policy f64[S, A] that takes one action, int[S], in each state."""
    return np.asarray(np.eye(count)[actions])


def make_coefficient_matrix(
    agents: Sequence[str], own: float, care: float, given: Mapping[str, Mapping[str, float]]
) -> Floats:
    """Make C, f64[N, N]: own for oneself, care for everybody else, except for `given`: who -> whom -> coefficient.

    Raises UnknownName for agents that the world does not have, BadValue for coefficients that are not finite numbers.
    """
    require("own", own, Coefficient)
    require("care", care, Coefficient)
    matrix = np.where(np.eye(len(agents), dtype=np.bool_), own, care)
    for who, row in given.items():
        for whom, coefficient in row.items():
            for name in (who, whom):
                if name not in agents:
                    raise UnknownName("agent", name, agents, place="coefficients")
            require("coefficient", coefficient, Coefficient)
            matrix[agents.index(who), agents.index(whom)] = coefficient
    return np.asarray(matrix)


class _Choice(NamedTuple):
    """An action of each state, int64[S], None for an agent's own choice; and its probability, f64[S] or f64[1]."""

    action: NDArray[np.int64] | None
    probability: Floats


def _split_support(policy: Floats) -> list[_Choice]:
    """Split a policy into the most likely action of each state, the second most likely, and so on, while possible."""
    order = np.argsort(-policy, axis=1, kind="stable")
    chance = np.take_along_axis(policy, order, axis=1)
    return [
        _Choice(order[:, slot], chance[:, slot]) for slot in range(policy.shape[1]) if (chance[:, slot] > 0.0).any()
    ]


SAME = 1e-9
SMALL = 1e-3
DIGITS = 9
IN_TURN, AT_ONCE = "in turn", "at once"


class Round(NamedTuple):
    """One round of best responses, judged by the policies before it.

    returns: f64[N], each agent's own return from the start states. regret: f64[N], how much more of its weighed return
    a best response would give from there. off_path: f64[N], the same in the state where it is most. changed: the
    numbers of the agents that then changed their policies. What is rounding beside the rewards collected is no gain.
    """

    returns: Floats
    regret: Floats
    off_path: Floats
    changed: tuple[int, ...]


@dataclass(frozen=True)
class ResponseDynamics:
    """Rounds of best responses and the policies to which they lead.

    rounds: one after another; the last one judges `policies`, f64[S, A_i] each. cycle: after how many rounds policies
    come back to what they were, None where they do not.
    """

    rounds: tuple[Round, ...]
    policies: tuple[Floats, ...]
    cycle: int | None

    @property
    def is_nash(self) -> bool:
        """Whether nobody gains from the start states by a policy of its own."""
        return bool((self.rounds[-1].regret <= 0.0).all())

    @property
    def is_markov_perfect(self) -> bool:
        """Whether nobody gains from any state."""
        return self.is_nash and bool((self.rounds[-1].off_path <= 0.0).all())


def iterate_best_responses(
    game: MarkovGame,
    coefficients: Floats,
    begin: Profile,
    order: str = IN_TURN,
    damping: float = 0.0,
    rounds: int = 100,
) -> ResponseDynamics:
    """Run rounds of best responses until nobody changes, policies come back, or `rounds` rounds are over.

    coefficients: C, f64[N, N], whose row i weighs the rewards for agent i. begin: policies, f64[S, A_i] each.
    order: "in turn" (each responds to what those before it have just changed to) or "at once" (to the last round).
    damping: how much of the old policy stays, from 0 to below 1. Raises BadValue for settings that cannot be. Returns
    that do not end are inf, -inf or nan (`engine.planning.endless_returns`).
    """
    if order not in (IN_TURN, AT_ONCE):
        raise BadValue(f"it is '{order}'", place="order", remedy=f"choose '{IN_TURN}' or '{AT_ONCE}'")
    require("damping", damping, Damping)
    policies = [np.array(each) for each in begin]
    done: list[Round] = []
    met = {_make_profile_key(policies): 0}
    while True:
        judged = _judge_policies(game, coefficients, policies)
        last = len(done) == rounds
        changed = () if last else _respond(game, coefficients, policies, order, damping)
        done.append(judged._replace(changed=changed))
        if not changed:
            return ResponseDynamics(tuple(done), tuple(policies), None)
        key = _make_profile_key(policies)
        if key in met:
            done.append(_judge_policies(game, coefficients, policies))
            return ResponseDynamics(tuple(done), tuple(policies), len(done) - 1 - met[key])
        met[key] = len(done)


def compute_expected_returns(game: MarkovGame, policies: Profile) -> Floats:
    """Return f64[N], each agent's own return from the start states where all follow their policies."""
    everywhere = np.zeros(len(game.table.terminal), dtype=np.int32)
    own = np.eye(len(policies))
    return np.array(
        [average_over_starts(game.table, evaluate_policy(game.fix_all(policies, each), everywhere)) for each in own]
    )


def _respond(
    game: MarkovGame, coefficients: Floats, policies: list[Floats], order: str, damping: float
) -> tuple[int, ...]:
    """Replace `policies` by those of one round; return the numbers of the agents that changed."""
    seen = list(policies)
    changed = []
    for agent in range(len(policies)):
        table = game.fix_others(agent, policies if order == IN_TURN else seen, coefficients[agent])
        response = _find_response(table, policies[agent])
        moved = _mix_policies(policies[agent], response, damping)
        if not np.array_equal(moved, policies[agent]):
            policies[agent] = moved
            changed.append(agent)
    return tuple(changed)


def _find_response(table: TabularMDP, policy: Floats) -> Floats:
    """Find a best response, f64[S, A], that keeps the policy wherever it is as good as any."""
    best = plan(table)
    chosen = make_deterministic(best.policy, policy.shape[1])
    rounding = _estimate_rounding(table, chosen, policy)
    good = best.action_value >= (best.value - rounding)[:, None]
    keeps = (good | (policy == 0.0)).all(axis=1) | table.terminal | np.isnan(best.value)
    kept = np.where(keeps[:, None], policy, chosen)
    if (_subtract_returns(best.value, _evaluate_alone(table, kept)) <= rounding).all():
        return np.asarray(kept)
    return chosen  # putting off what is good for ever would be as good at every step


def _evaluate_alone(table: TabularMDP, policy: Floats) -> Floats:
    """Return f64[S], the value of a policy, f64[S, A], on a table of one agent."""
    alone = MarkovGame(("agent",), table, table.reward[None], (table.actions,)).fix_all([policy], np.ones(1))
    return evaluate_policy(alone, np.zeros(len(policy), dtype=np.int32))


def _judge_policies(game: MarkovGame, coefficients: Floats, policies: Sequence[Floats]) -> Round:
    """Judge policies: each agent's return, and what it could gain by another policy of its own."""
    count = len(policies)
    regret, off_path = np.zeros(count), np.zeros(count)
    for agent in range(count):
        table = game.fix_others(agent, policies, coefficients[agent])
        best = plan(table)
        gain = _subtract_returns(best.value, _evaluate_alone(table, policies[agent]))
        chosen = make_deterministic(best.policy, policies[agent].shape[1])
        gain = np.where(gain <= _estimate_rounding(table, chosen, policies[agent]), 0.0, gain)
        regret[agent], off_path[agent] = average_over_starts(game.table, gain), float(gain.max())
    return Round(compute_expected_returns(game, policies), regret, off_path, ())


def _estimate_rounding(table: TabularMDP, *policies: Floats) -> Floats:
    """Return f64[S], by how much less returns are equal: relative to the absolute rewards that policies collect."""
    absolute = table.with_reward(np.abs(table.reward))
    size = np.max([_evaluate_alone(absolute, each) for each in policies], axis=0)
    return np.asarray(SAME * np.where(np.isfinite(size), size, 0.0))


def _subtract_returns(best: Floats, value: Floats) -> Floats:
    """Return best - value, and 0 where both are infinite or undefined."""
    with np.errstate(invalid="ignore"):
        same = (best == value) | (np.isnan(best) & np.isnan(value))
        return np.asarray(np.where(same, 0.0, best - value))


def _mix_policies(old: Floats, new: Floats, damping: float) -> Floats:
    """damping old + (1 - damping) new, without what is hardly ever done."""
    if not damping or np.array_equal(old, new):
        return new
    mixture = damping * old + (1.0 - damping) * new
    mixture = np.where((mixture < SMALL) & (new == 0.0), 0.0, mixture)
    return np.asarray(mixture / mixture.sum(axis=1, keepdims=True))


def _make_profile_key(policies: Sequence[Floats]) -> bytes:
    return b"".join((np.round(each, DIGITS) + 0.0).tobytes() for each in policies)
