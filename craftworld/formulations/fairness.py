"""Fairness between those who come next: how unequally they fare counts, too, beyond the minimum of Eq 5.

    U_i(s') = alpha_i sum_j P(V_ij) V_ij(s'),   what agent i can expect; U_(1) <= ... <= U_(n) in order

| entry                  | F(s')                                                                       |
| ---------------------- | --------------------------------------------------------------------------- |
| `gini_welfare`         | sum_k (2 (n - k) + 1) / n^2 U_(k): the mean, less the mean difference / 2   |
| `leximin`              | the place of (U_(1), ..., U_(n)) among those of all states, from 0          |
| `nash_welfare`         | (prod_i (U_i(s') - min_s U_i(s)))^(1 / n)                                   |
| `relative_utilitarian` | sum_i alpha_i (U_i(s') - min_s U_i(s)) / (max_s U_i(s) - min_s U_i(s))      |

Nash welfare orders states alike on whatever scale each agent counts, and relative utilitarianism gives all of them
one scale. There alpha_i stands outside of U_i, and does not count in Nash welfare. Leximin is an order and no amount:
care says what a place is worth in own reward, and where it is large, others come first.

References: J. Weymark, "Generalized Gini inequality indices", 1981; A. Sen, "Collective choice and social welfare",
1970 (leximin); J. Nash, "The bargaining problem", 1950; M. Kaneko, K. Nakamura, "The Nash social welfare function",
1979; A. Dhillon, J.-F. Mertens, "Relative utilitarianism", 1999.

Choices: what an agent gets at worst, its disagreement point, is the least over all states of the acting agent's
world, and the most is over the same. Nash welfare is the n-th root of the product, so that it counts in units of
return. Values that differ by a billionth of their scale are equal in the order.
"""

import numpy as np

from craftworld.formulation import at_the_end
from craftworld.others.value_distribution import ValueDistribution
from engine.mdp.mdp import Floats

__all__ = ["gini_welfare", "leximin", "nash_welfare", "relative_utilitarian"]

DIGITS = 9


@at_the_end(weighs=ValueDistribution)
def gini_welfare(others: ValueDistribution) -> Floats:
    """The Gini social welfare: the worse off an agent is among the others, the more it counts (Weymark, 1981).

    F: f64[S].
    """
    values = np.sort(others.weigh_agents(), axis=0)
    count = len(values)
    share = (2.0 * np.arange(count, 0, -1) - 1.0) / count**2
    return share @ values


@at_the_end(weighs=ValueDistribution)
def leximin(others: ValueDistribution) -> Floats:
    """Leximin: the worst off first, then the second worst, and so on, as the place in that order (Sen, 1970).

    F: f64[S], whole numbers from 0.
    """
    values = np.sort(others.weigh_agents(), axis=0)
    scale = max(1.0, float(np.abs(values).max()))
    _, place = np.unique(np.round(values / scale, DIGITS).T, axis=0, return_inverse=True)
    return place.reshape(-1).astype(np.float64)


@at_the_end(weighs=ValueDistribution)
def nash_welfare(others: ValueDistribution) -> Floats:
    """Nash's welfare: the product of what each agent has above its worst (Nash, 1950; Kaneko and Nakamura, 1979).

    F: f64[S], its n-th root.
    """
    values = others.weigh_agents(weigh=False)
    gains = values - values.min(axis=1, keepdims=True)
    root: Floats = np.prod(gains ** (1.0 / len(gains)), axis=0)
    return root


@at_the_end(weighs=ValueDistribution)
def relative_utilitarian(others: ValueDistribution) -> Floats:
    """Relative utilitarianism: a sum of values that run from 0 to 1 for each agent (Dhillon and Mertens, 1999).

    F: f64[S]; an agent that fares alike in all states adds 0.
    """
    values = others.weigh_agents(weigh=False)
    gains = values - values.min(axis=1, keepdims=True)
    most = gains.max(axis=1, keepdims=True)
    scaled = np.divide(gains, most, out=np.zeros_like(gains), where=most > 0.0)
    total: Floats = others.find_agent_weights() @ scaled
    return total
