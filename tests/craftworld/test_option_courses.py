"""Options with policies and terminations: what is learned, against the paper's sets, plain search and closed forms."""

from typing import NamedTuple

import numpy as np
import pytest

from craftworld.others.option_distribution import OptionDistribution, ValuedOptionDistribution, learn_course
from craftworld.others.value_distribution import precompute
from craftworld.scenario import Option, OptionCourse, Scenario, move
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_break_points
from craftworld.solution.problem import make_problem
from engine.errors import BadValue
from engine.mdp.policies import make_random_policy
from engine.mdp.tabulate import tabulate


def test_the_initiation_sets_of_figure_3_are_learned():
    """What the paper gives by rooms comes out of errands in which forbidden rooms cannot be used."""
    given, learned = (SCENARIOS["mailroom"](errands=errands) for errands in (0, 1))
    mdp = tabulate(given, 1.0)
    sets = [OptionDistribution.make(world, mdp).initiation_set[:, mdp.terminal] for world in (given, learned)]
    assert (sets[0] == sets[1]).all()
    assert 0 < sets[0].sum() < sets[0].size
    assert find_break_points(make_problem(learned, "options"), (0.0, 100.0)) == pytest.approx([2.5, 25.0])


def test_the_value_of_an_errand_is_the_way_to_the_key_and_back():
    """30 for the package, a step each for the ways, the key and the package; breadth-first search gives the ways."""
    world = SCENARIOS["mailroom"](errands=1)
    mdp = tabulate(world, 1.0)
    valued = ValuedOptionDistribution.make(world, mdp)
    ways = world.grid.distances(world.coordinates(world.cell("mail room")))
    for row, option in enumerate(world.options()):
        for number, state in enumerate(mdp.states):
            if valued.initiation_set[row, number] and state.key < world.held:
                steps = 2 * ways[world.coordinates(int(world.places[state.key]))] + 2
                assert valued.value[row, number] == 30 - steps, option.name
    shares = {place: [0.4, 0.8, 1.0][place] for place in range(3)}
    worth = [shares[k] * (28 - 2 * ways[world.coordinates(int(world.places[k]))]) for k in range(3)]
    assert find_break_points(make_problem(world, "options_with_values"), (0.0, 100.0))[0] == pytest.approx(
        1 / (worth[1] - worth[0])
    )


def test_newcomers_as_options_make_eq_8_eq_1():
    """An option that lasts for the whole of a newcomer's life is worth what the newcomer can expect."""
    world = SCENARIOS["playroom"]()
    lives = tuple(
        Option(each.name, None, each.probability, course=OptionCourse(each.scenario, lambda state: state[0] < 0))
        for each in world.newcomers()
    )
    world.options = lambda: lives
    mdp = tabulate(world, 1.0)
    valued = ValuedOptionDistribution.make(world, mdp)
    assert valued.initiation_set.all()
    assert valued.value == pytest.approx(precompute(world, mdp).value)
    points = [find_break_points(make_problem(world, name), (0.0, 50.0)) for name in ("expected", "options_with_values")]
    assert points[0] == pytest.approx(points[1])


class Place(NamedTuple):
    """Where a gambler stands."""

    cell: int


class Corridor(Scenario):
    """Six cells; nobody ends it."""

    art = "########\n#S     #\n########"
    legend = {"S": "start"}  # noqa: RUF012
    once = ("start",)
    entrance = "start"
    actions = ("left", "right")

    def __init__(self, grid=None):
        super().__init__(grid)
        self.sizes = (len(self.grid.floor),)

    def starts(self):
        return {Place(self.cell("start")): 1.0}

    def step(self, state, action):
        return Place(move(self, state.cell, (2, 3)[action]))

    def is_terminal(self, state):
        return np.asarray(state.cell) < 0

    def scene(self, state):
        return self.picture(state.cell, ())

    def handover(self, state, newcomer):
        return state


def make_gambler(likely):
    """Left or right with equal probability, until either end; the right one is a success."""
    ends = OptionCourse(
        Corridor(),
        lambda state: (np.asarray(state.cell) == 0) | (np.asarray(state.cell) == 5),
        make_random_policy,
        lambda state: np.asarray(state.cell) == 5,
        likely,
    )
    return Option("win", None, 1.0, course=ends)


@pytest.mark.parametrize("likely", [0.2, 0.6, 1.0])
def test_a_random_policy_is_a_gambler_s_ruin(likely):
    """From cell k of 0 .. 5 the gambler wins with probability k / 5 after k (5 - k) steps of reward -1."""
    world = Corridor()
    mdp = tabulate(world, 1.0)
    learned = learn_course(world, mdp, make_gambler(likely))
    cells = np.array([state.cell for state in mdp.states])
    assert learned.success == pytest.approx(cells / 5)
    assert learned.value == pytest.approx(-cells * (5 - cells))
    assert (learned.initiation_set == (cells / 5 >= likely - 1e-12)).all()


def test_an_option_that_says_nothing_is_refused():
    world = SCENARIOS["mailroom"]()
    with pytest.raises(BadValue, match="option 'idle' says neither"):
        learn_course(world, tabulate(world, 1.0), Option("idle", None, 1.0))
