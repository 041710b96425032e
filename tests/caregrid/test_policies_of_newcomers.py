"""What newcomers follow by command (`precompute --follow`), against chains solved in fractions and steps counted."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from craftworld.identification.behaviour import ObservedWorld, record_behaviour
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenarios.garden import ART
from craftworld.solution.certificate import NewcomerBounds
from engine.errors import CaregridError
from tests.engine.random_tables import gauss

MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
START = {"cell": [5, 1], "fence": "no", "upset": 1}
Chain = Mapping[Any, Mapping[Any, Fraction]]


def expect_steps(chain: Chain, start: Any) -> Fraction:
    """The expected steps until a chain leaves its states: (1 - P) steps = 1."""
    order = list(chain)
    rows = [[(s == t) - chain[s].get(t, Fraction(0)) for t in order] for s in order]
    return gauss(rows, [Fraction(1)] * len(order))[order.index(start)]


def walk_at_random(chances: Sequence[Fraction] = (Fraction(1, 4),) * 4) -> Fraction:
    """The expected steps of a random walk on the garden's drawing from S to G, a plain second program.

    chances: of the four moves.
    """
    rows = ART.strip().splitlines()
    cells = {(r, c): rows[r][c] for r in range(len(rows)) for c in range(len(rows[r])) if rows[r][c] != "#"}
    start, goal = (next(cell for cell, sign in cells.items() if sign == wanted) for wanted in "SG")
    chain: dict[Any, Counter[Any]] = {}
    for row, column in cells.keys() - {goal}:
        moved = [(row + down, column + right) for down, right in MOVES]
        chain[row, column] = Counter()
        for target, chance in zip(moved, chances, strict=True):
            chain[row, column][target if target in cells else (row, column)] += chance  # type: ignore[assignment]
    return expect_steps(chain, start)  # type: ignore[arg-type]


def follow(capsys: pytest.CaptureFixture[str], scenario: str, *policies: str) -> dict[str, Any]:
    """What the command says of the values that it has written."""
    options = [word for policy in policies for word in ("--follow", policy)]
    assert main(["precompute", scenario, *options, "--out", "values.npz", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, content: Any) -> str:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


def test_a_random_newcomer_takes_the_steps_of_a_random_walk(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Agent 2 is upset once, 20, where nobody has built; agent 3 goes on with its six steps."""
    steps = walk_at_random()
    found = follow(capsys, "garden", "agent 2=random")
    assert found["baseline_value"] == pytest.approx([float(-20 - steps), -6.0], rel=1e-12)
    by_function = caregrid.problem("garden").precompute(
        follow={"agent 2": lambda table: np.full(table.next_state.shape[:2], 0.25)}
    )
    assert by_function.as_dict()["baseline_value"] == pytest.approx(found["baseline_value"], rel=1e-12)
    assert main(["solve", "garden", "--care", "1", "--values", "values.npz", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["others"]["agent 2"] == pytest.approx(float(-20 - steps))


def test_values_of_followed_policies_are_certified_not_trusted(here: Path) -> None:
    """The chain in fractions: what is stored is off by a rounding, and the certificate's bound of it holds."""
    chances = {"up": 0.3, "down": 0.2, "left": 0.1, "right": 0.4}
    walker = write("walk.json", {"policy": [{"state": {}, "actions": chances}]})
    caregrid.problem("garden").precompute(follow={"agent 2": walker}).save("values.npz")
    problem = caregrid.problem("garden", values="values.npz").exact
    others = cast(ValueDistribution, problem.others)
    untouched = int(problem.mdp.start_states()[0])
    rounding = abs(
        Fraction(others.value[0, untouched])
        + 20
        + walk_at_random([Fraction(str(chance)) for chance in chances.values()])
    )
    error = NewcomerBounds(problem.scenario, problem.mdp, others).error(0, untouched)
    assert error is not None
    assert 0 < rounding <= error < Fraction(1, 10**9)


def test_a_film_shows_the_policy_that_is_followed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Agent 2 goes up and down for ever, agent 3 keeps to its optimum."""
    way = {(5, 1): "up", (4, 1): "down"}
    rules = [{"state": {"cell": list(cell)}, "action": action} for cell, action in way.items()]
    follow(capsys, "garden", "agent 2=" + write("lost.json", {"policy": rules}))
    assert main(["view", "garden", "--care", "1", "--values", "values.npz", "--headless", "--out", "film.json"]) == 0
    captions = [scene["caption"] for scene in json.loads(Path("film.json").read_text(encoding="utf-8"))["scenes"]]
    assert [each for each in captions if each.startswith("agent 2,")] == [
        "agent 2, step 0: starts",
        *(f"agent 2, step {number}: {('up', 'down')[(number - 1) % 2]}" for number in range(1, 5)),
        "agent 2, step 5: up ... and never finishes",
    ]
    assert "agent 3, step 6: right" in captions


@pytest.mark.parametrize("damage", ["rows", "shape", "sum", "none"])
def test_a_damaged_policy_of_a_file_is_one_line(damage: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow(capsys, "garden", "agent 2=random")
    with np.load("values.npz") as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays["header"]))
    changed: Mapping[str, Any] = {
        "rows": {"header": np.array(json.dumps({**header, "policies": [2]}))},
        "shape": {"policy 0": arrays["policy 0"][:-1]},
        "sum": {"policy 0": 2.0 * arrays["policy 0"]},
        "none": {"header": np.array(json.dumps({**header, "policies": [0, 1]}))},
    }[damage]
    np.savez("values.npz", **(arrays | dict(changed)))
    capsys.readouterr()
    assert main(["solve", "garden", "--values", "values.npz"]) == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert printed.startswith("caregrid: values.npz: ")
    assert "make it again with 'caregrid precompute'" in printed


def test_rules_and_demonstrations_say_how_it_starts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A start that succeeds with chance p takes 1/p steps: 1/2 gives one step more than the optimum, 1/3 two."""
    half = {"state": {"cell": [5, 1]}, "actions": {"up": 0.5, "down": 0.5}}
    found = follow(capsys, "garden", "agent 2=" + write("slow.json", {"policy": [half]}))
    assert found["baseline_value"] == [-27.0, -6.0]
    assert found["followed"] == {"agent 2": {"policy": "slow.json", "states": 4, "among": 78}}
    first = {"policy": [{"state": {"fence": "yes"}, "action": "up"}, half]}
    assert follow(capsys, "garden", "agent 2=" + write("first.json", first))["baseline_value"] == [-27.0, -6.0]
    seen = {"demonstrations": [{"start": START, "actions": ["down", "left", "up"]}]}
    assert follow(capsys, "garden", "agent 2=" + write("seen.json", seen))["baseline_value"] == [-28.0, -6.0]
    assert main(["breakpoints", "garden", "--values", "values.npz", "--json"]) == 0
    points = [one["care_from"] for one in json.loads(capsys.readouterr().out)["segments"]]
    # own and agent 3 give -12, -16, -72; agent 2 has -46, -28, -10, for it starts so after one passage, without a fence
    assert points == pytest.approx([0.0, 4 / 18, 56 / 18])


def test_recorded_behaviour_is_followed_as_often_as_it_was_seen(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = ObservedWorld.make("playroom", options={"player": "agent 6"})
    actions = world.table.next_state.shape[:2]
    record_behaviour(np.full(actions, 1 / actions[1]), world, 3, 5).save("seen.jsonl")
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    first = ""
    for line in Path("seen.jsonl").read_text(encoding="utf-8").splitlines()[1:]:
        step = json.loads(line)
        state = json.dumps(step["state"])
        first = first or state
        counts[state]["" if step["ended"] else json.dumps(step["next"])] += 1
    chain = {state: {to: Fraction(n, seen.total()) for to, n in seen.items()} for state, seen in counts.items()}
    found = follow(capsys, "playroom", "agent 6=seen.jsonl", "agent 2=random")
    assert found["baseline_value"][4] == pytest.approx(float(-expect_steps(chain, first)), rel=1e-12)
    assert found["followed"]["agent 6"]["states"] == len(chain)


def test_a_trained_newcomer_follows_what_it_learned(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Trained for one step it is no optimum; its policy's value by `evaluate` is the newcomer's."""
    train = ["train", "playroom", "--set", "player=agent 6", "--care", "0", "--agent", "q_learning", "--steps", "300"]
    assert main([*train, "--out", "learner", "--record", "learner.jsonl"]) == 0
    assert main(["evaluate", "playroom", "--set", "player=agent 6", "--policy", "learner", "--json"]) == 0
    own = json.loads(capsys.readouterr().out.splitlines()[-1])["own"]
    found = follow(capsys, "playroom", "agent 6=learner")
    limit = -1000.0 if own is None else own
    assert found["baseline_value"][4] == pytest.approx(limit)
    learner = caregrid.problem("playroom", set={"player": "agent 6"}).train(care=0, agent="q_learning", steps=300)
    values = caregrid.problem("playroom").precompute(follow={"agent 6": learner})
    assert values.as_dict()["baseline_value"] == found["baseline_value"]


GARDEN_REFUSALS: dict[str, tuple[str, Any, str]] = {
    "unknown newcomer": ("agent 9=random", None, "unknown newcomer 'agent 9'"),
    "no policy": ("agent 2", None, "'agent 2' has no policy"),
    "empty": ("agent 2=", None, "'agent 2' has no policy"),
    "no file": ("agent 2=nothing.json", None, "file not found"),
    "a long name": ("agent 2=" + "x" * 5000, None, "cannot read"),
    "no code": ("agent 2=json:loads", None, "a module of Python itself"),
    "not JSON": ("agent 2=f.json", "{'policy': []", "it holds no policy"),
    "a list": ("agent 2=f.json", "[]", "it holds no policy"),
    "deep": ("agent 2=f.json", "[" * 100_000, "it holds no policy"),
    "no rules": ("agent 2=f.json", {"policy": []}, "it says nothing of what 'agent 2' can do"),
    "no rule": ("agent 2=f.json", {"policy": [3]}, "f.json, rule 1: it is no rule"),
    "no field": ("agent 2=f.json", {"policy": [{"state": {"x": 1}, "action": "up"}]}, "cell, fence, upset"),
    "no state": ("agent 2=f.json", {"policy": [{"state": {"cell": [0, 0]}, "action": "up"}]}, "no state is"),
    "no action": ("agent 2=f.json", {"policy": [{"state": {}, "action": "fly"}]}, "it does 'fly'; name of up, down"),
    "a sum": ("agent 2=f.json", {"policy": [{"state": {}, "actions": {"up": 0.5}}]}, "sum to 0.5"),
    "no number": ("agent 2=f.json", {"policy": [{"state": {}, "actions": {"up": True}}]}, "of 'up' is True"),
    "nan": ("agent 2=f.json", '{"policy": [{"state": {}, "actions": {"up": NaN}}]}', "of 'up' is nan"),
    "a walk": ("agent 2=f.json", {"demonstrations": [{"start": START, "actions": ["fly"]}]}, "unknown action 'fly'"),
}


@pytest.mark.parametrize("case", GARDEN_REFUSALS)
def test_what_cannot_be_followed_is_one_line(case: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, content, expected = GARDEN_REFUSALS[case]
    if content is not None:
        write("f.json", content)
    assert main(["precompute", "garden", "--follow", policy, "--out", "values.npz"]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert expected in printed.err
    assert not Path("values.npz").exists()


def test_policies_of_other_worlds_are_refused(here: Path) -> None:
    world = ObservedWorld.make("playroom", options={"player": "agent 6"})
    behaviour = record_behaviour(np.zeros(len(world.table.terminal), dtype=np.int32), world, 1, 0, limit=3)
    assert behaviour.steps == 3
    problem = caregrid.problem("playroom")
    assert problem.precompute(follow={"agent 6": behaviour}).followed["agent 6"].states == 3
    for wrong in (
        {"agent 2": behaviour},
        {"agent 6": [0, 1]},
        {"agent 6": 3},
        {"agent 6": None},
        ["agent 6=random"] * 2,
    ):
        with pytest.raises(CaregridError) as refused:
            problem.precompute(follow=wrong)
        assert "\n" not in str(refused.value)
