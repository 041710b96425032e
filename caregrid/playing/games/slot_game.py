"""A multi-slot world to play: a person is every agent that a run begins with, and all of their copies.

Copies with one history cannot tell each other apart, so they act alike: at each time step the person chooses once for
each history, in the order of the slots; then all act, are copied and observe (`multislot.worlds.protocol`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from caregrid.playing.game import NOTHING, Facts, Game, Move, keyed
from caregrid.playing.games.compared_futures import ComparedFutures
from engine.scene import Film, Scene
from experiments.figures.names import name_of
from multislot.simulation.film import require_few_slots, slot_film
from multislot.simulation.traces import history_text
from multislot.worlds.environment import AgentHistory, Label, Law, Slot, checked_law, state_after
from multislot.worlds.independent import Independent
from multislot.worlds.protocol import Trace, advance, initial_step


class Decision(NamedTuple):
    """What was chosen for the agents of one history."""

    history: AgentHistory
    action: Label


class SlotGame(Game):
    """A run of the protocol.

    about: what the world is. compared: the exact agents, which also know world, horizon and discount. seed: of chance.
    """

    def __init__(self, about: str, compared: ComparedFutures, seed: int) -> None:
        self._compared, self._seed = compared, seed
        (self._environment,) = compared.mixture.environments
        self._world = Independent(self._environment)
        self._labels = {str(action): action for action in self._environment.actions}
        self.title = f"{self._environment.name}: your turn"
        rewards = ", ".join(f"{label}: {reward}" for label, reward in self._environment.rewards.items())
        self.about = about
        self.goal = (
            f"You are the agent, and so is every copy of you, for {compared.horizon} steps: for each history, choose "
            f"what the agents with it do. Rewards come with observations ({rewards}), discounted by "
            f"{compared.discount} at every step. Which copies you count as yourself is up to you; the end shows what "
            f"agents would have done that count {' or '.join(map(name_of, compared.futures))}."
        )
        self._trace: Trace = (initial_step(self._world),)
        self._decisions = list[Decision]()
        self._chosen: dict[AgentHistory, Label] = {}
        self._film: Film = ()

    @property
    def _now(self) -> AgentHistory | None:
        """The history that is to be decided; None once the game is over."""
        step = self._trace[-1]
        if step.time >= self._compared.horizon:
            return None
        return next((step.histories[slot] for slot in step.agent_set if step.histories[slot] not in self._chosen), None)

    def _slots(self, history: AgentHistory) -> list[Slot]:
        step = self._trace[-1]
        return [slot for slot in step.agent_set if step.histories[slot] == history]

    def menu(self) -> tuple[Move, ...]:
        """A move for each action, which says what becomes of the agents whose turn it is."""
        history = self._now
        if history is None:
            return ()
        keys = keyed(self._labels)
        return tuple(
            Move(
                keys[name],
                name,
                _spoken(name),
                effect=self._consequences(history, action),
            )
            for name, action in self._labels.items()
        )

    def _consequences(self, history: AgentHistory, action: Label) -> str:
        state = state_after(self._environment, history)
        laws = {slot: checked_law(self._environment, state, slot, action) for slot in self._slots(history)}
        return "; ".join(f"from slot {slot} {_law_text(law)}" for slot, law in laws.items())

    def take(self, action: str) -> str:
        """Choose for one history; when all are chosen, all act. The nth step draws the same numbers each time."""
        history = self._now
        assert history is not None
        said = f"{_slots_text(self._slots(history))}: {_spoken(action)}"
        self._chosen[history] = self._labels[action]
        self._decisions.append(Decision(history, self._labels[action]))
        if self._now is not None:
            return f"{said}; now choose for {_slots_text(self._slots(self._now))}"
        last = self._trace[-1]
        actions = {slot: self._chosen[last.histories[slot]] for slot in last.agent_set}
        step = advance(self._world, self._trace, actions, self._seed)
        require_few_slots((*self._trace, step))
        self._trace, self._chosen, self._film = (*self._trace, step), {}, ()
        return f"{said}; {_copies_text(step.copies, last.agent_set)}"

    def __len__(self) -> int:
        return len(self._trace)

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """The slots, their agents and the graph of slot histories; in the present, whose turn it is."""
        if not self._film:
            self._film = slot_film(self._environment, self._trace)
        scene, history = self._film[index], self._now
        if history is None or index < self.present:
            return scene
        turn = f"{_slots_text(self._slots(history))}, history {history_text(history) or 'empty'}"
        return replace(scene, readings=(("choose for", turn), *scene.readings))

    def result(self) -> Facts:
        """What every agent got, and at each choice what exact agents would have done and how much they would gain."""
        rows = [("agents left", ", ".join(map(str, self._trace[-1].agent_set)) or "none")]
        rows += [(f"agent on slot {slot}", f"return {got}") for slot, got in self._returns(self._trace[-1].histories)]
        for number, (history, action) in enumerate(self._decisions, start=1):
            verdicts = self._compared.verdicts(history, action)
            rows.append((f"choice {number}: {action}, after {history_text(history) or 'nothing'}", verdicts))
        for future, (final, value) in self._compared.runs(self._seed).items():
            got = ", ".join(f"slot {slot} return {each}" for slot, each in self._returns(final)) or "nobody is left"
            rows.append((f"agents that count {future}", f"value {value} at the start; {got}"))
        return tuple(rows)

    def _returns(self, histories: Mapping[Slot, AgentHistory]) -> list[tuple[Slot, Fraction]]:
        """The return of each agent that is left, along its own history."""
        rewards, discount = self._environment.rewards, self._compared.discount
        return [
            (slot, sum((rewards[seen] * discount**n for n, (_, seen) in enumerate(history)), Fraction(0)))
            for slot, history in histories.items()
        ]

    def suggestion(self) -> str | None:
        """The first agent's action."""
        history = self._now
        return None if history is None else str(self._compared.first_choice(history))


def _law_text(law: Law) -> str:
    """The copies that are made, with their observations; with probabilities where chance decides."""
    outcomes = [
        ("" if len(law) == 1 else f"with probability {probability} ")
        + (", ".join(f"to slot {slot}, which observes {seen}" for slot, seen in sorted(copies.items())) or "deleted")
        for probability, copies in law
    ]
    return " or ".join(outcomes)


def _copies_text(copies: Mapping[Slot, Sequence[Slot]], sources: Sequence[Slot]) -> str:
    """What became of every agent."""
    return "; ".join(
        f"slot {source} copied to {_slots_text(copies[source])}" if copies.get(source) else f"slot {source} deleted"
        for source in sources
    )


def _spoken(action: str) -> str:
    """An action as a reader is to see it."""
    return f"action {action}" if action.isdigit() else action


def _slots_text(slots: Sequence[Slot]) -> str:
    return f"slot{'s' * (len(slots) > 1)} {', '.join(map(str, slots))}"
