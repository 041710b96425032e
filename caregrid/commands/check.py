"""Check an experiment's claims against its stored rows: each holds, fails, or has not enough rows.

TARGET is what 'caregrid run' took, or a run directory. Exit code: 0 every claim holds, 1 otherwise, 2 bad input."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.printed import JsonArgument
from caregrid.arguments.stored import StoredArguments

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class StoredClaimsArguments(StoredArguments, JsonArgument):
    """The results to check."""


def run(arguments: StoredClaimsArguments) -> int:
    results = arguments.results()
    for line in [json.dumps(results.as_dict())] if arguments.json else results.claim_lines():
        print(line)
    return 0 if results.check() else 1
