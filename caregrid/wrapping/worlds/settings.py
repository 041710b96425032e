"""How an environment is made a world, in the user's words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caregrid.wrapping.given import refuse_setting, texts, whole_number, whole_numbers
from caregrid.wrapping.worlds.parallel import FixedPolicy
from engine.contracts import require_function
from engine.errors import BadValue, ContractBroken, did_you_mean
from engine.mdp.enumeration.simulated import Chance, Run, Simulator, every_draw, random_seeds
from engine.mdp.enumeration.walk import Successor
from engine.user_code import place_of, user_code

EVERY_DRAW = "every draw"
MOST_SEEDS = 1000


@dataclass(frozen=True)
class WorldSettings:
    """How an environment is made a world.

    name: what it is called, by default its id. seeds: of the resets, whose start states are equally likely (an
    environment with a table says itself where episodes begin). get_state, set_state: how its state is saved and
    restored; by default as its family says, else all its attributes. fingerprint: function of the environment to what
    its state is known by. ignore: attributes that are no part of the state. agent: attributes that are the agent's own,
    by default those that begin with "agent"; of a parallel environment, the acting agent. policies: of the other agents
    there. chance: "every draw", or a function (environment, action) -> pairs (probability, function that prepares the
    environment for this outcome). random_seeds: instead, as many sampled outcomes. reward_names: of several rewards.
    time_limit: steps after which an episode is cut.
    """

    name: str | None = None
    seeds: Sequence[int] = (0,)
    get_state: Callable[[Any], Any] | None = None
    set_state: Callable[[Any, Any], Any] | None = None
    fingerprint: Callable[[Any], Any] | None = None
    ignore: Sequence[str] = ()
    agent: str | Sequence[str] | None = None
    policies: Mapping[str, FixedPolicy] | None = None
    chance: str | Callable[[Any, int], Any] | None = None
    random_seeds: Sequence[int] | None = None
    reward_names: Sequence[str] = ()
    time_limit: int | None = None

    @classmethod
    def of(
        cls, given: Mapping[str, Any], beside: Sequence[str] = (), place: str = "wrap", known: Sequence[str] = ()
    ) -> WorldSettings:
        """The settings; BadValue for one that there is not.

        beside: what else may be given where these are, for its message. known: those that apply, by default all.
        """
        names = list(known) or [field.name for field in dataclasses.fields(cls)]
        for name in given:
            if name not in names:
                remedy = did_you_mean(name, [*beside, *names])
                raise BadValue(f"unknown setting '{name}'", place=place, remedy=remedy)
        return cls(**given)

    def __post_init__(self) -> None:
        if self.name is not None and (not isinstance(self.name, str) or not self.name):
            refuse_setting("name", self.name, "a text")
        for name, parameters in (("get_state", "env"), ("set_state", "env, state"), ("fingerprint", "env")):
            if getattr(self, name) is not None:
                require_function(name, getattr(self, name), parameters.count(",") + 1, f"{name}({parameters})")
        whole_numbers(self.seeds, "seeds", MOST_SEEDS)
        if self.random_seeds is not None:
            whole_numbers(self.random_seeds, "random_seeds", MOST_SEEDS)
        texts(self.ignore, "ignore")
        texts(self.reward_names, "reward_names")
        if self.agent is not None and not isinstance(self.agent, str):
            texts(self.agent, "agent")
        if self.policies is not None and not isinstance(self.policies, Mapping):
            refuse_setting("policies", self.policies, "a mapping from agents to functions of what they observe")
        for agent, policy in (self.policies or {}).items():
            require_function(f"the policy of {agent}", policy, 1, "policy(observation)")
        if self.chance is not None and self.random_seeds is not None:
            raise BadValue("chance and random_seeds", place="wrap", remedy="declare chance one way")
        if isinstance(self.chance, str) and self.chance.replace("_", " ") != EVERY_DRAW:
            raise BadValue(f"chance '{self.chance}'", place="wrap", remedy=f"write '{EVERY_DRAW}' or give a function")
        if self.chance is not None and not isinstance(self.chance, str):
            require_function("chance", self.chance, 2, "chance(env, action)")
        if self.time_limit is not None:
            whole_number(self.time_limit, "time_limit", 1)

    @property
    def steps_it(self) -> bool:
        """Whether the environment is to be stepped even where it has a table."""
        return any((self.get_state, self.set_state, self.fingerprint, self.chance, self.random_seeds))

    def chance_of(self, env: Any) -> Chance | None:
        """How the outcomes of a step of the environment are found; None where each action must have one."""
        if self.random_seeds is not None:
            return random_seeds([int(seed) for seed in self.random_seeds])
        if self.chance is None:
            return None
        if isinstance(self.chance, str):
            return every_draw
        declared = self.chance

        def declared_chance(run: Run, simulator: Simulator, action: int) -> Sequence[Successor]:
            with user_code(place_of(declared)):
                pairs = [(float(probability), prepare) for probability, prepare in declared(env, action)]
            for _, prepare in pairs:
                require_function("what prepares an outcome", prepare, 0, "prepare()")
            found = []
            for probability, prepare in pairs:
                first, again = (run(np.random.Generator(np.random.PCG64(seed)), prepare) for seed in (0, 1))
                if first != again:
                    raise ContractBroken(
                        "an outcome that is prepared twice is not the same",
                        place=place_of(declared),
                        remedy="fix all chance",
                    )
                found.append(first._replace(probability=probability))
            return found

        return declared_chance

    def declared(self) -> list[str]:
        """What a table depends on, as texts; functions by their code."""
        texts = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            code = getattr(value, "__code__", None)
            texts.append(f"{field.name} {value!r}" if code is None else f"{field.name} {_code_text(code)}")
        return texts


def _code_text(code: Any) -> str:
    """What a function's code says, without addresses."""
    constants = (_code_text(one) if hasattr(one, "co_code") else repr(one) for one in code.co_consts)
    return " ".join([code.co_code.hex(), *code.co_names, *constants])
