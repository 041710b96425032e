"""A craftworld problem as experiments take it: by the names that a user typed, or by objects of a Python session.

`NamedProblem` holds plain values that travel to a worker, which builds the problem again. `ObjectProblem` holds
objects and answers the same questions. Two problems of objects are equal where their tables are.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from engine.errors import BadValue, argument
from engine.registry import spell_name
from engine.user_code import describe_place, user_code
from engine.value_types import read_number
from experiments.provenance import digest_file, digest_user_files

if TYPE_CHECKING:
    from craftworld.formulation import Formulation
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem

OptionValue = str | int | float


@dataclass(frozen=True)
class NamedProblem:
    """What to solve.

    scenario: a registered name or `module:attribute`. formulation: the scenario's own where None. map: a file with the
    user's map. options: texts NAME=VALUE for the scenario. own: weight of the own reward. discount: the scenario's
    where None. values: a file of others' values, made by 'caregrid precompute'.
    """

    scenario: str
    formulation: str | None = None
    map: str | None = None
    options: tuple[str, ...] = ()
    own: float = 1.0
    discount: float | None = None
    values: str | None = None

    def make_scenario(self) -> Scenario:
        """Return the scenario on its map; errors name the option, the file or the nearest valid name."""
        return _make_cached_scenario(self.scenario, self.map, self.options, self._read_sources())

    def make_problem(self) -> Problem:
        """Return the problem; the same object for the same names, as long as a few others have not been asked for."""
        return _make_cached_problem(self, self._read_sources())

    def file_digests(self) -> dict[str, str]:
        """Digests of the user's own files."""
        return {name: digest_file(path) for name, path in self.files.items()}

    @property
    def files(self) -> dict[str, str]:
        """The user's own files: map, values, an option `file`."""
        named = (("map", self.map), ("values", self.values), ("file", parse_options(self.options).get("file")))
        return {name: str(path) for name, path in named if path}

    def _read_sources(self) -> tuple[tuple[str, str], ...]:
        """Return the digests of all files as they are now, those of the user's code among them."""
        code = digest_user_files(self.scenario, kind="scenario")
        code |= digest_user_files(self.formulation or "", kind="formulation")
        return tuple(sorted({**self.file_digests(), **code}.items()))

    def identity(self) -> dict[str, Any]:
        """What makes results differ, in one spelling; of code the names: see `experiments.runs.code_identity`."""
        scenario = self.make_scenario()
        return {
            "scenario": spell_name(self.scenario),
            "formulation": spell_name(self.formulation or scenario.default_formulation),
            "options": sorted(self.options),
            "own": self.own,
            "discount": scenario.discount if self.discount is None else self.discount,
            "files": self.file_digests(),
        }

    def as_dict(self) -> dict[str, Any]:
        """Its fields, for a manifest."""
        return dict(vars(self))

    def with_formulation(self, formulation: str | None) -> NamedProblem:
        """Return the same under another formulation."""
        return replace(self, formulation=formulation)


def list_files(problems: Iterable[NamedProblem]) -> tuple[str, ...]:
    """Return the user's own files of several problems, each once: what they hold makes an experiment's rows."""
    return tuple(dict.fromkeys(file for problem in problems for file in problem.files.values()))


@functools.lru_cache(maxsize=4)
def _make_cached_scenario(
    scenario: str, map: str | None, options: tuple[str, ...], files: tuple[tuple[str, str], ...]
) -> Scenario:
    """files: as below. A scenario that is wrapped takes as long to make as to solve."""
    from craftworld.scenario_maker import make_scenario
    from craftworld.scenarios import SCENARIOS

    return make_scenario(SCENARIOS[scenario], map, **parse_options(options))


@functools.lru_cache(maxsize=4)
def _make_cached_problem(named: NamedProblem, files: tuple[tuple[str, str], ...]) -> Problem:
    """files: the digests of the files as they are now, so that a changed file is read again."""
    return _make_problem(named.make_scenario(), named.formulation, named.own, named.discount, named.values or None)


def _make_problem(
    scenario: Scenario,
    formulation: str | Formulation | None,
    own: float,
    discount: float | None,
    values: str | ValueDistribution | None,
) -> Problem:
    """Return the tabulated problem; the others' values are read from a file where they are not computed."""
    from craftworld.others.value_distribution import load_scenario_values
    from craftworld.solution.problem import make_problem
    from engine.mdp.tabulate import tabulate

    if values is None:
        return make_problem(scenario, formulation, own, discount=discount)
    with user_code(describe_place(scenario)):
        mdp = tabulate(scenario, scenario.discount if discount is None else discount)
    others = load_scenario_values(scenario, mdp, values) if isinstance(values, str) else values
    return make_problem(scenario, formulation, own, others, mdp=mdp)


def parse_options(pairs: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE texts as a dictionary; numbers become numbers; BadValue for what is not a pair, or is set twice."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            remedy = "write NAME=VALUE"
            raise BadValue(f"'{pair}' sets nothing", place=argument("set"), remedy=remedy)
        name = name.strip().replace("-", "_")
        if name in options:
            raise BadValue(f"'{name}' is set twice", place=argument("set"), remedy="set it once")
        options[name] = read_number(value.strip())
    return options


@dataclass(frozen=True, eq=False)
class ObjectProblem:
    """What to solve. world: the scenario. formulation: an object or a name, the scenario's own where None.

    own, discount: as in `NamedProblem`. values: a file of the others' values, or the values. Two problems
    are equal where their tables are, to the bit.
    """

    world: Scenario
    formulation: str | Formulation | None = None
    own: float = 1.0
    discount: float | None = None
    values: str | ValueDistribution | None = None

    files: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def make_scenario(self) -> Scenario:
        """Return the scenario."""
        return self.world

    def make_problem(self) -> Problem:
        """Return the problem, made once."""
        return self._problem

    @cached_property
    def _problem(self) -> Problem:
        return _make_problem(self.world, self.formulation, self.own, self.discount, self.values)

    def identity(self) -> dict[str, Any]:
        """Return what makes results differ: the names and a digest of every number."""
        problem = self.make_problem()
        return {
            "scenario": problem.scenario.name,
            "formulation": problem.formulation,
            "own": self.own,
            "discount": problem.mdp.discount,
            "table": self._digest,
        }

    @cached_property
    def _digest(self) -> str:
        """Of the table, and of what each unit of care adds to it from each start state."""
        import numpy as np

        from craftworld.others.value_distribution import compute_fingerprint

        problem = self.make_problem()
        digest = hashlib.blake2b(compute_fingerprint(self.world, problem.mdp).encode(), digest_size=16)
        for start in map(int, problem.mdp.start_states()):
            for array in problem.compute_caring_rewards(start):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Return what a manifest can say of objects: that they are some, and what they are called."""
        named = NamedProblem(self._problem.scenario.name, self._problem.formulation, own=self._problem.own)
        return {"objects": True, **named.as_dict()}

    def with_formulation(self, formulation: str | Formulation | None) -> ObjectProblem:
        """Return the same under another formulation."""
        return replace(self, formulation=formulation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectProblem) and self.identity() == other.identity()

    def __hash__(self) -> int:
        return int(self._digest, 16)


ProblemSource = NamedProblem | ObjectProblem
