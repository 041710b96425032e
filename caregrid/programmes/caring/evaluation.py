"""A policy evaluated exactly: own return, others', total, augmented return, hidden performance and violations.

A policy is an optimum, a learner's, a mixture or a function of your own (`read_policy`); what it earns is computed by
`craftworld.policy_evaluation`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.programmes.caring.outcome_json import describe_observed, write_error, write_values
from caregrid.programmes.caring.saved_networks import ENDINGS, follow_network, is_saved_network
from caregrid.programmes.caring.training import PolicyOrFolder, TrainingResult, read_policies
from caregrid.results import Result
from engine.contracts import require_parameters
from engine.errors import BadFile, BadValue, argument, did_you_mean
from engine.plain_values import make_json_value
from engine.planning.dynamic_programming import describe_ending
from engine.printable import shorten
from engine.registry import split_call
from engine.user_code import describe_place, names_user_code
from engine.value_types import to_list

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from craftworld.policy_evaluation import PolicyOfStart, PolicyReturns
    from craftworld.solution.problem import Problem
    from experiments.learned_policy import LearnedPolicy

    Policies = PolicyOrFolder | ArrayLike | Mapping[int, ArrayLike] | Callable[[Problem, float], ArrayLike]

OPTIMAL, RANDOM = "optimal", "random"


@dataclass(frozen=True, repr=False, eq=False)
class EvaluatedPolicy(Result):
    """What a policy earns in a problem at a coefficient: expectations, the mean over the start states.

    problem: in which it is followed. policy: its name, "policy" for an array. care: the coefficient of the augmented
    return. returns: the numbers (`craftworld.policy_evaluation.PolicyReturns`).
    """

    problem: Problem
    policy: str
    care: float
    returns: PolicyReturns

    @property
    def title(self) -> str:
        """Scenario, formulation, policy and coefficient."""
        return f"{self.problem.scenario.name}, {self.problem.formulation}, {self.policy}, care {self.care:g}"

    @property
    def own(self) -> float:
        """The acting agent's own return."""
        return self.returns.own

    @property
    def others(self) -> Mapping[str, float]:
        """Other agent's name -> its return."""
        return self.returns.others

    @property
    def total(self) -> float:
        """Own return and the others' returns, weighed by their probabilities."""
        return self.returns.total

    @property
    def augmented(self) -> float:
        """The return of the augmented reward, which the optimum maximises."""
        return self.returns.augmented

    @property
    def performance(self) -> float | None:
        """The hidden performance within the step limit, undiscounted; None where the reward is all there is."""
        return self.returns.measures.performance

    @property
    def violations(self) -> float:
        """The expected number of safety violations within the step limit, undiscounted."""
        return self.returns.measures.violations

    @property
    def ends(self) -> float:
        """The probability that an episode of the policy ever ends."""
        return self.returns.ends

    @property
    def errors(self) -> Mapping[str, float | None] | None:
        """Name of a return -> the most by which it may be off, None without a bound; None where none was asked for."""
        return self.returns.errors

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: the policy, the coefficient, and every number."""
        return [
            {
                "policy": self.policy,
                "care": self.care,
                "own": self.own,
                **self.others,
                "total": self.total,
                "augmented": self.augmented,
                "performance": self.performance,
                "violations": self.violations,
                "ends": self.ends,
                **{f"error of {name}": error for name, error in (self.errors or {}).items()},
            }
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid evaluate --json` prints; numbers that are not finite are null."""
        errors = {} if self.errors is None else {"errors": dict(self.errors)}
        result = {
            "scenario": self.problem.scenario.name,
            "formulation": self.problem.formulation,
            "policy": self.policy,
            "care": self.care,
            "own": self.own,
            "others": dict(self.others),
            "total": self.total,
            "augmented": self.augmented,
            "performance": self.performance,
            "violations": self.violations,
            "ends": self.ends,
            **errors,
        }
        return {name: make_json_value(value) for name, value in result.items()}

    def text(self) -> str:
        """Return what `caregrid evaluate` prints."""
        hidden = [] if self.performance is None else [f"performance {self.performance:g}"]
        ending = describe_ending(self.ends)
        return "\n".join(
            [
                f"policy      {self.policy}",
                f"own return  {self.own:g}",
                f"others      {write_values(self.others)}",
                f"total       {self.total:g}",
                f"augmented   {self.augmented:g}",
                *hidden,
                f"violations  {self.violations:g}",
                *([f"ends        {ending}"] if ending else []),
                *(describe_observed(self.problem) if self.policy == OPTIMAL else []),
                *([f"errors      {self._write_errors()}"] if self.errors is not None else []),
            ]
        )

    def _write_errors(self) -> str:
        numbers = {"own": self.own, "augmented": self.augmented, **self.others}
        scale = max(1.0, *(abs(number) for number in numbers.values() if number == number))
        errors = (self.errors or {}).items()
        return "; ".join(f"{name} {'no bound' if e is None else write_error(e, scale)}" for name, e in errors)


def evaluate_in(problem: Problem, policy: Policies, care: float, certify: bool) -> EvaluatedPolicy:
    """Evaluate a policy; BadValue, BadFile or ContractBroken for one that cannot be followed."""
    from craftworld.policy_evaluation import evaluate_in_problem

    name, followed = read_policy(problem, policy, care)
    return EvaluatedPolicy(problem, name, care, evaluate_in_problem(problem, followed, care, certify))


def read_shown_policies(problem: Problem, policies: Any, care: float) -> list[LearnedPolicy]:
    """Read the policies that stand beside optima, one or several, each as in `evaluate_in`.

    care: with which functions are called. Raises BadValue also for a policy that differs by start state.
    """
    from experiments.learned_policy import LearnedPolicy

    one = isinstance(policies, str | Path | TrainingResult | Mapping)
    one = one or hasattr(policies, "shape") or callable(policies)
    remedy = "give what evaluate() takes"
    shown = []
    for each in [policies] if one else to_list(policies, "policies", argument("policy"), remedy):
        name, followed = read_policy(problem, each, care)
        if isinstance(followed, Mapping):
            if len(followed) > 1:
                words = "a policy for each of several start states cannot be shown"
                raise BadValue(words, place=argument("policy"), remedy="give one for all")
            [followed] = followed.values()
        if isinstance(each, TrainingResult) or not (callable(each) or name in (OPTIMAL, RANDOM, "policy", str(each))):
            shown += read_policies(problem, each)
        else:
            shown.append(LearnedPolicy(followed, {"agent": name, "care": float(care)}))
    return shown


def read_policy(problem: Problem, policy: Policies, care: float) -> tuple[str, PolicyOfStart]:
    """Read a policy: its name, and int32[S] or f64[S, A], or one of them for each start state's number.

    policy: "optimal", "random", a function (problem, care), MODULE:FUNCTION, perhaps with arguments, a folder of
    'caregrid train' or what it gave, a file of a network, or the numbers themselves. Raises BadValue, BadFile or
    ContractBroken.
    """
    from craftworld.solution.exact_solution import find_optimal_policies
    from engine.mdp.policies import make_random_policy, require_policy
    from experiments.bench.suite import call_policy, tabulate_policy

    if isinstance(policy, str | Path | TrainingResult):
        if policy == OPTIMAL:
            return OPTIMAL, find_optimal_policies(problem, care)
        if policy == RANDOM:
            return RANDOM, make_random_policy(problem.mdp)
        if isinstance(policy, str) and not os.path.exists(policy):
            if names_user_code(split_call(policy, "policy")[0]):
                return policy, tabulate_policy(policy, problem, care)
            remedy = did_you_mean(policy, (OPTIMAL, RANDOM, "a folder of 'caregrid train'", "MODULE:FUNCTION"))
            raise BadValue(f"no policy '{shorten(policy)}'", place=argument("policy"), remedy=remedy)
        if is_saved_network(policy):
            return str(policy), follow_network(problem, care, str(policy))
        if isinstance(policy, str | Path) and os.path.isfile(policy):
            remedy = f"give a folder of 'caregrid train', or a saved network ({', '.join(ENDINGS)})"
            raise BadFile("this file holds no policy", place=str(policy), remedy=remedy)
        [learned] = read_policies(problem, policy)
        return learned.label, learned.actions
    if callable(policy):
        require_parameters(policy, 2, "policy(problem, care)")
        return str(getattr(policy, "__name__", "policy")), call_policy(policy, describe_place(policy), problem, care)
    if not isinstance(policy, Mapping):
        return "policy", require_policy(problem.mdp, policy)
    starts = problem.mdp.start_states().tolist()
    if missing := [start for start in starts if start not in policy]:
        remedy = "give one for each start state's number"
        raise BadValue(f"no policy for the start state {missing[0]}", place=argument("policy"), remedy=remedy)
    return "policy", {start: require_policy(problem.mdp, policy[start]) for start in starts}
