"""Requests: frozen declarations of what a user asks for, each of which makes one experiment.

    name = SORT/SLUG-DIGEST          the digest covers every parameter and the data files that it names

The same request is the same name, the same units and the same directory; another one is refused there.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.contracts import Contract
from engine.errors import BadFile
from engine.files import suggest_another_place
from engine.printable import shorten
from engine.registry import Registry, find_sole_subclass, spell_name
from experiments.experiment import Experiment

LONGEST_SLUG = 80
DIGITS = 8


class ExperimentRequest(ABC):
    """Contract of a request: a frozen dataclass of plain values, tuples of them, and a problem.

    sort: the name of its file, the first part of the name of the experiment that it gives. given: objects of a Python
    session that stand in the place of names; a request with any, or with a problem of objects, cannot be made again
    from a manifest.
    """

    sort: str
    given: Any = None

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ExperimentRequest:
        """Return the request that `as_dict` wrote, without its sort; TypeError for values of another one."""
        return cls(**values)

    @abstractmethod
    def experiment(self) -> Experiment:
        """Return the experiment, under `self.name`; BadValue, BadFile or UnknownName for what cannot be run."""

    @abstractmethod
    def identity(self) -> Mapping[str, Any]:
        """Return what makes results differ, as JSON: parameters in one spelling, digests of data files."""

    @abstractmethod
    def slug(self) -> str:
        """Return the request in a few words, for the name of a folder."""

    @property
    def name(self) -> str:
        """What the experiment and its folder below `results` are called."""
        content = json.dumps(self.identity(), sort_keys=True).encode()
        digest = hashlib.blake2b(content, digest_size=DIGITS // 2).hexdigest()
        slug = re.sub(r"[^\w.-]+", "_", self.slug()).strip("_")[:LONGEST_SLUG]
        return f"{self.sort}/{slug}-{digest}"

    def as_dict(self) -> dict[str, Any]:
        """For the manifest: the request, from which `read_request` makes it again."""
        plain: dict[str, Any] = {"objects": True} if self.given else {}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name == "problem":
                plain |= value.as_dict()
            elif field.name != "given":
                plain[field.name] = value
        return {"request": self.sort} | {name: value for name, value in plain.items() if value is not None}

    def refuse_clash(self, stored: Mapping[str, Any], directory: Path) -> None:
        """BadFile where a directory's manifest is of another request, naming the first parameter that differs."""
        if not stored or stored.get("experiment") == self.name:
            return
        ours = json.loads(json.dumps(self.as_dict()))
        theirs = stored.get("origin") or {}
        differing = [name for name in {**ours, **theirs} if _spell(ours.get(name)) != _spell(theirs.get(name))]
        which = differing[0] if theirs.get("request") == self.sort and differing else "experiment"
        pair = (stored.get("experiment"), self.name) if which == "experiment" else (theirs.get(which), ours.get(which))
        raise BadFile(
            f"it holds results of {_shorten(which, pair[0])}, not of {_shorten(which, pair[1])}",
            place=str(directory),
            remedy=suggest_another_place(),
        )


REQUESTS: Registry[type[ExperimentRequest]] = Registry(
    "experiments.requests",
    "request",
    find_sole_subclass(ExperimentRequest),
    accept=Contract[type[ExperimentRequest]]("request", derives=ExperimentRequest).accept,
)


def read_request(origin: Mapping[str, Any]) -> ExperimentRequest:
    """Return the request that a manifest describes; UnknownName or BadFile where there is none of that sort."""
    if origin.get("objects"):
        remedy = "read the tables in it, or make the objects again and run them with out= this directory"
        raise BadFile("it was run on objects of a Python session", remedy=remedy)
    values = {name: _freeze(value) for name, value in origin.items() if name != "request"}
    if "given" in values:
        raise BadFile("its request holds objects", remedy="run it anew elsewhere")
    try:
        return REQUESTS[str(origin["request"])].read(values)
    except TypeError as error:
        raise BadFile(f"its request is of another version: {error}", remedy="run it anew elsewhere") from error


def _spell(value: Any) -> Any:
    return spell_name(value) if isinstance(value, str) else value


def _shorten(which: str, value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    if value is None or not text:
        return f"default {which}"
    return f"{which} {shorten(text)}"


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list | tuple) else value
