"""See to it that the packages of caregrid are those of caregrid, and not folders of the same name that lie nearer.

Two ways lead there: another folder comes first on the path, or another distribution has put its files into the very
folder of ours, for both are installed side by side.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("engine", "craftworld", "xenv", "multislot", "counterfactual", "renderers", "experiments")
ROOT = Path(__file__).resolve().parents[1]
NOT_INSTALLED = "__pycache__"


def require_own_packages() -> None:
    """ImportError, in one line, where Python would import another package under the name of one of ours."""
    for name in PACKAGES:
        found = _find_place(name)
        if found is None or not found.samefile(ROOT / name):
            where = f"{found} hides it" if found else f"it is not at {ROOT / name}"
            remedy = "install caregrid in an environment of its own" if _is_installed(found) else _RENAME
            raise ImportError(f"caregrid needs its package '{name}', but {where}; {remedy}", name="caregrid")
    for name, owner in _find_shared_packages():
        raise ImportError(
            f"caregrid needs its package '{name}', but {owner} has put files of its own into {ROOT / name}; "
            "install each in an environment of its own",
            name="caregrid",
        )


_RENAME = "rename that folder, or use the command 'caregrid'"


def _find_place(name: str) -> Path | None:
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


def _is_installed(found: Path | None) -> bool:
    return found is not None and any(folder.name in ("site-packages", "dist-packages") for folder in found.parents)


def _find_shared_packages() -> Iterator[tuple[str, str]]:
    """Packages of ours in whose folder lies what our wheel has not brought, and whose it is; none in a checkout."""
    records = sorted(ROOT.glob("caregrid-*.dist-info/RECORD"))
    ours = _read_entries(records[0]) if len(records) == 1 else {}
    if "caregrid/__init__.py" not in ours:
        return
    brought: dict[str, set[str]] = {}
    for path in ours:
        folder, _, rest = path.partition("/")
        brought.setdefault(folder, {NOT_INSTALLED}).add(rest.partition("/")[0])
    for name in PACKAGES:
        first = ROOT / name / "__init__.py"
        there = {entry.name for entry in (ROOT / name).iterdir()}
        foreign = there - brought.get(name, set())
        changed = first.is_file() and str(first.stat().st_size) != ours.get(f"{name}/__init__.py")
        if foreign or changed:
            yield name, _find_owner(name, foreign | {"__init__.py"})


def _find_owner(name: str, entries: set[str]) -> str:
    """The other distribution that has brought any of these entries of a package's folder."""
    for record in sorted(ROOT.glob("*.dist-info/RECORD")):
        if not record.parent.name.startswith("caregrid-"):
            brought = {tuple(path.split("/")[:2]) for path in _read_entries(record)}
            if any((name, entry) in brought for entry in entries):
                return f"'{record.parent.name.removesuffix('.dist-info')}'"
    return "something else"


def _read_entries(record: Path) -> dict[str, str]:
    """The files that a distribution has brought, with their sizes; none where the record cannot be read."""
    try:
        lines = record.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    return {line.split(",")[0]: line.rpartition(",")[2] for line in lines}
