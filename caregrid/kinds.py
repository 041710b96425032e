"""Every kind of thing that has a registry: its programme, where its entries lie, and what checks one of a user's own.

Registries and checkers are named, not imported: `caregrid list` reads names and docstrings and imports no entry.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from engine.errors import UnknownName
from engine.registry import Registry, spelled


class Kind(NamedTuple):
    """A kind of thing.

    name: as `caregrid list` spells it. programme: who varies it. registry: `module:attribute` of its registry.
    packages: the folders of its entries. group: its entry points in installed packages. checker: `module:function`.
    nested: whether entries are named FOLDER/FILE.
    """

    name: str
    programme: str
    registry: str
    packages: tuple[str, ...]
    group: str
    checker: str = ""
    nested: bool = False

    def light_registry(self) -> Registry[Any]:
        """Names, files and docstrings of the entries, without importing the programme."""
        return Registry(self.packages[0], self.name, group=self.group, also=self.packages[1:], nested=self.nested)

    def full_registry(self) -> Registry[Any]:
        """The registry itself, which imports and checks entries."""
        registry: Registry[Any] = _imported(self.registry)
        return registry


CARING, EXTENDED, SLOTS, TERMINAL = (
    "caring agents (craftworld)",
    "extended environments (xenv)",
    "multi-slot copies (multislot)",
    "counterfactual planning (counterfactual)",
)
RUNS, SHOWN = "experiments and how they run", "what is shown and typed"
PROGRAMMES = (CARING, EXTENDED, SLOTS, TERMINAL, RUNS, SHOWN)


def _kind(
    name: str, programme: str, registry: str, packages: str, group: str = "", checker: str = "", nested: bool = False
) -> Kind:
    folders = tuple(packages.split())
    return Kind(name, programme, registry, folders, group or f"caregrid.{name}", checker, nested)


KINDS = {
    kind.name: kind
    for kind in (
        _kind("scenarios", CARING, "craftworld.scenarios:SCENARIOS", "craftworld.scenarios"),
        _kind("formulations", CARING, "craftworld.formulations:FORMULATIONS", "craftworld.formulations"),
        _kind("environments", EXTENDED, "xenv.environments:ENVIRONMENTS", "xenv.environments"),
        _kind(
            "agents",
            EXTENDED,
            "xenv.agents:AGENTS",
            "xenv.agents engine.agents",
            checker="engine.check_agent:check_agent",
        ),
        _kind("transformations", EXTENDED, "xenv.transformations:TRANSFORMATIONS", "xenv.transformations"),
        _kind("theory_examples", EXTENDED, "xenv.theory:EXAMPLES", "xenv.theory.examples", "caregrid.examples"),
        _kind("slot_scenarios", SLOTS, "multislot.scenario:SLOT_SCENARIOS", "multislot.scenarios"),
        _kind("slot_futures", SLOTS, "multislot.future:FUTURES", "multislot.futures"),
        _kind("slot_policies", SLOTS, "multislot.policy:SLOT_POLICIES", "multislot.policies"),
        _kind("slot_likelihoods", SLOTS, "multislot.learning.likelihood:LIKELIHOODS", "multislot.learning.likelihoods"),
        _kind("crowds", SLOTS, "multislot.crowd:CROWDS", "multislot.crowds"),
        _kind("terminal_worlds", TERMINAL, "counterfactual.worlds:TERMINAL_WORLDS", "counterfactual.worlds"),
        _kind("planning_agents", TERMINAL, "counterfactual.agents:PLANNING_AGENTS", "counterfactual.agents"),
        _kind(
            "factory_rules",
            TERMINAL,
            "counterfactual.car_factory.rules:FACTORY_RULES",
            "counterfactual.car_factory.rules",
        ),
        _kind(
            "influence_diagrams",
            TERMINAL,
            "counterfactual.influence.diagrams:INFLUENCE_DIAGRAMS",
            "counterfactual.influence.diagrams",
        ),
        _kind(
            "incentives",
            TERMINAL,
            "counterfactual.influence.incentives:INCENTIVES",
            "counterfactual.influence.incentives",
        ),
        _kind(
            "experiments",
            RUNS,
            "experiments.catalogue:CATALOGUE",
            "experiments.catalogue",
            checker="experiments.catalogue:check_experiment",
            nested=True,
        ),
        _kind("requests", RUNS, "experiments.requests:REQUESTS", "experiments.requests"),
        _kind(
            "engines",
            RUNS,
            "experiments.runs.engines:ENGINES",
            "experiments.runs.engines",
            checker="experiments.runs.engines:check_engine",
        ),
        _kind("lessons", SHOWN, "caregrid.lessons:LESSONS", "caregrid.lessons.catalogue"),
        _kind("programmes", SHOWN, "caregrid.shows.programmes:PROGRAMMES", "caregrid.shows.programmes"),
        _kind("film_formats", SHOWN, "renderers.film:FORMATS", "renderers.formats", "caregrid.formats"),
        _kind("commands", SHOWN, "caregrid.main:COMMANDS", "caregrid.commands"),
    )
}


def kind_named(name: str) -> Kind:
    """A kind by its name; UnknownName with the nearest one."""
    if spelled(name) not in KINDS:
        raise UnknownName("kind", name, KINDS)
    return KINDS[spelled(name)]


def checker_of(kind: Kind) -> Any:
    """The function that checks an entry of a kind, None where it has none."""
    return _imported(kind.checker) if kind.checker else None


def _imported(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)
