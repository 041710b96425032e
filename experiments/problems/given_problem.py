"""A craftworld problem by objects of a Python session, where `NamedProblem` has names: the same questions, answered."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from experiments.problems.named_problem import NamedProblem

if TYPE_CHECKING:
    from craftworld.formulation import Formulation
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem


@dataclass(frozen=True, eq=False)
class GivenProblem:
    """What to solve. world: the scenario. formulation: an object or a name, the scenario's own where None.

    own, discount: as in `NamedProblem`. values: a file of the others' values, or the values. Two problems
    are equal where their tables are, to the bit.
    """

    world: Scenario
    formulation: str | Formulation | None = None
    own: float = 1.0
    discount: float | None = None
    values: str | ValueDistribution | None = None

    def make_scenario(self) -> Scenario:
        """The scenario."""
        return self.world

    def make_problem(self) -> Problem:
        """The problem, made once."""
        return self._problem

    @cached_property
    def _problem(self) -> Problem:
        from craftworld.others.value_file import values_for
        from craftworld.solution.make_problem import make_problem
        from engine.mdp.tabulate import tabulate
        from engine.user_code import place_of, user_code

        if self.values is None:
            return make_problem(self.world, self.formulation, self.own, discount=self.discount)
        with user_code(place_of(self.world)):
            mdp = tabulate(self.world, self.world.discount if self.discount is None else self.discount)
        others = self.values
        if isinstance(others, str):
            others = values_for(self.world, mdp, others)
        return make_problem(self.world, self.formulation, self.own, others, mdp=mdp)

    def identity(self) -> dict[str, Any]:
        """What makes results differ: the names and a digest of every number."""
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

        from craftworld.others.value_file import fingerprint

        problem = self.make_problem()
        digest = hashlib.blake2b(fingerprint(self.world, problem.mdp).encode(), digest_size=16)
        for start in map(int, problem.mdp.start_states()):
            for array in problem.caring_rewards(start):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def with_formulation(self, formulation: str | Formulation | None) -> GivenProblem:
        """The same under another formulation."""
        return replace(self, formulation=formulation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GivenProblem) and self.identity() == other.identity()

    def __hash__(self) -> int:
        return int(self._digest, 16)


ProblemSource = NamedProblem | GivenProblem
