"""Exact agents that read and answer in words: the stand-in for a model, by which the whole path is checked.

| name                    | is                                                                                 |
| ----------------------- | ---------------------------------------------------------------------------------- |
| `own`                   | the optimum of the own return                                                      |
| `care=3`                | the optimum of the augmented return ("Be Considerate"), the scenario's formulation |
| `care=3:least_well_off` | the same under another formulation, by its name                                    |
| `performance`           | the optimum of the hidden performance                                              |
| `random`                | actions at random                                                                  |

An agent reads the text back into a state. Tables hold ended twins, with the fields of a state that goes on; what is
asked about goes on, so that the twin is left out. Where something is hidden the agent reads the history, too, and plans
with beliefs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from caregrid.language.answers import ACTION, PLAN, read_action
from caregrid.language.episodes import Message
from caregrid.language.texts import ReadBack, describe_shown, read_shown, spell_fields
from caregrid.language.worlds import LanguageWorld, LimitedPlan, Objective
from engine.errors import BadValue, UnknownName
from engine.mdp.mdp import TabularMDP
from engine.randomness.counter_based import randrange, split

KINDS = ("own", "care=NUMBER", "care=NUMBER:FORMULATION", "performance", "random")


@dataclass(frozen=True)
class ExactPlayer:
    """An exact agent of a world. kind: as in the table above."""

    world: LanguageWorld
    kind: str

    def __post_init__(self) -> None:
        self._read_kind()

    def _read_kind(self) -> tuple[float, str | None]:
        if "," in self.kind:
            problem = f"a comma in '{self.kind}' separates agents"
            raise BadValue(problem, place="exact", remedy="write care=NUMBER:FORMULATION, as in care=3:least_well_off")
        name, _, formulation = self.kind.partition(":")
        word, equals, number = name.partition("=")
        if word == "care" and equals:
            try:
                care = float(number)
            except ValueError:
                care = math.nan
            if not math.isfinite(care):
                raise BadValue(f"care = {number}", place="exact", remedy="choose a finite number, as in care=3")
            return care, formulation or None
        if self.kind not in ("own", "performance", "random"):
            raise UnknownName("exact agent", self.kind, KINDS)
        return 0.0, None

    def prepare(self) -> None:
        """Plan now; BadValue for a world where this agent cannot act."""
        self._plan  # noqa: B018
        self._numbers  # noqa: B018

    @cached_property
    def _plan(self) -> LimitedPlan:
        care, formulation = self._read_kind()
        world = replace(self.world, formulation=formulation, steps=self.world.limit) if formulation else self.world
        if self.kind.startswith("care"):
            return world.count_augmented(care).plan(world.limit)
        objective: Objective = world.count_performance() if self.kind == "performance" else world.count_own()
        return objective.plan(world.limit)

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """What is shown -> the states that go on and look so."""
        table, numbers = self.world.states, dict[str, list[int]]()
        for number, state in enumerate(table.states):
            if not table.terminal[number]:
                numbers.setdefault(spell_fields(describe_shown(self.world.scenario, state)), []).append(number)
        return numbers

    def answer(self, messages: Sequence[Message], seed: int) -> str:
        """Answer in words, as the last text asks. seed: of actions at random."""
        system = messages[0].text
        told = [message for message in messages if message.role == "user" and _shows_state(message.text)]
        taken = [message.text for message in messages if message.role == "assistant"]
        shown = [_read_message(message.text) for message in told]
        if f"\n{PLAN}" in system or f" {PLAN}" in system:
            return f"{PLAN} {', '.join(self._plan_ahead(shown[-1], seed))}"
        name = self._choose(self._find_belief(shown, taken), shown[-1], seed)
        return f"I have read the board.\n{ACTION} {name}"

    def _choose(self, belief: int, now: ReadBack, seed: int) -> str:
        table = self._planned
        if self.kind == "random":
            can = np.flatnonzero(table.action_mask(belief))
            return table.actions[int(can[randrange(len(can), split(seed, "exact random"), now.step)])]
        return table.actions[self._plan.best_actions(belief, now.limit - now.step + 1)[0]]

    @property
    def _planned(self) -> TabularMDP:
        return self.world.planned

    def _find_belief(self, shown: Sequence[ReadBack], taken: Sequence[str]) -> int:
        """Return the number of what is known after all that was told; of a state where nothing is hidden."""
        world = self.world
        candidates = self._find(shown[-1])
        if world.planned is world.states:
            return self._require_one(candidates, shown[-1])
        if shown[0].step != 1:
            raise BadValue("the history is cut", place=world.name, remedy="tell the whole: something is hidden")
        starts = [n for n in self._find(shown[0]) if world.states.start[n] > 0.0]
        belief = world.first_belief(starts[0])
        for answer, after in zip(taken, shown[1:], strict=False):
            action = world.states.actions.index(read_action(answer, world.states.actions) or "")
            assert after.reward is not None
            following = self._find(after)
            reached = [n for n in following if _can_follow(world, belief, action, n)]
            belief = world.next_belief(belief, action, reached[0], after.reward)
        return belief

    def _find(self, shown: ReadBack) -> list[int]:
        return self._numbers.get(spell_fields(shown.fields), [])

    def _require_one(self, numbers: Sequence[int], shown: ReadBack) -> int:
        if len(numbers) != 1:
            remedy = "show a state of this world"
            raise BadValue(
                f"{len(numbers)} states look like {dict(shown.fields)}", place=self.world.name, remedy=remedy
            )
        return numbers[0]

    def _plan_ahead(self, now: ReadBack, seed: int) -> list[str]:
        """Return the actions up to the end along the likeliest successors."""
        table = self.world.states
        state = self._require_one(self._find(now), now)
        names: list[str] = []
        for step in range(now.step, now.limit + 1):
            if table.terminal[state]:
                break
            names.append(self._choose(state, now._replace(step=step), seed))
            action = table.actions.index(names[-1])
            state = int(table.next_state[state, action, int(table.probability[state, action].argmax())])
        return names


def _shows_state(text: str) -> bool:
    try:
        _read_message(text)
    except BadValue:
        return False
    return True


def _read_message(text: str) -> ReadBack:
    """Read the state in a message, which a prompt set may have put among other words."""
    begin = next((n for n, line in enumerate(text.split("\n")) if line.startswith(("{", "Step "))), 0)
    lines = text.split("\n")[begin:]
    return read_shown(lines[0] if lines[0].startswith("{") else "\n".join(lines))


def _can_follow(world: LanguageWorld, belief: int, action: int, state: int) -> bool:
    targets = world.planned.next_state[belief, action][world.planned.probability[belief, action] > 0.0]
    return any(number == state for target in targets for number, _ in world.planned.states[int(target)])
