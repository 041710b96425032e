"""The Markov chain of a policy: its transitions, the classes of states that it never leaves, and its linear system.

Its values are found by `engine.planning.policy_evaluation`, its occupancy here: how often each state is expected.

    d(s) = E sum_t gamma^t [s_t = s],   d = start + gamma P_pi' d

Reference: M. Puterman, "Markov Decision Processes", 1994, section 6.9 and appendix A.

The linear system is factorised once and carried over while a few of its rows change:

    (I - gamma P) x = right;    a policy that changes in one state changes one row, and for a row's change v,

    (M + e v')^-1 right = x - h (v . x),   x = M^-1 right,   h = M^-1 e / (1 + v . M^-1 e)

References: J. Sherman, W. Morrison, "Adjustment of an inverse matrix", 1950; J. Demmel and others, "A supernodal
approach to sparse partial pivoting", 1999 (SuperLU). The matrix is factorised by columns of its transpose, which are
diagonally dominant: pivots stay on the diagonal, so that the ordering by minimum degree keeps its fill-in. Tables
without chance need none of it, nor scipy, which takes 0.2 s to load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.mdp.mdp import Booleans, Floats, Integers, Policy, TabularMDP
from engine.planning import chain_kernels, kernels
from engine.planning.certificates.rational import compute_rational_averages


class Chain(NamedTuple):
    """The chain of a policy: successors int32[S, K], their probabilities f64[S, K], terminal bool[S], discount."""

    target: Integers
    chance: Floats
    terminal: Booleans
    discount: float


class Rewards(NamedTuple):
    """Rewards of the steps of a chain: own, extra f64[S, K]; sizes f64[S, 2], the expected absolute ones."""

    own: Floats
    extra: Floats
    sizes: Floats


def select_entries(policy: Policy, *tables: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """[S, K] of each array [S, A, K]: its entries for one action of each state, int32[S]."""
    states = np.arange(len(policy))
    pair = states * tables[0].shape[1] + policy
    for table in tables:
        if not any(table.strides):  # one number for all, such as probabilities that are 1
            yield np.full((len(policy), table.shape[2]), table[0, 0, 0])
        elif table.flags.c_contiguous:
            yield table.reshape(-1, table.shape[2]).take(pair, axis=0)
        else:
            yield np.ascontiguousarray(table[states, policy])


class PolicyChain:
    """The chain of one policy, int32[S], in a table."""

    def __init__(self, mdp: TabularMDP, policy: Policy) -> None:
        self.policy, self._mdp = policy, mdp
        states = np.arange(len(mdp.terminal))
        self._target = mdp.next_state[states, policy]
        self._chance = mdp.probability[states, policy]

    @cached_property
    def transitions(self) -> Any:
        """P as a sparse matrix, f64[S, S], without impossible steps."""
        from scipy import sparse

        shape = (len(self._target),) * 2
        rows = np.broadcast_to(np.arange(len(self._target))[:, None], self._target.shape)
        matrix = sparse.csr_matrix((self._chance.ravel(), (rows.ravel(), self._target.ravel())), shape=shape)
        matrix.eliminate_zeros()
        return matrix

    def endless_classes(self) -> list[NDArray[np.int64]]:
        """Return the recurrent classes of non-terminal states, each as an ascending array of states."""
        if self._mdp.is_deterministic:
            ones = np.ones(len(self._target))
            steps = kernels.compute_deterministic_values(self._target[:, 0], ones, self._mdp.terminal, 1.0)
            if np.isfinite(steps).all():
                return []
        from scipy.sparse import csgraph

        transitions = self.transitions
        count, component = csgraph.connected_components(transitions, directed=True, connection="strong")
        origin, target = transitions.nonzero()
        closed: Booleans = np.ones(count, dtype=np.bool_)
        closed[component[origin[component[origin] != component[target]]]] = False
        closed[component[self._mdp.terminal]] = False
        members = np.flatnonzero(closed[component])
        order = members[np.argsort(component[members], kind="stable")]
        return np.split(order, np.flatnonzero(np.diff(component[order])) + 1) if len(order) else []

    def long_run_share(self, members: NDArray[np.int64]) -> Floats:
        """Return the stationary distribution of a recurrent class, f64[len(members)].

        Small classes lose no digits, however rare some steps are: states are eliminated one by one, without any
        subtraction. Reference: W. Grassmann, M. Taksar, D. Heyman, "Regenerative analysis and steady state
        distributions for Markov chains", Operations Research 33, 1985.
        """
        chain = self.transitions[members][:, members]
        if len(members) <= MOST_ELIMINATED:
            return eliminate_states(chain.toarray())
        from scipy import sparse
        from scipy.sparse.linalg import splu

        balance = (sparse.identity(len(members), format="csr") - chain).T.tolil()
        balance[0, :] = 1.0  # one balance equation follows from the others
        total = np.zeros(len(members))
        total[0] = 1.0
        return np.asarray(splu(balance.tocsc()).solve(total))

    def average_rewards(self, members: NDArray[np.int64], rewards: Sequence[Floats]) -> list[Fraction] | Floats:
        """Return the average of each reward, f64[S, A, K], in a step of a recurrent class, as fractions if possible."""
        exact = compute_rational_averages(self._mdp, self.policy, members, rewards)
        if exact is not None:
            return exact
        share = self.long_run_share(members)
        return np.array([share @ self._expect(reward, members) for reward in rewards])

    def judge_class(self, members: NDArray[np.int64]) -> int | None:
        """Return whether a recurrent class loses (0), gains (1) or goes to and fro (2) for ever; None where it rests.

        An average that may be rounding alone is looked at in fractions.
        """
        reward = self._mdp.reward[members, self.policy[members]] * (self._chance[members] > 0.0)
        if not (reward > 0.0).any():
            return LOSES if (reward < 0.0).any() else None
        if not (reward < 0.0).any():
            return GAINS
        share = self.long_run_share(members)
        average = float(share @ self._expect(self._mdp.reward, members))
        if abs(average) <= AVERAGED * float(share @ self._expect(np.abs(self._mdp.reward), members)):
            exact = compute_rational_averages(self._mdp, self.policy, members, [self._mdp.reward])
            average = 0.0 if exact is None else float(exact[0])
        if average == 0.0:
            return TO_AND_FRO
        return GAINS if average > 0.0 else LOSES

    def _expect(self, reward: Floats, members: NDArray[np.int64]) -> Floats:
        """Return a reward's expectation in the next step from each of some states."""
        return np.asarray((self._chance[members] * reward[members, self.policy[members]]).sum(axis=1))


def eliminate_states(chance: Floats) -> Floats:
    """Return the stationary distribution, f64[N], of an irreducible chain, f64[N, N]."""
    chance, share = chance.copy(), np.ones(len(chance))
    for last in range(len(chance) - 1, 0, -1):
        chance[:last, last] /= chance[last, :last].sum()
        chance[:last, :last] += np.outer(chance[:last, last], chance[last, :last])
    for state in range(1, len(chance)):
        share[state] = share[:state] @ chance[:state, state]
    return np.asarray(share / share.sum())


LOSES, GAINS, TO_AND_FRO = range(3)
MOST_ELIMINATED = 200
AVERAGED = 1e-13
CHANGED_ROWS = 32
SINGULAR = 1e-10
MOST_STEPS = 1e15
LOST = 2.0**-52


class FactorisedChain:
    """The factors of one policy's system, and the rows that have changed since."""

    def __init__(self, target: Integers, chance: Floats, terminal: Booleans, discount: float) -> None:
        """target int32[S, K], chance f64[S, K]: the successors of each state and their probabilities."""
        from scipy import sparse
        from scipy.sparse.linalg import splu

        self._discount, self._target, self._chance = discount, target.copy(), chance.copy()
        self._terminal = terminal
        states = np.arange(len(terminal))
        weight = np.where(terminal[:, None] | (target == states[:, None]), 0.0, discount * chance)
        diagonal = np.where(terminal, 1.0, (1.0 - discount) + weight.sum(axis=1))
        weight[terminal[target]] = 0.0
        rows = np.repeat(states, target.shape[1])
        shape = (len(states), len(states))
        entries = np.concatenate([-weight.ravel(), diagonal])
        place = np.concatenate([target.ravel(), states]), np.concatenate([rows, states])
        used = entries != 0.0
        matrix = sparse.csc_matrix((entries[used], (place[0][used], place[1][used])), shape=shape)
        stable: dict[str, Any] = {
            "permc_spec": "MMD_AT_PLUS_A",
            "diag_pivot_thresh": 0.0,
            "options": {"SymmetricMode": True},
        }
        try:
            self._factors: Any = splu(matrix, **stable)
        except RuntimeError:  # left with a probability that is lost in rounding: taken for one that rounding would see
            self._factors = splu(matrix + sparse.diags(LOST * diagonal, format="csc"), **stable)
        self._rows = np.zeros(CHANGED_ROWS, dtype=np.int64)
        self._columns = np.zeros((CHANGED_ROWS, 2 * target.shape[1]), dtype=np.int64)
        self._coefficients = np.zeros((CHANGED_ROWS, 2 * target.shape[1]))
        self._changes: Floats | None = None
        self._count = 0

    @property
    def room(self) -> int:
        """How many more rows may change."""
        return CHANGED_ROWS - self._count

    def solve(self, right: Floats) -> Floats:
        """Return the solution for one right side, f64[S]."""
        solution = self._factors.solve(right, trans="T")
        if self._count:
            n = self._count
            chain_kernels.change_rows(
                self._columns[:n], self._coefficients[:n], self._rows[:n], self._changes, solution
            )
        return np.asarray(solution)

    def endless_share(self) -> Floats | None:
        """Where nearly all steps are spent, f64[S], if the chain takes more of them than numbers can tell; else None.

        That is the stationary distribution of a class of states that is left with a probability that is lost in
        rounding. Asked before any row has changed.
        """
        ones = np.where(self._terminal, 0.0, 1.0)
        steps = self._factors.solve(ones, trans="T")[~self._terminal]
        if np.isfinite(steps).all() and steps.min(initial=1.0) > 0.5 and steps.max(initial=1.0) < MOST_STEPS:
            return None
        visits = np.where(self._terminal, 0.0, np.nan_to_num(self._factors.solve(ones)))
        largest = visits[np.abs(visits).argmax()]
        positive = np.maximum(visits / largest, 0.0) if largest else ones
        return np.asarray(positive / positive.sum())

    def change(self, state: int, target: Integers, chance: Floats) -> Floats | None:
        """Give one state other successors, [K]; what one unit of reward there then adds to every value, f64[S].

        None where the changed system is nearly singular; nothing has changed then.
        """
        unit = np.zeros(len(self._target))
        unit[state] = 1.0
        response = self.solve(unit)
        columns = np.concatenate([target, self._target[state]])
        coefficients = self._discount * np.concatenate([-chance, self._chance[state]])
        pivot = 1.0 + float(coefficients @ (response[columns] - response[state]))
        if not pivot > SINGULAR:
            return None
        if self._changes is None:
            self._changes = np.zeros((CHANGED_ROWS, len(self._target)))
        n = self._count
        self._rows[n], self._columns[n], self._coefficients[n] = state, columns, coefficients
        self._changes[n] = response / pivot
        self._count += 1
        self._target[state], self._chance[state] = target, chance
        return np.asarray(self._changes[n])


def compute_occupancy(table: TabularMDP, policy: Policy, start: Floats) -> Floats:
    """Return f64[S], the expected discounted visits of a policy, int32[S], from a start distribution, f64[S].

    A terminal state counts once, when it is entered. A state to which the policy comes back for ever has d = inf
    without a discount. The return is sum_s d(s) r_pi(s).
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu

    chain = PolicyChain(table, policy)
    forward = chain.transitions.T.tocsr()
    kept = table.terminal.copy()
    classes = chain.endless_classes() if table.discount == 1.0 else []
    for members in classes:
        kept[members] = True
    passing = np.flatnonzero(~kept)
    visits = np.where(kept, 0.0, start)
    if len(passing):
        system = sparse.identity(len(passing), format="csc") - table.discount * forward[passing][:, passing]
        visits[passing] = splu(system.tocsc()).solve(start[passing])
    entered = start + table.discount * (forward @ visits)
    visits[kept] = entered[kept]
    for members in classes:
        visits[members] = np.inf if visits[members].any() else 0.0
    return visits
