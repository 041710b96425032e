"""The linear system of a chain, factorised once and carried over while a few of its rows change.

    (I - gamma P) x = right;    a policy that changes in one state changes one row, and for a row's change v,

    (M + e v')^-1 right = x - h (v . x),   x = M^-1 right,   h = M^-1 e / (1 + v . M^-1 e)

References: J. Sherman, W. Morrison, "Adjustment of an inverse matrix", 1950; J. Demmel and others, "A supernodal
approach to sparse partial pivoting", 1999 (SuperLU). The matrix is factorised by columns of its transpose, which are
diagonally dominant: pivots stay on the diagonal, so that the ordering by minimum degree keeps its fill-in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from engine.mdp.mdp import Booleans, Floats, Integers
from engine.planning.chains import chain_kernels

CHANGED_ROWS = 32
SINGULAR = 1e-10
MOST_STEPS = 1e15
LOST = 2.0**-52


class FactorisedChain:
    """The factors of one policy's system, and the rows that have changed since."""

    def __init__(self, target: Integers, chance: Floats, terminal: Booleans, discount: float) -> None:
        """target int32[S, K], chance f64[S, K]: the successors of each state and their probabilities."""
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
        """The solution for one right side, f64[S]."""
        solution = self._factors.solve(right, trans="T")
        if self._count:
            n = self._count
            chain_kernels.row_after_row(
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
