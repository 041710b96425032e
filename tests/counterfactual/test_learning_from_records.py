"""Learned worlds: what records teach, what they need not contain, and which agents a wrong one misleads."""

from collections import Counter
from dataclasses import replace

import pytest

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.agents.balancing import fc
from counterfactual.agents.factual_and_counterfactual import citc, itf
from counterfactual.learning import (
    LearnedWorld,
    ObservedSignal,
    Records,
    record_every_action,
    record_planning_episodes,
    record_random_episodes,
)
from counterfactual.planning.plan import Plan
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import TERMINAL_WORLDS
from engine.errors import BadValue

SMALL = {
    "barricade": {"horizon": 6, "update_step": 2, "units": 3},
    "car-factory": {"horizon": 5, "update": 2, "lobbying": "0.5", "noticing": 1},
    "tamper-grid": {"horizon": 7, "update_step": 4},
}
CASES = [*SMALL.items(), ("car-factory", {"horizon": 4, "update": 2, "gamble": "0.6"})]


@pytest.mark.parametrize(("name", "settings"), CASES)
@pytest.mark.parametrize("agent", ["itf", "itc", "citc"])
def test_an_agent_that_tried_everything_acts_as_if_it_knew_the_world(name: str, settings: dict, agent: str) -> None:
    world = TERMINAL_WORLDS[name].make(settings)
    learned = LearnedWorld(world, record_every_action(world))
    exact, from_records = simulate(world, PLANNING_AGENTS[agent]), simulate(world, PLANNING_AGENTS[agent], learned)
    assert from_records.traces == exact.traces
    assert from_records.planned == exact.planned
    assert from_records.score == exact.score


def test_no_record_teaches_the_balancing_agent_what_never_happens() -> None:
    world = TERMINAL_WORLDS["barricade"].make(SMALL["barricade"])
    records = record_every_action(world)
    kept_old_after_an_update = [given for given, _ in records.of_x if given.x[1] == 1 and given.signal == 0]
    assert not kept_old_after_an_update
    exact, from_records = (
        simulate(world, fc),
        simulate(world, fc, LearnedWorld(world, records)),
    )
    assert from_records.score != exact.score


def test_enough_random_episodes_teach_the_policy() -> None:
    world = TERMINAL_WORLDS["barricade"].make({"horizon": 5, "update_step": 2, "units": 3})
    records = record_random_episodes(world, 1500, key=7)
    tried = {(given.step, given.x, given.action) for given, _ in records.of_x}
    everything = {(given.step, given.x, given.action) for given, _ in record_every_action(world).of_x}
    assert tried == everything
    for agent in ("itc", "citc"):
        assert (
            simulate(world, PLANNING_AGENTS[agent], LearnedWorld(world, records)).traces
            == simulate(world, PLANNING_AGENTS[agent]).traces
        )


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("agent", ["itf", "itc", "citc"])
def test_planning_while_learning_ends_up_with_the_exact_policy(agent: str) -> None:
    world = TERMINAL_WORLDS["barricade"].make({"horizon": 5, "update_step": 2, "units": 3})
    planner = PLANNING_AGENTS[agent]
    records = record_planning_episodes(world, planner, 150, key=2)
    assert sum(records.of_x.values()) == 150 * 5
    assert (
        simulate(world, PLANNING_AGENTS[agent], LearnedWorld(world, records)).traces
        == simulate(world, PLANNING_AGENTS[agent]).traces
    )
    assert (
        record_planning_episodes(world, PLANNING_AGENTS[agent], 3, key=2).of_x
        == record_planning_episodes(world, PLANNING_AGENTS[agent], 3, key=2).of_x
    )


def test_many_records_of_chance_do_not_outgrow_the_machine() -> None:
    world = TERMINAL_WORLDS["car-factory"].make({"horizon": 3, "update": 2, "gamble": "0.6"})
    records = record_every_action(world)
    many = Records(
        Counter({seen: 10**9 * n for seen, n in records.of_x.items()}),
        Counter({seen: 10**9 * n for seen, n in records.of_i.items()}),
    )
    assert simulate(world, itf, LearnedWorld(world, many)).score == simulate(world, itf).score


def test_records_depend_on_their_key_alone() -> None:
    world = TERMINAL_WORLDS["car-factory"].make({"horizon": 6, "gamble": "0.5", "update": 4})
    assert record_random_episodes(world, 20, key=3).of_x == record_random_episodes(world, 20, key=3).of_x
    assert record_random_episodes(world, 20, key=3).of_x != record_random_episodes(world, 20, key=4).of_x
    shorter = record_random_episodes(world, 10, key=3).of_x
    assert all(count <= record_random_episodes(world, 20, key=3).of_x[seen] for seen, count in shorter.items())


def test_citc_needs_no_record_of_the_signal() -> None:
    world = TERMINAL_WORLDS["tamper-grid"].make(SMALL["tamper-grid"])
    records = record_every_action(world, watch_signal=False)
    assert not records.of_i
    assert simulate(world, citc, LearnedWorld(world, records)).traces == simulate(world, citc).traces


def test_a_wrong_kernel_of_the_signal_misleads_itf_alone() -> None:
    world = TERMINAL_WORLDS["car-factory"].make({"horizon": 8, "update": 3, "lobbying": "0.4"})
    records = record_every_action(world)
    stuck = Counter(
        {(given._replace(signal=0), ObservedSignal(observed.next_x, 0)) for given, observed in records.of_i}
    )
    wrong = LearnedWorld(world, replace(records, of_i=stuck), prior=world)
    assert simulate(world, itf, wrong).traces != simulate(world, itf).traces
    for agent in ("itc", "citc"):
        assert simulate(world, PLANNING_AGENTS[agent], wrong).traces == simulate(world, PLANNING_AGENTS[agent]).traces
        assert simulate(world, PLANNING_AGENTS[agent], wrong).score == simulate(world, PLANNING_AGENTS[agent]).score


def test_untried_actions_are_believed_to_change_nothing() -> None:
    world = TERMINAL_WORLDS["barricade"].make({"horizon": 4})
    learned = LearnedWorld(world, Records())
    simulation = simulate(world, citc, learned)
    assert simulation.score == 0
    assert simulation.traces.count == 3**4


def test_the_prior_counts_for_its_strength() -> None:
    world = TERMINAL_WORLDS["barricade"].make({"horizon": 1})
    records = Records()
    for given, transition in record_every_action(world).of_x:
        records.observe(given, transition, 0, times=3)
    half_believed = LearnedWorld(world, records, strength=3)
    planning_world = citc(half_believed, 0)
    plan = Plan(planning_world, 1, planning_world.state(world.start(), 0))
    assert plan.value(1) * 2 == 1
    true_prior = LearnedWorld(world, records, prior=world, strength=3)
    assert simulate(world, citc, true_prior).score == 1


def test_a_prior_cannot_count_for_less_than_nothing() -> None:
    world = TERMINAL_WORLDS["barricade"].make({})
    with pytest.raises(BadValue, match="strength"):
        LearnedWorld(world, Records(), strength=-1)
