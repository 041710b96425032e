"""`gym:ID`, as commands spell a registered environment, and how one is made.

A name with an id is the scenario `caregrid.wrapping.gym_names:registered` with the option `id`, so that it travels to
workers as any user's scenario does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from craftworld.scenario import Scenario

PREFIX = "gym:"
SCENARIO = "caregrid.wrapping.gym_names:registered"
OWN_OPTIONS = ("discount", "own", "most_states", "chance")
WORDS = {"true": True, "false": False, "none": None}


Options = Mapping[str, Any] | Sequence[str]


def plain_name(name: str, options: Options = ()) -> tuple[str, Options]:
    """A scenario's name and its options (a mapping, or NAME=VALUE texts); `gym:ID` as a function and its option."""
    if not name.startswith(PREFIX):
        return name, options
    id = name.removeprefix(PREFIX)
    return SCENARIO, {"id": id, **options} if isinstance(options, Mapping) else (f"id={id}", *options)


def registered(id: str = "", **options: Any) -> Scenario:
    """The scenario of a registered environment, with its own options and those of `caregrid.wrap`.

    id: as Gymnasium spells it. options: true, false and none are read as such; OWN_OPTIONS are those of `wrap`; seeds
    is the number of resets, whose start states are equally likely. The table is kept in the user's cache folder.
    """
    from caregrid.wrapping.registered import make_registered
    from caregrid.wrapping.stored import cache_file
    from caregrid.wrapping.wrap import wrap

    known: dict[str, Any] = {name: options.pop(name) for name in OWN_OPTIONS if name in options}
    if "seeds" in options:
        known["seeds"] = range(int(options.pop("seeds")))
    values = {name: WORDS.get(str(value).lower(), value) for name, value in options.items()}
    return wrap(lambda: make_registered(id, **values), table=cache_file(id, values), **known)
