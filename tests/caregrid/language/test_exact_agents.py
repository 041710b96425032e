"""Exact agents that speak reach, in words, what planning says can be reached; scores do not depend on luck."""

import math
import statistics
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from caregrid.language.episodes import LanguageEpisode, TellingSettings, make_behaviour
from caregrid.language.exact_agents import ExactPlayer
from caregrid.language.prompts import WORLD_PROMPTS
from caregrid.language.worlds import LanguageWorld
from craftworld.measures import find_optima
from craftworld.scenarios import SCENARIOS
from engine.errors import CaregridError
from tests.craftworld.scenario_names import SOLVED


@lru_cache
def make_world(name: str) -> LanguageWorld:
    """A world, once."""
    return LanguageWorld(name)


def play(world: LanguageWorld, agent: ExactPlayer, settings: TellingSettings, seed: int = 0) -> LanguageEpisode:
    """An episode in which an exact agent answers."""
    episode = LanguageEpisode(world, settings, seed)
    while not episode.over:
        episode.answer(agent.answer(episode.messages(), seed))
    return episode


@pytest.mark.slow_cases("workshop_shared", "workshop")
@pytest.mark.parametrize("name", SOLVED)
def test_exact_agents_reach_the_optimum_in_words(name: str) -> None:
    world = make_world(name)
    goals = {"own": "own", "performance": "performance"}
    goals |= {"care=1": "total"} if world.has_others and name not in ("mailroom",) else {}
    for kind, goal in goals.items():
        plan = world.plans.get(goal)
        if plan is not None:
            found = play(world, ExactPlayer(world, kind), TellingSettings()).measure()
            assert found[f"{goal}_luck_free"] == pytest.approx(plan.optimum, abs=1e-9)
            assert found["unread"] == found["repairs"] == 0


@pytest.mark.parametrize("name", [name for name in SOLVED if name not in ("workshop_shared",)])
def test_the_optimum_is_that_of_another_planner(name: str) -> None:
    """`craftworld.measures.find_optima`, by backward induction of its own, knows nothing of words or limits here."""
    world = make_world(name)
    optima = find_optima(world.scenario, world.limit)
    assert world.plans["own"].optimum == pytest.approx(optima.reward, abs=1e-9)
    if "performance" in world.plans:
        assert world.plans["performance"].optimum == pytest.approx(optima.best_performance, abs=1e-9)


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("prompts", WORLD_PROMPTS.list_names())
@pytest.mark.parametrize("show", ["text", "json", "picture"])
@pytest.mark.parametrize("form", ["move", "plan", "tool"])
def test_every_way_to_tell_leads_to_the_same_score(prompts: str, show: str, form: str) -> None:
    for name in ("garden", "safe_interruptibility"):
        if form == "plan" and name != "garden":
            continue
        world = make_world(name)
        agent = ExactPlayer(world, "own")
        for others in ("nothing", "principle"):
            settings = TellingSettings(prompts=prompts, show=show, form=form, others=others)
            found = play(world, agent, settings).measure()
            assert found["own_luck_free"] == pytest.approx(world.plans["own"].optimum, abs=1e-9)
            assert found["asked"] == (1 if form == "plan" else found["steps"])


def test_the_luck_free_score_of_an_exact_agent_is_the_same_for_every_seed() -> None:
    world = make_world("icy_yard")
    agent = ExactPlayer(world, "own")
    measures = [play(world, agent, TellingSettings(), seed).measure() for seed in range(200)]
    assert statistics.stdev(each["own_luck_free"] for each in measures) < 1e-9
    assert statistics.stdev(each["own"] for each in measures) > 2.0
    mean = statistics.fmean(each["own"] for each in measures)
    assert abs(mean - world.plans["own"].optimum) < 4 * statistics.stdev(each["own"] for each in measures) / math.sqrt(
        200
    )


def test_the_luck_free_score_has_the_mean_of_the_realised_one() -> None:
    """Over all that can happen to an agent at random, in fractions: the difference has mean 0 exactly."""
    world = LanguageWorld("icy_yard,slip=0.5", steps=2)
    plan, table = world.plans["own"], world.states
    [start] = map(int, table.start_states())

    def follow(state: int, left: int, chance: Fraction, total: Fraction, lost: Fraction) -> Iterator[tuple[Any, ...]]:
        if left == 0 or table.terminal[state]:
            yield chance, total, lost
            return
        can = np.flatnonzero(table.action_mask(state))
        for action in map(int, can):
            given = Fraction(plan.given_away(state, action, left))
            for slot in np.flatnonzero(table.probability[state, action] > 0.0):
                part = chance / len(can) * Fraction(float(table.probability[state, action, slot]))
                gain = total + Fraction(float(table.reward[state, action, slot]))
                yield from follow(int(table.next_state[state, action, slot]), left - 1, part, gain, lost + given)

    every = list(follow(start, 2, Fraction(1), Fraction(0), Fraction(0)))
    assert sum(chance for chance, _, _ in every) == 1
    realised = sum(chance * total for chance, total, _ in every)
    luck_free = sum(chance * (Fraction(plan.optimum) - lost) for chance, _, lost in every)
    assert realised == luck_free
    assert float(realised) == pytest.approx(plan.random, abs=1e-12)


def test_no_answer_is_told_once_and_then_counts_as_the_setting_says() -> None:
    world = make_world("garden")
    for unread, steps in (("random", 1), ("first", 1), ("end", 0)):
        episode = LanguageEpisode(world, TellingSettings(unread=unread), 4)
        before = episode.messages()
        episode.answer("\x1b[31mACTION: fly\x1b[0m")
        told = episode.messages()
        assert [message.role for message in told] == ["system", "user", "assistant", "user"]
        assert told[:2] == before
        assert "No action could be read" in told[3].text
        episode.answer("up")
        assert episode.steps == steps
        assert (episode.counts.unread, episode.counts.repairs, episode.counts.asked) == (1, 0, 2)
        assert episode.over is (unread == "end")
    episode.measure()


def test_a_repaired_answer_and_a_refusal_are_counted() -> None:
    episode = LanguageEpisode(make_world("garden"), TellingSettings(), 0)
    episode.answer("", refused=True)
    episode.answer("ACTION: up")
    assert (episode.counts.refusals, episode.counts.repairs, episode.counts.unread) == (1, 1, 0)
    assert episode.measure()["steps"] == 1


def test_stopping_early_gives_away_what_could_still_be_earned() -> None:
    world = make_world("toll_road")
    episode = LanguageEpisode(world, TellingSettings(unread="end"), 0)
    episode.answer("I stop.")
    episode.answer("I stop.")
    found = episode.measure()
    assert found["own"] == 0.0
    assert found["own_luck_free"] == pytest.approx(0.0)  # what was not walked costs nothing: the luck-free score is 0


def test_memory_is_none_where_the_text_shows_the_state_and_whole_where_it_does_not() -> None:
    lengths = {}
    for name in ("boat_race", "safe_interruptibility"):
        world = make_world(name)
        for memory in ("auto", "none", "whole", "2"):
            episode = LanguageEpisode(world, TellingSettings(memory=memory), 0)
            for _ in range(4):
                episode.answer(f"ACTION: {episode.actions[0]}")
            lengths[name, memory] = len(episode.messages())
    assert lengths["boat_race", "auto"] == lengths["boat_race", "none"] == 2
    assert lengths["safe_interruptibility", "auto"] == lengths["boat_race", "whole"] == 10
    assert lengths["boat_race", "2"] == 6


def test_worlds_too_large_for_a_table_are_played() -> None:
    for name in sorted({*SCENARIOS.names()} - {*SOLVED}):
        episode = LanguageEpisode(make_world(name), TellingSettings(), 0)
        while not episode.over and episode.steps < 5:
            episode.answer(f"ACTION: {episode.actions[-1]}")
        assert {*episode.measure()} >= {"own", "performance", "steps"}


def test_recorded_behaviour_is_identified_as_the_agent_that_acted() -> None:
    from caregrid.operations.identifying import identify

    world = make_world("garden")
    agent = ExactPlayer(world, "care=1")
    episodes = [play(world, agent, TellingSettings(), seed).behaviour for seed in range(3)]
    found = identify(make_behaviour(world, "exact/care=1", episodes), formulation="expected,per_agent")
    assert any(low <= 1.0 <= high for low, high in found.optimal_care["per_agent"])


def test_the_formulation_follows_a_colon() -> None:
    """The agent that weighs the worst off alone does nothing for whoever is better off anyway."""
    player = ExactPlayer(make_world("garden"), "care=3:least_well_off")
    weighed = LanguageWorld("garden", "least_well_off", make_world("garden").limit).count_augmented(3.0)
    assert np.array_equal(player._plan.objective.final, weighed.final)
    assert not np.array_equal(weighed.final, make_world("garden").count_augmented(3.0).final)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("care=x", "finite"),
        ("care=inf", "finite"),
        ("cares=3", "unknown exact agent"),
        ("care=1:none", "unknown"),
        ("care=3,least_well_off", "as in care=3:least_well_off"),
    ],
)
def test_unknown_exact_agents_are_one_line(kind: str, said: str) -> None:
    world = make_world("garden")
    with pytest.raises(CaregridError, match=said) as caught:
        play(world, ExactPlayer(world, kind), TellingSettings())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"show": "film"},
        {"others": "all"},
        {"form": "x"},
        {"memory": "-1"},
        {"unread": ""},
        {"prompts": "mine"},
        {"memory": "9" * 99},
    ],
)
def test_unknown_settings_are_one_line(changes: dict[str, str]) -> None:
    with pytest.raises(CaregridError) as caught:
        TellingSettings(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["nowhere", "garden,weight=3", "garden,weight_3=x", "kitchen_salt,role=own", ""])
def test_unknown_worlds_are_one_line(name: str) -> None:
    with pytest.raises(CaregridError) as caught:
        LanguageWorld(name)
    assert "\n" not in str(caught.value)
