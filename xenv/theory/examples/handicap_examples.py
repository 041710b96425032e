"""Seven handicaps: act as after another history, steer a copy of yourself, compute in little time or memory.

    r = 1 where a = T(p'), else -1;  p' is  p^0 (all rewards 0),  p_0 p,  p in reverse,  or p a p
    r = 1 where T(p') = 0, else -1;  p' has the agent's actions as rewards
    r = 1 where the steps, or the memory, of T(p) < limit (n + 1), else -1, with n + 1 the percepts in p

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Examples 1 to 5
and what follows them.
"""

from __future__ import annotations

from fractions import Fraction

from xenv.theory.agents import HistoryAgent
from xenv.theory.environments import START, HistoryEnvironment, TheoryExample, sign
from xenv.theory.histories import Percept, Play, prepend_play, read_natural, read_play, reverse_prompt, with_rewards

__all__ = [
    "backward_consciousness",
    "deja_vu",
    "false_memories",
    "ignoring_rewards",
    "incentive_to_incentivize",
    "memory_inspector",
    "time_inspector",
]


def _reward_ignoring_rewards(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decompose()
    return Percept(sign(action == agent(with_rewards(prompt, lambda reward: 0))), 0)


ignoring_rewards = TheoryExample(lambda: _reward_ignoring_rewards, is_handicap=True)
"""Reward the agent for ignoring rewards.

    r = 1 where a = T(p^0), else -1, with p^0 the prompt with every reward 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Reward Agent for Ignoring Rewards.
"""


def _reward_remembering(earlier: Play) -> HistoryEnvironment:
    """Return a handicap for each play that did not happen."""
    memories = Play(earlier)

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        prompt, action = play.decompose()
        return Percept(sign(action == agent(prepend_play(memories, prompt))), 0)

    return environment


false_memories = TheoryExample(_reward_remembering, sample=(Play((0, 0, 1)),), is_handicap=True, read=read_play)
"""Act as if another history had come before this one: `false_memories:0,0,1;-1/2,0,1` names a play turn by turn.

    r = 1 where a = T(p_0 p), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", False Memories.

Choices:
- p_0 is <0, 0, 1> where none is given
"""


def _reward_acting_backward(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decompose()
    return Percept(sign(action == agent(reverse_prompt(prompt))), 0)


backward_consciousness = TheoryExample(lambda: _reward_acting_backward, is_handicap=True)
"""Act as if everything had happened in reverse.

    r = 1 where a_n = T(r_n, o_n, a_{n-1}, ..., a_0, r_0, o_0), else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Backward Consciousness.
"""


def _reward_acting_twice(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decompose()
    return Percept(sign(agent(prepend_play(play, prompt)) == action), 0)


deja_vu = TheoryExample(lambda: _reward_acting_twice, is_handicap=True)
"""Act as you would act if everything so far, this action included, repeated itself.

    r = 1 where T(p a p) = a, else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Deja Vu.
"""


def play_copy(agent: HistoryAgent, play: Play) -> Play:
    """p' and the copy's answer to it: a copy was given the actions of a play as rewards."""
    return agent.answers([START, *(Percept(Fraction(action), 0) for action in play.actions)])


def _reward_steering(agent: HistoryAgent, play: Play) -> Percept:
    return Percept(sign(play_copy(agent, play).actions[-1] == 0), 0) if play else START


incentive_to_incentivize = TheoryExample(lambda: _reward_steering, is_handicap=True, n_actions=10)
"""Choose rewards for a copy of yourself so that it takes action 0.

    r = 1 where T(p') = 0, else -1;  p' is the copy's history: rewards 0, a_0, a_1, ..., observations 0, its own actions

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Incentive to Incentivize.
"""


def _inspect_time(limit: int) -> HistoryEnvironment:
    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        prompt, _ = play.decompose()
        return Percept(sign(agent.work(prompt).steps < limit * len(prompt.rewards)), 0)

    return environment


time_inspector = TheoryExample(_inspect_time, sample=(15,), is_handicap=True, read=read_natural)
"""Be quick: computing an action may take so many steps per turn: `time_inspector:15`.

    r = 1 where the steps of T(p) < limit (n + 1), else -1, with n + 1 the percepts in p; a step is a line of Python

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
after Incentive to Incentivize ("how many steps ... they use to compute each action"). The limit of 15 is the battery's.
"""


def _inspect_memory(limit: int) -> HistoryEnvironment:
    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        prompt, _ = play.decompose()
        return Percept(sign(agent.work(prompt).memory < limit * len(prompt.rewards)), 0)

    return environment


memory_inspector = TheoryExample(_inspect_memory, sample=(8,), is_handicap=True, read=read_natural)
"""Need little memory: local variables may hold so many items per turn: `memory_inspector:8`.

    r = 1 where the memory of T(p) < limit (n + 1), else -1, with n + 1 the percepts in p

Memory is the most items that local variables hold at once; the prompt's own, which are 3 n + 2, are among them.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
after Incentive to Incentivize ("how much memory").
"""
