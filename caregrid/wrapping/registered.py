"""Environments by their id: the packages that register them are imported when an id is not known yet."""

from __future__ import annotations

import contextlib
import importlib
import warnings
from typing import Any

from engine.errors import BadValue, MissingExtra, UnknownName
from engine.storage.trusted_names import require_trusted
from engine.user_code import user_code, users_line

PACKAGES = {
    "minigrid": "pip install 'caregrid[worlds]'",
    "mo_gymnasium": "pip install --no-deps mo-gymnasium (it would bring pygame, which breaks pygame-ce)",
}
PACKAGE_OF = {"MiniGrid": "minigrid", "BabyAI": "minigrid"}


def make_registered(id: str, **options: Any) -> Any:
    """A registered environment; UnknownName with a suggestion, or MissingExtra where its package is not installed."""
    import gymnasium

    require_id(id)
    with user_code(f"gym:{id}"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return gymnasium.make(id, **options)
        except (gymnasium.error.DependencyNotInstalled, ModuleNotFoundError) as error:
            raise MissingExtra(_what_is_missing(error), place=f"gym:{id}", remedy="install that package") from error
        except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
            raise UnknownName("environment", id, gymnasium.registry, place=users_line() or "gym") from error
        except TypeError as error:
            raise BadValue(str(error).partition(":")[0], place=f"gym:{id}", remedy="see its documentation") from error


def require_id(id: str) -> None:
    """UnknownName, naming the user's line, where no environment has this id; its package is imported."""
    if not id.strip():
        raise BadValue("no id", place="gym:", remedy="write gym:ID, such as gym:FrozenLake-v1")
    if ":" in id:  # Gymnasium imports the module before the colon
        require_trusted(id, "environment")
    else:
        _import_until_known(id)


def known_ids() -> list[str]:
    """All ids: of Gymnasium, and of those of our packages that are installed."""
    import gymnasium

    for package in PACKAGES:
        with contextlib.suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(package)
    return list(gymnasium.registry)


def _what_is_missing(error: Exception) -> str:
    """The package that an environment needs, in a few words."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"it needs the package '{error.name.partition('.')[0]}', which is not installed"
    return " ".join(str(error).split())


def _import_until_known(id: str) -> None:
    import gymnasium

    if id in gymnasium.registry:
        return
    wanted = PACKAGE_OF.get(id.partition("-")[0])
    missing = []
    for package in [wanted] if wanted else PACKAGES:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(package)
        except ImportError as error:
            missing.append(package)
            if wanted:
                raise MissingExtra(f"no package {package}", place=f"gym:{id}", remedy=PACKAGES[package]) from error
        if id in gymnasium.registry:
            return
    if missing:
        remedies = " and ".join(PACKAGES[package] for package in missing)
        raise MissingExtra(
            f"unknown here, and {', '.join(missing)} is not installed", place=f"gym:{id}", remedy=remedies
        )
    raise UnknownName("environment", id, gymnasium.registry, place=users_line() or "gym")
