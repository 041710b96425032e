"""`--device`: learners in torch's batched form earn what compiled ones do; what cannot lie there is refused.

"cpu:0" is torch's name of the processor, where the form for graphics processors runs as well.
"""

import pytest

pytest.importorskip("torch")

import caregrid
from caregrid.main import main
from engine.errors import BadValue

AGENTS = ("stacked_a2c", "reality_check(stacked_dqn)")


def test_a_battery_on_a_device_is_that_of_the_processor() -> None:
    asked = {"agents": AGENTS, "environments": ("repeater", "third_action_forbidden"), "turns": 60, "seeds": (1,)}
    compiled, in_torch = (caregrid.battery(**asked, device=device).runs for device in ("cpu", "cpu:0"))
    assert [row[:4] for row in in_torch] == [row[:4] for row in compiled]
    rewards = [(ours.total_reward, theirs.total_reward) for ours, theirs in zip(compiled, in_torch, strict=True)]
    assert all(abs(ours - theirs) <= 3 for ours, theirs in rewards)  # rounding may decide an action
    assert sum(ours == theirs for ours, theirs in rewards) >= 3


def test_a_training_on_a_device_is_that_of_the_processor() -> None:
    problem = caregrid.problem("toll_road")
    for agent in ("dqn", "stacked_dqn"):
        curves = [problem.train(agent, 1.0, steps=400, device=device).rows() for device in ("cpu", "cpu:0")]
        assert curves[0] == curves[1]


@pytest.mark.parametrize("device", ["nonsense", "cuda:99", "meta", ""])
def test_a_device_that_is_not_there_is_refused_before_anything(
    device: str, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    out = f"{tmp_path}/out"
    assert main(["battery", "--agents", "stacked_a2c", "--turns", "9", f"--device={device}", "--out", out]) == 2
    assert main(["train", "toll_road", "--agent", "stacked_dqn", f"--device={device}", "--out", out]) == 2
    printed = capsys.readouterr().err.splitlines()
    assert [
        f"device: torch has no device '{device}' here; choose cpu, or a GPU of this machine, such as cuda" in line
        for line in printed
    ] == [True] * 2


def test_agents_without_lanes_are_refused_on_a_device() -> None:
    with pytest.raises(BadValue, match=r"'q_learning' cannot learn on cpu:0.*stacked_dqn"):
        caregrid.battery("stacked_a2c,q_learning", "repeater", turns=5, seeds=1, device="cpu:0")
    for agent in ("q_learning", "sb3_a2c", "random"):
        with pytest.raises(BadValue, match=f"'{agent}' cannot learn on cpu:0"):
            caregrid.problem("toll_road").train(agent, 1.0, steps=5, device="cpu:0")
