"""The certificate of a trade-off: what its lines earn, where they cross, and how far any policy may be above them.

A policy's returns lie between two bounds: in fractions where its table has them, else by superharmonic functions
(`bound_policy_values`).

The optimum f is convex in the coefficient, and no line is above it. At each point where lines cross, f is bounded
from above (exactly, or by a superharmonic function); between two such points f is below the chord of the bounds,
and the line of the segment is the chord of its own values: the loss there is at most the larger one of the two
ends. Beyond the last point, f rises by no more than the best auxiliary return a unit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import keep_reachable_part
from engine.planning.certificates.interval import Interval, enclose_exactly
from engine.planning.certificates.rational import (
    RationalTable,
    build_rational_table,
    compute_rational_returns,
    find_rational_optimum,
)
from engine.planning.certificates.superharmonic import (
    ChainSolvers,
    find_policy_bounds,
    find_upper_bound,
    store_reward,
    weigh_rewards,
)
from engine.planning.endless_returns import ZeroCostCycles, find_endless_optimum
from engine.planning.lexicographic import PairIteration
from engine.planning.policy_chain import PolicyChain
from engine.planning.trade_off.coefficient_limits import keep_safe_part
from engine.planning.trade_off.envelope import Line, Segment, find_segment_policy


def bound_policy_values(
    mdp: TabularMDP, rewards: Sequence[Floats], policy: Policy, start: int
) -> list[Interval | None]:
    """Bounds of what a policy earns from a state, for each of several rewards: exact ones where there are fractions.

    rewards: f64[S, A, K] each. policy: int32[S]. None where no bounds are found: an undiscounted policy that goes on
    for ever has a return only where all that it collects then is 0.
    """
    alone = _isolate_policy(mdp, rewards, policy, start)
    if alone is None:
        return [None for _ in rewards]
    return _solve_in_fractions(*alone, start) or _bound_by_solves(*alone, start)


def bound_policy_values_roughly(
    mdp: TabularMDP, rewards: Sequence[Floats], policy: Policy, start: int
) -> list[Interval | None]:
    """Return the same without fractions, in a few sparse solves."""
    alone = _isolate_policy(mdp, rewards, policy, start)
    return [None for _ in rewards] if alone is None else _bound_by_solves(*alone, start)


def _isolate_policy(
    mdp: TabularMDP, rewards: Sequence[Floats], policy: Policy, start: int
) -> tuple[TabularMDP, list[Floats]] | None:
    """Return the table and the rewards, f64[S, 1, K], of the policy as the only action, on the states that it reaches.

    States where it stays for ever and collects nothing are terminal; None where it stays and collects something.
    """
    states = np.arange(len(policy))
    alone = keep_reachable_part(
        replace(
            mdp,
            actions=("",),
            next_state=mdp.next_state[states, policy][:, None],
            probability=mdp.probability[states, policy][:, None],
            reward=mdp.reward[states, policy][:, None],
            available=None,
        ),
        start,
    )
    taken = [reward[states, policy][:, None] for reward in rewards]
    endless = PolicyChain(alone, _make_only_policy(alone)).endless_classes() if mdp.discount == 1.0 else []
    if endless:
        terminal = np.array(alone.terminal)
        for members in endless:
            if any((reward[members] * alone.probability[members]).any() for reward in taken):
                return None
            terminal[members] = True
        alone = replace(alone, terminal=terminal)
    return alone, taken


def _solve_in_fractions(alone: TabularMDP, taken: list[Floats], start: int) -> list[Interval | None] | None:
    table = build_rational_table(alone, ~alone.terminal[:, None], tuple(taken))
    if table is None:
        return None
    returns = compute_rational_returns(table, _make_only_policy(alone), table.rewards, table.reward_unit)
    return None if returns is None else [enclose_exactly(each.get(start, Fraction(0))) for each in returns]


def _bound_by_solves(alone: TabularMDP, taken: list[Floats], start: int) -> list[Interval | None]:
    solvers = ChainSolvers(alone)
    solve = solvers.of(_make_only_policy(alone))
    values = [solve((alone.probability * reward).sum(axis=2)[:, 0]) for reward in taken]
    return [
        find_policy_bounds(solvers, store_reward(each), value, start) for each, value in zip(taken, values, strict=True)
    ]


def _make_only_policy(alone: TabularMDP) -> Policy:
    return np.zeros(len(alone.terminal), dtype=np.int32)


INSIDE = 1e-9
NEARLY_HIGHEST = 3
MOST_EXACT_WORK = 4_000_000
PolicyValues = Callable[[TabularMDP, Sequence[Floats], Policy, int], list[Interval | None]]


@dataclass(frozen=True)
class CertifiedLine:
    """Bounds of a policy's own and auxiliary return."""

    own: Interval
    auxiliary: Interval

    def at(self, coefficient: Fraction) -> Interval:
        """Bounds of own + coefficient * auxiliary."""
        return self.own + enclose_exactly(coefficient) * self.auxiliary


@dataclass(frozen=True)
class Loss:
    """By how much a policy may be better than all that are listed, and at which coefficient; None: no bound was found.

    low_slope, high_slope: by how much more for each unit beyond the outermost crossings, where the range has no end.
    scale: the size of the optimal return at that coefficient, slope_scale: of the auxiliary returns.
    """

    amount: Fraction | None
    at: float
    low_slope: Fraction | None = Fraction(0)
    high_slope: Fraction | None = Fraction(0)
    scale: float = 1.0
    slope_scale: float = 1.0


@dataclass(frozen=True)
class TradeOffCertificate:
    """lines: of each segment, None where it never ends or has no bounds. points: where neighbours cross, likewise.

    loss: of all segments that end, against any policy that ends. point_scale: the coefficient at which the largest own
    and the largest auxiliary reward are equal.
    """

    lines: tuple[CertifiedLine | None, ...]
    points: tuple[Interval | None, ...]
    loss: Loss
    point_scale: float


def certify(own: TabularMDP, auxiliary: Floats, start: int, segments: Sequence[Segment]) -> TradeOffCertificate:
    """Return the certificate of segments of one start state.

    own, auxiliary, start: as given to `engine.planning.trade_off.optimal_segments.find_segments`, which returned
    the segments or from whose result they were chosen. Fractions where the table has them and the work is bounded. The
    discount is the fraction that was meant.
    """
    work = len(segments) * estimate_work(own)
    values_of = bound_policy_values if work <= MOST_EXACT_WORK else bound_policy_values_roughly
    optimum = OptimumBounds(own, auxiliary, start=start)
    lines = tuple(_certify_line(own, auxiliary, start, segment, values_of) for segment in segments)
    points = tuple(
        None if one is None or other is None else (one.own - other.own).over(other.auxiliary - one.auxiliary)
        for one, other in itertools.pairwise(lines)
    )
    sizes = find_largest(own.reward), find_largest(auxiliary)
    loss = _find_loss(optimum, segments, lines, points)
    if not math.isnan(loss.at):
        loss = _scale_loss(loss, sizes, [segment.line for segment in segments])
    return TradeOffCertificate(lines, points, loss, sizes[0] / sizes[1] if sizes[1] else 0.0)


def find_largest(amounts: Floats) -> float:
    """Return the largest absolute value of an array, 0 for an empty one."""
    return float(np.abs(amounts).max(initial=0.0))


def _scale_loss(loss: Loss, sizes: tuple[float, float], lines: Sequence[Line]) -> Loss:
    """The loss with its scales: the largest reward or return that counts at its coefficient. sizes: of the rewards."""
    kept = [line for line in lines if math.isfinite(line.own)]
    here = [abs(line.own) + abs(loss.at * line.auxiliary) for line in kept]
    slopes = [abs(line.auxiliary) for line in kept]
    return replace(loss, scale=max(sizes[0] + abs(loss.at) * sizes[1], *here), slope_scale=max(sizes[1], *slopes))


def _certify_line(
    own: TabularMDP, auxiliary: Floats, start: int, segment: Segment, values_of: PolicyValues
) -> CertifiedLine | None:
    if math.isinf(segment.line.own):
        return None
    both = values_of(own, (own.reward, auxiliary), find_segment_policy(segment, len(own.terminal)), start)
    return None if both[0] is None or both[1] is None else CertifiedLine(both[0], both[1])


def _find_loss(
    optimum: OptimumBounds,
    segments: Sequence[Segment],
    lines: Sequence[CertifiedLine | None],
    points: Sequence[Interval | None],
) -> Loss:
    """Return the largest loss at the points where the bounds are checked."""
    kept = [n for n, segment in enumerate(segments) if math.isfinite(segment.line.own)]
    if not kept:
        return Loss(Fraction(0), math.nan)
    first, last = segments[kept[0]], segments[kept[-1]]
    checks = [_find_inside_point(first, 0, kept[0] > 0), _find_inside_point(last, 1, kept[-1] < len(segments) - 1)]
    for n, following in itertools.pairwise(kept):
        if following > n + 1:  # between them a policy gains for ever
            checks += [_find_inside_point(segments[n], 1, True), _find_inside_point(segments[following], 0, True)]
            continue
        crossing = points[n]
        checks.append(Fraction(segments[n].stop) if crossing is None or crossing.exact is None else crossing.exact)
    finite = sorted({check for check in checks if check is not None} or {Fraction(0)})
    worst, where = Fraction(-1), math.nan
    known = [line for n in kept if (line := lines[n]) is not None]
    rough = np.array([[float(line.own.lower), float(line.auxiliary.lower)] for line in known]).reshape(-1, 2)
    for check in finite:
        upper = optimum.upper((Fraction(1), check))
        if upper is None or not known:
            return Loss(None, float(check), None, None)
        highest = np.argsort(rough @ np.array([1.0, float(check)]))[-NEARLY_HIGHEST:]
        lower = max(known[n].at(check).lower for n in map(int, highest))
        if upper - lower > worst:
            worst, where = upper - lower, float(check)
    low = _bound_slope(optimum, lines[kept[0]], -1) if checks[0] is None else Fraction(0)
    high = _bound_slope(optimum, lines[kept[-1]], 1) if checks[1] is None else Fraction(0)
    return Loss(max(worst, Fraction(0)), where, low, high)


def _find_inside_point(segment: Segment, side: int, limited: bool) -> Fraction | None:
    """Return the end of an outermost segment, just inside where it is a limit; None where it has no end."""
    end, other = (segment.start, segment.stop) if side == 0 else (segment.stop, segment.start)
    if math.isinf(end):
        return None
    if not limited:
        return Fraction(end)
    reach = abs(other - end) if math.isfinite(other) else max(abs(end), 1.0)
    return Fraction(end) + Fraction(INSIDE * reach) * (1 if side == 0 else -1)


def _bound_slope(optimum: OptimumBounds, line: CertifiedLine | None, sign: int) -> Fraction | None:
    """By how much an auxiliary return, or a negative one, may be larger than the line's; None where unknown."""
    upper = optimum.upper((Fraction(0), Fraction(sign)))
    if upper is None or line is None:
        return None
    return max(upper - (line.auxiliary.lower if sign > 0 else -line.auxiliary.upper), Fraction(0))


def estimate_work(mdp: TabularMDP) -> int:
    """What one exact solution of a table costs: steps where it is deterministic, else the square of its states."""
    return int(mdp.next_state.size) if mdp.is_deterministic else len(mdp.terminal) ** 2


class OptimumBounds:
    """Upper bounds of the optimal return of one state, for one weighing of the rewards after the other."""

    def __init__(self, own: TabularMDP, *others: Floats, start: int, exact_work: int = MOST_EXACT_WORK) -> None:
        """own, start: as in `certify`. others: more rewards, one at least. exact_work: see `estimate_work`."""
        complete = replace(own, available=None)
        rewards = [own.complete(reward) for reward in (own.reward, *others)]
        cycles = ZeroCostCycles(
            complete.with_reward(rewards[0]), np.sum([np.abs(each) for each in rewards[1:]], axis=0)
        )
        self._rewards = [cycles.enlarge(each, 0.0) for each in rewards]
        self._start = start
        self._whole = keep_reachable_part(cycles.own, start)
        self._table = keep_safe_part(self._whole, PairIteration(self._whole, self._rewards[1]), start)
        self._search = PairIteration(self._table, self._rewards[1])
        self._solvers = ChainSolvers(self._table, self._search.allowed)
        self._exact_left = exact_work

    def upper(self, weights: Sequence[Fraction]) -> Fraction | None:
        """A bound of the weighed rewards, the own one first, that no policy exceeds, the optimum itself where fractions
        show it; None where no bound is found.
        """
        floats = [float(weight) for weight in weights]
        if self._search.lost[self._start] or self._gains(floats):
            return None
        search, pair = self._search, (floats[0], floats[1])
        if len(floats) > 2:
            search = search.with_rewards(self._weigh(floats), np.zeros_like(self._rewards[0]))
            pair = (1.0, 0.0)
        try:
            values = search.best(pair, (0.0, 0.0))
        except NoPlan:
            return None
        value = values.weigh(pair)
        self._exact_left -= estimate_work(self._table)
        if self._exact_left > 0 and self._rational is not None:
            exact = find_rational_optimum(self._rational, weights, values.policy, value, self._start)
            if exact is not None:
                return exact
        reward = weigh_rewards(self._rewards, floats)
        return find_upper_bound(self._solvers, self._search.allowed, reward, values.policy, value, self._start)

    def _gains(self, weights: Sequence[float]) -> bool:
        """Return whether a policy gains for ever that comes to where no episode surely ends."""
        if not self._search.lost.any():
            return False
        optimum = find_endless_optimum(self._whole.with_reward(self._weigh(weights)))
        return bool(np.isposinf(optimum.value[self._start]))

    def _weigh(self, weights: Sequence[float]) -> Floats:
        return np.asarray(sum(weight * reward for weight, reward in zip(weights, self._rewards, strict=True)))

    @cached_property
    def _rational(self) -> RationalTable | None:
        return build_rational_table(self._table, self._search.allowed, tuple(self._rewards))
