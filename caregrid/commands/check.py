"""Check an experiment's claims against its stored rows: each holds, fails, or cannot be judged yet.

TARGET is what 'caregrid run' took, or a run directory. Exit code: 0 every claim holds, 1 otherwise, 2 bad input."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.arguments.stored import StoredArguments
from caregrid.command_line.terminal_width import print_text

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class StoredClaimsArguments(StoredArguments, JsonArgument):
    """The results to check."""


def run(arguments: StoredClaimsArguments) -> int:
    results = arguments.results()
    if arguments.json:
        print_json("check", results.as_dict())
    else:
        for line in results.claim_lines():
            print_text(line)
    return 0 if results.check() else 1
