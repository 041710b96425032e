"""The reality check of an agent of the theory by both of its definitions, and Proposition 13 as statements to check.

    pi_RC(x_1 y_1 ... x_n) = pi(x_1 y_1 ... x_n)  if y_i = pi_RC(x_1 y_1 ... x_i) for all i < n,  else pi(x_1)

The alternate definition compares the past with pi itself; by Proposition 13, part 1, it gives the same agent. The
other parts are idempotence, equivalence on genuine history, and equivalence in non-extended environments. A past is
reviewed once, from its beginning, and no further than to its first action that is not the agent's own.

Alexander et al. 2021, Definition 10 and Proposition 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from xenv.theory.agents import HistoryAgent, Work, as_agent
from xenv.theory.environments import HistoryEnvironment
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.interaction import interact


def reality_check(agent: HistoryAgent | Callable[[Prompt], int]) -> HistoryAgent:
    """Return pi_RC, by Definition 10."""
    return _ComparingWithItself(as_agent(agent))


def reality_check_alternate(agent: HistoryAgent | Callable[[Prompt], int]) -> HistoryAgent:
    """Return pi_RC, by the alternate definition of Proposition 13, part 1."""
    return _ComparingWithUnderlying(as_agent(agent))


class _ComparingWithItself(HistoryAgent):
    """Compares each past action with what it would have done itself."""

    def __init__(self, underlying: HistoryAgent) -> None:
        self.underlying = underlying
        self.name = f"reality_check({underlying.name})"

    __wrapped__ = property(attrgetter("underlying"))  # what messages name

    def action(self, prompt: Prompt) -> int:
        *_, action = self.actions(prompt)
        return action

    def actions(self, prompt: Prompt) -> Iterator[int]:
        underlying = self.underlying.actions(prompt)
        first = own = next(underlying)
        yield own
        genuine = True
        for taken in prompt.actions:
            genuine = genuine and taken == own
            own = next(underlying) if genuine else first
            yield own

    def answers(self, percepts: Iterable[Percept]) -> Play:
        return self.underlying.answers(percepts)  # its own past is genuine: Proposition 13, part 3

    def works(self, prompt: Prompt) -> Iterator[Work]:
        taken, steps, memory, genuine = (*prompt.actions, -1), 0, 0, True
        reviewed = zip(self.underlying.actions(prompt), self.underlying.works(prompt), strict=True)
        for turn in range(len(taken)):
            if genuine:
                own, work = next(reviewed)
                steps, memory = steps + work.steps, max(memory, work.memory)
                genuine = own == taken[turn]
            yield Work(steps, memory)


class _ComparingWithUnderlying(_ComparingWithItself):
    """Compares each past action with what the underlying agent would have done."""

    def __init__(self, underlying: HistoryAgent) -> None:
        super().__init__(underlying)
        self.name = f"reality_check_alternate({underlying.name})"

    def action(self, prompt: Prompt) -> int:
        past = zip(prompt.actions, self.underlying.actions(prompt), strict=False)
        genuine = all(taken == underlying for taken, underlying in past)
        return self.underlying.action(prompt if genuine else prompt.first)

    def actions(self, prompt: Prompt) -> Iterator[int]:
        length = len(prompt) // 3
        past = zip(prompt.actions, self.underlying.actions(prompt), strict=False)
        genuine = next((turn for turn, (taken, own) in enumerate(past) if taken != own), length)
        for turn in range(length + 1):
            yield self.underlying.action(prompt.prefix(turn) if turn <= genuine else prompt.first)


def alternate_definition_agrees(agent: HistoryAgent, prompt: Prompt) -> bool:
    """Part 1: comparing with pi_RC and comparing with pi give the same action."""
    return reality_check(agent)(prompt) == reality_check_alternate(agent)(prompt)


def is_idempotent(agent: HistoryAgent, prompt: Prompt) -> bool:
    """Part 2: the reality check of the reality check acts as the reality check."""
    once = reality_check(agent)
    return reality_check(once)(prompt) == once(prompt)


def acts_alike_on_genuine_history(agent: HistoryAgent, environment: HistoryEnvironment, turns: int) -> bool:
    """Part 3: on every prompt of its own interaction with an extended environment pi_RC acts as pi."""
    play = interact(reality_check(agent), environment, turns).play
    last, action = play.decompose()
    return [*agent.actions(last)] == [*play.actions[:-1], action]


def acts_alike_in_ordinary(agent: HistoryAgent, environment: HistoryEnvironment, turns: int) -> bool:
    """Part 4: pi_RC and pi interact alike with an environment that does not look at the agent."""
    return interact(reality_check(agent), environment, turns) == interact(agent, environment, turns)
