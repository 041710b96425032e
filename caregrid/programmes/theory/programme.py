"""An example of the formal theory: what an agent sees, does and gets, turn by turn (`--set agent=parity`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import caregrid
from caregrid.programmes.programme import Programme, import_later

if TYPE_CHECKING:
    from caregrid.programmes.theory.interaction import TheoryResult

FOLDER = "caregrid.programmes.theory"


def solve(example: str, settings: dict[str, Any]) -> TheoryResult:
    """Let an agent interact with an example, by default as `caregrid theory` does."""
    return caregrid.theory(example, **settings)


theory = Programme(
    example="deja_vu",
    worlds="theory_examples",
    solve=solve,
    settings=("agent", "turns"),
    lesson_answers={
        "discount": import_later(f"{FOLDER}.lesson_answers:answer_by_discount"),
        "memory": import_later(f"{FOLDER}.lesson_answers:answer_by_memory"),
    },
)
