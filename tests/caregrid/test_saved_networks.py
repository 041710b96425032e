"""Networks by file: the action of every state is the one that torch and Stable-Baselines3 themselves choose."""

from __future__ import annotations

import itertools
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadFile, BadValue

torch = pytest.importorskip("torch")
nn = torch.nn


def linear(*widths: int, between: type = nn.ReLU) -> Any:
    layers: list[Any] = []
    for into, out in itertools.pairwise(widths):
        layers += [nn.Linear(into, out), between()]
    return nn.Sequential(*layers[:-1])


class QNetwork(nn.Module):  # type: ignore[misc,name-defined]
    """As in CleanRL's dqn.py; with atoms as in its c51.py."""

    def __init__(self, width: int, actions: int, atoms: int = 0) -> None:
        super().__init__()
        self.actions = actions
        if atoms:
            self.register_buffer("atoms", torch.linspace(-10, 3, steps=atoms))
        self.network = linear(width, 120, 84, actions * max(atoms, 1))

    def choose(self, seen: Any) -> Any:
        values = self.network(seen)
        if hasattr(self, "atoms"):
            values = (values.view(len(seen), self.actions, -1).softmax(dim=2) * self.atoms).sum(2)
        return values.argmax(1)


class Agent(nn.Module):  # type: ignore[misc,name-defined]
    """As in CleanRL's ppo.py."""

    def __init__(self, width: int, actions: int) -> None:
        super().__init__()
        self.critic = linear(width, 64, 64, 1, between=nn.Tanh)
        self.actor = linear(width, 64, 64, actions, between=nn.Tanh)

    def choose(self, seen: Any) -> Any:
        return self.actor(seen).argmax(1)


def fill(network: Any) -> None:
    """Weights drawn from a seed, large enough that several actions are chosen somewhere."""
    source = np.random.default_rng(3)
    for weights in network.parameters():
        weights.data = torch.as_tensor(source.normal(0.0, 0.4, tuple(weights.shape)), dtype=torch.float32)


def choose_all(network: Any, seen: np.ndarray) -> list[int]:
    with torch.no_grad():
        choice = getattr(network, "choose", lambda each: network(each).argmax(1))
        return [int(action) for action in choice(torch.as_tensor(seen, dtype=torch.float32))]


@pytest.mark.parametrize("name", ["dqn", "c51", "ppo", "sequential"])
def test_a_saved_network_acts_as_torch_does_in_every_state(name: str, tmp_path: Path) -> None:
    problem = caregrid.problem("garden")
    states, actions = len(problem.exact.mdp.states), len(problem.exact.mdp.actions)
    network = {
        "dqn": lambda: QNetwork(states, actions),
        "c51": lambda: QNetwork(states, actions, 51),
        "ppo": lambda: Agent(states, actions),
        "sequential": lambda: linear(states, 32, actions),
    }[name]()
    fill(network)
    path = tmp_path / f"{name}.cleanrl_model"
    saved = network.state_dict()
    torch.save({"model_weights": saved, "args": {"gamma": 0.99}} if name == "c51" else saved, path)
    chosen = np.array(choose_all(network, np.eye(states)), dtype=np.int32)
    found = problem.evaluate(path, care=1)
    same = problem.evaluate(problem.exact.mdp.executable(chosen), care=1)
    assert len(set(chosen.tolist())) > 1
    assert found.rows()[0] | {"policy": ""} == same.rows()[0] | {"policy": ""}
    from caregrid.programmes.caring.saved_networks import follow_network

    assert follow_network(problem.exact, 1.0, path).tolist() == problem.exact.mdp.executable(chosen).tolist()


@pytest.mark.parametrize(
    ("kind", "world", "between"),
    [("DQN", "CliffWalking-v1", None), ("PPO", "FrozenLake-v1", None), ("PPO", "CliffWalking-v1", nn.ReLU)],
)
def test_a_model_of_stable_baselines3_acts_by_the_environments_own_observations(
    kind: str, world: str, between: type[nn.Module] | None, tmp_path: Path
) -> None:
    """The table numbers states as they are found; the model knows the environment's own numbers."""
    import gymnasium
    import stable_baselines3

    env = gymnasium.make(world)
    settings = {"activation_fn": between} if between else None
    model = getattr(stable_baselines3, kind)("MlpPolicy", env, seed=1, device="cpu", policy_kwargs=settings)
    model.save(tmp_path / "model.zip")
    problem = caregrid.problem(f"gym:{world}")
    from caregrid.programmes.caring.saved_networks import follow_network

    found = follow_network(problem.exact, 0.0, tmp_path / "model.zip")
    places = [problem.scenario.views._walk.places[state.number].key for state in problem.exact.mdp.states]
    predicted = [int(model.predict(np.int64(place), deterministic=True)[0]) for place in places]
    assert len(set(predicted)) > 1
    assert places != sorted(places)
    assert found.tolist() == predicted


def test_a_function_between_the_layers_that_is_not_known_is_refused(tmp_path: Path) -> None:
    import gymnasium
    import stable_baselines3

    env = gymnasium.make("CliffWalking-v1")
    settings = {"activation_fn": nn.GELU}
    stable_baselines3.A2C("MlpPolicy", env, device="cpu", policy_kwargs=settings).save(tmp_path / "model.zip")
    with pytest.raises(BadFile, match="'GELU' between its layers"):
        caregrid.problem("gym:CliffWalking-v1").evaluate(tmp_path / "model.zip")


def test_the_command_measures_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = caregrid.problem("playroom")
    network = QNetwork(len(problem.exact.mdp.states), len(problem.exact.mdp.actions))
    torch.save(network.state_dict(), tmp_path / "mine.pth")
    assert main(["evaluate", "playroom", "--policy=mine.pth", "--care", "10"]) == 0
    assert "mine.pth" in capsys.readouterr().out.splitlines()[0]
    method = "caregrid.programmes.caring.saved_networks:follow_network(file='mine.pth')"
    [row] = [
        row
        for row in caregrid.bench("side_effects", quick=True, method=method, world="playroom").rows()
        if row["world"] == "playroom"
    ]
    assert row["refused"] is None
    with pytest.raises(BadFile, match=r"nowhere\.pth': no such file"):
        caregrid.bench("side_effects", quick=True, method=method.replace("mine", "nowhere"), world="playroom")


def write_bad(path: Path, kind: str) -> None:
    states, actions = 49, 5
    if kind == "pickle":
        path.write_bytes(pickle.dumps(print))
    elif kind == "text":
        path.write_text("nothing")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("policy.pth", b"nothing")
    elif kind == "cut":
        torch.save(linear(states, 8, actions).state_dict(), path)
        path.write_bytes(path.read_bytes()[:-200])
    else:
        torch.save(
            {
                "list": [1, 2],
                "nothing": {},
                "numbers": {"0.weight": 3},
                "picture": {"network.0.weight": torch.zeros(4, 3, 2, 2), "network.0.bias": torch.zeros(4)},
                "misfit": {**linear(states, 8, actions).state_dict(), "2.weight": torch.zeros(actions, 9)},
                "not finite": {**linear(states, 8, actions).state_dict(), "2.bias": torch.full((actions,), np.nan)},
                "atoms": {**QNetwork(states, actions).state_dict(), "atoms": torch.zeros(4)},
                "whole": linear(states, 8, actions),
            }[kind],
            path,
        )


@pytest.mark.parametrize(
    "kind",
    [
        "pickle",
        "text",
        "empty",
        "zip",
        "cut",
        "list",
        "nothing",
        "numbers",
        "picture",
        "misfit",
        "not finite",
        "atoms",
        "whole",
    ],
)
def test_what_is_no_network_is_refused_in_one_line_and_never_run(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.pth"
    write_bad(path, kind)
    with pytest.raises(BadFile) as refused:
        caregrid.problem("garden").evaluate(path)
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_network_of_another_world_is_refused_with_both_sizes(tmp_path: Path) -> None:
    torch.save(linear(49, 8, 3).state_dict(), tmp_path / "few.pth")
    problem = caregrid.problem("garden")
    states, actions = len(problem.exact.mdp.states), len(problem.exact.mdp.actions)
    with pytest.raises(BadValue, match="values 3 actions, and there are"):
        problem.evaluate(tmp_path / "few.pth")
    torch.save(linear(states + 1, 8, actions).state_dict(), tmp_path / "wide.pth")
    with pytest.raises(BadValue, match=f"sees {states + 1} numbers; here are {states} states"):
        problem.evaluate(tmp_path / "wide.pth")
