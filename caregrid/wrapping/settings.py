"""What users say of an environment and of others: who comes after, from what, with what aim, and how a world is made.

`Other` is another agent, `WorldSettings` how an environment is made a world. Numbers are checked against their
bounds, texts and functions by type; BadValue names the setting and what it takes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, TypedDict

import numpy as np

from engine.contracts import require_function
from engine.errors import BadValue, ContractBroken, did_you_mean
from engine.mdp.enumeration.simulated import Chance, Run, Simulator, every_draw, random_seeds
from engine.mdp.enumeration.walk import Successor
from engine.printable import show_value
from engine.randomness.counter_based import inverse_cdf
from engine.user_code import describe_place, user_code
from engine.value_types import Numbers, require

LARGEST_WHOLE = 10**9


def require_whole_number(value: Any, name: str, least: int, most: int = LARGEST_WHOLE, place: str = "wrap") -> int:
    """Return an integer from `least` to `most`."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        refuse_setting(name, value, f"a whole number from {least} to {most}", place)
    return int(value)


def require_real_number(
    value: Any, name: str, least: float = -math.inf, most: float = math.inf, place: str = "wrap"
) -> float:
    """Return a finite number from `least` to `most`."""
    return float(require(name, value, Annotated[float, Numbers(least, most)], place))


def require_texts(value: Any, name: str) -> tuple[str, ...]:
    """Several texts."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        refuse_setting(name, value, "several texts, such as ('one', 'two')")
    for each in value:
        if not isinstance(each, str):
            refuse_setting(name, each, "texts")
    return tuple(value)


def require_whole_numbers(value: Any, name: str, most_entries: int) -> tuple[int, ...]:
    """Return one or several integers from 0 on."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | np.ndarray):
        refuse_setting(name, value, "whole numbers from 0 on, such as range(3)")
    if not 0 < len(value) <= most_entries:
        refuse_setting(name, f"{len(value)} numbers", f"1 to {most_entries} of them")
    return tuple(require_whole_number(each, name, 0, 2**63 - 1) for each in value)


def require_all(given: Any, kind: type, name: str, place: str = "wrap") -> None:
    """Several objects of one class."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        refuse_setting(name, given, f"several objects of the class {kind.__name__}", place)
    for each in given:
        if not isinstance(each, kind):
            refuse_setting(name, each, f"objects of the class {kind.__name__}", place)


def refuse_setting(name: str, value: Any, expected: str, place: str = "wrap") -> NoReturn:
    """Raise BadValue: `seeds is 3; expected whole numbers from 0 on`."""
    raise BadValue(f"{name} is {show_value(value)}", place=place, remedy=f"expected {expected}")


Component = int | Sequence[float]
FixedPolicy = Callable[[Any], Any]
"""From what another agent observes to its action, or to the probabilities of all."""
UNIFORM = "uniform"
"""The policy that takes each available action with the same probability."""


@dataclass(frozen=True)
class Other:
    """Another agent. With `reward` alone it is there at the same time; otherwise it comes after the acting one.

    Parameters
    ----------
    env : environment, optional
        The environment in which it acts, anything that `wrap` takes; by default the same one.
    probability : float from 0 to 1
        How likely its value function (or reward function) is the real one.
    continues : function, optional
        The state in which the world was left -> the state in which the agent begins, or a mapping from several states
        to their probabilities; by default the world as it was left, with the agent back at its start.
    weight : float
        Its own caring coefficient.
    name : str
        By default "next agent", or the reward's name.
    reward : int, str, weights or function, optional
        Which component of a vector reward it gets, or a function (state, action's name, next state) -> number; by
        default the reward of its environment.
    goal : function, optional
        state -> whether its episode ends there; its reward is then -1 a step unless `reward` says otherwise.
    owner : str
        The agent that this one is a possibility of; by default itself.
    swept : bool
        Whether the care coefficient multiplies its weight.
    policy : function, optional
        The policy that it follows, which need not be optimal: state -> the number of an action, or the probabilities of
        all actions. By default it acts optimally.

    Raises
    ------
    BadValue, ContractBroken
        If a number is out of its range, or a function takes other arguments.

    Examples
    --------
    >>> Other(reward=1).is_present
    True
    >>> Other(goal=lambda state: state == 0).is_present
    False
    """

    env: Any = None
    probability: float = 1.0
    continues: Callable[[Any], Any] | None = None
    weight: float = 1.0
    name: str = ""
    reward: Component | Callable[[Any, str, Any], float] | None = None
    goal: Callable[[Any], bool] | None = None
    owner: str = ""
    swept: bool = True
    policy: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        require_real_number(self.probability, "probability", 0.0, 1.0)
        require_real_number(self.weight, "weight")
        for name in ("name", "owner"):
            if not isinstance(getattr(self, name), str):
                refuse_setting(name, getattr(self, name), "a text")
        if not isinstance(self.swept, bool):
            refuse_setting("swept", self.swept, "True or False")
        if self.continues is not None:
            require_function("continues", self.continues, 1, "continues(final state)")
        if self.goal is not None:
            require_function("goal", self.goal, 1, "goal(state)")
        if self.policy is not None:
            require_function("policy", self.policy, 1, "policy(state)")
            if self.is_present:
                problem = "an agent that acts at the same time follows the rules of the environment"
                raise BadValue(problem, place="Other", remedy="leave policy out, or say where the agent continues")
        if callable(self.reward):
            require_function("reward", self.reward, 3, "reward(state, action, next_state)")

    @property
    def is_present(self) -> bool:
        """Whether it is there at the same time as the acting agent."""
        return self.reward is not None and self.env is None and self.continues is None and self.goal is None


def weigh_components(component: Component, count: int, place: str) -> list[float]:
    """The weight of each of `count` rewards: 1 for the one that is meant, or as given; BadValue where it is none."""
    if isinstance(component, int):
        if not 0 <= component < count:
            raise BadValue(f"reward {component} of {count}", place=place, remedy=f"count from 0 to {count - 1}")
        return [float(n == component) for n in range(count)]
    if isinstance(component, str | bytes) or not isinstance(component, Sequence) or len(component) != count:
        refuse_setting(place, component, f"the number of a reward, or {count} weights")
    return [require_real_number(weight, place) for weight in component]


def name_others(others: Sequence[Other]) -> list[str]:
    """Return a name for each, made where none is given; BadValue where two are called alike."""
    names: list[str] = []
    for other in others:
        name = other.name or ("other agent" if other.is_present else "next agent")
        taken = names.count(name) or any(known.startswith(f"{name} ") for known in names)
        number = 1 + sum(known == name or known.rpartition(" ")[0] == name for known in names)
        if other.name and taken:
            raise BadValue(f"two others are called '{name}'", place="others", remedy="give them different names")
        names.append(name if number == 1 else f"{name} {number}")
    return names


EVERY_DRAW = "every draw"
MOST_SEEDS = 1000


class WorldWords(TypedDict, total=False):
    """The fields of `WorldSettings` as arguments, so that a wrong name or type is found before anything runs."""

    name: str | None
    seeds: Sequence[int] | str
    get_state: Callable[[Any], Any] | None
    set_state: Callable[[Any, Any], Any] | None
    fingerprint: Callable[[Any], Any] | None
    ignore: Sequence[str]
    agent: str | int | Sequence[str] | None
    policies: Mapping[Any, FixedPolicy | str] | FixedPolicy | str | None
    observe: Callable[[Any], Any] | None
    chance: str | Callable[[Any, int], Any] | None
    random_seeds: Sequence[int] | None
    reward_names: Sequence[str]
    time_limit: int | None


@dataclass(frozen=True)
class WorldSettings:
    """How an environment is made a world.

    Parameters
    ----------
    name : str, optional
        What it is called, by default its id.
    seeds : sequence of int, or "every draw"
        The seeds of the resets, whose start states are equally likely; or all that a reset can draw, by its
        probabilities. An environment with a table says itself where episodes begin.
    get_state, set_state : functions, optional
        How its state is saved and restored; by default as its family says, else by all its attributes.
    fingerprint : function, optional
        The environment -> what its state is known by.
    ignore : sequence of str
        Attributes that are no part of the state.
    agent : str, int or sequence of str, optional
        Attributes that are the agent's own, by default those that begin with "agent"; of a parallel environment, the
        acting agent.
    policies : mapping, function or str, optional
        The policies of the other agents there, by name, or one of all.
    observe : function, optional
        The environment -> what its agent observes, by default the environment's own method.
    chance : "every draw" or function, optional
        A function (environment, action) -> pairs (probability, function that prepares the environment for this
        outcome).
    random_seeds : sequence of int, optional
        In its place, as many sampled outcomes.
    reward_names : sequence of str
        The names of several rewards.
    time_limit : int, optional
        The number of steps after which an episode is cut.

    Raises
    ------
    BadValue
        For a setting that is none of these.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.WorldSettings(name="lake", seeds=(0, 1)).describe()[:2]
    ["name 'lake'", 'seeds (0, 1)']
    """

    name: str | None = None
    seeds: Sequence[int] | str = (0,)
    get_state: Callable[[Any], Any] | None = None
    set_state: Callable[[Any, Any], Any] | None = None
    fingerprint: Callable[[Any], Any] | None = None
    ignore: Sequence[str] = ()
    agent: str | int | Sequence[str] | None = None
    policies: Mapping[Any, FixedPolicy | str] | FixedPolicy | str | None = None
    observe: Callable[[Any], Any] | None = None
    chance: str | Callable[[Any, int], Any] | None = None
    random_seeds: Sequence[int] | None = None
    reward_names: Sequence[str] = ()
    time_limit: int | None = None

    @classmethod
    def read(cls, given: Mapping[str, Any], known: Sequence[str], place: str) -> WorldSettings:
        """Make settings from values by name.

        Parameters
        ----------
        given : mapping
            Name -> value.
        known : sequence of str
            The names that may be given.
        place : str
            Who asks, for messages.

        Returns
        -------
        WorldSettings

        Raises
        ------
        BadValue
            For a name that is not among the known ones.
        """
        for name in given:
            if name not in known:
                raise BadValue(f"unknown setting '{name}'", place=place, remedy=did_you_mean(name, known))
        return cls(**given)

    def __post_init__(self) -> None:
        if self.name is not None and (not isinstance(self.name, str) or not self.name):
            refuse_setting("name", self.name, "a text")
        for name, parameters in (
            ("get_state", "env"),
            ("set_state", "env, state"),
            ("fingerprint", "env"),
            ("observe", "env"),
        ):
            if getattr(self, name) is not None:
                require_function(name, getattr(self, name), parameters.count(",") + 1, f"{name}({parameters})")
        if not self.follows_resets:
            require_whole_numbers(self.seeds, "seeds", MOST_SEEDS)
        if self.random_seeds is not None:
            require_whole_numbers(self.random_seeds, "random_seeds", MOST_SEEDS)
        require_texts(self.ignore, "ignore")
        require_texts(self.reward_names, "reward_names")
        if self.agent is not None and not isinstance(self.agent, str | int):
            require_texts(self.agent, "agent")
        if not isinstance(self.policies, Mapping | str | None) and not callable(self.policies):
            refuse_setting("policies", self.policies, "a policy, or a mapping from agents to policies")
        for agent, policy in self.name_policies(("the others",)).items():
            if policy != UNIFORM:
                require_function(f"the policy of {agent}", policy, 1, "policy(observation)")
        if self.chance is not None and self.random_seeds is not None:
            raise BadValue("chance and random_seeds", place="wrap", remedy="declare chance one way")
        if isinstance(self.chance, str) and not _means_every_draw(self.chance):
            raise BadValue(f"chance '{self.chance}'", place="wrap", remedy=f"write '{EVERY_DRAW}' or give a function")
        if self.chance is not None and not isinstance(self.chance, str):
            require_function("chance", self.chance, 2, "chance(env, action)")
        if self.time_limit is not None:
            require_whole_number(self.time_limit, "time_limit", 1)

    def refuse_unused(self, names: Iterable[str], world: str) -> None:
        """Raise BadValue where one of these settings is given, which mean nothing in a world, in words."""
        for name in names:
            given, usual = getattr(self, name), getattr(WorldSettings, name)
            if given is not usual and not (type(given) is type(usual) and given == usual):
                raise BadValue(f"'{name}' means nothing {world}", place="wrap", remedy="leave it out")

    def name_policies(self, agents: Sequence[Any]) -> dict[str, FixedPolicy | str]:
        """Return the policies by the agents' names; one that is given alone is that of all."""
        if self.policies is None:
            return {}
        given = self.policies if isinstance(self.policies, Mapping) else dict.fromkeys(agents, self.policies)
        return {str(name): policy for name, policy in given.items()}

    @property
    def follows_resets(self) -> bool:
        """Whether episodes begin in every state that a reset can draw."""
        return isinstance(self.seeds, str) and _means_every_draw(self.seeds)

    @property
    def reset_seeds(self) -> list[int]:
        """The seeds of the resets."""
        return [0] if isinstance(self.seeds, str) else [int(seed) for seed in self.seeds]

    @property
    def steps_it(self) -> bool:
        """Whether the environment is to be stepped even where it has a table."""
        return any((self.get_state, self.set_state, self.fingerprint, self.observe, self.chance, self.random_seeds))

    def chance_of(self, env: Any) -> Chance | None:
        """Return how the outcomes of a step of the environment are found; None where each action must have one."""
        if self.random_seeds is not None:
            return random_seeds([int(seed) for seed in self.random_seeds])
        if self.chance is None:
            return None
        if isinstance(self.chance, str):
            return every_draw
        declared = self.chance

        def list_declared_outcomes(run: Run, simulator: Simulator, action: int) -> Sequence[Successor]:
            with user_code(describe_place(declared)):
                pairs = [(float(probability), prepare) for probability, prepare in declared(env, action)]
            for _, prepare in pairs:
                require_function("what prepares an outcome", prepare, 0, "prepare()")
            found = []
            for probability, prepare in pairs:
                first, again = (run(np.random.Generator(np.random.PCG64(seed)), prepare) for seed in (0, 1))
                if first != again:
                    raise ContractBroken(
                        "an outcome that is prepared twice is not the same",
                        place=describe_place(declared),
                        remedy="fix all chance",
                    )
                found.append(first._replace(probability=probability))
            return found

        return list_declared_outcomes

    def prepare_sample(self, env: Any, action: int, number: float, use: Callable[[np.random.Generator], None]) -> None:
        """Let chance be as it was declared before a plain step: one of the outcomes, or one of the seeds.

        number: from [0, 1), decides which. use: lets all generators draw from another one.
        """
        if self.random_seeds is not None:
            seed = int(self.random_seeds[int(number * len(self.random_seeds))])
            use(np.random.Generator(np.random.PCG64(seed)))
        elif callable(self.chance):
            with user_code(describe_place(self.chance)):
                pairs = [(float(probability), prepare) for probability, prepare in self.chance(env, action)]
                pairs[inverse_cdf([probability for probability, _ in pairs], number)][1]()

    def describe(self) -> list[str]:
        """Return what a table depends on, as texts; functions by their code."""
        texts = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            code = getattr(value, "__code__", None)
            texts.append(f"{field.name} {value!r}" if code is None else f"{field.name} {_describe_code(code)}")
        return texts


def _means_every_draw(text: str) -> bool:
    return text.replace("_", " ") == EVERY_DRAW


def _describe_code(code: Any) -> str:
    """Return what a function's code says, without addresses."""
    constants = (_describe_code(one) if hasattr(one, "co_code") else repr(one) for one in code.co_consts)
    return " ".join([code.co_code.hex(), *code.co_names, *constants])
