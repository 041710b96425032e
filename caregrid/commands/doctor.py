"""Say which packages are installed, which extras are missing, and how to repair what is broken.

Exit code: 1 if something is broken, 0 otherwise (a missing extra is not broken)."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.printed import JsonArgument

GROUP = "What there is, and whether it works"


@dataclass(frozen=True, kw_only=True)
class DoctorArguments(JsonArgument):
    """Nothing but --json."""


def run(arguments: DoctorArguments) -> int:
    from caregrid.installation import doctor

    found = doctor()
    arguments.print_result("doctor", found)
    return 1 if found.problems else 0
