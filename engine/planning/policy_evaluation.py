"""Values of one policy after the other in one table, by the method that fits its structure.

    V = r + gamma P V,   solved for the residual:   V <- V + (I - gamma P)^-1 (r + gamma P V - V)

Deterministic tables take linear time. Tables that factorise cheaply (grids, lines, few states) are factorised, and the
factors are carried over while few actions change (`engine.planning.policy_chain`). Tables without structure
would fill up: there the stabilised bi-conjugate gradient method converges in a few steps. Which one is a matter of
counting operations, never of time: the bandwidth that a reordering reaches bounds the cost of factors. Where the
iterative method fails, factors take over. Whatever the method, values are corrected until their residual is rounding.

References: M. Puterman, "Markov Decision Processes", 1994, section 6.4; H. van der Vorst, "Bi-CGSTAB", 1992;
E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import count_steps_left
from engine.planning import chain_kernels, kernels
from engine.planning.asynchronous import NEGLIGIBLE, ROUGH, Sweeps
from engine.planning.policy_chain import Chain, FactorisedChain, Rewards, select_entries

REDUCTION = 1e-11
CORRECTIONS = 8
FACTORING = 400.0
FEWEST_ITERATIONS = 20
MOST_ITERATIONS = 1_000
MANY_STATES = 3_000
BothReturns = tuple[float, float]  # of the own and the extra return
A_FEW = 30  # backups of a state, on average: a small part of what factors would cost


class NearlyEndless(NoPlan):
    """A policy takes more steps to its end than its values can be computed for.

    share: f64[S], where it spends nearly all of them.
    """

    def __init__(self, share: Floats) -> None:
        super().__init__(
            "a policy takes more than 10^15 steps to its end",
            place="policy evaluation",
            remedy="use a discount below 1",
        )
        self.share = share

    def __reduce__(self) -> tuple[object, ...]:
        return NearlyEndless, (self.share,)


class PolicyEvaluation:
    """Evaluates policies of one table, each from what the last one left."""

    def __init__(self, table: TabularMDP, extra: Floats, sizes: Floats, like: PolicyEvaluation | None = None) -> None:
        """table: with the own reward. extra: f64[S, A, K], the other. sizes: f64[S, A, 2], expected absolute ones.

        like: an evaluation of the same transitions by other rewards, whose structure need not be found again.
        """
        self._table, self._extra, self._sizes = table, extra, sizes
        self._policy: Policy = np.zeros(0, dtype=np.int32)
        self._value: Floats = np.zeros((0, 6))
        self._factors: FactorisedChain | None = None
        self._iterations: int | None = like._iterations if like else None
        self._sweeps: Sweeps | None = None

    def restrict(self, table: TabularMDP, extra: Floats, sizes: Floats, value: Floats) -> PolicyEvaluation:
        """Return an evaluation of a part of the table, in which terminal states are worth what is given.

        value: f64[S, 6] of the part; of the other states, values to begin with.
        """
        other = PolicyEvaluation(table, extra, sizes, self)
        other._policy, other._value = np.full(len(value), -1, dtype=np.int32), value
        return other

    def values(self, policy: Policy) -> Floats:
        """f64[S, 6]: what a policy, int32[S], earns (`chain_kernels`); it ends surely, or the discount is below 1.

        Not to be changed: the next values are found from these.
        """
        if len(self._value) and (policy == self._policy).all():
            return self._value
        chain, rewards = self._make_chain(policy)
        if self._table.is_deterministic:
            self._policy, self._value = policy.copy(), _evaluate_deterministic(chain, rewards)
            return self._value.copy()
        found = None if len(self._value) else self._sweep_from_the_end(chain, rewards)
        if found is None and self._iterations_worth:
            found = self._iterate(chain, rewards)
        if found is None:
            self._iterations = 0
            found = self._carry_factors_over(chain, rewards, policy)
        if found is None and self.is_local and len(self._value):
            found = self._sweep(chain, rewards, policy)
        if found is None:
            self._factors = FactorisedChain(*chain)
            found = np.zeros((len(policy), 6))
            if len(self._value):
                found[chain.terminal] = self._value[chain.terminal]
            if not self._correct(chain, rewards, found):
                self._require_an_end()
        self._policy, self._value = policy.copy(), found
        return found

    def branch(self) -> PolicyEvaluation:
        """Return an evaluation of the same table that goes on from the same values, apart from this one."""
        other = copy(self)
        other._factors = None
        other._sweeps = copy(self._sweeps)
        return other

    @property
    def is_local(self) -> bool:
        """Whether values are found by asynchronous sweeps: where a linear solver takes long, and states have places."""
        return self._is_large and (self._table.is_deterministic or not self._iterations_worth)

    @property
    def _is_large(self) -> bool:
        return len(self._table.terminal) >= MANY_STATES

    @property
    def _iterations_worth(self) -> int:
        """How many iterations of the iterative method are tried before factors."""
        if self._iterations is None:
            self._iterations = _count_iterations_worth(self._table)
        return self._iterations

    @property
    def sweeps(self) -> Sweeps:
        """Asynchronous sweeps over the table, in the order of the last policy that was evaluated."""
        if self._sweeps is None:
            self._sweeps = Sweeps(self._table)
        self._sweeps.reorder(self._value[:, 2] + self._value[:, 3])
        return self._sweeps

    def returns(self, policy: Policy, state: int, value: Floats | None = None) -> tuple[BothReturns, BothReturns]:
        """What a policy alone earns from one state, in doubled precision: two numbers, and what these still miss.

        value: f64[S, 6], the policy's values where they are known.
        """
        if value is None or self._factors is not None:  # which are those of the last policy
            value = self.values(policy)
        if self._table.is_deterministic and self._table.discount == 1.0:  # sums of a few terms
            return (float(value[state, 0]), float(value[state, 1])), (0.0, 0.0)
        chain, rewards = self._make_chain(policy)
        misses = chain_kernels.exact_residual(*chain, rewards.own, rewards.extra, value)
        misses += kernels.find_missing_rewards(*chain, value[:, :2]).T
        missed = value[state, 4:] + self._propagate(chain, misses, state) * (value[state, 2:4] != 0.0)
        own, own_low = chain_kernels.exact_sum(value[state, 0], missed[0])
        extra, extra_low = chain_kernels.exact_sum(value[state, 1], missed[1])
        return (float(own), float(extra)), (float(own_low), float(extra_low))

    def _propagate(self, chain: Chain, misses: Floats, state: int) -> Floats:
        """What rewards of each step, f64[M, S], add up to from one state, f64[M], to a few digits; 0 on failure."""
        if self._table.is_deterministic:
            value: Floats = np.zeros((len(chain.terminal), len(misses)))
            kernels.evaluate_deterministic(chain.target[:, 0], misses.T.copy(), chain.terminal, chain.discount, value)
            return np.asarray(value[state])
        if self.is_local and self._factors is None:
            visits = self.sweeps.visits(chain, state)
            return np.zeros(len(misses)) if visits is None else misses @ visits
        corrections = self._solve(chain, misses)
        return np.zeros(len(misses)) if corrections is None else corrections[:, state]

    def _make_chain(self, policy: Policy) -> tuple[Chain, Rewards]:
        table = self._table
        entries = select_entries(policy, table.next_state, table.probability, table.reward, self._extra, self._sizes)
        target, chance, *rewards = entries
        return Chain(target, chance, table.terminal, table.discount), Rewards(*rewards)

    def _iterate(self, chain: Chain, rewards: Rewards) -> Floats | None:
        """Values by the iterative method from those of the last policy; None where it fails."""
        value = self._value.copy() if len(self._value) else np.zeros((len(chain.terminal), 6))
        _clear_unearned(chain, rewards, value)
        return value if self._correct(chain, rewards, value) else None

    def _sweep_from_the_end(self, chain: Chain, rewards: Rewards) -> Floats | None:
        """The first policy's values by asynchronous sweeps, if a few do: where the chain moves on towards its end."""
        if not self._is_large:
            return None
        possible = (chain.chance > 0.0) & ~chain.terminal[:, None]
        left = count_steps_left(np.nonzero(possible)[0], chain.target[possible], chain.terminal)
        sweeps, value = Sweeps(self._table), np.zeros((len(left), 6))
        sweeps.reorder(np.where(left < 0, len(left), left).astype(np.float64))
        if not sweeps.evaluate(
            chain, rewards, value, np.ones(len(left), dtype=np.bool_), estimate_rounding(chain.target.shape[1]), A_FEW
        ):
            return None
        self._iterations, self._sweeps = 0, sweeps
        return value

    def _sweep(self, chain: Chain, rewards: Rewards, policy: Policy) -> Floats | None:
        """Values by asynchronous sweeps from those of the last policy; None where they take too long."""
        self._factors, sweeps = None, self.sweeps
        value, waiting = self._value.copy(), policy != self._policy
        if _clear_unearned(chain, rewards, value):
            waiting[:] = True
        rounding = estimate_rounding(chain.target.shape[1])
        return value if sweeps.evaluate(chain, rewards, value, waiting, rounding) else None

    def _carry_factors_over(self, chain: Chain, rewards: Rewards, policy: Policy) -> Floats | None:
        """Values by the factors at hand, after a few changes of rows; None where there are too many or it fails."""
        if self._factors is None:
            return None
        changed = np.flatnonzero(self._policy != policy)
        if len(changed) > self._factors.room:
            return None
        value = self._value.copy()
        for state in map(int, changed):
            response = self._factors.change(state, chain.target[state], chain.chance[state])
            if response is None:
                return None
            chain_kernels.add(value, response, chain_kernels.residual_of(*chain, *rewards, value, state))
        _clear_unearned(chain, rewards, value)
        return value if self._correct(chain, rewards, value) else None

    def _correct(self, chain: Chain, rewards: Rewards, value: Floats) -> bool:
        """Correct values in place until their residual is rounding; whether it is."""
        rounding = estimate_rounding(chain.target.shape[1])
        before = np.full(4, np.inf)
        for _ in range(CORRECTIONS):
            miss, wanted = chain_kernels.residual(*chain, *rewards, value, rounding, ROUGH, NEGLIGIBLE)
            if not wanted.any():
                return True
            worst = np.abs(miss).max(axis=1)
            if not (worst <= before / 2)[wanted].any():
                return False
            before = worst
            corrections = self._solve(chain, miss[wanted])
            if corrections is None:
                return False
            for m, correction in zip(np.flatnonzero(wanted), corrections, strict=True):
                chain_kernels.add(value, correction, np.eye(4)[m])
            _clear_unearned(chain, rewards, value)
        return False

    def _require_an_end(self) -> None:
        """NearlyEndless where the policy that was just factorised takes more steps than numbers can tell."""
        assert self._factors is not None
        share = self._factors.endless_share()
        if share is not None:
            self._factors = None
            raise NearlyEndless(share)

    def _solve(self, chain: Chain, right: Floats) -> Floats | None:
        """(I - gamma P)^-1 right, f64[M, S], roughly; None where an iterative method fails."""
        solutions = [self._solve_one(chain, each) for each in right]
        return None if any(solution is None for solution in solutions) else np.array(solutions)

    def _solve_one(self, chain: Chain, right: Floats) -> Floats | None:
        if self._factors is not None:
            return self._factors.solve(right)
        solution, converged = chain_kernels.bicgstab(*chain, right, REDUCTION, self._iterations)
        return solution if converged else None


def _clear_unearned(chain: Chain, rewards: Rewards, value: Floats) -> bool:
    """Set values to 0, in place, where no reward of that kind follows; whether any was not."""
    cleared = np.zeros(1, dtype=np.bool_)
    chain_kernels.clear_unearned(chain.target, chain.chance, chain.terminal, rewards.sizes, value, cleared)
    return bool(cleared[0])


def estimate_rounding(outcomes: int) -> float:
    """What rounding makes of an equation with so many outcomes, relative to its absolute terms."""
    return float((4 + outcomes) * np.finfo(float).eps)


def evaluate_chain(mdp: TabularMDP, policy: Policy, reward: Floats) -> Floats:
    """f64[S, M]: what one policy, int32[S], earns by M expected one-step rewards, f64[S, M], 0 in terminal states.

    The policy ends surely, or the discount is below 1.
    """
    states = np.arange(len(policy))
    next_state, probability = mdp.next_state[states, policy][:, None], mdp.probability[states, policy][:, None]
    result = np.zeros_like(reward)
    for first in range(0, reward.shape[1], 2):
        pair = [reward[:, min(first + m, reward.shape[1] - 1)] for m in range(2)]
        own, extra = (np.broadcast_to(each[:, None, None], next_state.shape) for each in pair)
        only = replace(mdp, actions=("",), next_state=next_state, probability=probability, reward=own, available=None)
        evaluation = PolicyEvaluation(only, extra, np.abs(np.stack(pair, axis=1))[:, None])
        width = min(2, reward.shape[1] - first)
        result[:, first : first + width] = evaluation.values(np.zeros(len(states), dtype=np.int32))[:, :width]
    return result


def _evaluate_deterministic(chain: Chain, rewards: Rewards) -> Floats:
    """Values in linear time; discounted ones in doubled precision, since sums of many steps nearly cancel."""
    value = np.zeros((len(chain.terminal), 6))
    reward = np.concatenate([rewards.own, rewards.extra, rewards.sizes], axis=1)
    kernels.evaluate_deterministic(chain.target[:, 0], reward, chain.terminal, chain.discount, value)
    if chain.discount < 1.0:
        misses = chain_kernels.exact_residual(*chain, rewards.own, rewards.extra, value)
        low = np.zeros((len(value), 2))
        kernels.evaluate_deterministic(chain.target[:, 0], misses.T.copy(), chain.terminal, chain.discount, low)
        value[:, 4:] = low * (value[:, 2:4] != 0.0)
    return value


def _count_iterations_worth(table: TabularMDP) -> int:
    """Return how many iterations are worth trying before factors; 0 where factors are cheap."""
    n, outcomes = len(table.terminal), table.next_state.shape[2]
    if n**2 < FACTORING * outcomes * FEWEST_ITERATIONS:  # no bandwidth is as large as n
        return 0
    from scipy import sparse
    from scipy.sparse import csgraph

    width = table.next_state.shape[1] * outcomes
    possible = (table.probability > 0).ravel() & ~np.repeat(table.terminal, width)
    origin = np.repeat(np.arange(n), width)[possible]
    target = table.next_state.ravel()[possible]
    graph = sparse.csr_matrix((np.ones(len(origin), dtype=np.int8), (origin, target)), shape=(n, n))
    position = np.empty(n, dtype=np.int64)
    position[csgraph.reverse_cuthill_mckee(graph + graph.T, symmetric_mode=True)] = np.arange(n)
    bandwidth = float(np.abs(position[origin] - position[target]).mean()) if len(origin) else 0.0
    iterations = int(n * bandwidth**2 / (FACTORING * n * outcomes))
    return 0 if iterations < FEWEST_ITERATIONS else min(iterations, MOST_ITERATIONS)
