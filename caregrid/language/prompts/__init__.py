"""Prompt sets: what language agents are told, in files of sections with gaps; one's own is MODULE:ATTRIBUTE.

A section begins with a line [NAME] and has gaps {NAME}. There are three kinds of sets, a folder each: of worlds, of
turns (extended environments) and of situations. Each has `system`, said first, and `reminder`, said once after an
answer that cannot be read.

Worlds: `system` has {rules}, {limit}, {others} and {form}; `turn` has {shown}. What is said of others is one of the
sections [others: nothing], [others: come], [others: want] and [others: principle], with {names} and {wishes}; the form
of an answer one of [form: move], [form: plan] and [form: tool], with {example}.
Turns: {observations} and {actions} are the greatest numbers of each; `turn` has {shown}.
Situations: `question` has {situation}.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from engine.errors import BadValue, UnknownName
from engine.user_code import load_user_code, names_user_code

OTHERS = ("nothing", "come", "want", "principle")
FORMS = ("move", "plan", "tool")
LONGEST = 100_000


@dataclass(frozen=True)
class PromptSet:
    """The texts of one set. sections: name -> text with gaps."""

    name: str
    sections: Mapping[str, str]

    def fill(self, section: str, **gaps: str) -> str:
        """Return a section with its gaps filled; empty lines at its ends are left out."""
        return self.sections[section].format(**gaps).strip("\n")


@dataclass(frozen=True)
class PromptKind:
    """A kind of prompt sets. gaps: section -> its gaps. needed: section -> those that it must have."""

    folder: str
    gaps: Mapping[str, set[str]]
    needed: Mapping[str, set[str]]

    def list_names(self) -> tuple[str, ...]:
        """Return the names of the sets that are shipped."""
        names = (each.name for each in (files(__name__) / self.folder).iterdir())
        return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))

    def find(self, name: str) -> PromptSet:
        """Return a set by its name, or a user's own MODULE:ATTRIBUTE; UnknownName or BadValue where it is none."""
        if names_user_code(name):
            return self.parse(name, load_user_code(name, "prompt set"))
        if name not in self.list_names():
            raise UnknownName("prompt set", name, self.list_names(), place="language")
        return self.parse(name, (files(__name__) / self.folder / f"{name}.txt").read_text(encoding="utf-8"))

    def parse(self, name: str, text: object) -> PromptSet:
        """Read a set; BadValue, naming the section, for one that is unknown, twice or missing, or a wrong gap."""
        if not isinstance(text, str) or len(text) > LONGEST:
            remedy = f"give a text of sections, at most {LONGEST:,} characters"
            raise BadValue("it is no text", place=name, remedy=remedy)
        sections: dict[str, list[str]] = {}
        lines: list[str] = []
        for line in text.split("\n"):
            if line.startswith("[") and line.rstrip().endswith("]"):
                title = line.rstrip()[1:-1]
                if title not in self.gaps:
                    raise UnknownName("section", title, tuple(self.gaps), place=name)
                if title in sections:
                    raise BadValue(f"section [{title}] is there twice", place=name, remedy="write it once")
                lines = sections[title] = []
            elif sections:
                lines.append(line)
            elif line.strip():
                raise BadValue("text before the first section", place=name, remedy="begin with a line [system]")
        for title, allowed in self.gaps.items():
            if title not in sections:
                raise BadValue(f"no section [{title}]", place=name, remedy="write one, empty where nothing is said")
            _require_gaps(name, title, "\n".join(sections[title]), allowed, self.needed.get(title, set()))
        return PromptSet(name, {title: "\n".join(written) for title, written in sections.items()})


def _require_gaps(name: str, title: str, text: str, allowed: set[str], needed: set[str]) -> None:
    try:
        found = {gap for _, gap, _, _ in string.Formatter().parse(text) if gap is not None}
        filled = found <= allowed and text.format(**dict.fromkeys(allowed, "")) is not None
    except (ValueError, KeyError, IndexError):
        filled = False
    if not filled:
        gaps = ", ".join(f"{{{gap}}}" for gap in sorted(allowed))
        remedy = f"use {gaps or 'no gap'}; write {{{{ for a brace"
        raise BadValue(f"a gap in section [{title}] cannot be filled", place=name, remedy=remedy)
    missing = sorted(needed - found)
    if missing:
        raise BadValue(f"section [{title}] lacks {{{missing[0]}}}", place=name, remedy="the agent needs it")


WORLD_PROMPTS = PromptKind(
    "worlds",
    {
        "system": {"rules", "limit", "others", "form"},
        "turn": {"shown"},
        "reminder": {"form"},
        **{f"others: {said}": {"names", "wishes"} for said in OTHERS},
        **{f"form: {form}": {"example"} for form in FORMS},
    },
    {"system": {"rules", "form"}, "turn": {"shown"}},
)
_GREATEST = {"observations", "actions"}
TURN_PROMPTS = PromptKind(
    "turns",
    {"system": _GREATEST, "turn": {"shown"}, "reminder": _GREATEST},
    {"system": _GREATEST, "turn": {"shown"}},
)
SITUATION_PROMPTS = PromptKind(
    "situations",
    {"system": set(), "question": {"situation"}, "reminder": set()},
    {"question": {"situation"}},
)
