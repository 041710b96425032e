"""PettingZoo's parallel environments: one agent acts, the others follow fixed policies, each with its own reward.

What the others observed last belongs to the state, for their policies act on it. The episode ends when the acting
agent's does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import BadValue, UnknownName
from engine.printable import shown_value
from engine.user_code import place_of, user_code

FixedPolicy = Callable[[Any], Any]


class ParallelAgent:
    """A parallel environment as one agent sees it, in the manner of Gymnasium, with one reward for each agent.

    env: a `pettingzoo.ParallelEnv`. agent: the acting one, by default the first. policies: agent -> observation ->
    action, of all others. Raises UnknownName for agents that there are not, BadValue for a policy that is missing.
    """

    def __init__(self, env: Any, agent: str | None, policies: Mapping[str, FixedPolicy] | None) -> None:
        self.env, names = env, list(env.possible_agents)
        self.agent = names[0] if agent is None else agent
        self.policies = dict(policies or {})
        for name in [self.agent, *self.policies]:
            if name not in names:
                raise UnknownName("agent", str(name), [str(known) for known in names], place="wrap")
        missing = [name for name in names if name not in self.policies and name != self.agent]
        if missing:
            raise BadValue(
                f"no policy for {', '.join(map(str, missing))}",
                place="policies",
                remedy="give policies={agent: function from its observation to its action}",
            )
        self.names = (self.agent, *(name for name in names if name != self.agent))
        self.action_space = env.action_space(self.agent)
        self.observations: dict[str, Any] = {}

    @property
    def unwrapped(self) -> Any:
        """The environment itself."""
        return self.env.unwrapped

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        self.observations, _ = self.env.reset(seed=seed)
        return self.observations[self.agent], {}

    def step(self, action: int) -> tuple[Any, list[float], bool, bool, dict[str, Any]]:
        """Everybody acts: the rewards, the acting agent's first; whether its episode ends."""
        actions = {self.agent: action}
        for name in self.env.agents:
            if name != self.agent:
                actions[name] = self._action_of(name)
        self.observations, rewards, terminated, truncated, _ = self.env.step(actions)
        amounts = [float(rewards.get(name, 0.0)) for name in self.names]
        ended = bool(terminated.get(self.agent, True))
        return self.observations.get(self.agent), amounts, ended, bool(truncated.get(self.agent, False)), {}

    def _action_of(self, name: str) -> Any:
        policy = self.policies[name]
        with user_code(place_of(policy)):
            action = policy(self.observations[name])
        if not self.env.action_space(name).contains(action):
            raise BadValue(
                f"the policy of {name} gave {shown_value(action)}",
                place=place_of(policy),
                remedy="give one of its actions",
            )
        return action
