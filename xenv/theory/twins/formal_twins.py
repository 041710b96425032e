"""Formal twins: practical environments as environments of histories, whose copies compute the formal agent.

    e(T, s) = (r_n, o_n),  the percept to which the actions of s, a_0 ... a_{n-1}, lead in the practical environment

A copy acts as T does on the history that it was trained on; r_0 = 0. Alexander et al. 2021, Definition 2 and section 4.

Choices:
- of a play only the actions count: rewards and observations are those that the environment gives, as in every
  interaction with it
- a play that goes on from the last one is played from there, so that an interaction costs what the practical one does
"""

from __future__ import annotations

from typing import Any, NamedTuple

from engine.errors import BadValue
from engine.randomness.random_sources import RandomSource
from engine.registry import spell_name
from xenv.names import environment_factory
from xenv.simulation import Simulate
from xenv.theory.agents import HistoryAgent
from xenv.theory.environments import ZERO, HistoryEnvironment
from xenv.theory.histories import Percept, Play, as_exact_reward
from xenv.theory.practical_agents import HistorySpec
from xenv.theory.twins import FormalTwin

__all__ = [
    "adversarial_sequence_evader",
    "adversarial_sequence_predictor",
    "after_images",
    "censored_observation",
    "crying_baby",
    "crying_baby_2",
    "deja_vu",
    "delayed_rewards",
    "false_memories",
    "flip_every_other",
    "ignore_actions",
    "ignore_observations",
    "ignore_observations_published",
    "ignore_rewards",
    "ignore_rewards_2",
    "ignore_rewards_3",
    "incentivize_zero",
    "limited_memory",
    "newcomb",
    "nth_reward_times_n",
    "punish_nondeterministic",
    "repeater",
    "reverse_history",
    "self_recognition",
    "shifted_rewards",
    "tempting_button",
    "tempting_button_variation",
]

WITHOUT_TWIN = {
    "incentivize_learning_rate": "its copy is another agent, with learning rate 1",
    "incentivize_learning_rate_halved": "its copy is another agent, with half the learning rate",
    "third_action_forbidden": "its copy is another agent, with one action more",
    "punish_slow_agent": "it counts lines of the practical agent; 'time_inspector' is an example of its own",
    "newcomb_normalised": "its rewards are rounded, those of the theory are exact",
}
"""Why an environment has no twin; every other one of the battery has one."""


def make_twin(environment: str) -> FormalTwin:
    """Return the formal twin of an environment by its name, such as `repeater`, `opposite(repeater)`, `my_file:Mine`.

    Raises BadValue, with the reason, for an environment that has none.
    """
    plain = spell_name(environment.rpartition("(")[2].rstrip(" )"))
    if plain in WITHOUT_TWIN:
        raise BadValue(f"'{plain}' has no formal twin: {WITHOUT_TWIN[plain]}", remedy="choose another environment")

    def twin(source: RandomSource) -> HistoryEnvironment:
        reached: _Reached | None = None

        def respond(agent: HistoryAgent, play: Play) -> Percept:
            nonlocal reached
            begun, reached = reached, None
            if begun is None or begun.agent is not agent or begun.actions != play.actions[: len(begun.actions)]:
                begun = _begin(environment, agent, source)
            percept = begun.percept
            for action in play.actions[len(begun.actions) :]:
                reward, observation = begun.practical.step(action)
                percept = Percept(as_exact_reward(reward), observation)
            reached = begun._replace(actions=play.actions, percept=percept)
            return percept

        return respond

    return twin


class _Reached(NamedTuple):
    """An agent, its actions so far, the practical environment after them, and what that gave last."""

    agent: HistoryAgent
    actions: tuple[int, ...]
    practical: Any
    percept: Percept


def _begin(environment: str, agent: HistoryAgent, source: RandomSource) -> _Reached:
    """Make the practical environment of an agent's copies and take its first observation."""
    factory = environment_factory(environment)
    simulate = Simulate(HistorySpec(agent), factory.n_observations, factory.n_actions)
    simulate.random_source = source
    practical = factory(simulate)
    return _Reached(agent, (), practical, Percept(ZERO, practical.start()))


adversarial_sequence_evader = make_twin("adversarial_sequence_evader")
"""The formal twin of the environment `adversarial_sequence_evader`: the opponent is a copy."""

adversarial_sequence_predictor = make_twin("adversarial_sequence_predictor")
"""The formal twin of the environment `adversarial_sequence_predictor`: the opponent is a copy."""

after_images = make_twin("after_images")
"""The formal twin of the environment `after_images`: each image is seen with the bits of the one before."""

censored_observation = make_twin("censored_observation")
"""The formal twin of the environment `censored_observation`: turns that end in observation 2 have not happened."""

crying_baby = make_twin("crying_baby")
"""The formal twin of the environment `crying_baby`: the practical baby's own history."""

crying_baby_2 = make_twin("crying_baby_2")
"""The formal twin of the environment `crying_baby_2`: the agent is the baby, the copy its parent."""

deja_vu = make_twin("deja_vu")
"""The formal twin of the environment `deja_vu`: as in the theory, but that the first action is worth 0."""

delayed_rewards = make_twin("delayed_rewards")
"""The formal twin of the environment `delayed_rewards`: every other reward is added to the next one."""

false_memories = make_twin("false_memories")
"""The formal twin of the environment `false_memories`: two turns came before the first one."""

flip_every_other = make_twin("flip_every_other")
"""The formal twin of the environment `flip_every_other`: every other reward has the opposite sign."""

ignore_actions = make_twin("ignore_actions")
"""The formal twin of the environment `ignore_actions`: every action is 0."""

ignore_observations = make_twin("ignore_observations")
"""The formal twin of the environment `ignore_observations`: every earlier observation is 0."""

ignore_observations_published = make_twin("ignore_observations_published")
"""The formal twin of `ignore_observations_published`: every earlier one is 0, the first is asked about."""

ignore_rewards = make_twin("ignore_rewards")
"""The formal twin of the environment `ignore_rewards`: every reward is 0."""

ignore_rewards_2 = make_twin("ignore_rewards_2")
"""The formal twin of the environment `ignore_rewards_2`: turns with a positive reward have not happened."""

ignore_rewards_3 = make_twin("ignore_rewards_3")
"""The formal twin of the environment `ignore_rewards_3`: the copy acts itself, in an environment without rewards.
"""

incentivize_zero = make_twin("incentivize_zero")
"""The formal twin of the environment `incentivize_zero`: the agent is shown what the worker did."""

limited_memory = make_twin("limited_memory")
"""The formal twin of the environment `limited_memory`: no more than the last five turns are remembered."""

newcomb = make_twin("newcomb")
"""The formal twin of the environment `newcomb`: as in the theory."""

nth_reward_times_n = make_twin("nth_reward_times_n")
"""The formal twin of the environment `nth_reward_times_n`: the n-th reward is multiplied by n."""

punish_nondeterministic = make_twin("punish_nondeterministic")
"""The formal twin of the environment `punish_nondeterministic`: deterministic agents get 1."""

repeater = make_twin("repeater")
"""The formal twin of the environment `repeater`: every turn happens twice."""

reverse_history = make_twin("reverse_history")
"""The formal twin of the environment `reverse_history`: as in the theory, but that rewards begin with 0."""

self_recognition = make_twin("self_recognition")
"""The formal twin of the environment `self_recognition`: statements about what one would do."""

shifted_rewards = make_twin("shifted_rewards")
"""The formal twin of the environment `shifted_rewards`: each reward comes one turn late."""

tempting_button = make_twin("tempting_button")
"""The formal twin of the environment `tempting_button`: as in Example 4, the rooms by the practical one's source.
"""

tempting_button_variation = make_twin("tempting_button_variation")
"""The formal twin of the environment `tempting_button_variation`: pushing is what counts everywhere."""
