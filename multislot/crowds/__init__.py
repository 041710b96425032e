"""Crowds, one file each: which agents count, whether or not they are copies of mine."""

from __future__ import annotations

import inspect

from engine.registry import Registry, namesake_class
from engine.user_code import load_user_code, names_user_code
from multislot.crowd import Crowd
from multislot.futures import FUTURES
from multislot.learning.mixture import Mixture
from multislot.naming import class_of, constructed

CROWDS: Registry[type[Crowd]] = Registry(
    "multislot.crowds", "crowd", namesake_class, accept=class_of(Crowd, "crowd"), group="caregrid.crowds"
)


def is_crowd(name: str) -> bool:
    """Whether the name of a value stands for a crowd: a registered one, or a class of the user's own."""
    word, _, rest = name.partition(":")
    own = f"{word}:{rest.partition(':')[0]}"
    if word in CROWDS or word in FUTURES or not names_user_code(own):
        return word in CROWDS
    return inspect.isclass(load_user_code(own, "future or crowd"))


def named_crowd(name: str, mixture: Mixture) -> Crowd:
    """A crowd by its name: "common_ancestor", "has_output:11011", "my_file:Mine". UnknownName, BadValue."""
    return constructed(CROWDS, name, mixture)
