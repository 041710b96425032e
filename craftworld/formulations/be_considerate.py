"""The formulations of "Be Considerate", Eqs 1 to 8: what others can expect enters the acting agent's reward.

| entry                         | equation | what is added                                             | section |
| ----------------------------- | -------- | --------------------------------------------------------- | ------- |
| `expected`                    | 1        | sum_V P(V) V(s')                                          | 3.1     |
| `worst_case`                  | 2        | min over V with P(V) > 0 of V(s')                         | 3.1.1   |
| `no_worse_off`                | 3        | sum_V P(V) min(V(s'), V(s0))                              | 3.1.2   |
| `per_agent`                   | 4        | sum_i alpha_i sum_j P(V_ij) V_j^(i)(s')                   | 3.2     |
| `least_well_off`              | 5        | min_i alpha_i sum_j P(V_ij) V_j^(i)(s')                   | 3.2     |
| `simultaneous`                | 6        | sum_i alpha_i sum_j P(r_ij) r_j^(i)(s, a, s')             | 3.3     |
| `options`                     | 7        | sum_I alpha_I P(I) 1_I(s')                                | A.1     |
| `options_with_values`         | 8        | sum_<I,V> alpha_I P(<I,V>) 1_I(s') V(s')                  | A.1     |
| `options_with_values_printed` | 8        | the same, not discounted                                  | A.1     |

The paper's options all have the weight alpha_I = 1, unless one is given (`Option.weight`): below 0 for what others
should not be able to do.

All but Eq 6 are added once, with gamma alpha_2, on entering a terminal state s'; Eq 6 is added at every step.

Reference: P. Alizadeh Alamdari, T. Klassen, R. Toro Icarte, S. McIlraith, "Be Considerate: Objectives, Side Effects,
and Deciding How to Act".
"""

import numpy as np

from craftworld.formulation import at_every_step, at_the_end
from craftworld.others.option_distribution import OptionDistribution, ValuedOptionDistribution
from craftworld.others.other_agents import RewardDistribution
from craftworld.others.value_distribution import ValueDistribution
from engine.mdp.mdp import Floats, TabularMDP

__all__ = [
    "expected",
    "least_well_off",
    "no_worse_off",
    "options",
    "options_with_values",
    "options_with_values_printed",
    "per_agent",
    "simultaneous",
    "worst_case",
]


@at_the_end(weighs=ValueDistribution)
def expected(others: ValueDistribution) -> Floats:
    """Eq 1: F(V, P, s') = sum_V P(V) V(s'), the expected return of those who come next ("Be Considerate", section 3.1).

    F: f64[S].
    """
    return others.probability @ others.value


@at_the_end(weighs=ValueDistribution)
def worst_case(others: ValueDistribution) -> Floats:
    """Eq 2: F(V, P, s') = min over V with P(V) > 0 of V(s'), the worst of the possible returns (section 3.1.1).

    F: f64[S]; value functions of probability 0 do not count.
    """
    worst: Floats = others.value[others.probability > 0].min(axis=0)
    return worst


@at_the_end(weighs=ValueDistribution)
def no_worse_off(others: ValueDistribution) -> Floats:
    """Eq 3: F(V, P, s') = sum_V P(V) min(V(s'), V(s0)): harm counts, help beyond the start state does not (section 3.1.2).

    V(s0) is what a newcomer would have got, had the acting agent ended where it began; with several start states each
    start has its own baseline.

    F: f64[S].
    """  # noqa: E501
    return others.probability @ np.minimum(others.value, others.baseline_value[:, None])


@at_the_end(weighs=ValueDistribution, additive=True)
def per_agent(others: ValueDistribution) -> Floats:
    """Eq 4: F = sum_i alpha_i sum_j P(V_ij) V_j^(i)(s'), a caring coefficient for every agent (section 3.2).

    Agents of fixed weight keep theirs; the care coefficient multiplies the weights of the rest.

    F: f64[S].
    """
    return (others.weight * others.probability) @ others.value


@at_the_end(weighs=ValueDistribution)
def least_well_off(others: ValueDistribution) -> Floats:
    """Eq 5: F = min_i alpha_i sum_j P(V_ij) V_j^(i)(s'), the welfare of the agent worst off (section 3.2, maximin).

    Agents without a value function (none possible) are skipped, not counted as 0.

    Choice: the care coefficient multiplies the minimum, so that the augmented reward stays linear in it; for
    coefficients of at least 0 that is the same as multiplying every alpha_i.

    F: f64[S].
    """
    worst: Floats = others.weigh_agents().min(axis=0)
    return worst


@at_every_step(weighs=RewardDistribution, additive=True)
def simultaneous(others: RewardDistribution, mdp: TabularMDP) -> Floats:
    """Eq 6: alpha_1 r_1 + sum_i alpha_i sum_j P(r_ij) r_j^(i)(s, a, s'), agents acting at once (section 3.3).

    Every step counts, for as long as anybody acts; the sum runs over the others only. Agents of fixed weight keep
    theirs; the care coefficient multiplies the weights of the rest.

    f64[S, A, K]: what every step adds.
    """
    return others.sum_weighted(others.weight * others.probability)


@at_the_end(weighs=OptionDistribution)
def options(others: OptionDistribution) -> Floats:
    """Eq 7: F = sum_I P(I) 1_I(s'), how likely the option that is wanted next can start (appendix A.1).

    Options may carry weights, F = sum_I alpha_I P(I) 1_I(s').

    F: f64[S].
    """
    return (others.weight * others.probability) @ others.initiation_set


@at_the_end(weighs=ValuedOptionDistribution)
def options_with_values(others: ValuedOptionDistribution) -> Floats:
    """Eq 8 with the discount that Eq 7 has: F = sum_<I,V> P(<I,V>) 1_I(s') V(s') (appendix A.1).

    Differs from the paper
    - its printed Eq 8 does not discount the sum: that is the formulation `options_with_values_printed`.

    F: f64[S].
    """
    return (others.weight * others.probability) @ (others.initiation_set * others.value)


@at_the_end(weighs=ValuedOptionDistribution, discounted=False)
def options_with_values_printed(others: ValuedOptionDistribution) -> Floats:
    """Eq 8 as printed: alpha_1 r_1 + alpha_2 sum_<I,V> P(<I,V>) 1_I(s') V(s'), undiscounted (appendix A.1).

    F: f64[S].
    """
    return (others.weight * others.probability) @ (others.initiation_set * others.value)
