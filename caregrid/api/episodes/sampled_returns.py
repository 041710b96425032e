"""`caregrid.sample_returns`: the returns of a policy over many episodes, with their standard errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.given import Map, problem_source
from caregrid.api.checked import checked
from caregrid.api.results.result import Result
from engine.errors import BadValue, UnknownName, argument
from engine.limits.long_runs import duration
from engine.limits.whole_numbers import Episodes, Seed, Workers

if TYPE_CHECKING:
    from craftworld.formulation import Formulation
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from engine.rollouts.outcome_table import AnyPolicy
    from engine.rollouts.sampled_episodes import ReturnEstimate

POLICIES = ("random", "optimal")
SECONDS_A_STEP, STEPS_WITHOUT_ASKING = 1e-8, 10**10
FEW_EPISODES = 5  # for which their extremes say enough, and a standard error would say too much


@checked
def sample_returns(
    scenario: str | Scenario | type[Scenario],
    episodes: Episodes,
    *,
    policy: str = "random",
    epsilon: float = 0.0,
    care: float = 1.0,
    formulation: str | Formulation | None = None,
    seed: Seed = 0,
    threads: Workers | None = None,
    map: Map | None = None,
    options: Mapping[str, Any] | Sequence[str] = (),
    confirmed: bool = False,
) -> SampledReturns:
    """Own return, others' returns and hidden performance of a policy, each with its standard error.

    scenario, formulation, map, options: as in `caregrid.problem`. policy: "random", every available action with the
    same probability, or "optimal" at a caring coefficient, `care`. epsilon: the probability of a random action in its
    place. seed: of all chance; the results are the same for any number of threads (None: one a core). confirmed: sample
    even if it takes minutes. Raises UnknownName for an unknown policy, BadValue for more steps than that.
    """
    from craftworld.measures.sampled_returns import sampled_returns

    if policy not in POLICIES:
        raise UnknownName("policy", policy, POLICIES, place="sample_returns")
    problem = problem_source(scenario, formulation, map, 1.0, None, None, options).make_problem()
    steps = episodes * problem.scenario.time_limit
    if steps > STEPS_WITHOUT_ASKING and not confirmed:
        problem_text = f"{episodes:,} episodes are up to {steps:,} steps, {duration(steps * SECONDS_A_STEP)}"
        remedy = f"ask for fewer, or confirm it with {argument('confirmed', True, option='--yes')}"
        raise BadValue(problem_text, place="episodes", remedy=remedy)
    estimates = sampled_returns(problem, _policy(problem, policy, epsilon, care), episodes, seed, threads)
    return SampledReturns(problem.scenario.name, policy, estimates)


def _policy(problem: Problem, policy: str, epsilon: float, care: float) -> AnyPolicy:
    from engine.planning.certificates.trade_off import policy_of
    from engine.rollouts.stochastic_policies import epsilon_greedy, random_policy

    mdp = problem.mdp
    if policy == "random":
        return random_policy(mdp)
    starts, states = mdp.start_states().tolist(), len(mdp.terminal)
    optimal = {start: policy_of(problem.segment(care, start), states) for start in starts}
    return {start: epsilon_greedy(mdp, policy, epsilon) for start, policy in optimal.items()}


@dataclass(frozen=True, repr=False, eq=False)
class SampledReturns(Result):
    """estimates: "own", and "others" and "performance" where there are any -> what the episodes gave."""

    scenario: str
    policy: str
    estimates: Mapping[str, ReturnEstimate]

    @property
    def title(self) -> str:
        """The scenario, the policy, the number of episodes."""
        return f"{self.scenario}, {self.policy} policy, {self.estimates['own'].episodes:,} episodes"

    def rows(self) -> list[dict[str, Any]]:
        """A row a return: its mean, standard error, least and largest value."""
        return [
            {
                "return": name,
                "mean": each.mean,
                "standard_error": each.standard_error if each.episodes > 1 else None,
                "least": each.least,
                "most": each.most,
            }
            for name, each in self.estimates.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """What `caregrid rollout --episodes --json` prints."""
        own = self.estimates["own"]
        counts = {"episodes": own.episodes, "steps": own.steps, "terminated": own.terminated}
        return {"scenario": self.scenario, "policy": self.policy, **counts, "returns": self.rows()}

    def text(self) -> str:
        """Each return with its standard error, unless episodes are few, then how long the episodes were."""
        own = self.estimates["own"]
        lines = [self.title]
        for name, each in self.estimates.items():
            error = f" (standard error {each.standard_error:.2g})" if each.episodes > FEW_EPISODES else ""
            lines.append(f"{name:12} {each.mean:.6g}{error}   from {each.least:g} to {each.most:g}")
        share = own.terminated / own.episodes
        return "\n".join([*lines, f"{own.steps / own.episodes:.4g} steps an episode, {share:.1%} ended by the world"])
