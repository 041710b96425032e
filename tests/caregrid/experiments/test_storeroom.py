"""The storeroom of `learned_care/storeroom`: too large to enumerate, and care matters there."""

import sys
from typing import Any

import pytest

import caregrid
from caregrid.experiments.learned_care.storeroom import intervals, run, storeroom_class, those_who_come_next
from engine.errors import BadValue, MissingExtra

LEFT, RIGHT, AHEAD, PICK_UP, DROP = range(5)
QUICKEST = [PICK_UP, AHEAD, AHEAD, RIGHT, AHEAD]
KIND = [PICK_UP, AHEAD, AHEAD, DROP, RIGHT, AHEAD]


def walked(actions: list[int]) -> tuple[float, dict[str, Any]]:
    refresh = caregrid.Refresh(first=0, every=1, steps=6000, memory=1)
    env = caregrid.Considerate(storeroom_class(), those_who_come_next(), care=0.0, refresh=refresh)
    for _ in range(2):
        env.reset(seed=0)
        total = 0.0
        for action in actions:
            _, reward, terminated, _, info = env.step(action)
            total += float(reward)
        assert terminated
    return total, {name: returns["true"] for name, returns in info["others"].items()}


def test_it_is_too_large_to_enumerate() -> None:
    with pytest.raises(BadValue, match="more than 20,000 states"):
        caregrid.wrap(storeroom_class(), others=those_who_come_next(), most_states=20_000)


@pytest.mark.slow
def test_to_put_the_ball_down_costs_a_step_and_serves_who_wants_it() -> None:
    """Exact by hand: 0.9 / 100 a step, and 1 on success; without the ball its seeker can only end the episode."""
    own, others = walked(QUICKEST)
    assert own == pytest.approx(1 - 0.009 * 5)
    assert others == pytest.approx({"passer-by": 1 - 0.009 * 4, "ball seeker": -0.009 * 4})
    own, others = walked(KIND)
    assert own == pytest.approx(1 - 0.009 * 6)
    assert others == pytest.approx({"passer-by": 1 - 0.009 * 4, "ball seeker": 1 - 0.009 * 3})


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    storeroom_class.cache_clear()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "minigrid.minigrid_env", None)
        with pytest.raises(MissingExtra, match=r"no package minigrid; pip install 'caregrid\[worlds\]'"):
            run(care=1.0, steps=512, seed=1, key=0)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "stable_baselines3", None)
        with pytest.raises(MissingExtra, match=r"torch and stable-baselines3 are needed; pip install 'caregrid\[deep"):
            run(care=1.0, steps=512, seed=1, key=0)


def test_few_seeds_have_their_lowest_and_highest_beside_the_mean() -> None:
    names = ("own", "passer_by_estimated", "passer_by_true", "ball_seeker_estimated", "ball_seeker_true", "ball_left")
    rows: list[Any] = [{"care": 0.0, "seed": n, **dict.fromkeys(names, float(n))} for n in (1, 2, 3)]
    [line] = intervals(rows)
    assert (line["own"], line["own_low"], line["own_high"]) == (2.0, 1.0, 3.0)
    assert line["interval"] == "lowest and highest run"
    [line] = intervals(rows[:1])
    assert (line["own_low"], line["interval"]) == (None, None)
