"""Every kind of thing that has a registry: its programme, where its entries lie, and what checks one of a user's own.

Registries and checkers are named, not imported: `caregrid list` reads names and docstrings and imports no entry.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from engine.errors import UnknownName
from engine.registry import Registry, spell_name


class Kind(NamedTuple):
    """A kind of thing.

    name: as `caregrid list` spells it. programme: who varies it. registry: `module:attribute` of its registry.
    packages: the folders of its entries. group: its entry points in installed packages. checker: `module:function`.
    nested: whether entries are named FOLDER/FILE. composed: whether the checker takes names that are made of names.
    """

    name: str
    programme: str
    registry: str
    packages: tuple[str, ...]
    group: str
    checker: str = ""
    nested: bool = False
    composed: bool = False

    def light_registry(self) -> Registry[Any]:
        """Return names, files and docstrings of the entries, without importing the programme."""
        return Registry(self.packages[0], self.name, group=self.group, also=self.packages[1:], nested=self.nested)

    def full_registry(self) -> Registry[Any]:
        """Return the registry itself, which imports and checks entries."""
        registry: Registry[Any] = _import_named(self.registry)
        return registry


CARING, EXTENDED, SLOTS, TERMINAL = (
    "caring agents (craftworld)",
    "extended environments (xenv)",
    "multi-slot copies (multislot)",
    "counterfactual planning (counterfactual)",
)
RUNS, SHOWN = "experiments and how they run", "what is shown and typed"
PROGRAMMES = (CARING, EXTENDED, SLOTS, TERMINAL, RUNS, SHOWN)

_LEARNED = "caregrid.wrapping.value_learner"
_PROGRAMME = "caregrid.programmes.programme"

_CHECKERS = {
    "scenarios": "craftworld.scenario_contract:check_scenario",
    "formulations": "craftworld.formulation_contract:check_formulation",
    "environments": "xenv.contract_checks:check_environment",
    "agents": "engine.agent:check_agent",
    "transformations": "xenv.contract_checks:check_transformation",
    "theory_examples": "xenv.contract_checks:check_theory_example",
    "theory_agents": "xenv.contract_checks:check_theory_agent",
    "formal_twins": "xenv.contract_checks:check_formal_twin",
    "slot_scenarios": "multislot.contract_checks:check_slot_world",
    "slot_futures": "multislot.contract_checks:check_future",
    "slot_policies": "multislot.contract_checks:check_policy",
    "slot_likelihoods": "multislot.contract_checks:check_likelihood",
    "crowds": "multislot.contract_checks:check_crowd",
    "terminal_worlds": "counterfactual.contract_checks.worlds:check_terminal_world",
    "planning_agents": "counterfactual.contract_checks.agents:check_planning_agent",
    "factory_rules": "counterfactual.contract_checks.worlds:check_factory_rule",
    "influence_diagrams": "counterfactual.contract_checks.influence:check_influence_diagram",
    "incentives": "counterfactual.contract_checks.influence:check_incentive",
    "experiments": "experiments.catalogue:check_experiment",
    "suites": "experiments.bench.suites:check_suite",
    "engines": "experiments.runs.engines:check_engine",
    "lessons": "caregrid.lessons.lesson:check_lesson",
    "viewable_programmes": f"{_PROGRAMME}:check_viewable",
    "playable_programmes": f"{_PROGRAMME}:check_playable",
    "commands": "caregrid.operations:check_operation",
    "schemas": "caregrid.json_schema:check_schema",
    "world_families": "caregrid.wrapping.family:check_family",
    "world_doors": "caregrid.wrapping.door:check_door",
    "value_learners": "caregrid.wrapping.considerate:check_value_learner",
    "film_formats": "renderers.film:check_film_format",
}

_COMPOSED = {"theory_examples", "theory_agents"}
"""`newcomb*deja_vu`, `always:1`, `reality_check(parity)`."""


def _make_kind(name: str, programme: str, package: str, registry: str, group: str = "", nested: bool = False) -> Kind:
    """package: of the entries, or several, separated by "+". registry: its attribute there, or `module:attribute`."""
    packages = tuple(package.split("+"))
    place = registry if ":" in registry else f"{packages[0]}:{registry}"
    checker, composed = _CHECKERS.get(name, ""), name in _COMPOSED
    return Kind(name, programme, place, packages, f"caregrid.{group or name}", checker, nested, composed)


_ROWS = (
    _make_kind("scenarios", CARING, "craftworld.scenarios+craftworld.levels", "SCENARIOS"),
    _make_kind("formulations", CARING, "craftworld.formulations", "FORMULATIONS"),
    _make_kind("world_families", CARING, "caregrid.wrapping.families", "caregrid.wrapping.family:FAMILIES"),
    _make_kind("world_doors", CARING, "caregrid.wrapping.doors", "caregrid.wrapping.door:DOORS"),
    _make_kind("value_learners", CARING, "caregrid.wrapping.value_learners", f"{_LEARNED}:VALUE_LEARNERS"),
    _make_kind("environments", EXTENDED, "xenv.environments", "ENVIRONMENTS"),
    _make_kind("agents", EXTENDED, "xenv.agents+engine.agents", "BATTERY_AGENTS"),
    _make_kind("transformations", EXTENDED, "xenv.transformations", "TRANSFORMATIONS"),
    _make_kind("theory_examples", EXTENDED, "xenv.theory.examples", "xenv.theory:THEORY_EXAMPLES"),
    _make_kind("theory_agents", EXTENDED, "xenv.theory.toy_agents", "xenv.theory:THEORY_AGENTS", "theory_agents"),
    _make_kind("formal_twins", EXTENDED, "xenv.theory.twins", "TWINS"),
    _make_kind("slot_scenarios", SLOTS, "multislot.scenarios", "SLOT_SCENARIOS"),
    _make_kind("slot_futures", SLOTS, "multislot.futures", "FUTURES"),
    _make_kind("slot_policies", SLOTS, "multislot.policies", "SLOT_POLICIES"),
    _make_kind("slot_likelihoods", SLOTS, "multislot.likelihoods", "LIKELIHOODS"),
    _make_kind("crowds", SLOTS, "multislot.crowds", "CROWDS"),
    _make_kind("terminal_worlds", TERMINAL, "counterfactual.worlds", "TERMINAL_WORLDS"),
    _make_kind("planning_agents", TERMINAL, "counterfactual.agents", "PLANNING_AGENTS"),
    _make_kind("factory_rules", TERMINAL, "counterfactual.car_factory", "FACTORY_RULES"),
    _make_kind("influence_diagrams", TERMINAL, "counterfactual.influence.diagrams", "INFLUENCE_DIAGRAMS"),
    _make_kind("incentives", TERMINAL, "counterfactual.influence.incentives", "INCENTIVES"),
    _make_kind("experiments", RUNS, "experiments.catalogue+caregrid.experiments", "CATALOGUE", nested=True),
    _make_kind("requests", RUNS, "experiments.requests", "REQUESTS"),
    _make_kind("suites", RUNS, "experiments.bench.suites", "SUITES"),
    _make_kind("engines", RUNS, "experiments.runs.engines", "ENGINES"),
    _make_kind("lessons", SHOWN, "caregrid.lessons.catalogue", "caregrid.lessons:LESSONS"),
    _make_kind("viewable_programmes", SHOWN, "caregrid.programmes.*.programme", f"{_PROGRAMME}:PROGRAMMES"),
    _make_kind("playable_programmes", SHOWN, "caregrid.programmes.*.game", f"{_PROGRAMME}:PLAYABLE_PROGRAMMES"),
    _make_kind("film_formats", SHOWN, "renderers.formats", "renderers.film:FORMATS"),
    _make_kind("commands", SHOWN, "caregrid.operations", "COMMANDS"),
    _make_kind("schemas", SHOWN, "caregrid.schemas", "SCHEMAS"),
)
KINDS = {kind.name: kind for kind in _ROWS}


def find_kind(name: str) -> Kind:
    """Return a kind by its name; UnknownName with the nearest one."""
    if spell_name(name) not in KINDS:
        raise UnknownName("kind", name, KINDS)
    return KINDS[spell_name(name)]


def find_checker(kind: Kind) -> Any:
    """Return the function that checks an entry of a kind, None where it has none."""
    return _import_named(kind.checker) if kind.checker else None


def _import_named(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)
