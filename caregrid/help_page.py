"""What `caregrid --help` prints: the commands in groups, as wide as the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping
from types import ModuleType

GROUPS = (
    "Caring agents",
    "Self-reflection in extended environments",
    "Agents that may be copied",
    "Agents with an input terminal",
    "Look at worlds and episodes",
    "Experiments and benchmarks",
    "What there is, and whether it works",
)
ELSE = "More commands"
NARROW, WIDE = 44, 100


def help_page(commands: Mapping[str, ModuleType]) -> str:
    """The page. commands: name -> module, whose GROUP says where it is listed and whose first line what it does."""
    width = min(WIDE, max(NARROW, shutil.get_terminal_size().columns))
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, module in commands.items():
        groups.setdefault(getattr(module, "GROUP", ELSE), []).append(name)
    indent = max(map(len, commands), default=0) + 4
    about = "A gridworld safety simulator: agents that care, extended environments, copies, input terminals."
    lines = ["usage: caregrid COMMAND ...", "", *textwrap.wrap(about, width)]
    for group, names in groups.items():
        if names:
            lines += [
                "",
                f"{group}:",
                *(line for name in names for line in _lines(name, commands[name], indent, width)),
            ]
    last = "caregrid COMMAND --help: its options. caregrid show NAME: a scenario, agent, experiment or any other name. "
    return "\n".join([*lines, "", *textwrap.wrap(last + "caregrid --version: the version.", width)]) + "\n"


def _lines(name: str, module: ModuleType, indent: int, width: int) -> list[str]:
    summary = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    start = f"  {name.replace('_', '-')}".ljust(indent)
    return textwrap.wrap(summary, width, initial_indent=start, subsequent_indent=" " * indent) or [start.rstrip()]
