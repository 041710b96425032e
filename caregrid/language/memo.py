"""Answers that have been given, in a file of JSON lines, so that a run that goes on asks nothing twice.

    {"key": "...", "model": "openai/gpt", "text": "ACTION: up", "called": null, "refused": false, "input": 8, ...}

A key is the digest of the model's name, its settings, all messages, the tool and the seed. Equal questions under way at
the same time are asked once. A line that was cut off, as by a kill, counts as not written; keys of accounts and
addresses of servers are never stored. It takes the place of Inspect's cache, which is pickle, is keyed by epoch and
address, and does not join equal questions under way.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from caregrid.language.episodes import Message
from engine.errors import BadFile, BadValue
from engine.printable import show_value

ANSWERS = "answers.jsonl"
MOST_BYTES = 1 << 30
KEY_LENGTH = 32


class ModelQuestion(NamedTuple):
    """What a model is asked. actions: those of the tool, empty without one. seed: equal seeds get equal answers."""

    messages: tuple[Message, ...]
    actions: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class ModelAnswer:
    """What a model has answered. called: the action of a tool call. input, output: tokens, as the provider counts."""

    text: str
    called: str | None = None
    refused: bool = False
    input: int = 0
    output: int = 0


FIELDS: Mapping[str, tuple[type, ...]] = {
    "key": (str,), "model": (str,), "text": (str,), "called": (str, type(None)), "refused": (bool,), "input": (int,),
    "output": (int,),
}  # fmt: skip


class AnswerMemo:
    """The answers of one file. path: None for answers that are kept in memory only."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.asked = 0
        self._known: dict[str, ModelAnswer] = {}
        self._under_way: dict[str, asyncio.Event] = {}
        if path is not None and path.exists():
            self._read(path)

    def __len__(self) -> int:
        return len(self._known)

    async def ask(
        self,
        model: str,
        settings: Mapping[str, Any],
        question: ModelQuestion,
        put: Callable[[ModelQuestion], Awaitable[ModelAnswer]],
    ) -> ModelAnswer:
        """Return the answer that is known, or that is awaited already, or put the question to the model."""
        key = make_key(model, settings, question)
        while key not in self._known:
            if key in self._under_way:
                await self._under_way[key].wait()  # where that failed it is asked again, by whoever comes first
                continue
            ended = self._under_way[key] = asyncio.Event()
            try:
                self.asked += 1
                self._keep(key, model, await put(question))
            finally:
                del self._under_way[key]
                ended.set()
        return self._known[key]

    def _keep(self, key: str, model: str, answer: ModelAnswer) -> None:
        self._known[key] = answer
        if self.path is None:
            return
        line = json.dumps({"key": key, "model": model, **asdict(answer)}) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("r+b" if self.path.exists() else "w+b") as file:
                file.seek(0, os.SEEK_END)
                if file.tell() and not _ends_line(file):
                    file.write(b"\n")
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadFile(f"it cannot be written: {error.strerror}", place=str(self.path), remedy="free it") from None

    def _read(self, path: Path) -> None:
        try:
            if path.stat().st_size > MOST_BYTES:
                raise BadFile(f"it has more than {MOST_BYTES:,} bytes", place=str(path), remedy="move it away")
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError as error:
            raise BadFile(f"it cannot be read: {error.strerror}", place=str(path), remedy="move it away") from None
        for number, line in enumerate(lines, start=1):
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError, KeyError, RecursionError):
                if line.strip() and not _is_cut(line):
                    place, remedy = f"{path}, line {number}", "delete the line: its question is then asked again"
                    raise BadFile(f"{show_value(line)} is no answer", place=place, remedy=remedy) from None

    def _take(self, row: Any) -> None:
        if {*row} != {*FIELDS} or not all(isinstance(row[name], kinds) for name, kinds in FIELDS.items()):
            raise ValueError("not the fields of an answer")
        if len(row["key"]) != KEY_LENGTH:
            raise ValueError("not a key")
        self._known[row["key"]] = ModelAnswer(*(row[name] for name in ("text", "called", "refused", "input", "output")))


@functools.lru_cache(maxsize=8)
def _open_memo(path: Path) -> AnswerMemo:
    return AnswerMemo(path)


def open_memo(folder: str) -> AnswerMemo:
    """Open the answers of a results directory, once in a process."""
    return _open_memo(Path(folder).resolve() / ANSWERS)


def _ends_line(file: Any) -> bool:
    file.seek(-1, os.SEEK_END)
    ended: bool = file.read(1) == b"\n"
    return ended


def _is_cut(line: str) -> bool:
    """Return whether a line was cut off before its end."""
    return line.startswith("{") and not line.endswith("}")


def make_key(model: str, settings: Mapping[str, Any], question: ModelQuestion) -> str:
    """Return 32 hexadecimal digits, the same for the same question."""
    content = [model, dict(settings), [list(message) for message in question.messages], question.actions, question.seed]
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=KEY_LENGTH // 2).hexdigest()


class Cost(NamedTuple):
    """What a run may cost at most. calls: questions. tokens: of all questions, estimated as letters / 4.

    distinct: how many of the questions are different, which alone are put to a model; None for all of them.
    """

    calls: int
    tokens: int
    distinct: int | None = None

    @classmethod
    def add(cls, costs: Iterable[Cost]) -> Cost:
        """Add costs up."""
        calls = tokens = distinct = 0
        for each in costs:
            calls, tokens = calls + each.calls, tokens + each.tokens
            distinct += each.calls if each.distinct is None else each.distinct
        return cls(calls, tokens, distinct)

    def describe(self, price: float | None) -> str:
        """In words. price: of a million tokens."""
        money = "" if price is None else f", {price * self.tokens / 1e6:.2f} at {price:g} per million tokens"
        different = "" if self.distinct in (None, self.calls) else f" ({self.distinct:,} different)"
        return f"at most {self.calls:,} calls{different} and about {self.tokens:,} tokens{money}"

    def require_confirmed(self, most_calls: int, yes: bool, price: float | None = None, remedy: str = "") -> None:
        """Raise BadValue, with the cost, for more calls than were allowed."""
        if self.calls > most_calls and not yes:
            usual = f"ask for less, allow more calls than {most_calls:,} (most_calls), or confirm it (yes)"
            raise BadValue(f"it takes {self.describe(price)}", place="language", remedy=remedy or usual)


def estimate_tokens(messages: Sequence[Message]) -> int:
    """Estimate the tokens of messages as letters / 4; a picture counts as 300."""
    return sum(len(message.text) // 4 + 4 + 300 * bool(message.picture) for message in messages)
