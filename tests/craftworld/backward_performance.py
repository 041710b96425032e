"""The hidden performance of a policy by backward induction, beside the visits that `measure_policies` counts."""

from craftworld.measures import tabulate_performance
from craftworld.scenario import Scenario
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.finite_horizon import compute_limited_return


def compute_policy_performance(scenario: Scenario, mdp: TabularMDP, policy: Policy) -> Floats:
    """f64[S]: the expected performance of a policy, int32[S], within the scenario's step limit, from every state."""
    table = mdp.with_discount(1.0).with_reward(tabulate_performance(scenario, mdp))
    return compute_limited_return(table, policy, scenario.time_limit)
