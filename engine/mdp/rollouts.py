"""Monte Carlo rollouts: many episodes of a policy in a table, in one compiled loop, and estimates of their return.

    mean = (1 / n) sum of G        standard error = sqrt( sum of (G - mean)^2 / (n (n - 1)) )
    G = R_1 + gamma R_2 + ... + gamma^(T - 1) R_T + gamma^T final(S_T)

Policies are probabilities of actions, f64[S, A]: rows sum to 1, actions that are not available have 0. A policy in a
world is one table: for each state all outcomes of its actions, and one number decides among them:

    P(a, k | s) = policy(a | s) probability(s, a, k)

Outcomes stand in the order of (a, k), those of probability 0 are left out. The number is an integer b of 53 bits,
b / 2^53 being uniform in [0, 1). An outcome comes where b reaches all thresholds before it and not its own,
ceil(2^53 (P_0 + ... + P_i)): to the bit what `inverse_cdf` draws for b / 2^53.

`play_episode` plays one episode step by step: the definition, of which `sample_block` is the compiled twin. Episode
number e begins where uniform(split(key, "start"), e) says; its step t takes uniform(split(key, "step"), e, t). The
compiled loop has several episodes under way at once, so that each hides the other's waiting. An episode is a function
of its number and the keys: results are the same for any number of threads and of lanes, and the same key gives the
same episodes under any reward, so that two rewards are estimated of the same trajectories.

Reference: Sutton and Barto, "Reinforcement Learning: An Introduction" (2018), sections 5.1 and 5.4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.compiling.kernel import kernel
from engine.compiling.threads import count_threads, run_in_order
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats, Integers, Policy, TabularMDP
from engine.mdp.policies import make_probabilities
from engine.randomness.compiled import bits_1
from engine.randomness.counter_based import inverse_cdf, split, uniform

Thresholds = NDArray[np.int64]
NUMBERS = 2**53
AnyPolicy: TypeAlias = Policy | Floats | Mapping[int, Policy] | Mapping[int, Floats]


class OutcomeTable(NamedTuple):
    """S states, at most M outcomes of each.

    threshold: int64[S, M - 1], that of every outcome but the last, `NUMBERS` where there is none. next_state:
    int32[S, M], ~number where the next state is terminal. reward: f64[S, M]. start_states: int32[n] and their
    thresholds int64[n - 1]; a terminal start is ~number.
    """

    threshold: Thresholds
    next_state: Integers
    reward: Floats
    start_states: Integers
    start_threshold: Thresholds


def build_outcome_table(mdp: TabularMDP, policy: AnyPolicy, reward: Floats | None = None) -> OutcomeTable:
    """Return the outcomes of a policy in a table.

    policy: int[S], f64[S, A], or one of them for each start state; then the states of the episodes that the second
    policy takes come after those of the first one, and so on. reward: f64[S, A, K] in place of the table's own. Raises
    BadValue for a policy or reward that does not fit.
    """
    amounts = mdp.reward if reward is None else reward
    if amounts.shape != mdp.next_state.shape:
        raise BadValue(f"a reward of shape {amounts.shape}", place="reward", remedy=f"give {mdp.next_state.shape}")
    starts, states = mdp.start_states().astype(np.int32), len(mdp.terminal)
    if not isinstance(policy, Mapping):
        policies = [make_probabilities(mdp, policy)]
        of_start = np.zeros_like(starts)
    else:
        missing = sorted(set(starts.tolist()) - set(policy))
        if missing:
            raise BadValue(f"no policy for start state {missing[0]}", place="policy", remedy="give one for each start")
        policies, of_start = _find_distinct([make_probabilities(mdp, policy[start]) for start in starts.tolist()])
    chance = np.concatenate([(each[:, :, None] * mdp.probability).reshape(states, -1) for each in policies])
    chance[np.tile(mdp.terminal, len(policies))] = 0.0
    possible = chance > 0
    order = np.argsort(~possible, axis=1, kind="stable")[:, : max(int(possible.sum(axis=1).max(initial=1)), 1)]
    following = np.concatenate([mdp.next_state.reshape(states, -1) + n * states for n in range(len(policies))])
    gained = np.tile(amounts.reshape(states, -1), (len(policies), 1))
    return OutcomeTable(
        compute_thresholds(np.take_along_axis(chance, order, axis=1)),
        _mark_terminal(mdp, np.take_along_axis(following, order, axis=1)),
        np.ascontiguousarray(np.take_along_axis(gained, order, axis=1), dtype=np.float64),
        _mark_terminal(mdp, starts + of_start * states),
        compute_thresholds(mdp.start[starts][None])[0],
    )


def _find_distinct(policies: list[Floats]) -> tuple[list[Floats], Integers]:
    """Policies without repetitions, and the place of each in what is left."""
    places: dict[bytes, int] = {}
    of_start = [places.setdefault(each.tobytes(), len(places)) for each in policies]
    return [policies[of_start.index(place)] for place in range(len(places))], np.array(of_start, dtype=np.int32)


def _mark_terminal(mdp: TabularMDP, states: Integers) -> Integers:
    """Terminal states as ~number."""
    return np.where(mdp.terminal[states % len(mdp.terminal)], ~states, states).astype(np.int32)


def compute_thresholds(chance: Floats) -> Thresholds:
    """int64[..., M - 1] of probabilities f64[..., M]: the outcome that comes is the number of thresholds reached."""
    reached = np.minimum(np.ceil(np.cumsum(chance, axis=-1) * NUMBERS), NUMBERS)
    later = np.cumsum(chance[..., ::-1] > 0, axis=-1)[..., ::-1] - (chance > 0) > 0
    return np.where(later, reached, NUMBERS).astype(np.int64)[..., :-1].copy()


class EpisodeSummary(NamedTuple):
    """The states that an episode begins and ends in, its steps, its discounted return, whether the world ended it."""

    start: int
    final: int
    steps: int
    total: float
    terminated: bool


def play_episode(mdp: TabularMDP, policy: Policy | Floats, episode: int, limit: int, key: int) -> EpisodeSummary:
    """Return the episode of that number, of at most `limit` steps.

    policy: int[S] or f64[S, A]. key: of all chance, the policy's and the world's.
    """
    chances = make_probabilities(mdp, policy)
    starts = mdp.start_states()
    begun = state = int(starts[inverse_cdf(mdp.start[starts], uniform(split(key, "start"), episode))])
    steps, total, weight, successors = 0, 0.0, 1.0, mdp.next_state.shape[2]
    while not mdp.terminal[state] and steps < limit:
        outcomes = (chances[state][:, None] * mdp.probability[state]).reshape(-1)
        place = inverse_cdf(outcomes, uniform(split(key, "step"), episode, steps))
        action, successor = divmod(place, successors)
        total += weight * float(mdp.reward[state, action, successor])
        weight *= mdp.discount
        state = int(mdp.next_state[state, action, successor])
        steps += 1
    return EpisodeSummary(begun, state, steps, total, bool(np.asarray(mdp.terminal[state])))


_G = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11, _1 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(1)


@kernel
def sample_block(table, discount, which, start, final, steps, total):  # type: ignore[no-untyped-def]
    """Episodes number first .. first + n - 1, `lanes` of them at a time.

    table: an `OutcomeTable` as a plain tuple. which: limit, the keys of starts and steps (uint64), first, lanes. start,
    final, steps: int32[n] and total: f64[n] are filled in; final is ~number where the world ended the episode.
    """
    threshold, next_state, reward, start_states, start_threshold = table
    limit, start_key, step_key, first, lanes = which
    count, outcomes = len(start), next_state.shape[1]
    width, stride = outcomes - 1, np.uint64(outcomes)
    following, gained, limits = next_state.reshape(-1), reward.reshape(-1), threshold.reshape(-1)
    state, taken, episode = np.empty(lanes, np.int64), np.empty(lanes, np.int64), np.empty(lanes, np.int64)
    counter = np.empty(lanes, np.uint64)
    gathered, weight = np.empty(lanes), np.empty(lanes)
    begun, under_way = 0, 0
    while True:
        while under_way < lanes and begun < count:
            place = 0
            if len(start_threshold) > 0:
                number = np.int64(bits_1(start_key, first + begun) >> _S11)
                place = int(np.searchsorted(start_threshold, number, side="right"))
            at = np.int64(start_states[place])
            start[begun] = at if at >= 0 else ~at
            if at < 0:
                final[begun], steps[begun], total[begun] = at, 0, 0.0
            else:
                state[under_way], taken[under_way], episode[under_way] = at, 0, begun
                counter[under_way] = bits_1(step_key, first + begun)
                gathered[under_way], weight[under_way] = 0.0, 1.0
                under_way += 1
            begun += 1
        if under_way == 0:
            return
        ended = -1
        while ended < 0:
            for lane in range(under_way):
                here = np.uint64(state[lane])
                outcome = here * stride
                if width > 0:
                    z = counter[lane] + _G
                    counter[lane] = z
                    z = (z ^ (z >> _S30)) * _M1
                    z = (z ^ (z >> _S27)) * _M2
                    number = np.int64((z ^ (z >> _S31)) >> _S11)
                    row = here * (stride - _1)
                    for other in range(row, row + stride - _1):
                        outcome += np.uint64(number >= limits[other])
                reached = np.int64(following[outcome])
                gathered[lane] += weight[lane] * gained[outcome]
                weight[lane] *= discount
                state[lane] = reached
                taken[lane] += 1
                if reached < 0 or taken[lane] == limit:
                    ended = lane
        kept = 0
        for lane in range(under_way):
            if state[lane] < 0 or taken[lane] == limit:
                done = episode[lane]
                final[done], steps[done], total[done] = state[lane], taken[lane], gathered[lane]
            else:
                state[kept], taken[kept], episode[kept] = state[lane], taken[lane], episode[lane]
                counter[kept], gathered[kept], weight[kept] = counter[lane], gathered[lane], weight[lane]
                kept += 1
        under_way = kept


BLOCK = 8_192
LANES = 4
_LONGEST = 2**31 - 1


class SampledEpisodes(NamedTuple):
    """n episodes in the order of their numbers.

    start, final: int32[n], the states in which they begin and end. steps: int32[n]. total: f64[n], discounted returns.
    terminated: bool[n], whether the world ended them; the others were cut at the limit.
    """

    start: Integers
    final: Integers
    steps: Integers
    total: Floats
    terminated: Booleans


class ReturnEstimate(NamedTuple):
    """What n episodes gave.

    mean, standard_error: of the discounted return; the error is nan for a single episode. least, most: the extremes.
    steps: of all episodes together. terminated: how many the world ended.
    """

    episodes: int
    mean: float
    standard_error: float
    least: float
    most: float
    steps: int
    terminated: int


def sample_episodes(
    mdp: TabularMDP,
    policy: AnyPolicy,
    episodes: int | range,
    limit: int,
    key: int = 0,
    *,
    reward: Floats | None = None,
    lanes: int = LANES,
) -> SampledEpisodes:
    """Episodes of a policy, each of at most `limit` steps.

    policy: int[S], f64[S, A] of probabilities, or one of them for each start state. episodes: how many, or which
    numbers, in steps of 1. key: of all chance. reward: f64[S, A, K] in place of the table's. lanes: how many are under
    way at once, which changes no result. Raises BadValue for a policy or a reward that does not fit the table, a limit
    outside 1 .. 2^31 - 1 and numbers that are none of episodes.
    """
    table = build_outcome_table(mdp, policy, reward)
    return _sample_numbered(mdp, table, _list_numbers(episodes), _check_table(limit), key, lanes)


def estimate_return(
    mdp: TabularMDP,
    policy: AnyPolicy,
    episodes: int,
    limit: int,
    key: int = 0,
    *,
    reward: Floats | None = None,
    final: Floats | None = None,
    threads: int | None = None,
) -> ReturnEstimate:
    """Return the mean return of that many episodes, in memory that does not grow with their number.

    final: f64[S], what the state in which an episode is at last is worth, 0 where it is left out. threads: None for one
    a core. The other arguments and errors are those of `sample_episodes`.
    """
    table, limit, numbers = build_outcome_table(mdp, policy, reward), _check_table(limit), _list_numbers(episodes)
    if not numbers:
        raise BadValue("no episodes", place="episodes", remedy="ask for at least 1")
    blocks = [range(first, min(first + BLOCK, numbers.stop)) for first in range(0, numbers.stop, BLOCK)]
    workers = min(len(blocks), count_threads(threads))
    work = (lambda block=block: _sample_numbered(mdp, table, block, limit, key, LANES) for block in blocks)
    found = _Moments()
    for sampled in run_in_order(work, workers):
        last = 0.0 if final is None else mdp.discount**sampled.steps * final[sampled.final]
        found.add(sampled, sampled.total + last)
    return found.estimate()


class _Moments:
    """Mean and squared deviations of returns, block after block. Reference: Chan, Golub and LeVeque (1983)."""

    def __init__(self) -> None:
        self._count, self._mean, self._squares = 0, 0.0, 0.0
        self._least, self._most, self._steps, self._terminated = math.inf, -math.inf, 0, 0

    def add(self, block: SampledEpisodes, returns: Floats) -> None:
        """Take in one more block and its returns, f64[n]."""
        count, mean = len(returns), float(returns.mean())
        together, apart = self._count + count, mean - self._mean
        self._squares += float(np.square(returns - mean).sum()) + apart * apart * self._count * count / together
        self._mean += apart * count / together
        self._count = together
        self._least = min(self._least, float(returns.min()))
        self._most = max(self._most, float(returns.max()))
        self._steps += int(block.steps.sum(dtype=np.int64))
        self._terminated += int(block.terminated.sum())

    def estimate(self) -> ReturnEstimate:
        """Return what all blocks gave."""
        n = self._count
        alike = self._least == self._most  # then squares hold nothing but rounding
        error = math.nan if n == 1 else 0.0 if alike else math.sqrt(self._squares / (n * (n - 1)))
        return ReturnEstimate(n, self._mean, error, self._least, self._most, self._steps, self._terminated)


def _sample_numbered(
    mdp: TabularMDP, table: OutcomeTable, numbers: range, limit: int, key: int, lanes: int
) -> SampledEpisodes:

    n = len(numbers)
    start, final, steps = np.zeros((3, n), dtype=np.int32)
    total: NDArray[np.float64] = np.zeros(n)
    start_key, step_key = (np.uint64(split(key, part)) for part in ("start", "step"))
    where = (limit, start_key, step_key, numbers.start, lanes)
    sample_block(tuple(table), mdp.discount, where, start, final, steps, total)
    terminated, states = final < 0, len(mdp.terminal)
    return SampledEpisodes(start % states, np.where(terminated, ~final, final) % states, steps, total, terminated)


def _list_numbers(episodes: int | range) -> range:
    numbers = episodes if isinstance(episodes, range) else range(episodes)
    if (isinstance(episodes, int) and episodes < 0) or numbers.start < 0 or numbers.step != 1:
        raise BadValue(f"episodes {episodes}", place="episodes", remedy="give how many, or a range in steps of 1")
    return numbers


def _check_table(limit: int) -> int:
    if not 1 <= limit <= _LONGEST:
        raise BadValue(f"a limit of {limit} steps", place="rollouts", remedy=f"allow 1 to {_LONGEST}")
    return limit
