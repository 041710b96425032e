"""Merge all units of a run directory into one file: those of many sessions, and those that older releases wrote.

No command needs this; it saves files and time if there are very many. The new file is read back before anything is
removed; damaged and foreign files stay in place. Exit code: 0 done, 2 if there is no run, or one is in progress."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from caregrid.arguments.declaration import positional
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class CompactArguments(JsonArgument):
    """The run directory."""

    directory: str = positional("run directory", metavar="DIR")


def run(arguments: CompactArguments) -> int:
    from experiments.runs.storage.compaction import compact

    done = compact(Path(arguments.directory))
    if arguments.json:
        print_json("compact", {"directory": arguments.directory, **done._asdict()})
        return 0
    print_text(f"{done.units} units in {done.now} files, {done.before} before: {arguments.directory}")
    for problem in done.problems:
        print_text(f"left alone: {problem}")
    return 0
