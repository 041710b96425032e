"""A distribution P(V) over others' value functions, precomputed on the acting agent's states, and saved in a file.

V(s) is what a newcomer can expect if the acting agent ends in s and the newcomer then starts from what s hands over,
the mean where that is random; it need not start where the acting agent ended ("Be Considerate", section 3.1). A
newcomer that cannot be sure to finish gets what it can expect within its time limit. A newcomer with a policy of its
own (`Newcomer.policy`) gets what it can expect from that: the optimum of a table in which there is nothing else to do.
Values made for other policies than the scenario's (`precompute --follow`) have these beside them, so that films and
certificates are of the newcomers that the values are of.

| symbol | name          |
| ------ | ------------- |
| V      | `value`       |
| P(V)   | `probability` |
| alpha_i| `weight`      |
| V(s0)  | `baseline_value`   |

Files are `.npz`: plain arrays, no pickle, and a fingerprint of what they were made for. The fingerprint covers the
scenario's table (which its map and options decide), who comes after, how likely and by which rules; a file made for
anything else is refused. How the values were made (method, seed, steps) is kept as a note beside them. `ARRAY_KEYS`
maps a field of the distribution to its key in the file; the baseline keeps the key of the first files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from craftworld.others.other_agents import (
    WeighedDistribution,
    list_newcomers,
    list_options,
    list_simultaneous_agents,
    make_end_rewards,
    make_roster,
    tabulate_simultaneous_rewards,
)
from craftworld.scenario import Newcomer, Scenario
from engine.array_file import read_arrays, read_plain_arrays, write_arrays
from engine.contracts import call_method, refuse
from engine.errors import BadFile, BadValue, ContractBroken, NoPlan
from engine.mdp.columns import Codec, ColumnStates, read_branches
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.policies import RandomStates, follow_policy, require_policy
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import find_optimal_value
from engine.planning.finite_horizon import Visits, plan_finite_horizon
from engine.user_code import user_code

ValueOf = Callable[[Newcomer, TabularMDP], Floats]


@dataclass(frozen=True)
class ValueDistribution(WeighedDistribution):
    """N possible value functions over the S states of the acting agent's table.

    names: N. owners: N, the agent whose possibility each is. value: f64[N, S]. probability, weight: f64[N].
    baseline_value: f64[N], the values had the acting agent ended in its start state (Eq 3's baseline). fixed: owners
    whose weight the care coefficient does not multiply (Eq 4). The acting agent may own
    possibilities too (appendix B.2). policies: what each follows where the values are of other policies than the
    scenario's, int32[S'] or f64[S', A'], None for an optimal one; empty otherwise.
    """

    requirement: ClassVar[str] = "newcomers"

    names: tuple[str, ...]
    owners: tuple[str, ...]
    value: Floats
    probability: Floats
    weight: Floats
    baseline_value: Floats
    fixed: tuple[str, ...] = ()
    policies: tuple[Policy | Floats | None, ...] = ()

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        return bool(list_newcomers(scenario))

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> ValueDistribution:
        return precompute(scenario, mdp)

    def with_baseline(self, start: int) -> ValueDistribution:
        """Return the same distribution with the baseline of one start state (its number)."""
        return replace(self, baseline_value=self.value[:, start])

    def weigh_agents(self, weigh: bool = True) -> Floats:
        """f64[n, S]: alpha_i sum_j P(V_ij) V_ij(s) of each agent that has a possible value function.

        weigh: False for alpha_i = 1. Raises BadValue where no agent has one.
        """
        weighted = (self.probability * (self.weight if weigh else 1.0))[:, None] * self.value
        owners = np.array(self.owners)
        return np.array([weighted[owners == owner].sum(axis=0) for owner in self._find_agents()])

    def find_agent_weights(self) -> Floats:
        """f64[n]: alpha_i of each agent that has a possible value function, the mean over its possibilities."""
        owners = np.array(self.owners)
        each = [owners == owner for owner in self._find_agents()]
        return np.array([np.average(self.weight[mine], weights=self.probability[mine]) for mine in each])

    def _find_agents(self) -> list[str]:
        """Return the agents that have a possible value function, in order; BadValue where there are none."""
        likely = zip(self.owners, self.probability, strict=True)
        possible = list(dict.fromkeys(owner for owner, chance in likely if chance > 0.0))
        if not possible:
            raise BadValue("no agent has a value function", place="others", remedy="give one a probability above 0")
        return possible

    def terminal_value(self) -> Floats:
        """f64[S]: sum_V P(V) V(s)."""
        return self.probability @ self.value

    def step_reward(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: nothing, they act later."""
        return np.zeros(mdp.reward.shape)

    def path_returns(self, mdp: TabularMDP, path: Sequence[int], actions: Sequence[int]) -> Floats:
        """f64[N]: the values of the state in which a walk ends."""
        return self.value[:, path[-1]]

    def return_rewards(self, mdp: TabularMDP) -> tuple[TabularMDP, Sequence[Floats]]:
        """Return the values of the state in which a policy ends."""
        return make_end_rewards(mdp, self.value)

    def compute_final_values(self, mdp: TabularMDP, policy: Policy | Floats, visits: Visits) -> Floats:
        """f64[N]: the mean values of the states in which a policy is in the end."""
        return self.value @ visits.end


def precompute(
    scenario: Scenario,
    mdp: TabularMDP,
    value_of: ValueOf | None = None,
    newcomers: Sequence[Newcomer] | None = None,
) -> ValueDistribution:
    """Compute the others' values on every state of `mdp`, the acting agent's table.

    value_of: newcomer and its table -> f64[its states]; exact planning by default (`solve_exact_values`). newcomers:
    the scenario's own by default, or the same that follow other policies.
    """
    solve = value_of or solve_exact_values
    listed = list_newcomers(scenario) if newcomers is None else newcomers
    if not listed:
        raise BadValue("nobody comes afterwards", place=scenario.name, remedy="choose a scenario with newcomers")
    value = np.zeros((len(listed), len(mdp.states)))
    policies: list[Policy | Floats | None] = []
    for row, newcomer in enumerate(listed):
        table, begins = tabulate_newcomer(scenario, mdp, newcomer)
        policies.append(find_followed_policy(newcomer, table))
        value[row] = begins.average(solve(newcomer, _follow(table, policies[-1])))
    return ValueDistribution(
        value=value,
        baseline_value=value[:, mdp.start_states()[0]],
        policies=() if newcomers is None else tuple(policies),
        **make_roster(listed),
    )


def list_valued_newcomers(scenario: Scenario, others: object) -> Sequence[Newcomer]:
    """List a scenario's newcomers; those that act by other policies in the others' values follow these."""
    listed = list_newcomers(scenario)
    policies = others.policies if isinstance(others, ValueDistribution) else ()
    if not policies:
        return listed
    return [
        newcomer if policy is None else newcomer._replace(policy=partial(_give, policy))
        for newcomer, policy in zip(listed, policies, strict=True)
    ]


def _give(policy: Policy | Floats, table: TabularMDP) -> Policy | Floats:
    return policy


def tabulate_newcomer(scenario: Scenario, mdp: TabularMDP, newcomer: Newcomer) -> tuple[TabularMDP, RandomStates]:
    """Tabulate a newcomer's world from all states that may be handed over, and its start for each of S states."""
    assert isinstance(mdp.states, ColumnStates)
    starts, begins = tabulate_handover(scenario, mdp.states.columns(), newcomer)
    return tabulate(newcomer.scenario, newcomer.scenario.discount, starts), begins


def tabulate_followed_newcomer(
    scenario: Scenario, mdp: TabularMDP, newcomer: Newcomer
) -> tuple[TabularMDP, RandomStates]:
    """As `tabulate_newcomer`; where the newcomer follows a policy, the table has one action, to follow it."""
    table, begins = tabulate_newcomer(scenario, mdp, newcomer)
    return _follow(table, find_followed_policy(newcomer, table)), begins


def _follow(table: TabularMDP, policy: Policy | Floats | None) -> TabularMDP:
    return table if policy is None else follow_policy(table, policy).table


def find_followed_policy(newcomer: Newcomer, table: TabularMDP) -> Policy | Floats | None:
    """Find the policy that a newcomer follows in its table, int32[S] or f64[S, A]; None where it acts optimally.

    Raises ContractBroken for one that does not fit the table.
    """
    if newcomer.policy is None:
        return None
    with user_code(f"policy of '{newcomer.name}'"):
        given = newcomer.policy(table)
    try:
        return require_policy(table, given)
    except BadValue as error:
        states, actions = table.next_state.shape[:2]
        expected = f"int[{states}] below {actions}, or f64[{states}, {actions}], of available actions"
        raise ContractBroken(
            f"it gave {error.problem}", place=f"policy of '{newcomer.name}'", remedy=f"give {expected}"
        ) from None


def tabulate_handover(scenario: Scenario, columns: Any, newcomer: Newcomer) -> tuple[dict[Any, float], RandomStates]:
    """Tabulate a newcomer's possible start states, equally likely, and which of them each of n states hands over.

    columns: states of the acting agent, as a NamedTuple of int64[n]. ContractBroken where `handover` gives no columns,
    or no states of the newcomer's world.
    """
    count = len(columns[0])
    listed = read_branches(call_method(scenario, "handover", columns, newcomer), count, scenario, "handover")
    kind = type(listed[0].state)
    if any(type(branch.state) is not kind for branch in listed):
        refuse(
            scenario, "handover", [type(branch.state).__name__ for branch in listed], "states of one NamedTuple class"
        )
    probability = np.stack([branch.probability for branch in listed], axis=1)
    possible = [n for n in range(len(listed)) if probability[:, n].any()]
    codec = Codec(kind, newcomer.scenario.sizes, scenario)
    handed = np.zeros(probability.shape, dtype=np.int64)
    for slot, n in enumerate(possible):
        asked = probability[:, slot] > 0.0
        state = listed[n].state if asked.all() else kind(*(field[asked] for field in listed[n].state))
        handed[asked, slot] = codec.encode(state, f"handover to '{newcomer.name}'")
    certain = handed[np.arange(count), probability.argmax(axis=1)]
    handed = np.where(probability > 0.0, handed, certain[:, None])
    number_of = np.full(codec.count, -1, dtype=np.int32)
    number_of[handed] = 0
    found = np.flatnonzero(number_of == 0)
    number_of[found] = np.arange(len(found))
    starts = {kind(*map(int, fields)): 1.0 / len(found) for fields in zip(*codec.decode(found), strict=True)}
    return starts, RandomStates(number_of[handed], probability)


def solve_exact_values(newcomer: Newcomer, table: TabularMDP) -> Floats:
    """Compute optimal values of a newcomer's table, f64[S]; the time limit's where it cannot be sure to finish.

    Raises NoPlan for a newcomer that can gain for ever.
    """
    value = find_optimal_value(table)
    if np.isposinf(value).any():
        problem = f"'{newcomer.name}' can gain for ever"
        raise NoPlan(problem, place="newcomers", remedy="use a discount below 1, or make cycles cost something")
    return replace_endless_values(table, value, newcomer.scenario.time_limit)


def replace_endless_values(table: TabularMDP, value: Floats, limit: int) -> Floats:
    """Replace -inf and nan by the best that `limit` steps can collect without ending (finite-horizon backups)."""
    value = np.where(np.isnan(value), -np.inf, value)
    lost = np.flatnonzero(np.isneginf(value))
    if not len(lost):
        return value
    if not table.is_deterministic:
        return np.where(np.isneginf(value), plan_finite_horizon(table, limit).value, value)
    position = np.full(len(value), -1)
    position[lost] = np.arange(len(lost))
    target = position[table.next_state[lost]]
    outside = target < 0
    reward = np.where(outside, -np.inf, table.reward[lost])
    collected = np.zeros(len(lost))
    for done in range(limit):
        backed = (table.probability[lost] * (reward + table.discount * collected[target])).sum(axis=2).max(axis=1)
        drift = backed - collected
        collected = backed
        if table.discount == 1.0 and (drift == drift[0]).all() and done:
            collected = collected + drift * (limit - done - 1)
            break
    result = value.copy()
    result[lost] = collected
    return result


VALUES_FORMAT = "caregrid values 3"
ARRAY_KEYS = {"value": "value", "probability": "probability", "weight": "weight", "baseline_value": "untouched"}
VALUES_REMEDY = "make it again with 'caregrid precompute'"
WORD_FIELDS = ("names", "owners", "fixed")
FOLLOWERS = "policies"
"""In the header: which newcomers, by number, follow policies of the file."""


def compute_fingerprint(scenario: Scenario, mdp: TabularMDP) -> str:
    """Compute 32 hexadecimal digits: the same for the same world, others and discount, on every machine.

    A newcomer's world counts by its class and its attributes that are numbers or words, its policy by its numbers;
    agents that act at the same time by their rewards; options by their names and weights.
    """
    digest = hashlib.blake2b(digest_size=16)
    newcomers = [
        (n.name, n.owner, float(n.probability).hex(), float(n.weight).hex(), n.swept, list_settings(n.scenario))
        for n in list_newcomers(scenario)
    ]
    words = [type(scenario).__name__, list(scenario.grid.rows), list(mdp.actions), float(mdp.discount).hex(), newcomers]
    if options := list_options(scenario):
        words.append([(one.name, float(one.probability).hex(), float(one.weight).hex()) for one in options])
    digest.update(json.dumps(words).encode())
    arrays: list[tuple[Any, str]] = [
        (mdp.next_state, "<i4"),
        (mdp.reward, "<f8"),
        (mdp.terminal, "u1"),
        (mdp.start, "<f8"),
    ]
    arrays += [] if mdp.is_deterministic else [(mdp.probability, "<f8")]
    arrays += [] if mdp.available is None else [(mdp.available, "u1")]
    for newcomer in list_newcomers(scenario):
        if newcomer.policy is not None:
            arrays.append((find_followed_policy(newcomer, tabulate_newcomer(scenario, mdp, newcomer)[0]), "<f8"))
    if list_simultaneous_agents(scenario):
        present = tabulate_simultaneous_rewards(scenario, mdp)
        arrays += [(each, "<f8") for each in (present.reward, present.probability, present.weight)]
    for array, kind in arrays:
        digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return digest.hexdigest()


def list_settings(scenario: Scenario) -> list[Any]:
    """Return a scenario's class and those of its attributes that are numbers or words, in order of their names."""
    plain = {name: value for name, value in vars(scenario).items() if isinstance(value, int | float | str)}
    return [type(scenario).__name__, *([name, repr(plain[name])] for name in sorted(plain))]


def save_values(path: str | Path, others: ValueDistribution, mark: str, note: Mapping[str, Any]) -> None:
    """Write a file, completely or not at all. mark: the fingerprint; note: how the values were made (JSON)."""
    arrays: dict[str, Any] = {key: getattr(others, name) for name, key in ARRAY_KEYS.items()}
    arrays |= {name: np.array(getattr(others, name), dtype=np.str_) for name in WORD_FIELDS}
    header: dict[str, Any] = {"format": VALUES_FORMAT, "fingerprint": mark, "note": dict(note)}
    policies = {row: policy for row, policy in enumerate(others.policies) if policy is not None}
    if policies:
        header[FOLLOWERS] = list(policies)
        arrays |= {_name_policy(row): policy for row, policy in policies.items()}
    write_arrays(path, header, arrays)


def _name_policy(row: int) -> str:
    """Return the name of the array with what a newcomer follows."""
    return f"policy {row}"


def load_scenario_values(scenario: Scenario, mdp: TabularMDP, path: str | Path) -> ValueDistribution:
    """Load the values of a file, which must be those of the scenario's own newcomers; BadFile as from `load_values`.

    How likely they are may differ from the scenario: `caregrid infer --out` writes one that is inferred from
    demonstrations. mdp: the acting agent's table of the scenario.
    """
    others, _ = load_values(path, compute_fingerprint(scenario, mdp))
    listed = list_newcomers(scenario)
    belongs = (
        others.names == tuple(n.name for n in listed)
        and others.owners == tuple(n.owner or n.name for n in listed)
        and others.fixed == tuple(n.owner or n.name for n in listed if not n.swept)
        and all(0.0 <= probability <= 1.0 for probability in others.probability.tolist())
        and others.weight.tolist() == [float(n.weight) for n in listed]
    )
    if not belongs:
        raise BadFile("its newcomers are not the scenario's", place=str(path), remedy=VALUES_REMEDY)
    for newcomer, policy in zip(list_valued_newcomers(scenario, others), others.policies, strict=False):
        if policy is not None:
            try:
                find_followed_policy(newcomer, tabulate_newcomer(scenario, mdp, newcomer)[0])
            except ContractBroken as error:
                raise BadFile(f"{error.place}: {error.problem}", place=str(path), remedy=VALUES_REMEDY) from None
    return others


def load_values(path: str | Path, mark: str) -> tuple[ValueDistribution, dict[str, Any]]:
    """Load the values of a file and its note. BadFile where it is missing, corrupt or made for another world."""
    place = str(path)
    header, found = read_arrays(path, [*ARRAY_KEYS.values(), *WORD_FIELDS], "values", VALUES_REMEDY)
    arrays = dict(zip([*ARRAY_KEYS, *WORD_FIELDS], found, strict=True))
    if header.get("format") != VALUES_FORMAT:
        raise BadFile("not a file of values", place=place, remedy=VALUES_REMEDY)
    if header.get("fingerprint") != mark:
        raise BadFile("its values were made for another scenario, map or setting", place=place, remedy=VALUES_REMEDY)
    _check_arrays(arrays, place)
    fields: dict[str, Any] = {name: tuple(str(word) for word in arrays[name]) for name in WORD_FIELDS}
    fields |= {name: arrays[name].astype(np.float64) for name in ARRAY_KEYS}
    note = header.get("note", {})
    if not isinstance(note, dict):
        raise BadFile("its note is not a list of settings", place=place, remedy=VALUES_REMEDY)
    return ValueDistribution(**fields, policies=_read_policies(path, header, len(fields["names"]))), note


def _read_policies(path: str | Path, header: Mapping[str, Any], count: int) -> tuple[Policy | Floats | None, ...]:
    """Read what each of so many newcomers follows; empty where the file has no policies."""
    rows = header.get(FOLLOWERS, [])
    if not isinstance(rows, list) or any(row not in range(count) or isinstance(row, bool) for row in rows):
        raise BadFile(f"'{FOLLOWERS}' lists no numbers of newcomers", place=str(path), remedy=VALUES_REMEDY)
    found = read_plain_arrays(path, [_name_policy(row) for row in rows], "values", VALUES_REMEDY) if rows else []
    policies = dict(zip(rows, found, strict=True))
    return tuple(policies.get(row) for row in range(count)) if policies else ()


def _check_arrays(arrays: Mapping[str, Any], place: str) -> None:
    """Refuse arrays that do not fit together or are not finite."""
    count = len(arrays["names"]) if arrays["names"].ndim == 1 else -1
    shapes_fit = (
        all(arrays[name].ndim == 1 for name in WORD_FIELDS)
        and arrays["value"].ndim == 2
        and len(arrays["value"]) == count
        and all(arrays[name].shape == (count,) for name in ("probability", "weight", "baseline_value", "owners"))
    )
    numeric = shapes_fit and all(arrays[name].dtype.kind == "f" for name in ARRAY_KEYS)
    if not numeric or not all(np.isfinite(arrays[name]).all() for name in ARRAY_KEYS):
        raise BadFile("its arrays do not fit together", place=place, remedy=VALUES_REMEDY)
