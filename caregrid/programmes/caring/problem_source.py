"""Make a problem's source from texts, as on the command line, or from objects in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from caregrid.command_line.operation import ChecksArguments
from caregrid.results import TILE, scene_png, summary_html
from caregrid.tables import ENDINGS, POMDP
from caregrid.wrapping.gym_names import add_option, split_name
from engine.errors import BadValue, argument
from engine.grid import GridMap
from engine.printable import show_value
from engine.value_types import read_set, to_list
from experiments.caring_problem import NamedProblem, ObjectProblem, parse_options

if TYPE_CHECKING:
    from craftworld.formulation import Formulation
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from experiments.caring_problem import ProblemSource

Map = str | Path | GridMap
READ_FILE = "caregrid.tables.doors:from_file"


def make_problem_source(
    scenario: str | Scenario | type[Scenario],
    formulation: str | Formulation | None = None,
    *,
    own: float = 1.0,
    discount: float | None = None,
    values: str | ValueDistribution | None = None,
    map: Map | None = None,
    set: Mapping[str, Any] | Sequence[str] = (),
) -> ProblemSource:
    """Return a problem by names where every part is named, so that workers can make it again; else one of objects."""
    options: Mapping[str, Any] | Sequence[str] = read_set(set, argument("set"))
    if isinstance(scenario, str):
        scenario, options = split_world_name(scenario, options)
    if not isinstance(map, str | Path | GridMap | None):
        raise BadValue(f"map is {show_value(map)}", place="problem", remedy="give a file, a drawing or a GridMap")
    pairs = pair_options(options)
    map = str(map) if isinstance(map, Path) else map
    named = isinstance(scenario, str) and isinstance(formulation, str | None) and isinstance(values, str | None)
    drawn = isinstance(map, GridMap) or (map is not None and "\n" in map)
    if named and not drawn and pairs is not None:
        return NamedProblem(scenario, formulation, map, pairs, own, discount, values)  # type: ignore[arg-type]
    return ObjectProblem(_make_scenario(scenario, map, options), formulation, own, discount, values)


def read_values(values: Any) -> str | ValueDistribution | None:
    """Return the others' values: a file's name or the values; BadValue for anything else."""
    from craftworld.others.value_distribution import ValueDistribution as Distribution

    if isinstance(values, Path):
        return str(values)
    if isinstance(values, str | Distribution | None):
        return values
    raise BadValue(f"values are {show_value(values)}", place="problem", remedy="give a file, or what precompute() gave")


def change_formulation(source: ProblemSource, formulation: str | Formulation | None) -> ProblemSource:
    """Return the same problem under another formulation, the scenario's own for None."""
    if isinstance(source, ObjectProblem):
        return source.with_formulation(formulation)
    if isinstance(formulation, str | None):
        return source.with_formulation(formulation)
    return ObjectProblem(source.make_scenario(), formulation, source.own, source.discount, source.values)


def change_map(source: ProblemSource, grid: GridMap) -> ProblemSource:
    """The same problem on another map; BadValue where the problem does not say how its scenario is made on one."""
    from craftworld.scenario_maker import HELD_OUT, make_scenario
    from craftworld.scenarios import SCENARIOS

    if not isinstance(source, NamedProblem):
        raise BadValue("a scenario that is made already has its map", remedy="name the scenario, or give its class")
    if source.values:
        raise BadValue("the others' values are those of another map", place="values", remedy="leave them out")
    options = {name: value for name, value in parse_options(source.options).items() if name != HELD_OUT}
    scenario = make_scenario(SCENARIOS[source.scenario], grid, **options)
    return ObjectProblem(scenario, source.formulation, source.own, source.discount)


def pair_options(options: Mapping[str, Any] | Sequence[str]) -> tuple[str, ...] | None:
    """Options as texts NAME=VALUE; None where a value is not a number or word that a text says."""
    if not isinstance(options, Mapping):
        return tuple(options)
    plain = {name: value for name, value in options.items() if type(value) in (str, int, float)}
    pairs = tuple(f"{name}={value}" for name, value in plain.items())
    try:
        return pairs if plain.keys() == options.keys() and parse_options(pairs) == plain else None
    except BadValue:
        return None


def _make_scenario(
    scenario: str | Scenario | type[Scenario], map: str | GridMap | None, options: Mapping[str, Any] | Sequence[str]
) -> Scenario:
    """Return the scenario made, from its name or class where it is not an object already."""
    from craftworld.scenario import Scenario as ScenarioBase
    from craftworld.scenario import require_declared
    from craftworld.scenario_maker import make_scenario
    from craftworld.scenarios import SCENARIOS

    if isinstance(scenario, ScenarioBase):
        if map is not None or options:
            raise BadValue("a map or options for a scenario that is made already", remedy="give its class instead")
        return require_declared(scenario)
    kind = SCENARIOS[scenario] if isinstance(scenario, str) else SCENARIOS.accept(scenario)
    settings = dict(options) if isinstance(options, Mapping) else parse_options(tuple(options))
    if map is not None and not isinstance(map, GridMap) and "\n" in map:
        if not (isinstance(kind, type) and issubclass(kind, ScenarioBase)):
            raise BadValue("a scenario without a map of its own", place="map", remedy="leave the map out")
        map = kind.parse_map(map)
    return make_scenario(kind, map, **settings)


def list_formulations(formulations: str | Iterable[str | Formulation] | None) -> list[str | Formulation | None]:
    """Formulations from a text with commas or from several; None, the scenario's own, from an empty text."""
    if formulations is None or isinstance(formulations, str):
        listed = (formulations or "").split(",")
    else:
        listed = to_list(formulations, "formulations", "compare", "give names, or several formulations")
    if not listed:
        raise BadValue("no formulations", place="compare", remedy="name at least one")
    return [(one.strip() or None) if isinstance(one, str) else one for one in listed]


@dataclass(frozen=True, repr=False, eq=False)
class SourcedProblem(ChecksArguments):
    """A problem's source, and the scenario, table and formulation that are made from it when they are first used."""

    source: ProblemSource

    def check(self) -> None:
        """Raise UnknownName, BadValue, MapError or ContractBroken where scenario or formulation cannot be made."""
        from craftworld.formulations import resolve_formulation

        formulation = self.source.formulation
        if isinstance(formulation, str | None):
            formulation = formulation or self.scenario.default_formulation
        resolve_formulation(formulation)

    @property
    def scenario(self) -> Scenario:
        """The scenario on its map."""
        return self.source.make_scenario()

    @property
    def exact(self) -> Problem:
        """The tabulated problem, made once: table, others, formulation (`craftworld.solution.problem.Problem`)."""
        return self.source.make_problem()

    @property
    def formulation(self) -> str:
        """The formulation's name."""
        return self.exact.formulation

    def with_formulation(self, formulation: str | Formulation | None) -> Self:
        """Return the same problem under another formulation, the scenario's own for None."""
        return type(self)(change_formulation(self.source, formulation))

    def by_formulation(self) -> tuple[Callable[[str], Problem], list[str]]:
        """Return a function from formulation's name to problem, and the names that fit, the problem's own first."""
        from craftworld.solution.problem import find_applicable_formulations

        made = {self.formulation: self.exact}

        def make(name: str) -> Problem:
            if name not in made:
                made[name] = self.with_formulation(name).exact
            return made[name]

        return make, [*made, *(name for name in find_applicable_formulations(self.scenario) if name not in made)]

    def __repr__(self) -> str:
        mdp = self.exact.mdp
        others = ", ".join(self.exact.others.names) or "nobody"
        return (
            f"{self.exact.scenario.name}, {self.formulation}: {len(mdp.states)} states, {len(mdp.actions)} actions, "
            f"discount {mdp.discount:g}, own {self.exact.own:g}, others: {others}"
        )

    def _repr_html_(self) -> str:
        return summary_html(repr(self), self._repr_png_(), [])

    def _repr_png_(self) -> bytes:
        """Return the first start state."""
        return scene_png(self.scenario.scene(self.exact.mdp.states[self.exact.mdp.start_states()[0]]), TILE)


def split_world_name(
    name: str, options: Mapping[str, Any] | Sequence[str]
) -> tuple[str, Mapping[str, Any] | Sequence[str]]:
    """A scenario's name and its options; `gym:ID` and a model's file as the function that makes it, and its option.

    They travel to workers so.
    """
    return add_option(READ_FILE, "file", name, options) if is_model_file(name) else split_name(name, options)


def is_model_file(name: str) -> bool:
    """Return whether a name is that of a model's file, by its ending."""
    return ":" not in name and Path(name).suffix.removeprefix(".").lower() in (*ENDINGS, POMDP)
