"""Learned worlds: what records teach, what they need not contain, and whom a wrong one misleads."""

from collections import Counter
from dataclasses import replace

import pytest

from counterfactual.agents import AGENTS
from counterfactual.learning.exploring import live_and_learn, try_everything, wander
from counterfactual.learning.learned_world import LearnedWorld
from counterfactual.learning.records import Records, Reread
from counterfactual.planning.plan import Plan
from counterfactual.simulation.simulate import live
from counterfactual.worlds import WORLDS
from engine.errors import BadValue

SMALL = {
    "barricade": {"horizon": 6, "update_step": 2, "units": 3},
    "car-factory": {"horizon": 5, "update": 2, "lobbying": "0.5", "noticing": 1},
    "tamper-grid": {"horizon": 7, "update_step": 4},
}
CASES = [*SMALL.items(), ("car-factory", {"horizon": 4, "update": 2, "gamble": "0.6"})]


@pytest.mark.parametrize(("name", "settings"), CASES)
@pytest.mark.parametrize("agent", ["itf", "itc", "citc"])
def test_whoever_has_tried_everything_acts_as_if_he_knew(name: str, settings: dict, agent: str) -> None:
    world = WORLDS[name].make(settings)
    learned = LearnedWorld(world, try_everything(world))
    exact, from_records = live(world, AGENTS[agent]), live(world, AGENTS[agent], learned)
    assert from_records.traces == exact.traces
    assert from_records.planned == exact.planned
    assert from_records.score == exact.score


def test_no_record_teaches_the_balancing_agent_what_never_happens() -> None:
    world = WORLDS["barricade"].make(SMALL["barricade"])
    records = try_everything(world)
    kept_old_after_an_update = [case for case, _ in records.of_x if case.x[1] == 1 and case.signal == 0]
    assert not kept_old_after_an_update
    exact, from_records = live(world, AGENTS["fc"]), live(world, AGENTS["fc"], LearnedWorld(world, records))
    assert from_records.score != exact.score


def test_wandering_long_enough_teaches_the_policy() -> None:
    world = WORLDS["barricade"].make({"horizon": 5, "update_step": 2, "units": 3})
    records = wander(world, 1500, key=7)
    tried = {(case.step, case.x, case.action) for case, _ in records.of_x}
    everything = {(case.step, case.x, case.action) for case, _ in try_everything(world).of_x}
    assert tried == everything
    for agent in ("itc", "citc"):
        assert live(world, AGENTS[agent], LearnedWorld(world, records)).traces == live(world, AGENTS[agent]).traces


@pytest.mark.parametrize("agent", ["itf", "itc", "citc"])
def test_who_lives_and_learns_ends_up_with_the_exact_policy(agent: str) -> None:
    world = WORLDS["barricade"].make({"horizon": 5, "update_step": 2, "units": 3})
    records = live_and_learn(world, AGENTS[agent], 150, key=2)
    assert sum(records.of_x.values()) == 150 * 5
    assert live(world, AGENTS[agent], LearnedWorld(world, records)).traces == live(world, AGENTS[agent]).traces
    assert live_and_learn(world, AGENTS[agent], 3, key=2).of_x == live_and_learn(world, AGENTS[agent], 3, key=2).of_x


def test_many_records_of_chance_do_not_outgrow_the_machine() -> None:
    world = WORLDS["car-factory"].make({"horizon": 3, "update": 2, "gamble": "0.6"})
    records = try_everything(world)
    many = Records(
        Counter({seen: 10**9 * n for seen, n in records.of_x.items()}),
        Counter({seen: 10**9 * n for seen, n in records.of_i.items()}),
    )
    assert live(world, AGENTS["itf"], LearnedWorld(world, many)).score == live(world, AGENTS["itf"]).score


def test_records_depend_on_their_key_alone() -> None:
    world = WORLDS["car-factory"].make({"horizon": 6, "gamble": "0.5", "update": 4})
    assert wander(world, 20, key=3).of_x == wander(world, 20, key=3).of_x
    assert wander(world, 20, key=3).of_x != wander(world, 20, key=4).of_x
    shorter = wander(world, 10, key=3).of_x
    assert all(count <= wander(world, 20, key=3).of_x[seen] for seen, count in shorter.items())


def test_citc_needs_no_record_of_the_signal() -> None:
    world = WORLDS["tamper-grid"].make(SMALL["tamper-grid"])
    records = try_everything(world, watch_signal=False)
    assert not records.of_i
    assert live(world, AGENTS["citc"], LearnedWorld(world, records)).traces == live(world, AGENTS["citc"]).traces


def test_a_wrong_kernel_of_the_signal_misleads_itf_and_nobody_else() -> None:
    world = WORLDS["car-factory"].make({"horizon": 8, "update": 3, "lobbying": "0.4"})
    records = try_everything(world)
    stuck = Counter({(case._replace(signal=0), Reread(reread.after, 0)) for case, reread in records.of_i})
    wrong = LearnedWorld(world, replace(records, of_i=stuck), prior=world)
    assert live(world, AGENTS["itf"], wrong).traces != live(world, AGENTS["itf"]).traces
    for agent in ("itc", "citc"):
        assert live(world, AGENTS[agent], wrong).traces == live(world, AGENTS[agent]).traces
        assert live(world, AGENTS[agent], wrong).score == live(world, AGENTS[agent]).score


def test_untried_actions_are_believed_to_change_nothing() -> None:
    world = WORLDS["barricade"].make({"horizon": 4})
    learned = LearnedWorld(world, Records())
    life = live(world, AGENTS["citc"], learned)
    assert life.score == 0
    assert life.traces.count == 3**4


def test_the_prior_counts_for_its_strength() -> None:
    world = WORLDS["barricade"].make({"horizon": 1})
    records = Records()
    for case, turnout in try_everything(world).of_x:
        records.observe(case, turnout, 0, times=3)
    half_believed = LearnedWorld(world, records, strength=3)
    planning_world = AGENTS["citc"](half_believed, 0)
    plan = Plan(planning_world, 1, planning_world.situation(world.start(), 0))
    assert plan.value(1) * 2 == 1
    true_prior = LearnedWorld(world, records, prior=world, strength=3)
    assert live(world, AGENTS["citc"], true_prior).score == 1


def test_a_prior_cannot_count_for_less_than_nothing() -> None:
    world = WORLDS["barricade"].make({})
    with pytest.raises(BadValue, match="strength"):
        LearnedWorld(world, Records(), strength=-1)
