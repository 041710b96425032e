"""What `import caregrid` does: it requires our own packages, and announces scenarios and environments to Gymnasium.

The packages of caregrid must be those of caregrid, and not folders of the same name that lie nearer. Two ways lead
there: another folder comes first on the path, or another distribution has put its files into the very folder of ours,
for both are installed side by side.

Names are announced as `caregrid/NAME-v0`; adapters are imported when used. Gymnasium is slow to import and the command
line rarely needs it: where it is not there yet, names are announced at the moment it is imported. `import caregrid` and
`import gymnasium` thus work in either order."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

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
    """Return the folder (or file) that `import NAME` would give."""
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
    """Return the other distribution that has brought any of these entries of a package's folder."""
    for record in sorted(ROOT.glob("*.dist-info/RECORD")):
        if not record.parent.name.startswith("caregrid-"):
            brought = {tuple(path.split("/")[:2]) for path in _read_entries(record)}
            if any((name, entry) in brought for entry in entries):
                return f"'{record.parent.name.removesuffix('.dist-info')}'"
    return "something else"


def _read_entries(record: Path) -> dict[str, str]:
    """Return the files that a distribution has brought, with their sizes; none where the record cannot be read."""
    try:
        lines = record.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    return {line.split(",")[0]: line.rpartition(",")[2] for line in lines}


def register_with_gymnasium() -> None:
    """Register all names now if Gymnasium is imported, else as soon as it is."""
    if "gymnasium" in sys.modules:
        register_names()
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


def register_names() -> None:
    """Register the scenarios and environments that are not registered yet, without importing any of them."""
    import gymnasium

    from caregrid.kinds import KINDS

    for name in KINDS["scenarios"].light_registry().names():
        if f"caregrid/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"caregrid/{name}-v0",
                entry_point="caregrid.gym.scenario:make_gymnasium_world",
                vector_entry_point="caregrid.gym.vector:GymnasiumVectorWorld",
                kwargs={"scenario": name},
            )
    for name in KINDS["environments"].light_registry().names():
        if f"caregrid/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"caregrid/{name}-v0",
                entry_point="caregrid.gym.extended:GymnasiumExtendedEnvironment",
                kwargs={"environment": name},
            )


class _WhenImported(MetaPathFinder):
    """Finds Gymnasium as the other finders do, and registers the scenarios after it has run."""

    def __init__(self) -> None:
        self._asking_others = False

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """Return the spec of Gymnasium with our loader around its own; None, no opinion, for every other module."""
        if name != "gymnasium" or self._asking_others:
            return None
        self._asking_others = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking_others = False
        if spec is not None and spec.loader is not None:
            spec.loader = _ThenRegister(spec.loader, self)
        return spec


class _ThenRegister(Loader):
    """Gymnasium's own loader, and afterwards the registration; the finder then has nothing left to do."""

    def __init__(self, loader: Loader, finder: MetaPathFinder) -> None:
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        register_names()
