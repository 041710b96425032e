"""Make one file of all units of a run directory: of the files of many sessions, and of those that older releases wrote.

Runs and reading commands need no such thing; it saves files and time where there are very many. The new file is read
back before anything is removed; damaged and foreign files stay where they are. Exit code: 0 done, 2 where there is no
run or one is going on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from caregrid.arguments.declaration import positional
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.arguments.terminal_width import print_text

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
