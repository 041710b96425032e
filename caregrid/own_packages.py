"""See to it that the packages of caregrid are those of caregrid, and not folders of the same name that lie nearer."""

from __future__ import annotations

import importlib.util
from pathlib import Path

PACKAGES = ("engine", "craftworld", "xenv", "multislot", "counterfactual", "renderers", "experiments")
ROOT = Path(__file__).resolve().parents[1]


def require_own_packages() -> None:
    """ImportError, in one line, where Python would import another package under the name of one of ours."""
    for name in PACKAGES:
        place = _place(name)
        if place is None or not place.samefile(ROOT / name):
            where = f"{place} hides it" if place else f"it is not at {ROOT / name}"
            raise ImportError(
                f"caregrid needs its package '{name}', but {where}; rename that folder, or use the command 'caregrid'",
                name="caregrid",
            )


def _place(name: str) -> Path | None:
    """The folder (or file) that `import NAME` would give."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # a module without a spec was put there by hand
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin) if spec.origin else None
