"""What an episode is expected to tell: against every episode of a small table, and the worlds that are chosen."""

import math

import numpy as np
import pytest

from craftworld.identification.behaviour import ObservedWorld, record_behaviour
from craftworld.identification.design import (
    NoiseModel,
    SeenEvidence,
    choose_worlds,
    design_world,
    expect_widths,
    find_care_evidence,
    list_hypotheses,
)
from craftworld.identification.identify import OWN
from craftworld.identification.information import ModelAgents, WorldChoices, expect_evidence
from craftworld.identification.likelihood import compute_chances
from craftworld.solution.problem import make_problem

CARE, TEMPERATURE, SLIP = np.array([-2.0, 0.3, 5.0]), np.array([0.5, 2.0, 0.0]), np.array([0.1, 0.3, 0.05])


def list_episodes(table, chance_of, state, limit):
    """Every episode of at most so many steps with its probability: (log P under each agent), f64[M]."""
    if limit == 0 or table.terminal[state]:
        yield 1.0, np.zeros(len(chance_of(state)) if not table.terminal[state] else 1)
        return
    chances = chance_of(state)
    for action in np.flatnonzero(table.action_mask(state)).tolist():
        for slot, move in enumerate(table.probability[state, action].tolist()):
            if move:
                after = int(table.next_state[state, action, slot])
                for world, rest in list_episodes(table, chance_of, after, limit - 1):
                    yield move * world, rest + np.log(chances[:, action])


@pytest.mark.parametrize("name", ["kitchen_peanut", "icy_yard"])
def test_expected_evidence_is_the_mean_over_all_episodes(name):
    world, limit = ObservedWorld.make(name), 4
    table, start = world.table, int(world.table.start_states()[0])
    choices = WorldChoices(world, start, ["expected"])
    agents = ModelAgents("expected", CARE, TEMPERATURE, SLIP)
    found = expect_evidence(choices, [agents], [ModelAgents(OWN, CARE[:1], TEMPERATURE[:1], SLIP[:1])], limit)

    from craftworld.identification.action_values import CaringReward, find_choice_values
    from craftworld.solution.problem import make_problem

    reward = CaringReward.of(make_problem(world.scenario, "expected", mdp=table), start)
    (values,) = find_choice_values([reward], np.flatnonzero(~table.terminal).tolist())
    known = {}

    def chance_of(state):
        if state not in known:
            actions = np.flatnonzero(table.action_mask(state)).tolist()
            known[state] = np.zeros((len(CARE), len(table.actions)))
            for n, (care, temperature, slip) in enumerate(zip(CARE, TEMPERATURE, SLIP, strict=True)):
                lines = [values.lines[state, action] for action in actions]
                value = np.array([(each[:, 0] + care * each[:, 1]).max(initial=-np.inf) for each in lines])
                known[state][n, actions] = compute_chances(value, temperature, slip)
        return known[state]

    total = np.zeros((len(CARE), len(CARE)))
    for chance, log_chance in list_episodes(table, chance_of, start, limit):
        mine = chance * np.exp(log_chance)
        total += mine[:, None] * (log_chance[:, None] - log_chance[None, :])
    np.testing.assert_allclose(found.among, total, rtol=1e-9, atol=1e-9)
    assert (found.among[~np.eye(len(CARE), dtype=bool)] > 0.0).all()


def test_twins_are_never_told_apart_and_information_is_bounded():
    noise = NoiseModel((0.5,), 0.1, 30)
    (playroom,) = design_world(ObservedWorld.make("playroom"), ["expected", "per_agent", "no_worse_off"], noise)
    assert math.isinf(playroom.find_pair("expected", "per_agent").episodes)
    assert 1.0 < playroom.find_pair("expected", "no_worse_off").episodes < 20.0
    assert 0.0 < playroom.information < math.log2(len(playroom.evidence.steps))


def test_worlds_are_chosen_for_the_shortest_interval():
    noise = NoiseModel((0.5,), 0.1, 30)
    found = [
        find_care_evidence(ObservedWorld.make(name), "expected", noise)
        for name in ("kitchen_peanut", "playroom", "garden")
    ]
    alone = [float(expect_widths(20 * each.against, each.hypothesis).mean()) for each in found]
    chosen = choose_worlds(found, 5, 20)
    assert sorted(at for at, _ in chosen) == [0, 1, 2]
    assert chosen[0] == (int(np.argmin(alone)), pytest.approx(min(alone)))
    assert [width for _, width in chosen] == sorted((width for _, width in chosen), reverse=True)


def test_without_evidence_the_interval_is_nine_tenths_of_the_line():
    (one, *_) = list_hypotheses(["expected"], NoiseModel((0.5,), 0.1, 30))
    assert expect_widths(np.zeros((2, len(one.others))), one) == pytest.approx(0.9)


def test_what_was_seen_counts_as_bayes_rule_says():
    """Against the chances of every step, one by one, of all agents of the grid."""
    world = ObservedWorld.make("kitchen_peanut")
    (one, *_) = list_hypotheses(["expected"], NoiseModel((0.2,), 0.1, 30))
    seen = record_behaviour(make_problem(world.scenario).plan_optimum(1.0, 0).policy, world, 3, 0)
    found = SeenEvidence.of([seen], "expected", one)
    choices = WorldChoices(world, int(world.table.start_states()[0]), ["expected"])
    place = {state: row for row, state in enumerate(choices.states.tolist())}
    chances = choices.compute_chances(one.agents)
    steps = [(choices.kind[place[step.state]], step.action) for episode in seen.episodes for step in episode]
    assert len(steps) > 10
    expected = sum(np.log(chances[:, kind, action]) for kind, action in steps)
    np.testing.assert_allclose(found.agents, expected, rtol=1e-12)
    assert one.agents.care[found.agents.argmax()] > 0.0 > one.agents.care[found.agents.argmin()]


def test_the_next_world_is_chosen_for_the_agent_that_it_may_still_be():
    """Of all worlds the one whose expected width is least, by plain sums over the posterior of the grid."""
    noise = NoiseModel((0.5,), 0.1, 30)
    names = ("kitchen_peanut", "playroom", "garden")
    found = [find_care_evidence(ObservedWorld.make(name), "expected", noise) for name in names]
    hypothesis = found[0].hypothesis
    for care in (-3.0, 6.0):
        near = [-50.0 * abs(np.arctan(c) - np.arctan(care)) for c in hypothesis.agents.care]
        wide = [-50.0 * abs(np.arctan(c) - np.arctan(care)) for c in hypothesis.others.care]
        seen = SeenEvidence(np.array(near), np.array(wide))
        share = np.exp(seen.agents) / np.exp(seen.agents).sum()
        widths = [share @ expect_widths(each.against, hypothesis, seen.others) for each in found]
        ((at, width),) = choose_worlds(found, 1, 1.0, seen)
        assert at == int(np.argmin(widths))
        assert width == pytest.approx(min(widths))
        assert width < 0.3  # it is known already where the agent is
