"""How states are saved where no family is known: by attributes, by the user's functions, of parallel environments.

`AttributeStates` is the default. A snapshot is a deep copy of every attribute that is data, of the environment and of
the wrappers around it; windows, spaces, generators and functions are shared. The key is the same values frozen.
Attributes named in `ignore` are restored, too, but belong to no key. `UsersStates` calls the user's `get_state(env)`
and `set_state(env, state)`.

In PettingZoo's parallel environments one agent acts and the others follow fixed policies, each with its own reward.
What the others observed last belongs to the state, for their policies act on it. The episode ends when the acting
agent's does.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from caregrid.wrapping.family import WorldFamily
from engine.contracts import require_parameters
from engine.errors import BadValue, ContractBroken, UnknownName, add_article, did_you_mean
from engine.mdp.enumeration.frozen_values import NotPlain, copy_plain_values, freeze_value, is_opaque
from engine.mdp.enumeration.walk import count_continuous_values
from engine.printable import show_value
from engine.user_code import describe_place, user_code

AGENT = "agent"
NOT_STATE = {"spec", "metadata", "render_mode", "env", "unwrapped", "_np_random_seed", "reward_range"} | {
    "_ezpickle_args",
    "_ezpickle_kwargs",
}
MOST_WORDS = 8


class AttributeState(SimpleNamespace):
    """The attributes of an environment in one state, by name."""

    def __init__(self, outer: list[dict[str, Any]], **own: Any) -> None:
        super().__init__(**own)
        self._outer = outer


class AttributeStates(WorldFamily):
    """env: the environment without wrappers. layers: every object whose attributes make up a state, `env` among them.

    ignore: names of attributes that are not part of a state, such as counters of steps. agent: names of those that are
    the agent's own, which the next agent has as at the start; by default all that begin with "agent". fingerprint: the
    user's key, made of the environment with its wrappers.
    """

    def __init__(
        self,
        env: Any,
        layers: Sequence[Any] = (),
        ignore: Sequence[str] = (),
        agent: Sequence[str] | None = None,
        fingerprint: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(env)
        self._layers = list(layers) or [env]
        self._ignore = set(ignore)
        self._fingerprint = fingerprint
        self.exact_keys = fingerprint is None and not ignore
        known = {name for layer in self._layers for name in vars(layer)}
        self._agent = sorted(name for name in known if name.startswith(AGENT)) if agent is None else list(agent)
        self._require_known(agent or ())

    def require_nothing_forgotten(self) -> None:
        """BadValue for an attribute to ignore that no step has ever made."""
        self._require_known(sorted(self._ignore))

    def _require_known(self, names: Sequence[str]) -> None:
        known = sorted({name for layer in self._layers for name in vars(layer)})
        for name in names:
            if name not in known:
                place = type(self.env).__name__
                raise BadValue(f"no attribute '{name}'", place=place, remedy=did_you_mean(name, known))

    @classmethod
    def applies(cls, env: Any) -> bool:
        return True

    def save(self) -> Any:
        return self._copy_parts([self._data(layer) for layer in self._layers])

    def of_another(self, env: Any) -> WorldFamily:
        """The drawing environment takes the attributes of this one."""
        return AttributeStates(env.unwrapped)

    def load(self, snapshot: Any) -> None:
        for layer, part in zip(self._layers, self._copy_parts(snapshot), strict=True):
            for name in self._data(layer).keys() - part.keys():
                delattr(layer, name)
            vars(layer).update(part)
            if "_elapsed_steps" in vars(layer):
                layer._elapsed_steps = 0

    def _copy_parts(self, parts: Any) -> Any:
        """A deep copy in which what refers back to the environment refers to the one there is."""
        try:
            return [dict(zip(part, copy_plain_values(part.values()), strict=True)) for part in parts]
        except NotPlain:
            pass
        memo: dict[int, Any] = {id(layer): layer for layer in self._layers}
        for part in parts:
            for value in part.values():
                _share_opaque(value, memo, 0)
        return copy.deepcopy(parts, memo)

    def key(self) -> Hashable:
        if self._fingerprint is not None:
            given = self._fingerprint(self._layers[0])
            return freeze_value(given) if hasattr(given, "dtype") else given
        return tuple(
            (name, freeze_value(value))
            for layer in self._layers
            for name, value in sorted(self._data(layer).items())
            if name not in self._ignore and name != "_elapsed_steps"
        )

    def state(self, snapshot: Any) -> AttributeState:
        """A copy of the attributes, which the user's functions may change."""
        *outer, own = self._copy_parts(snapshot)
        return AttributeState(outer, **own)

    def snapshot(self, state: Any) -> Any:
        """state: one that `state` has given, changed or not."""
        if not isinstance(state, AttributeState):
            raise ContractBroken(
                f"a continuation gave {add_article(type(state).__name__)}",
                place=type(self.env).__name__,
                remedy="change the state that it is given, and return that",
            )
        held = dict(vars(state))
        outer = held.pop("_outer")
        return self._copy_parts([*outer, held][-len(self._layers) :])

    def continued(self, snapshot: Any, start: Any) -> list[tuple[Any, float]]:
        """The world as it was left, with the agent's attributes as at the start."""
        if not self._agent:
            raise BadValue(
                f"which attributes of {type(self.env).__name__} are the agent's is not known",
                place="others",
                remedy="give agent=('its', 'names'), or others=[caregrid.Other(continues=...)]",
            )
        changed = self._copy_parts(snapshot)
        begin = self._copy_parts(start)
        for part, first in zip(changed, begin, strict=True):
            part.update({name: first[name] for name in self._agent if name in first})
        return [(changed, 1.0)]

    def words(self, state: AttributeState) -> dict[str, Any]:
        """The attributes that are numbers or words, those that begin with "agent" first."""
        held = sorted(vars(state).items(), key=lambda pair: not pair[0].startswith(AGENT))
        plain = {name: value for name, value in held if _is_short(value) and name not in {*self._ignore, "_outer"}}
        return {name: _write_value(value) for name, value in list(plain.items())[:MOST_WORDS]}

    def advice(self, keys: Sequence[Hashable]) -> str:
        """The attribute that takes most values among the states."""
        if self._fingerprint is not None:
            return "let fingerprint= leave out what keeps growing"
        values: dict[str, set[Hashable]] = {}
        for key in keys:
            for name, value in key:  # type: ignore[attr-defined]
                values.setdefault(name, set()).add(value)
        name = max(values, key=lambda each: len(values[each]))
        return (
            f"give ignore=('{name}',) if its attribute '{name}' ({len(values[name])} values) is not part of the state"
        )

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """An attribute with another fractional number in nearly every state; none where a fingerprint was given."""
        if self._fingerprint is not None:
            return ""
        columns: dict[str, list[Hashable]] = {}
        for key in keys:
            for name, value in key:  # type: ignore[attr-defined]
                columns.setdefault(name, []).append(value)
        taken = {name: count_continuous_values(column) for name, column in columns.items()}
        name = max(taken, key=lambda each: taken[each])
        return f"its attribute '{name}' took {taken[name]} values in {len(keys)} states" if taken[name] else ""

    def _data(self, layer: Any) -> dict[str, Any]:
        return {name: value for name, value in vars(layer).items() if name not in NOT_STATE and not is_opaque(value)}


def _share_opaque(value: Any, memo: dict[int, Any], depth: int) -> None:
    """Let a deep copy take windows, generators and functions as they are."""
    if is_opaque(value):
        memo[id(value)] = value
    elif depth < 4:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
        parts = [*parts, *vars(value).values()] if hasattr(value, "__dict__") else parts
        for part in parts:
            _share_opaque(part, memo, depth + 1)


def _is_short(value: Any) -> bool:
    return (
        isinstance(value, int | float | str | bool)
        or (getattr(value, "size", 99) <= 8)
        or (isinstance(value, tuple | list | dict) and len(value) <= 8)
    )


def _write_value(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value if isinstance(value, int | float | str) else str(value)


FixedPolicy = Callable[[Any], Any]


class ParallelAgent:
    """A parallel environment as one agent sees it, in the manner of Gymnasium, with one reward for each agent.

    env: a `pettingzoo.ParallelEnv`. agent: the acting one, by default the first. policies: agent -> observation ->
    action, of all others. Raises UnknownName for agents that there are not, BadValue for a policy that is missing.
    """

    def __init__(self, env: Any, agent: str | None, policies: Mapping[str, FixedPolicy] | None) -> None:
        self.env = env
        names = list(env.possible_agents)
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
        with user_code(describe_place(policy)):
            action = policy(self.observations[name])
        if not self.env.action_space(name).contains(action):
            raise BadValue(
                f"the policy of {name} gave {show_value(action)}",
                place=describe_place(policy),
                remedy="give one of its actions",
            )
        return action


class UsersStates(WorldFamily):
    """env: what the two functions are given. fingerprint: the key of the environment; by default the state itself."""

    def __init__(
        self,
        env: Any,
        get_state: Callable[[Any], Any] | None,
        set_state: Callable[[Any, Any], Any] | None,
        fingerprint: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(getattr(env, "unwrapped", env))
        if get_state is None or set_state is None:
            missing = "get_state" if get_state is None else "set_state"
            raise BadValue(f"no {missing}", place="wrap", remedy="give get_state= and set_state= together, or neither")
        require_parameters(get_state, 1, "get_state(env)")
        require_parameters(set_state, 2, "set_state(env, state)")
        self._outermost = env
        self._get = get_state
        self._set = set_state
        self._fingerprint = fingerprint
        self.exact_keys = fingerprint is None

    @classmethod
    def applies(cls, env: Any) -> bool:
        return True

    def save(self) -> Any:
        return self._get(self._outermost)

    def load(self, snapshot: Any) -> None:
        self._set(self._outermost, snapshot)

    def portable(self, snapshot: Any) -> Any:
        return copy.deepcopy(snapshot)

    def key(self) -> Hashable:
        given = self._get(self._outermost) if self._fingerprint is None else self._fingerprint(self._outermost)
        return freeze_value(given) if hasattr(given, "dtype") else given

    def advice(self, keys: Sequence[Hashable]) -> str:
        return "let get_state leave out what keeps growing, such as a counter of steps"

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """Where get_state's values hold another fractional number in nearly every state."""
        taken = 0 if self._fingerprint is not None else count_continuous_values(keys)
        return f"what get_state gives took {taken} values in {len(keys)} states" if taken else ""

    def require_round_trip(self) -> None:
        """ContractBroken where the present state, saved and restored, is another one."""
        with user_code(describe_place(self._get)):
            snapshot = self.save()
            before = self.key()
            self.load(snapshot)
            after = self.key()
        if before != after:
            raise ContractBroken(
                "get_state gives another state after set_state",
                place=describe_place(self._set),
                remedy="restore everything that get_state saves",
            )


class UsersParallelStates(UsersStates):
    """The same for a parallel environment: what the others saw last, and who is still there, belong to a snapshot."""

    def __init__(
        self,
        seen: ParallelAgent,
        get_state: Callable[[Any], Any] | None,
        set_state: Callable[[Any, Any], Any] | None,
        fingerprint: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(seen.env, get_state, set_state, fingerprint)
        self._seen = seen

    def save(self) -> Any:
        return super().save(), dict(self._seen.observations), tuple(self.env.agents)

    def load(self, snapshot: Any) -> None:
        state, observations, agents = snapshot
        super().load(state)
        self._seen.observations = dict(observations)
        self.env.agents = list(agents or self.env.possible_agents)  # none are left where a time limit has cut

    def state(self, snapshot: Any) -> Any:
        return snapshot[0]

    def snapshot(self, state: Any) -> Any:
        raise BadValue(
            "what agents see in a state is not known before a step",
            place=type(self.env).__name__,
            remedy="leave get_state out, or give others with reward= alone",
        )
