"""Garden, playroom and mailroom: the paper's facts, own maps, other coefficients, and the rules cell by cell."""

import math

import numpy as np
import pytest

from craftworld.formulations import FORMULATIONS
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_ties, solve, solve_trade_off
from craftworld.solution.problem import find_applicable_formulations, make_problem, make_weighed_distribution
from craftworld.solution.sweep import sweep_by_learning
from engine.errors import BadValue, MissingFeature, UnreachableFeature
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import value_iteration
from engine.planning.trade_off.envelope import EVERYWHERE


def end(name, care, formulation=None, **options):
    outcome, _ = solve(make_problem(make_scenario(SCENARIOS[name], **options), formulation), care)
    return outcome


def on_map(name, tmp_path, art):
    file = tmp_path / "map.txt"
    file.write_text(art)
    return make_scenario(SCENARIOS[name], file)


def lands(world, *actions):
    """The state after actions given by name, from the start."""
    mdp = tabulate(world)
    state = int(mdp.start_states()[0])
    for action in actions:
        state = int(mdp.next_state[state, mdp.actions.index(action), 0])
    return mdp.states[state], mdp, state


def test_garden_walks_through_round_or_fences():
    through, round_it, fenced = (end("garden", care) for care in (0.0, 1.0, 10.0))
    assert (through.own, through.others["agent 2"], through.others["agent 3"]) == (-6, -6 - 20 - 20, -6)
    assert (round_it.own, round_it.others["agent 2"], round_it.others["agent 3"]) == (-10, -26, -6)
    assert (fenced.own, fenced.others["agent 2"], fenced.others["agent 3"]) == (-3 - 50 - 9, -10, -10)
    assert fenced.total == fenced.own + sum(fenced.others.values())
    assert "build the fence" in fenced.actions
    assert (through.handover["passed"], round_it.handover["passed"]) == ("yes", "no")


def test_gardens_care_is_agent_2s_alone():
    """Break points by hand: 4 steps against 20; 52 steps and 4 of agent 3 against 16."""
    assert [tie.care for tie in find_ties(make_problem(SCENARIOS["garden"]()))] == pytest.approx([4 / 20, 56 / 16])
    swept_together = make_problem(SCENARIOS["garden"](), "expected")
    assert [tie.care for tie in find_ties(swept_together)] == pytest.approx([4 / 20, 52 / 12])


@pytest.mark.parametrize("weight", [0.0, 0.5, 4.0])
def test_agent_3s_coefficient_moves_the_price_of_the_fence(weight):
    """The fence costs the agent 52 steps more than going round, and agent 3 four; agent 2 gains 16."""
    problem = make_problem(make_scenario(SCENARIOS["garden"], weight_3=weight))
    assert [tie.care for tie in find_ties(problem)] == pytest.approx([4 / 20, (52 + 4 * weight) / 16])
    assert solve(problem, 10.0)[0].own == -62


def test_agent_3s_coefficient_is_a_finite_number():
    for weight in (math.nan, "much"):
        with pytest.raises(BadValue, match="weight_3"):
            make_scenario(SCENARIOS["garden"], weight_3=weight)


def test_building_the_fence_is_not_passing_and_closes_the_garden():
    state, mdp, number = lands(SCENARIOS["garden"](), "up", "up", "up", "build the fence", "down")
    assert (state.fence, state.passed) == (1, 0)
    assert mdp.next_state[number, mdp.actions.index("up"), 0] == number
    assert mdp.reward[number, :4, 0].tolist() == [-1] * 4
    state, *_ = lands(SCENARIOS["garden"](), "up", "up", "up", "down", "up", "up")
    assert state.passed == 1


def test_a_garden_off_the_shortest_way_troubles_nobody(tmp_path):
    world = on_map("garden", tmp_path, "#####\n#G S#\n#g  #\n#####\n")
    assert [segment.outcome.own for segment in solve_trade_off(make_problem(world))] == [-2]
    assert end("garden", 1.0).others["agent 2"] == -26
    assert solve(make_problem(world), 1.0)[0].others == {"agent 2": -2, "agent 3": -2}


def test_a_fence_on_the_only_way_is_never_finished(tmp_path):
    world = on_map("garden", tmp_path, "#####\n#SgG#\n#####\n")
    outcome, _ = solve(make_problem(world), 10.0)
    assert outcome.own == -2
    assert outcome.others["agent 2"] == -2 - 20 - 20


@pytest.mark.parametrize(
    ("formulation", "place", "own"),
    [("expected", "(2, 4)", -7), ("worst_case", "(3, 3)", -5), ("no_worse_off", "(3, 2)", -4)],
)
def test_playroom_doll_at_care_10(formulation, place, own):
    outcome = end("playroom", 10.0, formulation)
    assert (outcome.handover["doll"], outcome.own) == (place, own)


def test_playroom_values_are_walks_and_putting_down():
    outcome = end("playroom", 0.0)
    assert list(outcome.others.values()) == [-5, -5, -5, -5, -2]
    assert outcome.total == pytest.approx(-4 - 22 / 5)


def test_the_doll_lies_only_on_its_places_and_is_picked_up_by_entering():
    world = SCENARIOS["playroom"]()
    state, *_ = lands(world, "up", "up", "right")
    assert state.doll == world.held
    assert lands(world, "up", "up", "right", "up", "put down the doll")[0].doll == world.held
    assert lands(world, "up", "up", "right", "right", "put down the doll")[0].played == 1
    assert lands(world, "put down the doll")[0].played == 0


def test_a_next_agent_on_the_dolls_cell_has_it_already(tmp_path):
    world = on_map("playroom", tmp_path, "######\n#SD A#\n#QQ  #\n######\n".replace("QQ", "PP"))
    outcome, _ = solve(make_problem(world), 0.0)
    assert set(outcome.others) == {"agent 2", "agent 3"}
    assert outcome.own == -2


def test_a_feature_is_drawn_by_a_glyph_of_its_own():
    world = make_scenario(SCENARIOS["playroom"])
    assert [world.glyph(name) for name in ("place", "start", "doll", "agent 3", "nothing")] == ["P", "S", "D", "A", "?"]


@pytest.mark.parametrize(("care", "room"), [(1, "room 1"), (5, "room 2"), (24.999, "room 2"), (25, "common area")])
def test_mailroom_rooms(care, room):
    assert end("mailroom", care).handover["key"] == room


def test_mailroom_ties_at_25():
    tied = find_ties(make_problem(SCENARIOS["mailroom"]()), (-math.inf, 25))
    assert [tie.care for tie in tied] == [2.5, 25]  # to the last bit: the sums of fifths are rounded
    assert [line.auxiliary for line in tied[-1].lines] == pytest.approx([0.8, 1.0])
    assert end("mailroom", 5).others == {"agent A": 1, "agent B": 1, "agent C": 1, "agent D": 1, "agent E": 0}


def test_a_package_needs_the_key_and_the_errand_ends_with_both_done():
    world = SCENARIOS["mailroom"]()
    assert lands(world, "left", "collect a package")[0].package == 0
    fetch = ("up", "left", "left", "left", "pick up the key")
    state, mdp, number = lands(world, *fetch, "down", "right", "right", "collect a package", "leave the key")
    assert (state.package, state.key) == (1, world.held)
    assert not mdp.terminal[number]
    assert not mdp.terminal[lands(world, *fetch, "leave the key")[2]]


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["garden", "playroom", "mailroom"])
def test_exact_segments_agree_with_value_iteration_everywhere(name):
    for formulation in find_applicable_formulations(SCENARIOS[name]()):
        problem = make_problem(SCENARIOS[name](), formulation)
        start = int(problem.mdp.start_states()[0])
        for care in (0.0, 0.3, 2.0, 11.0):
            table = problem.make_augmented_table(care, start)
            fixed, swept = problem.compute_caring_rewards(start)
            outcome, _ = solve(problem, care)
            walked = sum(
                float((problem.mdp.reward + fixed + care * swept)[state, action, 0])
                for state, action in zip(*walk_of(problem, care, start), strict=True)
            )
            assert walked == pytest.approx(float(value_iteration(table).value[start]), abs=1e-7), (formulation, care)
            assert outcome.handover is not None


def walk_of(problem, care, start):
    from engine.planning.trade_off.optimal_segments import find_segment_at

    segment = find_segment_at(problem.segments[start], care)
    return segment.path[:-1], segment.actions


@pytest.mark.parametrize("name", SCENARIOS.names())
def test_each_scenario_fits_its_default_formulation(name):
    world = SCENARIOS[name]()
    assert find_applicable_formulations(world)[0] == world.default_formulation
    assert world.default_formulation in FORMULATIONS


@pytest.mark.parametrize(
    ("name", "formulation", "fits"),
    [
        ("mailroom", "expected", "options"),
        ("mailroom", "options_with_values", "options"),
        ("garden", "simultaneous", "per_agent"),
        ("workshop_shared", "least_well_off", "simultaneous"),
    ],
)
def test_formulations_that_do_not_fit_are_refused_naming_those_that_do(name, formulation, fits):
    with pytest.raises(BadValue, match=f"needs .*use {fits}"):
        make_problem(SCENARIOS[name](), formulation)


def test_options_with_values_weigh_what_an_option_is_worth():
    class Priced(SCENARIOS["mailroom"]):
        def options(self):
            return tuple(option._replace(value=lambda state: 10.0 * state.package) for option in super().options())

    world = Priced()
    mdp = tabulate(world)
    plain, priced = (
        make_weighed_distribution(world, mdp, "options"),
        make_weighed_distribution(world, mdp, "options_with_values"),
    )
    assert priced.value.max() == 10.0
    assert np.array_equal(plain.initiation_set, priced.initiation_set)
    assert [tie.care for tie in find_ties(make_problem(world, "options_with_values"))] == pytest.approx([0.25, 2.5])


@pytest.mark.parametrize(
    ("name", "art", "error"),
    [
        ("garden", "#####\n#S G#\n#####\n", MissingFeature),
        ("garden", "#######\n#S G#g#\n#######\n", UnreachableFeature),
        ("playroom", "#####\n#S  #\n#####\n", MissingFeature),
        ("mailroom", "######\n#SM12#\n######\n", MissingFeature),
    ],
)
def test_maps_that_cannot_be_finished_are_refused(name, art, error, tmp_path):
    with pytest.raises(error):
        on_map(name, tmp_path, art)


def test_negative_care_makes_the_agent_work_against_others():
    worst = solve_trade_off(make_problem(SCENARIOS["playroom"]()), EVERYWHERE)[0].outcome
    assert worst.handover["doll"] == "(5, 1)"
    assert sum(worst.others.values()) == -8 * 4 - 3


@pytest.mark.parametrize(
    ("name", "formulation"),
    [
        ("garden", "per_agent"),
        ("playroom", "expected"),
        ("playroom", "worst_case"),
        ("playroom", "no_worse_off"),
        ("mailroom", "options"),
    ],
)
def test_the_papers_learning_protocol_finds_the_optimum(name, formulation):
    rows = sweep_by_learning(make_problem(SCENARIOS[name](), formulation), (0.0, 1.5, 10.0), (0, 1))
    assert [row["regret"] for row in rows] == [0.0] * 6
