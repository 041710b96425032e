"""States as the user's own functions save and restore them: `get_state(env)` and `set_state(env, state)`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.worlds.parallel import ParallelAgent
from engine.contracts import require_parameters
from engine.errors import BadValue, ContractBroken
from engine.mdp.enumeration.continuous import values_if_continuous
from engine.mdp.enumeration.frozen_value import frozen
from engine.user_code import place_of, user_code


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
        self._outermost, self._get, self._set, self._fingerprint = env, get_state, set_state, fingerprint
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
        return frozen(given) if hasattr(given, "dtype") else given

    def advice(self, keys: Sequence[Hashable]) -> str:
        return "let get_state leave out what keeps growing, such as a counter of steps"

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """Where get_state's values hold another fractional number in nearly every state."""
        taken = 0 if self._fingerprint is not None else values_if_continuous(keys)
        return f"what get_state gives took {taken} values in {len(keys)} states" if taken else ""

    def require_round_trip(self) -> None:
        """ContractBroken where the present state, saved and restored, is another one."""
        with user_code(place_of(self._get)):
            snapshot, before = self.save(), self.key()
            self.load(snapshot)
            after = self.key()
        if before != after:
            raise ContractBroken(
                "get_state gives another state after set_state",
                place=place_of(self._set),
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
