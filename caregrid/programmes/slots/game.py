"""A multi-slot world: a person chooses what every copy does (`--set horizon=3`, `--set futures=cpy,dyn`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from caregrid.programmes.game import NOTHING, Facts, Game, Move, StartGame, assign_keys
from caregrid.programmes.slots.identification import list_turns
from caregrid.programmes.slots.values import STEPS, choose_discount, read_file_settings, read_mixture
from caregrid.programmes.turns import RecordedTurns, record_played
from engine.effort import ASK_FIRST, Effort
from engine.errors import argument
from engine.scene import Film, Scene
from engine.user_code import names_user_code
from engine.value_types import GameTurns, require
from experiments.figures.labels import format_name
from multislot.film import make_slot_film, require_few_slots
from multislot.futures import find_future
from multislot.learning import Mixture
from multislot.planning.planner import SlotEvaluation, evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import SLOT_SCENARIOS
from multislot.simulation import format_history, simulate_slots
from multislot.worlds.environment import AgentHistory, Label, Law, Slot, compute_state_after, get_checked_law
from multislot.worlds.protocol import Independent, Trace, advance, make_initial_step

FinalAgents = tuple[Mapping[Slot, AgentHistory], Fraction]


@dataclass(frozen=True)
class ComparedFutures:
    """Futures by name in one world, horizon: of the game; values are kept, so that all games of a session share them.

    discount: of one step. effort: how much planning is done without asking.
    """

    mixture: Mixture
    futures: tuple[str, ...]
    horizon: int
    discount: Fraction
    effort: Effort = ASK_FIRST

    def evaluation(self, future: str, history: AgentHistory) -> SlotEvaluation:
        """Compute Q at a history, for the steps that are left."""
        asked = future, history
        if asked not in self._evaluations:
            left = self.horizon - len(history)
            self._evaluations[asked] = evaluate(self.mixture, future, left, self.discount, history, effort=self.effort)
        return self._evaluations[asked]

    def verdicts(self, history: AgentHistory, action: Label) -> str:
        """Return for each future the optimal actions at a history and what an action loses against them."""
        texts = []
        for future in self.futures:
            found = self.evaluation(future, history)
            loss = max(found.Q.values()) - found.Q[action]
            best = " or ".join(map(str, found.ties))
            texts.append(f"{future} {best}, as you" if not loss else f"{future} {best}, you lose {loss}")
        return "; ".join(texts)

    def first_choice(self, history: AgentHistory) -> Label:
        """Return what the first future's agent does."""
        return self.evaluation(self.futures[0], history).action

    def runs(self, seed: int) -> dict[str, FinalAgents]:
        """Return for each future the histories of the agents left when its agents act, and their value at the start."""
        if seed not in self._runs:
            (world,), found = self.mixture.environments, {}
            context = PolicyContext(self.mixture, self.horizon, self.discount, effort=self.effort)
            for future in self.futures:
                value = Fraction(self.evaluation(future, ()).V)
                trace = simulate_slots(world, make_slot_policy(future, context), self.horizon, seed, self.effort)
                found[future] = trace[-1].histories, value
            self._runs[seed] = found
        return self._runs[seed]

    @cached_property
    def _runs(self) -> dict[int, dict[str, FinalAgents]]:
        return {}

    @cached_property
    def _evaluations(self) -> dict[tuple[str, AgentHistory], SlotEvaluation]:
        return {}


class Decision(NamedTuple):
    """What was chosen for the agents of one history."""

    history: AgentHistory
    action: Label


class SlotGame(Game):
    """A run of the protocol, in which a person is every agent at the start, and all of their copies.

    Copies with one history cannot tell each other apart, so they act alike: at each time step the person chooses once
    for each history, in the order of the slots; then all act, are copied and observe (`multislot.worlds.protocol`).

    about: what the world is. compared: the exact agents, which also know world, horizon and discount. seed: of chance.
    name: the world's, as a record of the game holds it.
    """

    def __init__(self, about: str, compared: ComparedFutures, seed: int, name: str = "") -> None:
        self._name = name
        self._compared = compared
        self._seed = seed
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
            f"agents would have done that count {' or '.join(map(format_name, compared.futures))}."
        )
        self._trace: Trace = (make_initial_step(self._world),)
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
        """Return a move for each action, which says what becomes of the agents whose turn it is."""
        history = self._now
        if history is None:
            return ()
        keys = assign_keys(self._labels)
        return tuple(
            Move(
                keys[name],
                name,
                _write_action(name),
                effect=self._consequences(history, action),
            )
            for name, action in self._labels.items()
        )

    def _consequences(self, history: AgentHistory, action: Label) -> str:
        state = compute_state_after(self._environment, history)
        laws = {slot: get_checked_law(self._environment, state, slot, action) for slot in self._slots(history)}
        return "; ".join(f"from slot {slot} {_describe_law(law)}" for slot, law in laws.items())

    def take(self, action: str) -> str:
        """Choose for one history; when all are chosen, all act. The nth step draws the same numbers each time."""
        history = self._now
        assert history is not None
        said = f"{_write_slots(self._slots(history))}: {_write_action(action)}"
        self._chosen[history] = self._labels[action]
        self._decisions.append(Decision(history, self._labels[action]))
        if self._now is not None:
            return f"{said}; now choose for {_write_slots(self._slots(self._now))}"
        last = self._trace[-1]
        actions = {slot: self._chosen[last.histories[slot]] for slot in last.agent_set}
        step = advance(self._world, self._trace, actions, self._seed)
        require_few_slots((*self._trace, step))
        self._trace = (*self._trace, step)
        self._chosen = {}
        self._film = ()
        return f"{said}; {_describe_copies(step.copies, last.agent_set)}"

    def __len__(self) -> int:
        return len(self._trace)

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """Return the slots, their agents and the graph of slot histories; in the present, whose turn it is."""
        if not self._film:
            self._film = make_slot_film(self._environment, self._trace)
        scene = self._film[index]
        history = self._now
        if history is None or index < self.present:
            return scene
        turn = f"{_write_slots(self._slots(history))}, history {format_history(history) or 'empty'}"
        return replace(scene, readings=(("choose for", turn), *scene.readings))

    def result(self) -> Facts:
        """Return what every agent got, and at each choice what exact agents would have done and gained."""
        rows = [("agents left", ", ".join(map(str, self._trace[-1].agent_set)) or "none")]
        rows += [(f"agent on slot {slot}", f"return {got}") for slot, got in self._returns(self._trace[-1].histories)]
        for number, (history, action) in enumerate(self._decisions, start=1):
            verdicts = self._compared.verdicts(history, action)
            rows.append((f"choice {number}: {action}, after {format_history(history) or 'nothing'}", verdicts))
        for future, (final, value) in self._compared.runs(self._seed).items():
            got = ", ".join(f"slot {slot} return {total}" for slot, total in self._returns(final)) or "nobody is left"
            rows.append((f"agents that count {future}", f"value {value} at the start; {got}"))
        return tuple(rows)

    def _returns(self, histories: Mapping[Slot, AgentHistory]) -> list[tuple[Slot, Fraction]]:
        """Return the return of each agent that is left, along its own history."""
        rewards = self._environment.rewards
        discount = self._compared.discount
        return [
            (slot, sum((rewards[seen] * discount**n for n, (_, seen) in enumerate(history)), Fraction(0)))
            for slot, history in histories.items()
        ]

    def behaviour(self) -> RecordedTurns:
        """Return what every agent did in the steps that all have taken."""
        settings = {"horizon": str(self._compared.horizon), "discount": str(self._compared.discount)}
        return record_played("slots", self._name, settings, list_turns(self._environment, self._trace), self._seed)

    def suggestion(self) -> str | None:
        """Return the first agent's action."""
        history = self._now
        return None if history is None else str(self._compared.first_choice(history))


def _describe_law(law: Law) -> str:
    """Return the copies that are made, with their observations; with probabilities where chance decides."""
    outcomes = [
        ("" if len(law) == 1 else f"with probability {probability} ")
        + (", ".join(f"to slot {slot}, which observes {seen}" for slot, seen in sorted(copies.items())) or "deleted")
        for probability, copies in law
    ]
    return " or ".join(outcomes)


def _describe_copies(copies: Mapping[Slot, Sequence[Slot]], sources: Sequence[Slot]) -> str:
    """Return what became of every agent."""
    return "; ".join(
        f"slot {source} copied to {_write_slots(copies[source])}" if copies.get(source) else f"slot {source} deleted"
        for source in sources
    )


def _write_action(action: str) -> str:
    """Return an action as a reader is to see it."""
    return f"action {action}" if action.isdigit() else action


def _write_slots(slots: Sequence[Slot]) -> str:
    return f"slot{'s' * (len(slots) > 1)} {', '.join(map(str, slots))}"


FUTURES = "cpy,dyn,sta:1"


def start_slot_game(name: str, settings: dict[str, Any], seed: int) -> StartGame:
    """Return the game of a slot scenario, compared with agents that are optimal for some futures."""
    horizon = settings.get("horizon", read_file_settings(name).horizon or STEPS)
    require(argument("horizon", option="--set horizon"), horizon, GameTurns)
    futures = tuple(dict.fromkeys(future.strip() for future in str(settings.get("futures", FUTURES)).split(",")))
    for future in futures:
        find_future(future)
    mixture = read_mixture(name, None, "exists")
    compared = ComparedFutures(mixture, futures, horizon, choose_discount(settings.get("discount"), name))
    compared.runs(seed)  # what is too much work is refused before the game, and what is found is kept
    word = name.partition(":")[0]
    documented = word in SLOT_SCENARIOS or names_user_code(name)
    text = SLOT_SCENARIOS.documentation(word if word in SLOT_SCENARIOS else name) if documented else name
    return lambda: SlotGame(text, compared, seed, name)
