"""Eq 8 as printed: alpha_1 r_1 + alpha_2 sum_<I,V> P(<I,V>) 1_I(s') V(s'), undiscounted (appendix A.1)."""

from craftworld.formulations.options_with_values import options_with_values
from craftworld.others.option_distribution import ValuedOptionDistribution
from craftworld.others.other_agents import terminal_reward
from engine.mdp.mdp import Floats, TabularMDP


def options_with_values_printed(others: ValuedOptionDistribution, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what entering a terminal state adds."""
    return terminal_reward(mdp, options_with_values(others))
