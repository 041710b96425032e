"""What "Be Considerate" says of every world, checked on one: Proposition 1, and that Eq 6 contains the sequential case.

Proposition 1. Where the discount is 1, the own reward is negative everywhere and some policy surely ends (Definition 1:
from any state), every optimal policy of an augmented reward of the end, such as Eq 1, surely ends.

The sequential case (section 3.3). Others who act afterwards are others who act at once, in a world that goes on after
the acting agent has ended. In the joined world of N newcomers a terminal state s' of the acting agent is the first step
of newcomer i, drawn with probability P_i / sum_k P_k, by its policy; then newcomer i goes on alone:

    r_i(s, a, s') = sum_k P_k times the newcomer's own reward, 0 before s'
    max E sum_t gamma^t (own r_1 + care sum_i alpha_i r_i)  =  the optimum of Eq 1 or 4

The left side is planned on the joined table, which holds no value of anybody: it is an independent check of the values.

Choices
- a newcomer that cannot be sure to finish gets what its time limit allows, as everywhere, in one step
- newcomers that discount otherwise than the acting agent are refused: in Eq 6 time passes alike for all

Reference: "Be Considerate", section 3.1 (Definition 1, Proposition 1) and section 3.3 (Eq 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from craftworld.formulation import RewardTiming
from craftworld.others.newcomer_worlds import PlannedNewcomer
from craftworld.others.value_distribution import solve_exact_values
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.policies import follow_policy
from engine.mdp.reachability import has_proper_policy, keep_reachable_part
from engine.planning.dynamic_programming import is_proper, plan
from engine.planning.trade_off.envelope import Segment, find_segment_policy

CONTAINED = ("expected", "per_agent")
"""Formulations that are a sum over those who come next: Eq 6 contains them."""


class TerminationCheck(NamedTuple):
    """Proposition 1 on one problem.

    conditions: what the proposition asks for, in words -> whether it holds. ends: a row for each segment: from and to
    which care, and whether its optimal policy surely ends.
    """

    conditions: dict[str, bool]
    ends: list[tuple[float, float, bool]]

    @property
    def applies(self) -> bool:
        """Whether all conditions hold."""
        return all(self.conditions.values())

    @property
    def holds(self) -> bool:
        """Whether what the proposition says is true here: it applies nowhere else."""
        return not self.applies or all(ends for _, _, ends in self.ends)


def check_termination(problem: Problem) -> TerminationCheck:
    """Check the conditions and the conclusion of Proposition 1, for all caring coefficients."""
    mdp = problem.mdp
    moves = (mdp.probability > 0.0) & ~mdp.terminal[:, None, None]
    conditions = {
        "the discount is 1": mdp.discount == 1.0,
        "the own reward is negative everywhere": bool((problem.own * mdp.reward[moves] < 0.0).all()),
        "some policy surely ends": bool(has_proper_policy(mdp).all()),
        "care is added at the end": problem.declaration.reward_timing is RewardTiming.AT_THE_END,
    }
    ends = [
        (segment.start, segment.stop, _surely_ends(problem, segment, start))
        for start, segments in problem.segments.items()
        for segment in segments
    ]
    return TerminationCheck(conditions, ends)


def _surely_ends(problem: Problem, segment: Segment, start: int) -> bool:
    states = len(problem.mdp.terminal)
    policy = problem.mdp.executable(find_segment_policy(segment, states))
    return is_proper(replace(problem.mdp, start=_begin_in(states, start)), policy)


class SequentialCase(NamedTuple):
    """One coefficient from one start: the optimum in turn (Eq 1 or 4), and of the joined world at once (Eq 6)."""

    care: float
    start: int
    in_turn: float
    at_once: float


def compare_sequential_case(problem: Problem, cares: Sequence[float]) -> list[SequentialCase]:
    """Plan both at each coefficient; BadValue for a formulation that is not a sum over newcomers."""
    if problem.formulation not in CONTAINED:
        raise BadValue(
            f"'{problem.formulation}' is no sum over those who come next",
            place="formulation",
            remedy=f"choose {' or '.join(CONTAINED)}",
        )
    for each in problem.planned_newcomers:
        if each.table.discount != problem.mdp.discount:
            raise BadValue(
                f"'{each.newcomer.name}' discounts by {each.table.discount:g}, the agent by {problem.mdp.discount:g}",
                place="discount",
                remedy="Eq 6 has one discount: give both the same",
            )
    joined, own, others, fixed = join_in_time(problem)
    compared = []
    for start in map(int, problem.mdp.start_states()):
        begin = _begin_in(len(joined.terminal), start)
        for care in cares:
            weighed = replace(joined, start=begin).with_reward(problem.own * own + fixed + care * others)
            at_once = plan(keep_reachable_part(weighed, start)).value[start]
            in_turn = problem.plan_optimum(care, start).value[start]
            compared.append(SequentialCase(care, start, float(in_turn), float(at_once)))
    return compared


def join_in_time(problem: Problem) -> tuple[TabularMDP, Floats, Floats, Floats]:
    """Join the acting agent's world with those of its newcomers.

    Returns the table, and three rewards f64[S', A, K]: the acting agent's own, that which one unit of care adds, and
    that of newcomers of fixed weight.
    """
    mdp, planned = problem.mdp, problem.planned_newcomers
    weighs = problem.formulation == "per_agent"
    total = sum(each.newcomer.probability for each in planned)
    steps = [_follow(each) for each in planned]
    offsets = np.cumsum([len(mdp.terminal), *(len(table.terminal) for table, _ in steps)])
    count, end = int(offsets[-1]) + 1, int(offsets[-1])
    rows = _Rows(count, len(mdp.actions))
    for state in np.flatnonzero(~mdp.terminal):
        for action in range(len(mdp.actions)):
            rows.outcomes[state][action] = [
                (int(following), float(chance), float(reward), 0.0, 0.0)
                for following, chance, reward in zip(
                    mdp.next_state[state, action],
                    mdp.probability[state, action],
                    mdp.reward[state, action],
                    strict=True,
                )
                if chance > 0.0
            ]
    for each, (table, value), offset in zip(planned, steps, offsets[:-1], strict=True):
        weight = (each.newcomer.weight if weighs else 1.0) * total
        swept, fixed = (weight, 0.0) if each.newcomer.swept or not weighs else (0.0, weight)
        finishes = has_proper_policy(table)
        going = [
            _list_steps(table, value, finishes, state, int(offset), end, swept, fixed)
            for state in range(len(table.terminal))
        ]
        for state in np.flatnonzero(~table.terminal):
            rows.set_all(int(offset) + int(state), going[state])
        share = each.newcomer.probability / total if total else 0.0
        for state in np.flatnonzero(mdp.terminal):
            begins = zip(each.begins.number[state], each.begins.probability[state], strict=True)
            rows.add_all(
                int(state),
                [
                    (following, share * float(chance) * probability, *rewards)
                    for begin, chance in begins
                    if chance > 0.0
                    for following, probability, *rewards in going[begin]
                ],
            )
    terminal = np.zeros(count, dtype=np.bool_)
    terminal[end] = True
    for (table, _), offset in zip(steps, offsets[:-1], strict=True):
        terminal[offset : offset + len(table.terminal)] = table.terminal
    return rows.make_table(mdp, terminal)


def _follow(each: PlannedNewcomer) -> tuple[TabularMDP, Floats]:
    """Return the table of a newcomer that follows its policy, and what it gets from each state."""
    policy = each.solution.policy if each.policy is None else each.policy
    table = follow_policy(each.table, policy).table
    return table, solve_exact_values(each.newcomer, table)


_Outcome = tuple[int, float, float, float, float]
"""Next state, probability, own reward, the others' swept and fixed reward."""


def _list_steps(
    table: TabularMDP, value: Floats, finishes: Booleans, state: int, offset: int, end: int, swept: float, fixed: float
) -> list[_Outcome]:
    """Return a newcomer's next step from one of its states; all of its return at once where it never ends."""
    if table.terminal[state]:
        return [(end, 1.0, 0.0, 0.0, 0.0)]
    if table.discount == 1.0 and not finishes[state]:
        return [(end, 1.0, 0.0, swept * float(value[state]), fixed * float(value[state]))]
    return [
        (offset + int(following), float(chance), 0.0, swept * float(reward), fixed * float(reward))
        for following, chance, reward in zip(
            table.next_state[state, 0], table.probability[state, 0], table.reward[state, 0], strict=True
        )
        if chance > 0.0
    ]


class _Rows:
    """Outcomes by state and action, as lists."""

    def __init__(self, states: int, actions: int) -> None:
        self.outcomes: list[list[list[_Outcome]]] = [[[] for _ in range(actions)] for _ in range(states)]

    def set_all(self, state: int, outcomes: list[_Outcome]) -> None:
        """The same outcomes for every action."""
        self.outcomes[state] = [list(outcomes) for _ in self.outcomes[state]]

    def add_all(self, state: int, outcomes: list[_Outcome]) -> None:
        """More outcomes for every action."""
        for of_action in self.outcomes[state]:
            of_action.extend(outcomes)

    def make_table(self, mdp: TabularMDP, terminal: Booleans) -> tuple[TabularMDP, Floats, Floats, Floats]:
        """Make the arrays; a state without outcomes stays where it is."""
        states, actions = len(self.outcomes), len(mdp.actions)
        widest = max(1, max(len(each) for of_state in self.outcomes for each in of_state))
        next_state = np.broadcast_to(np.arange(states)[:, None, None], (states, actions, widest)).astype(np.int32)
        probability = np.zeros((states, actions, widest))
        probability[:, :, 0] = 1.0
        rewards = np.zeros((3, states, actions, widest))
        for state in np.flatnonzero(~terminal):
            for action, outcomes in enumerate(self.outcomes[state]):
                probability[state, action, 0] = 0.0 if outcomes else 1.0
                for place, (following, chance, *gained) in enumerate(outcomes):
                    next_state[state, action, place], probability[state, action, place] = following, chance
                    rewards[:, state, action, place] = gained
        table = TabularMDP(
            range(states),
            {state: state for state in range(states)},
            mdp.actions,
            next_state,
            probability,
            rewards[0],
            terminal,
            _begin_in(states, 0),
            mdp.discount,
        )
        return table, rewards[0], rewards[1], rewards[2]


def _begin_in(states: int, start: int) -> Floats:
    begin = np.zeros(states)
    begin[start] = 1.0
    return begin
