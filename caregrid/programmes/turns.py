"""Behaviour in worlds of copies, of input terminals and in extended environments: what was observed and done, as data.

The file has the form of all behaviour (`engine.behaviour_file`). Its first line says where it was recorded:

    {"caregrid": "behaviour", "version": 1, "programme": "terminal", "world": "tamper_grid",
     "settings": {"horizon": "20"}, "agent": "itc", "seed": 0, "learns": null}

What a state is, and what follows, differs by programme:

| programme | state | next |
| --- | --- | --- |
| terminal | `x`, the numbers of X_t; `signal`, the name of I_t | the same of t + 1 |
| slots | `slot`; `history`, pairs of action and observation | `copies`: slot -> what the copy there observes |
| extended | `observation`, its number | `observation`; `reward`; `copy`, the copy's action, null where none was asked |

learns: at an input terminal, what the agent was seen to learn to predict: a list of "X", the world, and "I", the
signals; null where nobody looked. Each programme replays a file in its world (`Programme.explain`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engine.behaviour_file import (
    STEP,
    VERSION,
    RecordedSteps,
    is_whole,
    parse_line,
    parse_steps,
    read_lines,
    refuse_header,
)
from engine.errors import BadFile, BadValue
from engine.printable import show_value
from engine.registry import spell_name

HEADER = ("caregrid", "version", "programme", "world", "settings", "agent", "seed", "learns")
SIGNALS, WORLD = "I", "X"


class RecordedTurn(NamedTuple):
    """One action. state, next: as the programme describes them. available: names of actions."""

    state: Mapping[str, Any]
    available: Sequence[str]
    action: str
    next: Mapping[str, Any]
    ended: bool


@dataclass(frozen=True)
class RecordedTurns(RecordedSteps):
    """What an agent did in one world. place: for messages. learns: what it was seen to learn, None if nobody looked."""

    programme: str
    world: str
    settings: Mapping[str, str]
    agent: str
    episodes: Sequence[Sequence[RecordedTurn]]
    seed: int | None = None
    learns: Sequence[str] | None = None
    place: str = "behaviour"

    def describe_world(self) -> Mapping[str, Any]:
        """Return the fields of the first line, as HEADER names them."""
        return {name: getattr(self, name) for name in HEADER[2:]}

    def list_steps(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values of STEP for each step."""
        for number, episode in enumerate(self.episodes, start=1):
            for count, turn in enumerate(episode, start=1):
                yield number, count, *turn

    def locate(self, episode: int, step: int) -> str:
        """Say where a step is, for messages; both count from 1."""
        return f"{self.place}, episode {episode}, step {step}"


def record_played(
    programme: str, world: str, settings: Mapping[str, str], turns: Sequence[RecordedTurn], seed: int
) -> RecordedTurns:
    """Make behaviour of what a person played; BadValue without a turn."""
    if not turns:
        raise BadValue("no step to record", place="play", remedy="make a move")
    return RecordedTurns(programme, world, settings, "you", [turns], seed)


def read_turns(path: str | Path) -> RecordedTurns:
    """Read a file; BadFile for one that is none. Whether it fits its world is said where it is replayed there."""
    place = str(path)
    lines = read_lines(path)
    header = parse_line(lines[0], HEADER, f"{place}, line 1")
    _check_header(header, place)
    episodes: list[list[RecordedTurn]] = []
    for row, where in parse_steps(lines, place):
        turn = RecordedTurn(*(row[name] for name in STEP[2:]))
        _check_turn(turn, where)
        if row["step"] == 1:
            episodes.append([])
        episodes[-1].append(turn)
    return RecordedTurns(
        header["programme"],
        header["world"],
        header["settings"],
        header["agent"],
        episodes,
        header["seed"],
        header["learns"],
        place,
    )


def _check_header(header: Mapping[str, Any], place: str) -> None:
    settings, learns = header["settings"], header["learns"]
    texts = isinstance(settings, dict) and all(isinstance(each, str) for each in settings.values())
    checks = {
        "caregrid": (header["caregrid"] == "behaviour", '"behaviour"'),
        "version": (is_whole(header["version"]) and header["version"] == VERSION, str(VERSION)),
        "world": (isinstance(header["world"], str), "a world's name"),
        "settings": (texts, "texts by name"),
        "agent": (isinstance(header["agent"], str), "a text"),
        "seed": (header["seed"] is None or is_whole(header["seed"]), "a whole number or null"),
        "learns": (
            learns is None or (isinstance(learns, list) and all(each in (WORLD, SIGNALS) for each in learns)),
            'null, or a list of "X" and "I"',
        ),
    }
    for name, (fits, wanted) in checks.items():
        if not fits:
            raise refuse_header(name, header[name], wanted, place)


def _check_turn(turn: RecordedTurn, where: str) -> None:
    for name, value in (("state", turn.state), ("next", turn.next)):
        if not isinstance(value, dict):
            raise BadFile(f"{name} is {show_value(value)}", place=where, remedy="give an object")
    several = turn.available
    if not (isinstance(several, list) and several and all(isinstance(each, str) for each in several)):
        raise BadFile(f"available is {show_value(several)}", place=where, remedy="give names of actions")
    if turn.action not in several:
        raise BadFile(f"action {show_value(turn.action)} is impossible", place=where, remedy=f"give {several[0]}, ...")
    if not isinstance(turn.ended, bool):
        raise BadFile(f"ended is {show_value(turn.ended)}", place=where, remedy="give true or false")


def require_registered(turns: RecordedTurns, names: Iterable[str], *, with_arguments: bool = False) -> None:
    """Refuse a world that no registry of ours has: a file runs no code. with_arguments: NAME:ARGUMENTS is a world."""
    word, colon, _ = turns.world.partition(":")
    parts = [spell_name(part) for part in word.rstrip(")").split("(")]
    if (colon and not with_arguments) or not set(parts) <= set(names):
        raise refuse_header("world", turns.world, "the name of a registered one", turns.place)


def refuse_turn(turns: RecordedTurns, episode: int, step: int, problem: str, remedy: str) -> BadFile:
    """Return the error of a step that does not fit its world."""
    return BadFile(problem, place=turns.locate(episode, step), remedy=remedy)
