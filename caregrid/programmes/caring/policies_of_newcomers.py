"""Policies that those who come afterwards follow in place of an optimal one: `precompute --follow NAME=POLICY`.

| POLICY                   | what the newcomer does                                                             |
| ------------------------ | ---------------------------------------------------------------------------------- |
| `random`                 | every available action with the same probability                                   |
| a file of rules          | what the first rule says that fits a state (below)                                 |
| a file of demonstrations | what it was seen to do, as often as it was seen (the file that `infer` reads)      |
| a file of behaviour      | the same (the file that `identify` reads), recorded in the newcomer's world        |
| a folder of `train`      | what was learned in the newcomer's world: `caregrid train playroom --set player=E` |
| `MODULE:FUNCTION`        | what a function of the table of the newcomer's world gives, int[S] or f64[S, A]    |

Where a policy says nothing, the newcomer acts optimally for itself. Rules are JSON. A rule fits every state that has
its fields, in words as `caregrid solve` prints a handover; it names an action, or the probabilities of several:

    {"policy": [{"state": {"cell": [5, 1], "fence": "yes"}, "action": "up"},
                {"state": {}, "actions": {"left": 0.5, "right": 0.5}}]}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caregrid.programmes.caring.replayed_behaviour import make_named_world
from caregrid.programmes.caring.training import TrainingResult
from craftworld.described_states import DescribedStates
from engine.errors import BadFile, BadValue, UnknownName, argument
from engine.files import read_text
from engine.mdp.policies import ROUNDING
from engine.printable import shorten, show_value
from engine.registry import split_call
from engine.user_code import load_user_code, names_user_code
from engine.value_types import pair_set

if TYPE_CHECKING:
    from craftworld.identification.behaviour import Behaviour
    from craftworld.scenario import Newcomer, Scenario
    from engine.mdp.mdp import Floats, TabularMDP

RANDOM = "random"
RULES = 'write {"policy": [{"state": {...}, "action": "..."}, ...]}'
LARGEST_FILE = 1 << 30


class NewcomerPolicy(NamedTuple):
    """What a newcomer follows, and in how many of the states of its world in which there is something to do."""

    policy: str
    states: int
    among: int


def apply_policies(
    scenario: Scenario, mdp: TabularMDP, follow: Mapping[str, Any] | Sequence[str]
) -> tuple[list[Newcomer], dict[str, NewcomerPolicy]]:
    """Give newcomers the policies that they follow; all newcomers, and what each of these follows.

    mdp: the acting agent's table. follow: name -> policy, or texts NAME=POLICY. Raises UnknownName, BadValue, BadFile
    or ContractBroken for a policy that cannot be followed.
    """
    from craftworld.others.other_agents import list_newcomers
    from craftworld.others.value_distribution import tabulate_newcomer

    newcomers = list(list_newcomers(scenario))
    names = [each.name for each in newcomers]
    followed = {}
    for name, policy in _pair_policies(follow, names).items():
        place = names.index(name)
        table, _ = tabulate_newcomer(scenario, mdp, newcomers[place])
        weight = _read_policy(newcomers[place], table, policy)
        total = weight.sum(axis=1, keepdims=True)
        chances = weight / np.where(total > 0.0, total, 1.0)
        live = ~table.terminal
        said = chances.any(axis=1) & live
        label = str(policy) if isinstance(policy, str | Path) else getattr(policy, "__name__", "policy")
        if not said.any():
            remedy = "name states of its world" if live.any() else "leave it out"
            raise BadValue(f"it says nothing of what '{name}' can do", place=shorten(label), remedy=remedy)
        followed[name] = NewcomerPolicy(label, int(said.sum()), int(live.sum()))
        newcomers[place] = newcomers[place]._replace(policy=partial(_complete_policy, chances))
    return newcomers, followed


def _pair_policies(follow: Mapping[str, Any] | Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Name -> policy; of texts, the longest newcomer's name that one begins with counts."""
    place = argument("follow")
    if isinstance(follow, Mapping):
        pairs = list(follow.items())
    else:
        longest_first = sorted(names, key=len, reverse=True)
        pairs = []
        for text in pair_set(follow, place):
            name = next((each for each in longest_first if text.startswith(f"{each}=")), text.partition("=")[0])
            pairs.append((name, text[len(name) + 1 :]))
    found: dict[str, Any] = {}
    for name, policy in pairs:
        if name not in names:
            raise UnknownName("newcomer", name, names, place=place)
        if name in found:
            raise BadValue(f"'{name}' has two policies", place=place, remedy="give one")
        if isinstance(policy, str) and not policy:
            raise BadValue(f"'{name}' has no policy", place=place, remedy=f"write '{name}=random' or '{name}=FILE'")
        found[name] = policy
    return found


def _complete_policy(chances: Floats, table: TabularMDP) -> Floats:
    """f64[S, A]: what a policy says, and an optimal action where it says nothing."""
    from engine.planning.dynamic_programming import plan

    optimal = np.eye(chances.shape[1])[table.executable(plan(table).policy)]
    return np.where(chances.any(axis=1, keepdims=True), chances, optimal)


def _read_policy(newcomer: Newcomer, table: TabularMDP, policy: Any) -> Floats:
    """f64[S, A]: in proportion to the probabilities of actions, 0 for all where the policy says nothing."""
    from craftworld.identification.behaviour import Behaviour
    from craftworld.others.value_distribution import find_followed_policy
    from engine.mdp.policies import make_probabilities, make_random_policy

    if isinstance(policy, TrainingResult):
        learner = policy.problem
        _require_same_world(newcomer, learner.scenario, "what was trained")
        return _transfer(table, learner.mdp, policy.policy.actions)
    if isinstance(policy, Behaviour):
        return _count_behaviour(newcomer, table, policy)
    if isinstance(policy, str | Path):
        if policy == RANDOM:
            return make_random_policy(table)
        path = Path(policy)
        name, arguments = split_call(str(policy), "policy")
        if os.path.isdir(path):
            return _read_folder(path, newcomer, table)
        if os.path.exists(path) or not names_user_code(name):
            return _read_file(path, newcomer, table)
        policy = partial(load_user_code(name, "policy"), **arguments)
    given = policy
    followed = find_followed_policy(newcomer._replace(policy=given if callable(given) else lambda _: given), table)
    return make_probabilities(table, np.asarray(followed))


def _read_folder(path: Path, newcomer: Newcomer, table: TabularMDP) -> Floats:
    """Return what a folder of `caregrid train` holds, learned in the newcomer's world."""
    from engine.mdp.tabulate import tabulate
    from experiments.learned_policy import load_policy

    world = newcomer.scenario
    learned_in = tabulate(world, world.discount)
    return _transfer(table, learned_in, load_policy(path, world, learned_in).actions)


def _read_file(path: Path, newcomer: Newcomer, table: TabularMDP) -> Floats:
    """Return what a file of rules, demonstrations or behaviour says; BadFile for any other."""
    from craftworld.identification.behaviour import read_behaviours
    from craftworld.inference import Candidate, read_demonstrations

    remedy = "name a file of rules, demonstrations or behaviour, a folder of 'caregrid train', random, MODULE:FUNCTION"
    text = read_text(path, LARGEST_FILE, remedy=remedy).strip()
    shape = table.next_state.shape[:2]
    if _parse(text.partition("\n")[0]).get("caregrid") == "behaviour":
        observed = read_behaviours(path, make=make_named_world)
        return sum((_count_behaviour(newcomer, table, each) for each in observed), np.zeros(shape))
    content = _parse(text)
    if "demonstrations" in content:
        watched = Candidate(newcomer, table, np.zeros(shape))
        seen = [pair for each in read_demonstrations(path, [watched]) for pair in each]
        return _count(table, [(state, table.actions.index(action), 1.0) for state, action in seen])
    if set(content) != {"policy"} or not isinstance(content["policy"], list):
        raise BadFile("it holds no policy", place=str(path), remedy=remedy)
    return _apply_rules(content["policy"], newcomer.scenario, table, str(path))


def _parse(text: str) -> dict[str, Any]:
    """Return a JSON object; an empty one for any other text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _require_same_world(newcomer: Newcomer, scenario: Scenario, place: str) -> None:
    """BadValue for what was done in another world than the newcomer's; where it began does not matter."""
    from craftworld.others.value_distribution import list_settings

    theirs, its = (json.dumps([*each.grid.rows, *list_settings(each)]) for each in (newcomer.scenario, scenario))
    if theirs != its:
        remedy = f"take that of {type(newcomer.scenario).__name__}, on the same map, with the same options"
        raise BadValue(f"it is not of the world of '{newcomer.name}'", place=place, remedy=remedy)


def _count(table: TabularMDP, seen: Iterable[tuple[Any, int, float]]) -> Floats:
    """f64[S, A]: how often an action was seen in a state, by (state, action, amount); unknown states are left out."""
    weight = np.zeros(table.next_state.shape[:2])
    for state, action, amount in seen:
        if state in table.index:
            weight[table.index[state], action] += amount
    return weight


def _count_behaviour(newcomer: Newcomer, table: TabularMDP, behaviour: Behaviour) -> Floats:
    _require_same_world(newcomer, behaviour.world.scenario, behaviour.place)
    states = behaviour.world.table.states
    return _count(table, ((states[step.state], step.action, 1.0) for walk in behaviour.episodes for step in walk))


def _transfer(table: TabularMDP, learned_in: TabularMDP, policy: Any) -> Floats:
    """f64[S, A]: a policy of one table, in the states of another one of the same world."""
    from engine.mdp.policies import make_probabilities

    chances = make_probabilities(learned_in, policy)
    live = np.flatnonzero(~learned_in.terminal).tolist()
    taken = ((state, action) for state in live for action in np.flatnonzero(chances[state]).tolist())
    return _count(table, ((learned_in.states[state], action, chances[state, action]) for state, action in taken))


def _apply_rules(rules: Sequence[Any], scenario: Scenario, table: TabularMDP, file: str) -> Floats:
    """f64[S, A]: what the first rule says that fits each state; BadFile names a rule that fits no newcomer."""
    states = DescribedStates(scenario, table, np.flatnonzero(~table.terminal))
    chances = np.zeros(table.next_state.shape[:2])
    for number, rule in enumerate(rules, start=1):
        place = f"{file}, rule {number}"
        if not isinstance(rule, dict) or set(rule) not in ({"state", "action"}, {"state", "actions"}):
            raise BadFile("it is no rule", place=place, remedy=RULES)
        fits = states.find(rule["state"], place)
        said = _read_chances(rule, table.actions, place)
        silent = fits[~chances[fits].any(axis=1)]
        allowed = table.action_mask(silent)
        if not allowed[:, said > 0.0].all():
            words = scenario.describe(table.states[int(silent[~allowed[:, said > 0.0].all(axis=1)][0])])
            raise BadFile(f"an action that is not available in {json.dumps(words)}", place=place, remedy="name another")
        chances[silent] = said
    return chances


def _read_chances(rule: Mapping[str, Any], actions: Sequence[str], place: str) -> Floats:
    """f64[A]: the probabilities of actions that a rule names."""
    named = {rule["action"]: 1.0} if isinstance(rule.get("action"), str) else rule.get("actions")
    if not isinstance(named, dict) or not named or not set(named) <= set(actions):
        remedy = f"name of {', '.join(actions)}"
        raise BadFile(f"it does {show_value(rule.get('action', named))}", place=place, remedy=remedy)
    chances = np.zeros(len(actions))
    for name, chance in named.items():
        if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0.0 <= chance <= 1.0:
            raise BadFile(f"the probability of '{name}' is {show_value(chance)}", place=place, remedy="give 0 to 1")
        chances[actions.index(name)] = chance
    if abs(chances.sum() - 1.0) > ROUNDING:
        raise BadFile(f"probabilities that sum to {chances.sum():g}", place=place, remedy="let them sum to 1")
    return chances
