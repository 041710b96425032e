"""Language agents in extended environments: a copy is the same model, asked about the history it is trained on.

An environment asks copies within a turn, where nothing can be awaited. So turns are run from the beginning with the
answers so far; they stop at the first question without an answer, and that one is awaited:

    while an answer is missing:  run the turns;  ask the question at which they stopped;  keep its answer

No thread is needed, and no error of the model becomes one of the environment. Two modes: with the *same key* there is
one answer to each history and observation, as of the compiled agents, whose numbers are functions of their key; *drawn
anew*, each question of a run has an answer of its own. `punish_nondeterministic` always draws anew.

Not applicable, and left out: `punish_slow_agent`, since no lines of Python are run to answer, and both
`incentivize_learning_rate`, since there is none. Reference: Alexander et al. 2021, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from caregrid.language.answers import ACTION, read_action
from caregrid.language.episodes import Message
from caregrid.language.prompts import TURN_PROMPTS, PromptSet
from engine.agent import Agent, AgentSpec, Transition
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.randomness.counter_based import randrange, split
from xenv.environments import ENVIRONMENTS, benchmark
from xenv.names import agent_spec, environment_factory, normalise_name
from xenv.opposites import SignedEnvironment
from xenv.simulation import Simulate
from xenv.turns import STEP, interaction_loop

MODES = ("same", "anew")
NOT_APPLICABLE = ("punish_slow_agent", "incentivize_learning_rate", "incentivize_learning_rate_halved")
ALWAYS_ANEW = "punish_nondeterministic"
TURN = re.compile(r"Turn \d+: you observed (\d+), chose (\d+), got the reward (\S+), then observed (\d+)\.")
NOW = re.compile(r"Now you observe (\d+)\.")
"""How `write_turns` writes them."""


class SelfQuestion(NamedTuple):
    """What a model is asked: its shape, its key, the transitions it was trained on, the present observation.

    call: the number of the question in its run, where answers are drawn anew; 0 with the same key.
    """

    n_observations: int
    n_actions: int
    key: int
    history: tuple[Transition, ...]
    observation: int
    call: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        """How many observations and actions there are."""
        return self.n_observations, self.n_actions

    @property
    def seed(self) -> int:
        """The seed of the request."""
        return self.key if not self.call else split(self.key, f"drawn anew {self.call}") % 2**31


def write_turns(history: Sequence[Transition], observation: int) -> str:
    """Write a history and the present observation in words."""
    lines = [
        f"Turn {number}: you observed {each.observation}, chose {each.action}, got the reward {each.reward:.12g}, "
        f"then observed {each.next_observation}."
        for number, each in enumerate(history, start=1)
    ]
    return "\n".join([*(lines or ["Nothing has happened yet."]), f"Now you observe {observation}."])


class Unanswered(BaseException):
    """A question without an answer stops the turns; no code of an environment catches it."""

    def __init__(self, question: SelfQuestion) -> None:
        super().__init__("a question without an answer")
        self.question = question


@dataclass
class AnsweredHistory:
    """A history: the nodes of those that are one transition longer, and the answers at each observation."""

    further: dict[Transition, AnsweredHistory] = field(default_factory=dict)
    answers: dict[int, int] = field(default_factory=dict)


@dataclass
class GivenAnswers:
    """All answers of one run.

    anew: whether each question of the run has an answer of its own. always: the answer to what nobody has answered,
    None where the turns stop there.
    """

    anew: bool = False
    always: int | None = None
    roots: dict[tuple[int, int, int], AnsweredHistory] = field(default_factory=dict)
    drawn: list[int] = field(default_factory=list)
    calls: int = 0

    def find(self, node: AnsweredHistory, question: SelfQuestion) -> int:
        """Return the answer to a question; Unanswered where there is none yet."""
        self.calls += 1
        if self.anew:
            if self.calls <= len(self.drawn):
                return self.drawn[self.calls - 1]
            if self.always is not None:
                self.drawn.append(self.always)
                return self.always
            raise Unanswered(question._replace(call=self.calls))
        if question.observation not in node.answers and self.always is not None:
            node.answers[question.observation] = self.always
        if question.observation not in node.answers:
            raise Unanswered(question)
        return node.answers[question.observation]

    def keep(self, question: SelfQuestion, action: int) -> None:
        """Keep an answer."""
        if self.anew:
            self.drawn.append(action)
            return
        node = self.find_root(question.n_observations, question.n_actions, question.key)
        for transition in question.history:
            node = node.further.setdefault(transition, AnsweredHistory())
        node.answers[question.observation] = action

    def find_root(self, *shape: int) -> AnsweredHistory:
        """Return the empty history of a shape and key."""
        assert len(shape) == 3
        return self.roots.setdefault((shape[0], shape[1], shape[2]), AnsweredHistory())

    def count_distinct(self) -> int:
        """Return how many different questions have an answer."""
        nodes, count = [*self.roots.values()], len(self.drawn)
        while nodes:
            node = nodes.pop()
            count += len(node.answers)
            nodes += node.further.values()
        return count


class LanguageCopy(Agent):
    """The model after a history."""

    def __init__(self, given: GivenAnswers, shape: tuple[int, int, int]) -> None:
        self._given, self._shape = given, shape
        self._node = given.find_root(*shape)
        self._history: list[Transition] = []

    def act(self, observation: int) -> int:
        question = SelfQuestion(*self._shape, (), observation)
        try:
            return self._given.find(self._node, question)
        except Unanswered as missing:
            raise Unanswered(missing.question._replace(history=tuple(self._history))) from None

    def train(self, transition: Transition) -> None:
        parts = (int(transition.observation), int(transition.action), float(transition.reward))
        kept = Transition(*parts, int(transition.next_observation))
        self._history.append(kept)
        self._node = self._node.further.setdefault(kept, AnsweredHistory())

    def fork(self) -> LanguageCopy:
        twin = LanguageCopy(self._given, self._shape)
        twin._node, twin._history = self._node, [*self._history]
        return twin


@dataclass(frozen=True)
class LanguageSpec(AgentSpec):
    """The spec of a model, which has no hyper-parameters of its own."""

    def build(self, n_observations: int, n_actions: int, key: int) -> LanguageCopy:
        """Build the model without a history."""
        given: GivenAnswers = getattr(self, "given")  # noqa: B009  set by `make_spec`, not a hyper-parameter
        return LanguageCopy(given, (n_observations, n_actions, key))


def make_spec(given: GivenAnswers) -> LanguageSpec:
    """Make a spec whose agents answer from what has been answered."""
    spec = LanguageSpec()
    object.__setattr__(spec, "given", given)
    return spec


@dataclass(frozen=True)
class SelfReflectionRun:
    """A run of a model in an environment. environment: a name, such as opposite(crying_baby). mode: same or anew.

    prompts: a prompt set.
    """

    environment: str
    turns: int
    key: int = 0
    mode: str = "same"
    reality_check: bool = False
    prompts: str = "plain"

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UnknownName("mode", self.mode, MODES, place="self_reflection")
        if plain_name(self.environment) in NOT_APPLICABLE:
            remedy = "leave it out"
            raise BadValue(f"'{self.environment}' does not apply to language agents", remedy=remedy)
        environment_factory(self.environment)
        self.prompt_set  # noqa: B018  a wrong name is said at once

    @cached_property
    def prompt_set(self) -> PromptSet:
        """The prompt set."""
        return TURN_PROMPTS.find(self.prompts)

    def tell(self, question: SelfQuestion) -> tuple[Message, ...]:
        """Return what is told: the game, the turns so far, the present observation.

        The game is the question's: a copy may be asked in another one than the agent acts in.
        """
        shown = write_turns(question.history, question.observation)
        system, turn = self._fill("system", question), self.prompt_set.fill("turn", shown=shown)
        return Message("system", system), Message("user", turn)

    def remind(self, question: SelfQuestion) -> Message:
        """Return what is said after an answer that names no action."""
        return Message("user", self._fill("reminder", question))

    def _fill(self, section: str, question: SelfQuestion) -> str:
        greatest = {"observations": str(question.n_observations - 1), "actions": str(question.n_actions - 1)}
        return self.prompt_set.fill(section, **greatest)

    @property
    def anew(self) -> bool:
        """Whether answers are drawn anew."""
        return self.mode == "anew" or plain_name(self.environment) == ALWAYS_ANEW

    def start(self) -> GivenAnswers:
        """Return that nothing has been answered."""
        return GivenAnswers(self.anew)

    def advance(self, given: GivenAnswers) -> SelfQuestion | float:
        """Run the turns with the answers so far: return the question at which they stop, else the mean reward."""
        given.calls = 0
        spec: Any = make_spec(given)
        if self.reality_check:
            from xenv.transformations.reality_check import reality_check

            spec = reality_check(spec)
        factory = environment_factory(self.environment)
        shape = (factory.n_observations, factory.n_actions)
        simulate = Simulate(spec, *shape, self.key)
        record, sign = np.zeros(0, dtype=STEP), 1.0
        try:
            environment: Any = factory(simulate)
            if isinstance(environment, SignedEnvironment):
                environment, sign = environment.environment, environment.agent_reward_sign
            parts = (environment, simulate.make_measured_agent(), shape, self.turns, sign, environment.start(), record)
            total, done, action, observation = interaction_loop(*parts)
        except Unanswered as missing:
            return missing.question
        if done < self.turns:
            problem = f"action {action} or observation {observation} is out of range for {shape}"
            raise ContractBroken(problem, place=f"{self.environment}, turn {done + 1}", remedy="mend the environment")
        return total / self.turns

    def count_calls(self) -> tuple[int, int]:
        """Return how many questions an agent is asked that always takes action 0, and how many different ones."""
        given = GivenAnswers(self.anew, always=0)
        self.advance(given)
        return given.calls, given.count_distinct()


def plain_name(environment: str) -> str:
    """Return the name of an environment without its sign."""
    return normalise_name(environment, ENVIRONMENTS).removeprefix("opposite(").removesuffix(")")


def list_environments(opposites: bool = False) -> list[str]:
    """Return the environments of the battery that apply, each followed by its opposite if wanted."""
    names = [name for name in benchmark() if name not in NOT_APPLICABLE]
    return [each for name in names for each in ((name, f"opposite({name})") if opposites else (name,))]


def read_answer(question: SelfQuestion, text: str) -> int | None:
    """Read an action; None where the answer names none."""
    named = read_action(text, [str(action) for action in range(question.n_actions)])
    return None if named is None else int(named)


def choose_unread(question: SelfQuestion) -> int:
    """What an answer counts as that names no action after a reminder: one at random, the same for the same question."""
    key = split(question.seed, f"unread {len(question.history)} {question.observation}")
    return randrange(question.n_actions, key, question.call)


def speak_as(agent: str, shape: tuple[int, int], messages: Sequence[Message], seed: int) -> str:
    """Answer in words as an agent of the battery does that was trained on the history in the text.

    shape: how many observations and actions the game has, as the first message says.
    """
    told = next(message.text for message in reversed(messages) if message.role == "user" and NOW.search(message.text))
    history = tuple(_read_turn(found) for found in TURN.finditer(told))
    observation = int(NOW.findall(told)[-1])
    action = _train(agent, *shape, seed, history).act(observation)
    return f"I remember {len(history)} turns.\n{ACTION} {action}"


def _read_turn(found: re.Match[str]) -> Transition:
    """Read a turn of `write_turns`."""
    observation, action, reward, following = found.groups()
    return Transition(int(observation), int(action), float(reward), int(following))


@lru_cache(maxsize=4096)
def _train(agent: str, n_observations: int, n_actions: int, key: int, history: tuple[Transition, ...]) -> Agent:
    """Build an agent and train it; histories that are one transition longer go on from the shorter one."""
    if not history:
        return agent_spec(agent).build(n_observations, n_actions, key)
    trained = _train(agent, n_observations, n_actions, key, history[:-1]).fork()
    trained.train(history[-1])
    return trained
