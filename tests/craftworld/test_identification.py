"""Which of the papers' agents is it: plain loops, calibration, recovery, and files that do not fit."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from craftworld.identification import misfit
from craftworld.identification.action_values import CaringReward, find_choice_values
from craftworld.identification.behaviour import (
    Behaviour,
    ObservedStep,
    ObservedWorld,
    read_behaviours,
    record_behaviour,
)
from craftworld.identification.identify import (
    Question,
    compute_evidence,
    compute_evidence_by_temperature,
    find_decisive_temperatures,
    find_optimal_care,
    identify,
    identify_each,
)
from craftworld.identification.likelihood import Choices, compute_chances
from craftworld.identification.misfit import (
    DISCOUNT,
    FIRST_ACTION,
    OUTSIDE,
    TWO_AGENTS,
    find_misfit,
    find_supported_actions,
)
from craftworld.identification.posterior import Prior, integrate
from craftworld.solution.problem import make_problem
from engine.errors import BadFile, BadValue
from engine.mdp.policies import epsilon_greedy, make_random_policy
from tests.craftworld.random_tables import make_table


def plain_values(reward, care):
    """Q_c by value iteration in plain loops, f64[S, A, C], over policies that end."""
    table = reward.table
    states, actions, slots = table.next_state.shape
    fixed, swept = (np.broadcast_to(each, table.reward.shape) for each in (reward.fixed, reward.swept))
    value = np.where(table.terminal[:, None], np.zeros(len(care)), -np.inf)
    mask = table.action_mask(np.arange(states))
    for _ in range(2000):
        action_value = np.full((states, actions, len(care)), -np.inf)
        for s, a in itertools.product(range(states), range(actions)):
            if table.terminal[s] or not mask[s, a]:
                continue
            total = np.zeros(len(care))
            for k in range(slots):
                if table.probability[s, a, k] > 0.0:
                    step = reward.own * table.reward[s, a, k] + fixed[s, a, k] + care * swept[s, a, k]
                    total = total + table.probability[s, a, k] * (
                        step + table.discount * value[table.next_state[s, a, k]]
                    )
            action_value[s, a] = total
        new = np.where(table.terminal[:, None], 0.0, action_value.max(axis=1))
        same = np.isfinite(new) == np.isfinite(value)
        here = np.isfinite(new) & np.isfinite(value)
        if same.all() and np.abs(new[here] - value[here]).max(initial=0.0) < 1e-13:
            break
        value = new
    return action_value


def check_table(number, *, chance, at_the_end, discount):
    table = make_table(number, chance, discount)
    random = np.random.default_rng(10_000 + number)
    ends = table.terminal[table.next_state] & ~table.terminal[:, None, None]
    swept = -random.integers(0, 4, table.reward.shape).astype(np.float64)
    if at_the_end:
        swept = np.where(ends, random.integers(-9, 9, table.terminal.shape)[table.next_state], 0.0)
    swept[:, 0] = swept[:, 0, :1]
    swept[table.terminal] = 0.0
    reward = CaringReward(table, 1.0, np.zeros(table.reward.shape), swept)
    live = np.flatnonzero(~table.terminal).tolist()
    (found,) = find_choice_values([reward], live)
    low, high = max(found.finite[0], -3.0), min(found.finite[1], 3.0)
    care = np.array([low + (high - low) * share for share in (0.03, 0.2, 0.4, 0.55, 0.9)])
    expected = plain_values(reward, care)
    for (state, action), lines in found.lines.items():
        mine = (lines[:, 0] + care[:, None] * lines[:, 1]).max(axis=1, initial=-np.inf)
        want = expected[state, action]
        assert (np.isfinite(mine) == np.isfinite(want)).all()
        here = np.isfinite(want)
        np.testing.assert_allclose(mine[here], want[here], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("number", range(30))
def test_action_values_are_those_of_plain_loops_where_care_pays_at_the_end(number):
    check_table(number, chance=False, at_the_end=True, discount=1.0)


@pytest.mark.parametrize("number", range(12))
def test_action_values_are_those_of_plain_loops_at_every_step_and_under_chance(number):
    check_table(number, chance=number % 2 == 0, at_the_end=False, discount=0.9)


def rewards_of(world, *formulations):
    start = int(world.table.start_states()[0])
    return [CaringReward.of(make_problem(world.scenario, name, mdp=world.table), start) for name in formulations]


@pytest.mark.slow
def test_long_behaviour_has_the_same_evidence_at_a_finer_tolerance():
    world = ObservedWorld.make("garden")
    policy = make_problem(world.scenario, mdp=world.table).plan_optimum(1.0, int(world.table.start_states()[0])).policy
    behaviour = record_behaviour(epsilon_greedy(world.table, policy, 0.4), world, 60, 3)
    choices = Question([behaviour], ["expected"]).gather("expected")
    coarse, fine = integrate(choices, Prior()), integrate(choices, Prior(), tolerance=1e-9)
    assert coarse.log_evidence == pytest.approx(fine.log_evidence, abs=3e-7)
    for parameter in range(3):
        assert coarse.find_interval(parameter) == pytest.approx(fine.find_interval(parameter), rel=1e-3, abs=1e-4)


@pytest.mark.slow
def test_posteriors_are_calibrated():
    """Parameters drawn from the prior lie uniformly in their posteriors (Talts et al. 2018)."""
    from scipy.stats import chisquare

    world = ObservedWorld.make("kitchen_peanut")
    (reward,) = rewards_of(world, "expected")
    live = np.flatnonzero(~world.table.terminal).tolist()
    (values,) = find_choice_values([reward], live)
    random = np.random.default_rng(5)
    table, draws, bins = world.table, 200, 10
    ranks = np.zeros((draws, 3))
    for draw in range(draws):
        u, log_t = random.uniform(-math.pi / 2, math.pi / 2), random.uniform(math.log(0.05), math.log(20.0))
        slip = random.beta(1.0, 9.0)
        state, counts = int(table.start_states()[0]), {}
        for _ in range(15):
            if table.terminal[state]:
                break
            actions = np.flatnonzero(table.action_mask(state)).tolist()
            lines = [values.lines[state, action] for action in actions]
            value = np.array([(each[:, 0] + math.tan(u) * each[:, 1]).max(initial=-np.inf) for each in lines])
            action = int(random.choice(actions, p=compute_chances(value, math.exp(log_t), slip)))
            counts.setdefault(state, {}).setdefault(action, 0.0)
            counts[state][action] += 1.0
            state = int(table.next_state[state, action, 0])
        posterior = integrate(Choices.of((values, s, taken) for s, taken in counts.items()), Prior())
        ranks[draw] = [posterior.find_share_below(n, at) for n, at in enumerate((u, log_t, slip))]
    for parameter in range(3):
        counted = np.histogram(ranks[:, parameter], bins=bins, range=(0.0, 1.0))[0]
        assert chisquare(counted).pvalue > 0.01, (parameter, counted)


@pytest.mark.parametrize("name", ["garden", "kitchen_salad", "playroom", "toll_road", "icy_yard", "office_kitchen"])
def test_the_true_segment_lies_inside_the_exact_interval(name):
    world = ObservedWorld.make(name)
    problem = make_problem(world.scenario, mdp=world.table)
    start = int(world.table.start_states()[0])
    for segment in problem.segments[start]:
        if not math.isfinite(segment.line.own):
            continue
        low, high = max(segment.start, -1e3), min(segment.stop, 1e3)
        middle = 0.5 * (low + high)
        behaviour = record_behaviour(problem.plan_optimum(middle, start).policy, world, 2, 0)
        choices = Question([behaviour], [problem.formulation]).gather(problem.formulation)
        found = find_optimal_care(choices)
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        assert any(a <= low + slack and high - slack <= b for a, b in found), (segment.start, segment.stop, found)


def make_behaviour(name="garden", episodes=3, policy=None):
    world = ObservedWorld.make(name)
    return record_behaviour(make_random_policy(world.table) if policy is None else policy, world, episodes, 0)


def test_formulations_that_are_one_in_a_world_are_one_hypothesis():
    found = identify([make_behaviour("playroom", 1)])
    members = {each.members for each in found.classes}
    assert {"worst_case", "least_well_off"} <= set().union(*(set(one) for one in members if "worst_case" in one))
    names = [each.name for each in found.hypotheses]
    assert len(names) == len(set(names))
    assert sum(each.probability for each in found.hypotheses) == pytest.approx(1.0)


def test_twins_have_the_same_evidence_at_scaled_care():
    """worst_case = 1.2 x the first in the icy yard: with a prior on the whole line only the scale of care differs."""
    question = Question([make_behaviour("icy_yard", 1)])
    (one,) = [each for each in question.classes if not each.indifferent]
    first, other = question.gather(one.name), question.gather("worst_case")
    ours, theirs = (sorted(each.list_points()[1:-1]) for each in (first, other))
    np.testing.assert_allclose(ours, np.array(theirs) * one.scale["worst_case"], rtol=1e-9, atol=1e-9)
    assert one.scale["worst_case"] != 1.0


def test_posteriors_of_several_worlds_multiply():
    garden, peanut = make_behaviour("garden", 1), make_behaviour("kitchen_peanut", 1)
    both = Question([garden, peanut], ["expected"])
    together = both.gather("expected")
    apart = [Question([each], ["expected"]).gather("expected") for each in (garden, peanut)]
    assert together.count.sum() == sum(each.count.sum() for each in apart)
    at = np.array([0.37])
    assert together.select_lines(at).shape[1] <= sum(each.select_lines(at).shape[1] for each in apart)


def make_hot(name, episodes, care=3.0, temperature=4.0):
    """Behaviour of an agent of the model itself."""
    world = ObservedWorld.make(name)
    table, (reward,) = world.table, rewards_of(world, "expected")
    live = np.flatnonzero(~table.terminal).tolist()
    (values,) = find_choice_values([reward], live)
    policy = make_random_policy(table)
    for state in live:
        actions = np.flatnonzero(table.action_mask(state))
        lines = [values.lines[state, action] for action in actions.tolist()]
        value = np.array([(each[:, 0] + care * each[:, 1]).max(initial=-np.inf) for each in lines])
        policy[state], policy[state, actions] = 0.0, compute_chances(value, temperature, 0.05)
    return record_behaviour(policy, world, episodes, 0)


def test_a_temperature_that_decides_is_found():
    """Fixed cold, a hot agent would be one at random; fixed hot, one that cares: each a verdict above .95."""
    found = identify([make_hot("playroom", 6)], ["expected"])
    verdicts = find_decisive_temperatures(found.hypotheses, Prior())
    assert [name for *_, name in verdicts] == ["random", "expected"]
    choices = {"expected": found.question.gather("expected"), "own": found.question.gather("own").without_care()}
    for low, high, name in verdicts:
        # the ends of each range again, with a prior that is nothing but them
        for ends in ((low, low * 1.2), (high / 1.2, high)):
            there = {each: integrate(of, Prior(ends)).log_evidence for each, of in choices.items()}
            there["random"] = next(each.log_evidence for each in found.hypotheses if each.name == "random")
            assert max(there, key=there.get) == name
    edges, names, evidence, resolved = compute_evidence_by_temperature(found.hypotheses, Prior())
    row = names.index("expected")
    for part in np.flatnonzero(resolved[row])[::5].tolist():
        there = integrate(choices["expected"], Prior((float(edges[part]), float(edges[part + 1]))))
        assert evidence[row, part] == pytest.approx(there.log_evidence, abs=0.01)


def test_a_group_is_its_agents_and_their_evidence_adds_up():
    one, other = make_behaviour(episodes=2), replace(make_hot("garden", 1), agent="restless")
    each, together = identify_each([one, other, one], ["expected"])
    assert list(each) == [one.agent, "restless"]
    alone = [identify([one, one], ["expected"]), identify([other], ["expected"])]
    for number, hypothesis in enumerate(together):
        several = [found.hypotheses[number].log_evidence for found in alone]
        assert hypothesis.log_evidence == pytest.approx(sum(several), abs=1e-6)
        assert [found[number].log_evidence for found in each.values()] == pytest.approx(several, abs=1e-6)


def test_weights_change_the_posterior_and_bad_ones_are_refused():
    seen = [make_behaviour("kitchen_peanut", 1)]
    only = identify(seen, ["expected"], weights={"random": 1.0})
    assert {each.name: each.probability for each in only.hypotheses}["random"] == 1.0
    for wrong in ({"expectd": 1.0}, {"random": math.nan}, {"random": -1.0}, {"random": 0.0}):
        with pytest.raises(BadValue):
            identify(seen, ["expected"], weights=wrong)


def test_a_file_says_what_was_recorded(tmp_path):
    behaviour = make_behaviour()
    path = behaviour.save(tmp_path / "seen.jsonl")
    assert read_behaviours(path)[0].episodes == behaviour.episodes
    assert read_behaviours(path)[0].text() == behaviour.text() == make_behaviour().text()


def change(lines, number, **fields):
    changed = list(lines)
    changed[number] = json.dumps({**json.loads(lines[number]), **fields})
    return changed


MISTAKES = {
    "it is empty": lambda lines: [],
    "no step": lambda lines: lines[:1],
    "not JSON": lambda lines: [*lines, "{"],
    "is missing": lambda lines: [lines[0], json.dumps({"episode": 1})],
    "unknown field": lambda lines: change(lines, 1, more=1),
    "another world": lambda lines: change(lines, 0, scenario="playroom"),
    "unknown scenario": lambda lines: change(lines, 0, scenario="os:system"),
    "version is 2": lambda lines: change(lines, 0, version=2),
    "its world cannot be made": lambda lines: change(lines, 0, map=["##", "#"]),
    "is impossible": lambda lines: change(lines, 1, action="fly"),
    "out of order": lambda lines: [lines[0], *lines[2:]],
    "no state of the world": lambda lines: change(lines, 1, state={"row": 99}),
    "cannot come there": lambda lines: change(lines, 2, state=json.loads(lines[-1])["next"]),
    "available is": lambda lines: change(lines, 1, available=[]),
    "ended is": lambda lines: change(lines, 1, ended=True),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_reader_refuses_what_does_not_fit_the_world(message, tmp_path):
    path = tmp_path / "seen.jsonl"
    path.write_text("".join(line + "\n" for line in MISTAKES[message](make_behaviour().text().splitlines())))
    with pytest.raises(BadFile, match=message) as refused:
        read_behaviours(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_a_reader_survives_any_bytes(tmp_path):
    text = make_behaviour(episodes=1).text().encode()
    random = np.random.default_rng(0)
    known = {(world := ObservedWorld.make("garden")).fingerprint: world}
    path = tmp_path / "seen.jsonl"
    for _ in range(300):
        content = bytearray(text)
        for place in random.integers(0, len(content), random.integers(1, 4)):
            content[place] = random.integers(0, 256)
        path.write_bytes(content[: random.integers(1, len(content) + 1)] if random.random() < 0.3 else content)
        try:
            assert all(isinstance(each, Behaviour) for each in read_behaviours(path, known))
        except BadFile as refused:
            lines = str(refused).splitlines()
        else:
            lines = ["read"]
        assert len(lines) == 1


def test_an_agent_whose_action_is_not_available_is_refused():
    class Wrong:
        def act(self, state):
            return 99

    with pytest.raises(BadValue, match="gave 99"):
        record_behaviour(Wrong(), ObservedWorld.make("garden"), 1, 0)


class FixedFirst:
    """Begins each episode with one action, then follows a policy."""

    def __init__(self, policy, action, start):
        self.policy, self.action, self.start, self.has_begun = policy, action, start, False

    def act(self, state):
        self.has_begun = state == self.start and not self.has_begun
        return self.action if self.has_begun else int(self.policy[state])


def make_misfits():
    """What should be found, and behaviour in the garden that shows it."""
    world = ObservedWorld.make("garden")
    start = int(world.table.start_states()[0])
    problem = make_problem(world.scenario, "expected", mdp=world.table)
    selfish, caring = (problem.plan_optimum(care, start).policy for care in (0.0, 1.0))
    supported = find_supported_actions(Question([make_behaviour(policy=caring)]), world.fingerprint, start, start)
    useless = next(action for action, good in supported.items() if not good)
    return {
        "": [record_behaviour(caring, world, 6, 0)],
        TWO_AGENTS: [record_behaviour(policy, world, 20, 0) for policy in (selfish, caring)],
        FIRST_ACTION: [record_behaviour(FixedFirst(caring, useless, start), world, 20, 0)],
    }


@pytest.mark.slow
def test_misfits_are_found_and_agents_of_the_hypotheses_are_not(monkeypatch):
    monkeypatch.setattr(misfit, "DISCOUNTS", (0.5,))
    for name, behaviours in make_misfits().items():
        found = find_misfit(Question(behaviours, ["expected"]), Prior())
        assert (found.likeliest if found.is_alarm else "") == name, found


@pytest.mark.slow
def test_bayes_factors_of_alternatives_have_expectation_one(monkeypatch):
    """Over all behaviour of two steps, weighted by what the hypotheses expect: each alternative is a distribution."""
    monkeypatch.setattr(misfit, "DISCOUNTS", (0.5,))
    world = ObservedWorld.make("side_effects_sokoban")
    table, start = world.table, int(world.table.start_states()[0])
    totals = dict.fromkeys((TWO_AGENTS, DISCOUNT, FIRST_ACTION, OUTSIDE), 0.0)
    for first in np.flatnonzero(table.action_mask(start)).tolist():
        middle = int(table.next_state[start, first, 0])
        assert not table.terminal[middle]
        for second in np.flatnonzero(table.action_mask(middle)).tolist():
            last = int(table.next_state[middle, second, 0])
            steps = ObservedStep(start, first, middle), ObservedStep(middle, second, last)
            question = Question([Behaviour(world, "any", (steps,))], ["expected"])
            expected = compute_evidence(question, Prior(), None)
            for each in find_misfit(question, Prior()).alternatives:
                totals[each.name] += math.exp(expected + each.log_bayes_factor)
    for name, total in totals.items():
        assert total == pytest.approx(1.0, abs=1e-5), name
