"""Classes of environments to learn in, and worlds of any kind: by file, by name, or a user's own objects.

{"environments": [{"spec": table, "weight": "p/q"} | {"file": "path", "length": n} | {"name": scenario, "length": n}
                  | table | "path or scenario", ...]}

A length stands for the prior weight 2^-length (the length of the environment's program); without weight or length it
is 0, so that a list of bare environments is weighted equally. Paths are relative to the file of the class.
`load_slot_world` also finds environments whose agents interact.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from engine.contracts import require_class
from engine.effort import ASK_FIRST, Effort
from engine.plain_values import make_json_value
from engine.user_code import describe_place, load_user_code, names_of_file, names_user_code, user_code
from multislot.errors import BadTable
from multislot.learning import Mixture
from multislot.likelihoods import find_likelihood
from multislot.scenarios import SLOT_SCENARIOS, SlotScenario, load_environment
from multislot.worlds.environment import HistoryBasedEnvironment, check_declarations
from multislot.worlds.protocol import MultiSlotEnvironment
from multislot.worlds.table import parse_table, read_fraction, read_json, require_known_keys, show_json

PRIOR_KEYS = ("weight", "length")
CLASS_KEYS = ("environments", "class", "name", "doc", "horizon", "discount", "values", "known")
LONGEST_PROGRAM = 10_000
SOURCE_KEYS = ("file", "spec", "rules")


def load_mixture(
    path: str | Path, likelihood: str = "exists", effort: Effort = ASK_FIRST, trust: bool = False
) -> Mixture:
    """Return the class that a file describes. trust: import code that it names. BadTable, UnknownName, BadValue."""
    content = read_json(path)
    with names_of_file(path, trust):
        return read_class(content, str(path), likelihood, effort, Path(path).parent)


def read_class(
    content: Any, place: str, likelihood: str = "exists", effort: Effort = ASK_FIRST, folder: Path = Path()
) -> Mixture:
    """Return the class that the content of a file describes, or a caller's own, in which members may be objects.

    folder: where the paths in it begin. BadTable, UnknownName, BadValue.
    """
    if isinstance(content, Mapping):
        require_known_keys(content, CLASS_KEYS, place)
    entries = content.get("environments", content.get("class")) if isinstance(content, Mapping) else content
    if not isinstance(entries, list | tuple) or not entries:
        raise BadTable("no environments in it", place=place, remedy='write {"environments": [...]}')
    members = [_read_member(entry, f"{place}, environment {k}", folder, effort) for k, entry in enumerate(entries)]
    environments, weights = zip(*members, strict=True)
    return Mixture(environments, weights, find_likelihood(likelihood))


def _as_environment(entry: Any) -> HistoryBasedEnvironment | None:
    """Return the environment of an object, None for what a file could hold."""
    if isinstance(entry, SlotScenario):
        return entry.environment
    return entry if isinstance(entry, HistoryBasedEnvironment) else None


def _read_member(entry: Any, place: str, folder: Path, effort: Effort) -> tuple[HistoryBasedEnvironment, Fraction]:
    if isinstance(entry, str):
        return load_environment(entry, folder, effort), Fraction(1)
    if (given := _as_environment(entry)) is not None:
        return given, Fraction(1)
    if not isinstance(entry, Mapping):
        raise BadTable(
            f"{show_json(entry)} is not an environment", place=place, remedy="write a table, a file or a name"
        )
    table = {key: content for key, content in entry.items() if key not in PRIOR_KEYS}
    sources = [key for key in SOURCE_KEYS if key in table]
    if len(sources) > 1:
        raise BadTable(f"'{sources[0]}' beside '{sources[1]}'", place=place, remedy="say once where the environment is")
    if "file" in table or set(table) == {"name"}:
        require_known_keys(table, ("file", "name", "doc"), place)
        environment = load_environment(
            _require_text(table, "file" if "file" in table else "name", place), folder, effort
        )
    elif set(table) == {"spec"} and (given := _as_environment(table["spec"])) is not None:
        environment = given
    else:
        environment = parse_table(make_json_value(table), place)
    return environment, _read_prior(entry, place)


def _read_prior(entry: Mapping[str, Any], place: str) -> Fraction:
    """Return the weight, or 2^-length."""
    if "weight" in entry and "length" in entry:
        raise BadTable("both a weight and a length", place=place, remedy="give one of them")
    length = entry.get("length", 0)
    if not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise BadTable(
            f"length {show_json(length)} is not an integer >= 0", place=place, remedy='or give a "weight": "p/q"'
        )
    if length > LONGEST_PROGRAM:
        raise BadTable(f"length {length:,}", place=place, remedy=f"give a length up to {LONGEST_PROGRAM:,}")
    weight = entry.get("weight", None)
    if isinstance(weight, float | Fraction):
        weight = str(weight)
    return read_fraction(weight, f"{place}, weight") if "weight" in entry else Fraction(1, 2**length)


def _require_text(entry: Mapping[str, Any], key: str, place: str) -> str:
    if not isinstance(entry[key], str):
        raise BadTable(f"'{key}' is {show_json(entry[key])}", place=place, remedy="write a text")
    text: str = entry[key]
    return text


def load_slot_world(name: str, effort: Effort = ASK_FIRST) -> MultiSlotEnvironment | HistoryBasedEnvironment:
    """Return an environment by its file, the name of a scenario, or MODULE:NAME of an object or class of either kind.

    Raises BadTable, UnknownName, BadValue, ContractBroken.
    """
    if names_user_code(name) and name.partition(":")[0] not in SLOT_SCENARIOS:
        own = load_user_code(name, "environment")
        if inspect.isclass(own) and issubclass(own, MultiSlotEnvironment):
            require_class(own, MultiSlotEnvironment, "multi-slot environment")
            with user_code(f"multi-slot environment in {describe_place(own)}"):
                own = own()
        if isinstance(own, MultiSlotEnvironment):
            check_declarations(own, getattr(own, "observations", None))
            return own
    return load_environment(name, effort=effort)
