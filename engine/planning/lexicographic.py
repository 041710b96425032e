"""Policy iteration for two rewards in order: the best by first weights and, among those, by second ones.

Two stages. First plain policy iteration on  w1 . (own, extra).  Then its tied actions are frozen,

    T(s) = {a :  w1 . A(s, a) = 0},   A = Q - V for each of the rewards,

and policy iteration on  w2 . (own, extra)  goes on within T. A step of the second stage can therefore never undo
one of the first, and each stage ends: it accepts a policy only if the sum of its computed values, in doubled
precision, is larger than that of the policy before. Each state's value is scaled by the largest size that it had so
far, so that rounding of a large value does not hide a small one. A scale only shrinks, and there are finitely many
values, so none come twice for ever.

`PairValues` holds what a policy earns by two rewards from every state. Where only one state's return matters
(`better`), a policy is not evaluated if value iteration shows that it earns no more there than is known: in large
tables most improvements are far from anything that the state reaches.

Tolerances are relative to what a sum really handles: to its absolute terms, one step's rewards and differences of
values, and to a small share of the expected sum of all absolute rewards, so that units do not matter. Undiscounted
tables start from a proper policy, and strict improvements keep it proper unless they close a cycle of positive
reward: `EndlessGain` names it. Reference: R. Howard, "Dynamic Programming and Markov Processes", 1960; M. Puterman,
"Markov Decision Processes", 1994, section 7.2.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import NoPlan
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.reachability import find_almost_sure_policy, find_direct_policy, find_recurrent_part
from engine.planning import chain_kernels, kernels
from engine.planning.certificates.rational import compute_rational_averages
from engine.planning.policy_chain import PolicyChain, select_entries
from engine.planning.policy_evaluation import (
    MANY_STATES,
    BothReturns,
    NearlyEndless,
    PolicyEvaluation,
    estimate_rounding,
)

Weights = tuple[float, float]


@dataclass(frozen=True)
class PairValues:
    """A policy, int32[S], and what it earns from every state.

    columns: f64[S, 6], the own and the extra return; their sizes, the expected sums of the absolute rewards of each
    kind; and what both returns miss by being rounded (`engine.planning.chain_kernels`).
    """

    policy: Policy
    columns: Floats

    def weigh(self, weights: Weights) -> Floats:
        """weights . (own, extra), f64[S]."""
        return weights[0] * self.columns[:, 0] + weights[1] * self.columns[:, 1]

    def sum(self, weights: Weights, scale: Floats) -> tuple[float, float]:
        """Return the sum of scaled weighed values over all states in doubled precision: a number and what it misses."""
        answer = np.empty(2)
        chain_kernels.sum_weighed(self.columns, scale, *weights, answer)
        return float(answer[0]), float(answer[1])

    def scale(self, weights: Weights) -> Floats:
        """Return the power of two by which a state's weighed value is at most about 1, f64[S]."""
        size = self.size(weights)
        return np.ldexp(1.0, -np.where(size > 0.0, np.frexp(size)[1], LEAST_EXPONENT))

    def size(self, weights: Weights) -> Floats:
        """Return the expected sum of absolute weighed rewards, f64[S]."""
        return abs(weights[0]) * self.columns[:, 2] + abs(weights[1]) * self.columns[:, 3]


class Known(NamedTuple):
    """What some policy earns from a state, for the present weights: no less is of interest."""

    state: int
    value: float

    def suffices(self, values: PairValues, weights: Weights, gain: Floats | float = 0.0) -> bool:
        """Return whether the best policy earns no more there. gain: f64[S], what it earns above the values."""
        return bool((values.weigh(weights) + gain)[self.state] <= self.value)


class Nearly(NamedTuple):
    """All states matter, but for a share of what each one's rewards are expected to add up to in absolute terms."""

    share: float

    def suffices(self, values: PairValues, weights: Weights, gain: Floats) -> bool:
        """Return whether the best policy earns hardly more anywhere. gain: f64[S], as for `Known`."""
        return bool((gain <= self.share * values.size(weights)).all())


DETERMINISTIC = 1e-15, 1.0, (1.0, 10.0, 100.0, 1000.0)
DISCOUNTED = 1e-15, 1e-3, (1.0, 10.0, 100.0, 1000.0)
STOCHASTIC = 1e-13, 1e-2, (0.02, 1.0, 10.0, 100.0, 1000.0)
FINER = (10.0, 1.0, 0.1)
LOSS = 1e-12
ROUNDING = 1e-15  # of a linear solve, relative to its largest value
GAIN = 1e-13
WEIGHED = Fraction(1, 10**15)  # of the terms of a sum whose weights are rounded
NEGLIGIBLE = 1e-12
LEAST_EXPONENT = -1000  # of a state where nothing is earned
MOST_CLOSINGS = 4
APPROACH = 1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6  # times what makes both rewards weigh the same


class Tolerances(NamedTuple):
    """What may be rounding. noise, share: of the size of a gain, in which the share of what follows is the least.

    tried: pairs of both, by which improvements are looked for, finest first.
    """

    noise: float
    share: float
    tried: tuple[tuple[float, float], ...]


def list_tolerances(table: TabularMDP, sizes: Floats) -> Tolerances:
    """Choose tolerances for a table. sizes: f64[S, A, 2], the expected absolute rewards of both kinds."""
    exact = DETERMINISTIC if table.discount == 1.0 else DISCOUNTED
    noise, share, coarser = exact if table.is_deterministic else STOCHASTIC
    finest = LOSS * (1.0 - table.discount) / (noise * share)
    if table.discount < 1.0 and finest < coarser[0]:  # what a step gains is gained 1 / (1 - y) times
        coarser = (finest, *coarser)
    tried = tuple((each * noise, share) for each in coarser)
    if table.discount == 1.0 and (not table.is_deterministic or _hides_rewards(sizes, noise * share)):
        rounding = estimate_rounding(table.next_state.shape[2])
        tried = ((max(2 * rounding, tried[0][0]), NEGLIGIBLE), *tried)
    return Tolerances(noise, share, tried)


def _hides_rewards(sizes: Floats, noise: float) -> bool:
    """Return whether the smallest reward may be rounding beside the sum of the largest ones."""
    return bool(sizes[sizes > 0.0].min(initial=np.inf) < noise * len(sizes) * sizes.max(initial=0.0))


@dataclass
class EvaluationCount:
    """How many policies have been evaluated."""

    policies: int = 0


class EndlessGain(NoPlan):
    """A policy stays among some states for ever and gains on average: no finite optimum.

    own, extra: the average reward of each kind in a step there. states: the states. policy: int32[S].
    """

    def __init__(self, own: float, extra: float, states: NDArray[np.int64], policy: Policy) -> None:
        super().__init__("a cycle has positive reward", place="plan for two rewards", remedy="use a discount below 1")
        self.own, self.extra, self.states, self.policy = own, extra, states, policy

    def __reduce__(self) -> tuple[object, ...]:
        return EndlessGain, (self.own, self.extra, self.states, self.policy)


class PairIteration:
    """Finds best policies of one table with two rewards, each search starting where the last one ended.

    allowed: bool[S, A], the actions that may be taken. extra: f64[S, A, K], the second reward. lost: bool[S], states
    from which no policy of an undiscounted table ends surely; they are left out. noise: the relative size of rounding.
    table: in which these end at once. leading: what the first stage of the last search found.
    """

    def __init__(self, own: TabularMDP, extra: Floats) -> None:
        """own: the table with its reward. extra: f64[S, A, K], the second reward."""
        shape, self._count = own.next_state.shape[:2], EvaluationCount()
        self.allowed: Booleans = np.ones(shape, dtype=np.bool_)
        policy: Policy = np.zeros(len(own.terminal), dtype=np.int32)
        self.table, self.lost = own, np.zeros(shape[0], dtype=np.bool_)
        if own.discount == 1.0:
            find_policy = find_direct_policy if shape[0] >= MANY_STATES else find_almost_sure_policy
            towards = find_policy(own, self.allowed, own.terminal)
            self.lost = lost = (towards < 0) & ~own.terminal
            self.allowed = ~np.any(lost[own.next_state] & (own.probability > 0), axis=2) & ~lost[:, None]
            self.table = replace(own, terminal=own.terminal | lost)
            policy = np.maximum(towards, 0).astype(np.int32)
        self.allowed = self.allowed & ~self.table.terminal[:, None]
        self.extra = extra
        self._expected, self._sizes = self._expectations(own.reward, extra)
        self.noise, self._share, self._tolerances = list_tolerances(own, self._sizes)
        self._evaluation = PolicyEvaluation(self.table, extra, self._sizes)
        self._present = self.leading = self._evaluate(policy)
        self._led: Weights | None = None  # by which `leading` is best

    @property
    def evaluated(self) -> int:
        """How many policies have been evaluated, in parts of the table too."""
        return self._count.policies

    @property
    def is_local(self) -> bool:
        """Whether the table is large, leaves something to chance, and is solved by sweeps over states near others."""
        return not self.table.is_deterministic and self._evaluation.is_local

    def count(self, policies: int) -> None:
        """Count what a branch has evaluated."""
        self._count.policies += policies

    def with_rewards(self, own: Floats, extra: Floats, policy: Policy | None = None) -> PairIteration:
        """Return a search in the same table for two other rewards, f64[S, A, K] each, from a policy on.

        policy: one that was found before; the present one where it is None.
        """
        other = copy(self)
        other.table, other.extra = replace(self.table, reward=own), extra
        other._expected, other._sizes = self._expectations(own, extra)
        other.noise, other._share, other._tolerances = list_tolerances(other.table, other._sizes)
        other._count = EvaluationCount()
        other._evaluation = PolicyEvaluation(other.table, extra, other._sizes, self._evaluation)
        other._led = None
        other._present = other.leading = other._evaluate(self._present.policy if policy is None else policy)
        return other

    def restrict(self, states: NDArray[np.int64], inside: int, begin: PairValues) -> PairIteration:
        """Return a search in a part of the table: the first `inside` of some states, int64[N]; the others are terminal.

        No allowed action leads from inside to a state that is not among them. begin: what each of these states is
        worth: for good where it is terminal, else under a policy to begin with.
        """
        table, number = self.table, np.full(len(self.table.terminal), -1, dtype=np.int32)
        number[states] = np.arange(len(states))
        terminal = np.arange(len(states)) >= inside
        other = copy(self)
        other.allowed = self.allowed[states] & ~terminal[:, None]
        target = number[table.next_state[states]]
        here = np.broadcast_to(np.arange(len(states), dtype=np.int32)[:, None, None], target.shape)
        target = np.where(other.allowed[:, :, None] & (target >= 0), target, here)
        other.table = replace(
            table, states=range(len(states)), index={}, next_state=target, probability=table.probability[states],
            reward=table.reward[states], terminal=terminal, start=table.start[states], available=None, observation=None,
        )  # fmt: skip
        other.extra, other.lost = self.extra[states], np.zeros(len(states), dtype=np.bool_)
        other._expected, other._sizes = self._expected[states], self._sizes[states]
        other._evaluation = self._evaluation.restrict(other.table, other.extra, other._sizes, begin.columns)
        other._led = None
        other._present = other.leading = other._evaluate(begin.policy)
        return other

    def branch(self, count: EvaluationCount) -> PairIteration:
        """Another search in the same table, from the present policy on: neither disturbs the other.

        count: what it evaluates is counted there.
        """
        other = copy(self)
        other._count, other._evaluation = count, self._evaluation.branch()
        return other

    def _expectations(self, own: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """Return the expected rewards of a step, of both kinds, and their expected sizes, f64[S, A, 2] twice."""
        table, (expected, sizes) = self.table, np.empty((2, *own.shape[:2], 2))
        for kind, each in enumerate((own, extra)):
            expected[:, :, kind], sizes[:, :, kind] = table.average(each), table.average(np.abs(each))
        expected[table.terminal] = sizes[table.terminal] = 0.0
        return expected, sizes

    def best(self, first: Weights, second: Weights) -> PairValues:
        """Best for first[0] own + first[1] extra and, among those, for second[0] own + second[1] extra.

        Raises EndlessGain where the optimum is not finite.
        """
        if first == self._led:
            found = self.leading, *self._weigh_actions(self.leading, first, self.allowed)
        else:
            found = self._improve(self._present, first, self.allowed)
        self._led = first
        return self._tie_broken(first, second, *found)

    def nearly_best(self, weights: Weights, share: float) -> PairValues:
        """Return a policy that earns what is best from every state, but for a share of its size."""
        self._present, _, _ = self._iterate_policies(self._present, weights, self.allowed, Nearly(share))
        return self._present

    def better(self, first: Weights, second: Weights, known: Known) -> PairValues | None:
        """As `best`; None where no policy earns more from one state than is known, by the first weights.

        The second stage is then left out. In both stages, policies that differ elsewhere alone are not evaluated.
        """
        leading, gain, size = self._improve(self._present, first, self.allowed, known)
        self._present = self.leading = leading
        self._led = None
        if known.suffices(leading, first):
            return None
        return self._tie_broken(first, second, leading, gain, size, self._know(leading, second, known.state))

    def _know(self, values: PairValues, weights: Weights, state: int) -> Known:
        """Return what a policy earns from a state: more than it, and than rounding, is of interest."""
        earned = values.weigh(weights)[state] + self.noise * values.size(weights)[state]
        return Known(state, float(earned))

    def _tie_broken(
        self, first: Weights, second: Weights, leading: PairValues, gain: Floats, size: Floats,
        known: Known | None = None,
    ) -> PairValues:  # fmt: skip
        """Return the second stage. leading, gain, size: what the first one found."""
        self._present = self.leading = leading
        for finer in FINER:
            tied = gain >= -finer * self.noise * size
            try:
                values, _, _ = self._improve(leading, second, tied, known)
            except EndlessGain as cycle:
                if first[0] * cycle.own + first[1] * cycle.extra < 0.0:  # tied by tolerance alone
                    continue
                raise
            lost = leading.weigh(first) - values.weigh(first)
            largest = np.maximum(leading.size(first), values.size(first))
            if (lost <= LOSS * largest + ROUNDING * largest.max()).all():
                self._present = values
                break
        return self._present

    def approach(self, state: int, sign: float) -> None:
        """Go on from policies that are best by weights (1, c), as c grows (sign 1.0) or falls without bound.

        In large tables with chance alone: by the extra reward alone long ways cost nothing, and what is best there is
        found by few steps from what is nearly best and ends soon.
        """
        if not self.is_local:
            return
        own, extra = self._present.columns[state, 2:4]
        with suppress(NoPlan):  # it is for the search without bound to say so
            for times in APPROACH if extra > 0.0 else ():
                self.best((1.0, sign * times * (own / extra or 1.0)), (0.0, sign))

    def find_tied_actions(self, values: PairValues, weights: Weights) -> Booleans:
        """Return bool[S, A], the allowed actions that are as good as a policy's own, but for rounding."""
        gain, size = self._weigh_actions(values, weights, self.allowed)
        return self.allowed & (gain >= -self.noise * size)

    def sum_rewards(self, policy: Policy, visits: Floats) -> tuple[Floats, Floats]:
        """Return what steps of a policy earn in all of both kinds, and of their sizes, f64[2] twice.

        visits: f64[S], how often each state is visited.
        """
        states = np.flatnonzero(visits)
        steps, often = (states, policy[states]), visits[states]
        return often @ self._expected[steps], often @ self._sizes[steps]

    def returns(self, values: PairValues, state: int) -> tuple[BothReturns, BothReturns]:
        """Return a policy's own and extra return from a state, and what these miss."""
        return self._evaluation.returns(values.policy, state, values.columns)

    def _improve(
        self, values: PairValues, weights: Weights, allowed: Booleans, known: Known | Nearly | None = None
    ) -> tuple[PairValues, Floats, Floats]:
        """Policy iteration by one weighing; the values, and every action's gain and size, f64[S, A], in the end.

        Before the end where value iteration shows that what is known suffices, or what the last policy earns.
        """
        values, gain, size = self._iterate_policies(values, weights, allowed, known)
        if known is None and self._evaluation.is_local:
            gain, size = self._weigh_actions(values, weights, allowed)
        return values, gain, size

    def _iterate_policies(
        self, values: PairValues, weights: Weights, allowed: Booleans, known: Known | Nearly | None
    ) -> tuple[PairValues, Floats, Floats]:
        """Return the same, but for sizes: where nothing is known of a large table, those of the last tolerance.

        Value iteration then finds all that steps of policy iteration would.
        """
        scale = values.scale(weights)
        for noise, least in self._tolerances:
            share = least if known is None and self._evaluation.is_local else self._share
            while True:
                gain, size, proposal = self._find_gains(values, weights, allowed, noise, least, share)
                if (proposal == values.policy).all():
                    return values, gain, size
                swept, gained = self._sweep(proposal, values, weights, gain, noise, size)
                if known is not None and gained is not None and known.suffices(values, weights, gained):
                    return values, gain, size
                for candidate in (proposal,) if swept is proposal else (swept, proposal):
                    following = self._evaluate_proposal(candidate, values.policy, weights)
                    smaller = np.minimum(scale, following.scale(weights))
                    if following.sum(weights, smaller) > values.sum(weights, smaller):
                        break
                else:
                    break
                values, scale = following, smaller
                if isinstance(known, Known):
                    known = max(known, self._know(values, weights, known.state))
        return values, gain, size

    def _weigh_actions(self, values: PairValues, weights: Weights, allowed: Booleans) -> tuple[Floats, Floats]:
        """Return what every action gains over a policy, and the size of what that adds up, f64[S, A] twice."""
        return self._find_gains(values, weights, allowed, self.noise, self._share, self._share)[:2]

    def _sweep(
        self, proposal: Policy, values: PairValues, weights: Weights, gain: Floats, noise: float, size: Floats
    ) -> tuple[Policy, Floats | None]:
        """Return the proposal, improved further by value iteration where that is cheaper than to evaluate it.

        With what it gains, f64[S], if this has converged.
        """
        if not self._evaluation.is_local:
            return proposal, None
        changed = proposal != values.policy
        return self._evaluation.sweeps.improve(values.policy, values.weigh(weights), gain, noise, size, changed)

    def _evaluate(self, policy: Policy) -> PairValues:
        """What a policy earns; NoPlan where that is not finite."""
        self._count.policies += 1
        columns = self._evaluation.values(policy)
        if not np.isfinite(columns).all():
            problem = "a policy has no finite value"
            raise NoPlan(problem, place="plan for two rewards", remedy="use a discount below 1")
        return PairValues(policy, columns)

    def _find_gains(
        self, values: PairValues, weights: Weights, allowed: Booleans, noise: float, least: float, share: float
    ) -> tuple[Floats, Floats, Policy]:
        """Every allowed action's gain over the policy and the size of what it adds up, f64[S, A] twice.

        And the policy with the actions that gain most, where they gain more than `noise` times their size. A size is at
        least the share of what follows: `least` for the policy, `share` in what is returned.
        """
        table, onwards, improved = self.table, values.size(weights), values.policy.copy()
        gain, size = np.empty(allowed.shape), np.empty(allowed.shape)
        kernels.weigh_gains(
            table.next_state, table.probability, table.discount, table.reward, self.extra, self._sizes,
            allowed, values.columns, onwards, *weights, share, noise, least,
            gain, size, improved,
        )  # fmt: skip
        return gain, size, improved

    def _evaluate_proposal(self, proposal: Policy, policy: Policy, weights: Weights) -> PairValues:
        """What the proposal earns; where it would stay for ever without gain, by rounding, the policy stays as it was.

        Raises EndlessGain where it would stay for ever and gain. Where it ends only by chances that are lost in
        rounding, actions that avoid these take their place: such a policy stays for ever.
        """
        for _ in range(MOST_CLOSINGS):
            proposal = self._remove_idle_cycles(proposal, policy, weights)
            try:
                return self._evaluate(proposal)
            except NearlyEndless as slow:
                members = np.flatnonzero(slow.share > NEGLIGIBLE * slow.share.max())
                if self._average_rewards(members, slow.share[members], proposal, weights) is not None:
                    proposal = self._close(proposal, members)
                else:
                    proposal = proposal.copy()
                    proposal[members] = policy[members]
        return self._evaluate(policy)

    def _close(self, proposal: Policy, members: NDArray[np.int64]) -> Policy:
        """Return a policy that never leaves these states for long; NoPlan where that cannot be.

        It takes other actions where the proposal might not come back, and the way back elsewhere.
        """
        core = np.zeros(len(proposal), dtype=np.bool_)
        core[members] = True
        staying, core = find_recurrent_part(self.table, self.allowed, core)
        if not core.any():
            raise NoPlan(
                "a policy gains for more steps than can be counted before it ends",
                place="plan for two rewards",
                remedy="use a discount below 1",
            )
        back = find_almost_sure_policy(self.table, staying, core)
        stays = staying[np.arange(len(proposal)), proposal]
        inside = np.where(stays, proposal, staying.argmax(axis=1))
        return np.where(core, inside, np.where(back >= 0, back, proposal)).astype(np.int32)

    def _average_rewards(
        self, members: NDArray[np.int64], share: Floats, policy: Policy, weights: Weights
    ) -> tuple[float, float] | None:
        """The average reward of each kind in a step among states, by the share of steps there; None without gain.

        In fractions where there are any; else an average that is rounding alone is 0.
        """
        rewards = [each[members, policy[members]] for each in (self._expected, self._sizes)]
        average, sizes = np.split(share @ np.concatenate(rewards, axis=1), 2)
        gain, doubt = np.dot(weights, average), GAIN * np.dot(np.abs(weights), sizes)
        if gain < -doubt or not sizes.any():
            return None
        exact = compute_rational_averages(self.table, policy, members, (self.table.reward, self.extra))
        if exact is not None:
            terms = [Fraction(weight) * each for weight, each in zip(weights, exact, strict=True)]
            gains = sum(terms) > WEIGHED * sum(map(abs, terms))
            return (float(exact[0]), float(exact[1])) if gains else None
        if not gain > doubt:
            return None
        own, extra = np.where(np.abs(average) > GAIN * sizes, average, 0.0)
        return float(own), float(extra)

    def _remove_idle_cycles(self, proposal: Policy, policy: Policy, weights: Weights) -> Policy:
        """Return the proposal; where it would stay for ever without gain, by rounding, the policy as it was.

        Raises EndlessGain where it would stay for ever and gain.
        """
        while self.table.discount == 1.0 and not self._ends(proposal, policy):
            chain = PolicyChain(self.table, proposal)
            classes = chain.endless_classes()
            proposal = proposal.copy()
            for members in classes:
                if (self._sizes[members, proposal[members]] @ np.abs(weights)).any():
                    average = self._average_rewards(members, chain.long_run_share(members), proposal, weights)
                    if average is not None:
                        raise EndlessGain(*average, members, proposal)
                proposal[members] = policy[members]
        return proposal

    def _ends(self, proposal: Policy, policy: Policy) -> bool:
        """Return whether a proposal is proper, as the policy is that it came from."""
        table = self.table
        target, chance = select_entries(proposal, table.next_state, table.probability)
        changed = np.flatnonzero(proposal != policy)
        answer = np.zeros(1, dtype=np.bool_)
        chain_kernels.find_ending(target, chance, table.terminal, changed, answer)
        return bool(answer[0])
