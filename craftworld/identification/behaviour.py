"""Behaviour as data: what an agent saw, could do, did and brought about, in one file of JSON lines.

The first line names the world, the others are steps in order:

    {"caregrid": "behaviour", "version": 1, "programme": "caring", "scenario": "garden", "map": null, "options": {},
     "discount": 1.0, "fingerprint": "...", "agent": "a name", "seed": 0}
    {"episode": 1, "step": 1, "state": {...}, "available": ["up", ...], "action": "up", "next": {...}, "ended": false}

States are in words, as `Scenario.describe` gives them. map: the rows of the user's own map, null for the scenario's.
seed, fingerprint: null where nobody knows. A learner's file also says `trained_steps`, after how many steps of training
it acted so. Another such line begins another world. An episode that stops before `ended` was cut. Readers check every
line against the world, which they make again from its name, map and options, and refuse what does not fit it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from craftworld.described_states import spell_words
from craftworld.others.value_distribution import compute_fingerprint
from craftworld.scenario import Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.behaviour_file import (
    VERSION,
    RecordedSteps,
    is_whole,
    parse_line,
    parse_steps,
    read_lines,
    refuse_header,
    split_worlds,
)
from engine.errors import BadFile, BadValue, CaregridError, UnknownName
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.policies import make_probabilities
from engine.mdp.tabulate import tabulate
from engine.printable import show_value
from engine.randomness.counter_based import inverse_cdf, split, uniform
from engine.user_code import describe_place, user_code

HEADER = ("caregrid", "version", "programme", "scenario", "map", "options", "discount", "fingerprint", "agent", "seed")
TRAINED = "trained_steps"
GIVE = "give its world yourself"


class ObservedStep(NamedTuple):
    """State and action by number, and the state that followed."""

    state: int
    action: int
    next_state: int


ObservedEpisode = tuple[ObservedStep, ...]


def follow_states(table: TabularMDP, start: Any, steps: Iterable[tuple[str, Any]], ended: bool) -> ObservedEpisode:
    """Number the states of an episode by succession, since a table holds ended twins of states that go on.

    steps: actions by name, and the states that followed. ended: whether the last one has ended the episode.
    """
    taken = list(steps)
    number, found = table.index[start], list[ObservedStep]()
    for count, (name, state) in enumerate(taken, start=1):
        action = table.actions.index(name)
        ends = ended and count == len(taken)
        following = table.next_state[number, action][table.probability[number, action] > 0.0].tolist()
        alike = [each for each in following if table.states[each] == state]
        after = next((each for each in alike if bool(table.terminal[each]) is ends), alike[0])
        found.append(ObservedStep(number, action, after))
        number = after
    return tuple(found)


@dataclass(frozen=True)
class ObservedWorld:
    """The world that behaviour was observed in. map: rows of the user's own, None for the scenario's."""

    scenario: Scenario
    table: TabularMDP
    name: str
    map: tuple[str, ...] | None
    options: Mapping[str, Any]

    @classmethod
    def make(
        cls,
        name: str,
        map: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
        discount: float = 1.0,
    ) -> ObservedWorld:
        """Make a registered scenario's world; UnknownName, BadValue or MapError for what cannot be made."""
        if name not in tuple(SCENARIOS):
            raise UnknownName("scenario", name, tuple(SCENARIOS))
        kind: Any = SCENARIOS[name]
        grid = None if map is None else kind.parse_map("\n".join(map))
        scenario = make_scenario(kind, grid, **dict(options or {}))
        if scenario.replay_only:
            raise BadValue(f"'{name}' is too large for a table", place="identify", remedy="choose a smaller world")
        return cls(scenario, tabulate(scenario, discount), name, None if map is None else tuple(map), options or {})

    @cached_property
    def fingerprint(self) -> str:
        """The digest of the table and of those who come afterwards."""
        return compute_fingerprint(self.scenario, self.table)

    def with_discount(self, discount: float) -> ObservedWorld:
        """Return the same world with another discount."""
        return replace(self, table=tabulate(self.scenario, discount))

    def list_available(self, state: int) -> list[str]:
        """List the names of the actions that are available in a state."""
        table = self.table
        return [name for name, can in zip(table.actions, table.action_mask(state), strict=True) if can]


@dataclass(frozen=True)
class Behaviour(RecordedSteps):
    """What one agent did in one world. seed: of the recording, None where nobody knows it. place: for messages.

    trained_steps: after how many steps of its training a learner acted so; None where nobody says.
    """

    world: ObservedWorld
    agent: str
    episodes: tuple[ObservedEpisode, ...]
    seed: int | None = None
    place: str = "behaviour"
    trained_steps: int | None = None

    @property
    def acting(self) -> str:
        """Who acts: the agent, of a learner also when."""
        return self.agent if self.trained_steps is None else f"{self.agent} after {self.trained_steps:,} steps"

    def describe_world(self) -> Mapping[str, Any]:
        """Return the fields of the first line, as HEADER and TRAINED name them."""
        world = self.world
        values = ("caring", world.name, world.map, world.options, world.table.discount, world.fingerprint)
        trained = {} if self.trained_steps is None else {TRAINED: self.trained_steps}
        return {**dict(zip(HEADER[2:], (*values, self.agent, self.seed), strict=True)), **trained}

    def list_steps(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values of STEP for each step, states in words."""
        world, table = self.world, self.world.table
        for number, episode in enumerate(self.episodes, start=1):
            for count, step in enumerate(episode, start=1):
                words = [world.scenario.describe(table.states[n]) for n in (step.state, step.next_state)]
                available = world.list_available(step.state)
                action = table.actions[step.action]
                ended = bool(table.terminal[step.next_state])
                yield number, count, words[0], available, action, words[1], ended


def record_behaviour(
    agent: Any, world: ObservedWorld, episodes: int, seed: int, *, limit: int = 1000, name: str | None = None
) -> Behaviour:
    """Record episodes of a policy, int[S] or f64[S, A], or of an object whose `act` takes the observation's number.

    Where nothing is hidden that is the state's number.

    limit: an episode is cut after so many steps. The policy's and the world's chance are functions of the seed.
    """
    table = world.table
    key = split(seed, "behaviour")
    chances: Floats | None = None
    if not hasattr(agent, "act"):
        if not isinstance(agent, np.ndarray | list | tuple):
            raise BadValue(
                f"agent is {show_value(agent)}",
                place="record_behaviour",
                remedy="give a policy, or an object with act(state)",
            )
        chances = make_probabilities(table, np.asarray(agent))
    starts = table.start_states()
    recorded: list[ObservedEpisode] = []
    for episode in range(episodes):
        state = int(starts[inverse_cdf(table.start[starts], uniform(split(key, "start"), episode))])
        steps: list[ObservedStep] = []
        while not table.terminal[state] and len(steps) < limit:
            if chances is None:
                action = _ask(agent, state, world)
            else:
                action = inverse_cdf(chances[state], uniform(split(key, "action"), episode, len(steps)))
            slot = inverse_cdf(table.probability[state, action], uniform(split(key, "world"), episode, len(steps)))
            after = int(table.next_state[state, action, slot])
            steps.append(ObservedStep(state, action, after))
            state = after
        recorded.append(tuple(steps))
    called = name or ("policy" if chances is not None else type(agent).__name__)
    return Behaviour(world, called, tuple(recorded), seed)


def _ask(agent: Any, state: int, world: ObservedWorld) -> int:
    observation = int(world.table.observations[state])
    with user_code(describe_place(agent)):
        answer = agent.act(observation)
    try:
        action = int(answer)
        fits = (
            action == answer and 0 <= action < len(world.table.actions) and bool(world.table.action_mask(state)[action])
        )
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        remedy = f"return the number of one of {', '.join(world.list_available(state))}"
        raise BadValue(f"act({observation}) gave {show_value(answer)}", place=describe_place(agent), remedy=remedy)
    return action


MakeWorld = Callable[[str, Sequence[str] | None, Mapping[str, Any], float], ObservedWorld]


def read_behaviours(
    path: str | Path,
    known: Mapping[str, ObservedWorld] | None = None,
    make: MakeWorld = ObservedWorld.make,
    given: Sequence[ObservedWorld] = (),
) -> list[Behaviour]:
    """Read a file of behaviour, one for each world in it.

    Raises BadFile, with file, episode, step and action, where it does not fit its world.

    known: worlds by fingerprint that have been made already. make: makes another one of its name, map, options and
    discount; CaregridError for what cannot be made. given: worlds that serve whatever the file calls them: by their
    fingerprints, by their names where the file has none.
    """
    place = str(path)
    worlds = dict(known or {})
    found: list[Behaviour] = []
    begin = 1
    for lines in split_worlds(read_lines(path)):
        header = parse_line(lines[0], HEADER, f"{place}, line {begin}", (TRAINED,))
        world = _make_world(header, place, begin, worlds, make, given)
        worlds[world.fingerprint] = world
        reader = _StepReader(world, place)
        for row, where in parse_steps(lines, place):
            reader.read(row, where)
        episodes = tuple(map(tuple, reader.episodes))
        found.append(Behaviour(world, header["agent"], episodes, header["seed"], place, header.get(TRAINED)))
        begin = len(lines) + 1
    return found


def _make_world(
    header: Mapping[str, Any],
    place: str,
    line: int,
    known: Mapping[str, ObservedWorld],
    make: MakeWorld,
    given: Sequence[ObservedWorld],
) -> ObservedWorld:
    where = f"{place}, line {line}"
    rows, options, discount = header["map"], header["options"], header["discount"]
    checks = {
        "caregrid": header["caregrid"] == "behaviour",
        "version": header["version"] == VERSION and is_whole(header["version"]),
        "programme": header["programme"] == "caring",
        "scenario": isinstance(header["scenario"], str),
        "map": rows is None or (isinstance(rows, list) and rows and all(isinstance(row, str) for row in rows)),
        "options": isinstance(options, dict) and all(isinstance(each, str | int | float) for each in options.values()),
        "discount": isinstance(discount, int | float) and not isinstance(discount, bool) and 0.0 <= discount <= 1.0,
        "fingerprint": header["fingerprint"] is None or isinstance(header["fingerprint"], str),
        "agent": isinstance(header["agent"], str),
        "seed": header["seed"] is None or is_whole(header["seed"]),
        TRAINED: is_whole(header.get(TRAINED, 0)) and header.get(TRAINED, 0) >= 0,
    }
    for name, fits in checks.items():
        if not fits:
            wanted = {"caregrid": '"behaviour"', "version": str(VERSION), "programme": '"caring"'}
            raise refuse_header(name, header[name], wanted.get(name, "what docs/identify.md says"), place, line)
    name, mark = header["scenario"], header["fingerprint"]
    serving = (world for world in given if mark == world.fingerprint or (mark is None and name == world.name))
    found = next(serving, None)
    if found is not None:
        return found
    if mark in known and known[mark].name == name:
        return known[mark]
    try:
        world = make(name, rows, options, float(discount))
    except CaregridError as error:
        other = f"it is not {' or '.join(each.name for each in given)}, and " if given else ""
        raise BadFile(
            f"{other}its world cannot be made: {error}",
            place=where,
            remedy=f"correct scenario, map and options, or {GIVE}",
        ) from None
    if mark not in (None, world.fingerprint):
        raise BadFile(
            f"it was recorded in another world than '{name}' is with this map and these options",
            place=where,
            remedy=f"record it again, correct map and options, or {GIVE}",
        )
    return world


class _StepReader:
    """Checks the steps of a file, one after the other, against the world."""

    def __init__(self, world: ObservedWorld, place: str) -> None:
        self.world, self.place = world, place
        self.episodes: list[list[ObservedStep]] = []
        self.numbers: dict[str, list[int]] = {}
        for number, state in enumerate(world.table.states):
            self.numbers.setdefault(spell_words(world.scenario.describe(state)), []).append(number)

    def read(self, row: Mapping[str, Any], line: str) -> None:
        table = self.world.table
        begins = row["step"] == 1
        last = None if begins else self.episodes[-1][-1]
        place = f"{self.place}, episode {row['episode']}, step {row['step']}"
        possible = [last.next_state] if last else table.start_states().tolist()
        if last and table.terminal[last.next_state]:
            raise BadFile("the episode is over before it", place=place, remedy="begin the next episode")
        remedy = "begin in a start state" if begins else "go on where the step before ended"
        state = self._find(row["state"], possible, "state", place, remedy)
        available = self.world.list_available(state)
        if row["available"] != available:
            raise BadFile(
                f"available is {show_value(row['available'])}", place=place, remedy=f"give {', '.join(available)}"
            )
        if not isinstance(row["action"], str) or row["action"] not in available:
            raise BadFile(
                f"action {show_value(row['action'])} is impossible", place=place, remedy=f"give {', '.join(available)}"
            )
        action = table.actions.index(row["action"])
        following = table.next_state[state, action][table.probability[state, action] > 0.0].tolist()
        after = self._find(row["next"], following, "next", f"{place}, action '{row['action']}'", "give what can follow")
        if row["ended"] is not bool(table.terminal[after]):
            raise BadFile(
                f"ended is {show_value(row['ended'])}", place=place, remedy=f"give {str(not row['ended']).lower()}"
            )
        if begins:
            self.episodes.append([])
        self.episodes[-1].append(ObservedStep(state, action, after))

    def _find(self, words: Any, possible: Sequence[int], name: str, place: str, remedy: str) -> int:
        numbers = self.numbers.get(spell_words(words), []) if isinstance(words, dict) else []
        if not numbers:
            raise BadFile(f"{name} is {show_value(words)}, no state of the world", place=place, remedy=remedy)
        found = [number for number in numbers if number in possible]
        if not found:
            raise BadFile(f"{name} {show_value(words)} cannot come there", place=place, remedy=remedy)
        return found[0]
