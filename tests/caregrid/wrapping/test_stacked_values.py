"""Others' values by lanes of a stack, and a sweep whose networks all lie in one (extra `deep`)."""

from typing import Any

import gymnasium
import pytest

pytest.importorskip("torch")

import caregrid
from caregrid.experiments.learned_care._hall import LIGHT, WALK, Hall, best_return
from caregrid.experiments.learned_care.hall import run, run_together
from caregrid.wrapping.value_learners.stacked_dqn import StackedDqn
from engine.errors import BadValue
from engine.learning.stacks.stacks import Stacks

QUICK = StackedDqn(exploration_fraction=0.6, exploration_final_eps=0.1, total_timesteps=1500)


def estimates(learner: StackedDqn, seed: int) -> list[Any]:
    """What is estimated at the end of two walks, of which one leaves the hall dark and one lights a lamp."""
    env = caregrid.Considerate(
        gymnasium_limit(), learner=learner, refresh=caregrid.Refresh(first=2000, every=1, steps=500), seed=seed
    )
    found = []
    for walk in ([LIGHT] + [WALK] * 4, [WALK] * 4, [LIGHT] + [WALK] * 4):
        env.reset()
        *_, info = [env.step(action) for action in walk][-1]
        found.append(info["others"]["next agent"])
    return found[1:]


def gymnasium_limit() -> Any:
    from gymnasium.wrappers import TimeLimit

    return TimeLimit(Hall(), 40)


def test_what_is_left_is_estimated_as_it_is_and_the_same_in_a_stack_of_many() -> None:
    dark, lit = estimates(QUICK, 1)
    assert dark["estimated"] == pytest.approx(best_return(0), abs=0.7)
    assert lit["estimated"] == pytest.approx(best_return(1), abs=0.7)
    assert (dark["true"], lit["true"]) == (best_return(0), best_return(1)) == (-16.0, -12.0)
    stacks = Stacks()
    together = StackedDqn(exploration_fraction=0.6, exploration_final_eps=0.1, total_timesteps=1500, stacks=stacks)
    assert [estimates(together, seed) for seed in (2, 1)][1] == [dark, lit]


def test_units_together_are_the_units_alone() -> None:
    chosen = (0.0, 600, 1), (0.9, 600, 1), (0.9, 200, 2), (-2.0, 1, 2)
    settings = [{"care": care, "steps": steps, "seed": seed} for care, steps, seed in chosen]
    assert run_together(settings) == [run(**setting, key=0) for setting in settings]


def test_what_a_lane_cannot_learn_is_refused_in_one_line() -> None:
    from minigrid.wrappers import ImgObsWrapper

    def make() -> Any:
        return ImgObsWrapper(gymnasium.make("MiniGrid-DoorKey-5x5-v0"))

    with pytest.raises(BadValue, match=r"are not numbers but of the kind Box; learn by 'dqn'"):
        caregrid.Considerate(make, learner="stacked_dqn")
    with pytest.raises(BadValue, match="learning_rate is -1"):
        StackedDqn(learning_rate=-1)
    assert caregrid.Considerate("FrozenLake-v1", learner="stacked_dqn", refresh=caregrid.Refresh(first=60)).reset()
