"""`identify` for copies, input terminals and extended environments: recovery, quadrature, files that do not fit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import dblquad, quad

import caregrid
from caregrid.main import main
from caregrid.programmes.identification import read_observed
from caregrid.programmes.turns import RecordedTurns, read_turns
from engine.errors import BadValue, CaregridError


def record(agent: str, world: str, **settings: Any) -> RecordedTurns:
    recorded = caregrid.record_behaviour(agent, world, **settings)
    assert isinstance(recorded, RecordedTurns)
    return recorded


def integrate_slips(chance_and_size: list[tuple[float, int]]) -> float:
    """The log evidence of decisions of probability q among |A| actions, slips aside, by plain quadrature."""

    def density(e: float) -> float:
        return 9.0 * (1.0 - e) ** 8 * math.prod((1.0 - e) * q + e / size for q, size in chance_and_size)

    return math.log(quad(density, 0.0, 1.0, epsabs=0.0, epsrel=1e-10, limit=200)[0])


@pytest.mark.parametrize("agent", ["itf", "itc", "citc", "fc"])
def test_planning_agents_are_recovered_and_those_that_act_alike_are_one(agent: str, tmp_path: Path) -> None:
    recorded = record(agent, "terminal/tamper_grid", horizon=12)
    assert read_turns(recorded.save(tmp_path / "seen.jsonl")).text() == recorded.text()
    found = caregrid.identify(tmp_path / "seen.jsonl")
    assert found.posterior[agent] > 0.99
    classes = {each.members for each in found.hypotheses}
    expected = {"citc": {("citc",), ("random",)}}.get(agent, {("itf",), ("itc", "fc"), ("random",)})
    assert classes == expected
    data = [json.loads(line) for line in recorded.text().splitlines()]
    data[0]["learns"] = None
    (tmp_path / "seen.jsonl").write_text("\n".join(map(json.dumps, data)) + "\n", encoding="utf-8")
    of_actions = caregrid.identify(tmp_path / "seen.jsonl")
    assert {each.members for each in of_actions.hypotheses} == {("itf",), ("itc", "citc", "fc"), ("random",)}
    assert "learns" in of_actions.notes[0]


def test_the_evidence_of_a_planning_agent_is_that_of_plain_quadrature() -> None:
    recorded = record("itc", "terminal/tamper_grid", horizon=12)
    found = {each.name: each.log_evidence for each in caregrid.identify(recorded).hypotheses}
    sizes = [len(turn.available) for turn in recorded.episodes[0]]
    assert found["random"] == pytest.approx(-sum(map(math.log, sizes)), abs=1e-12)
    alone = caregrid.identify(recorded, agents="itc").decisions
    assert [each.offered for each in alone] == sizes
    # ITC's plan at each step, from the steps that the simulation lists: one optimal action, or several that tie
    from counterfactual.agents import PLANNING_AGENTS
    from counterfactual.simulation.simulate import simulate
    from counterfactual.worlds import TERMINAL_WORLDS

    world = TERMINAL_WORLDS["tamper_grid"].make({"horizon": "12"})
    traces = {trace.replace("#", "") for trace in simulate(world, PLANNING_AGENTS["itc"]).traces}
    glyphs = {name: glyph for glyph, name in world.action_names.items()}
    taken = "".join(glyphs[turn.action] for turn in recorded.episodes[0])
    ties = [len({trace[n] for trace in traces if trace[:n] == taken[:n]}) for n in range(len(taken))]
    chances = [(1.0 / tied, size) for tied, size in zip(ties, sizes, strict=True)]
    assert found["itc"] == pytest.approx(integrate_slips(chances), abs=1e-6)


def test_futures_are_told_apart_and_copies_with_one_history_count_once() -> None:
    recorded = [record(future, "slots/teleport_move", horizon=4, discount="1/2") for future in ("cpy", "sta:1")]
    mine, other = (caregrid.identify(each, agents="cpy@1/2,sta:1@1/2").posterior for each in recorded)
    assert mine["cpy@1/2, exact"] > 4 * mine["sta:1@1/2, exact"]
    assert other["sta:1@1/2, exact"] > 4 * other["cpy@1/2, exact"]
    copied = record("every", "slots/exponential", horizon=3, discount="1/2")
    assert copied.steps > len(caregrid.identify(copied, agents="every@1/2").decisions)


def test_the_evidence_of_a_future_is_that_of_plain_quadrature() -> None:
    recorded = record("cpy", "slots/teleport_move", horizon=3, discount="1/2")
    found = {each.name: each.log_evidence for each in caregrid.identify(recorded, agents="dyn@1/2").hypotheses}
    rows = []
    history: list[str] = []
    for number, turn in enumerate(recorded.episodes[0]):
        asked = {"value": "dyn", "horizon": 3 - number, "discount": "1/2", "history": ";".join(history)}
        rows.append((np.array(list(map(float, caregrid.slots("teleport_move", **asked).Q.values()))), int(turn.action)))
        ((_, seen),) = turn.next["copies"].items()
        history.append(f"{turn.action},{seen}")

    def density(e: float, log_t: float) -> float:
        total = 9.0 * (1.0 - e) ** 8 / math.log(400.0)
        for q, action in rows:
            weight = np.exp((q - q.max()) / math.exp(log_t))
            total *= (1.0 - e) * float(weight[action] / weight.sum()) + e / 2.0
        return total

    whole, _ = dblquad(density, math.log(0.05), math.log(20.0), 0.0, 1.0, epsabs=1e-11)
    assert found["dyn@1/2"] == pytest.approx(math.log(whole), abs=1e-6)
    best = [(float(q[action] >= q.max() - 1e-9) / float((q >= q.max() - 1e-9).sum()), 2) for q, action in rows]
    assert found["dyn@1/2, exact"] == pytest.approx(integrate_slips(best), abs=1e-6)


@pytest.mark.parametrize("agent", ["simple", "constant", "q_learning", "sarsa(epsilon=0.3)"])
def test_registered_agents_are_recovered_from_their_turns(agent: str, tmp_path: Path) -> None:
    paths = []
    for world in ("tempting_button", "repeater"):
        paths.append(record(agent, f"extended/{world}", limit=60, seed=3).save(tmp_path / f"{world}.jsonl"))
    found = caregrid.identify(*paths, agents="simple,constant,q_learning,sarsa,sarsa(epsilon=0.3)")
    assert found.posterior[agent] > 0.95
    copied = next(note for note in found.notes if "repeater" in note)
    # what the copy would have done is in the file itself
    rows = read_turns(paths[1]).episodes[0]
    same = sum(int(row.action) == row.next["copy"] for row in rows)
    assert copied.endswith(f"in {same} of {len(rows)} turns")


def test_the_battery_records_what_its_agents_do(tmp_path: Path) -> None:
    caregrid.battery("simple", "repeater", turns=30, seeds="2", record=tmp_path / "seen")
    rows = [read_turns(path).episodes[0] for path in sorted((tmp_path / "seen").iterdir())]
    totals = [row["total_reward"] for row in caregrid.battery("simple", "repeater", turns=30, seeds="2").rows()]
    assert [sum(turn.next["reward"] for turn in turns) for turns in rows] == totals


Change = Callable[[list[dict[str, Any]]], object]
WRONG: dict[str, tuple[str, str, Change, str]] = {
    "an unknown programme": ("itc", "terminal/tamper_grid", lambda d: d[0].update(programme="termnal"), "terminal"),
    "code of a file": ("itc", "terminal/tamper_grid", lambda d: d[0].update(world="os:system"), "registered"),
    "another state": ("itc", "terminal/tamper_grid", lambda d: d[2]["state"].update(x=[0, 0]), "step 2"),
    "what cannot follow": ("itc", "terminal/tamper_grid", lambda d: d[1]["next"].update(x=[0, 0]), "cannot follow"),
    "no such action": ("itc", "terminal/tamper_grid", lambda d: d[1].update(action="fly"), "fly"),
    "no such setting": ("itc", "terminal/tamper_grid", lambda d: d[0].update(settings={"horizn": "3"}), "horizn"),
    "learns what nobody can": ("itc", "terminal/tamper_grid", lambda d: d[0].update(learns=["Z"]), "learns"),
    "a slot without an agent": ("cpy", "slots/swap", lambda d: d[1]["state"].update(slot=9), "cannot come there"),
    "a foreign copy": ("cpy", "slots/swap", lambda d: d[1]["next"].update(copies={"9": "0"}), "cannot follow"),
    "a wild observation": ("simple", "extended/repeater", lambda d: d[1]["state"].update(observation=99), "0 to"),
    "a turn left out": (
        "simple",
        "extended/tempting_button",
        lambda d: d[2]["state"].update(observation=1 - d[2]["state"]["observation"]),
        "go on",
    ),
    "a reward of text": ("simple", "extended/repeater", lambda d: d[1]["next"].update(reward="much"), "number"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_its_world_is_one_line(case: tuple[str, str, Change, str], tmp_path: Path) -> None:
    agent, world, change, sentence = case
    data = [json.loads(line) for line in record(agent, world, limit=5, **_settings(world)).text().splitlines()]
    change(data)
    path = tmp_path / "seen.jsonl"
    path.write_text("\n".join(map(json.dumps, data)) + "\n", encoding="utf-8")
    with pytest.raises(CaregridError, match=sentence) as refused:
        caregrid.identify(path)
    assert "\n" not in str(refused.value)


def _settings(world: str) -> dict[str, Any]:
    return {} if world.startswith("extended") else {"horizon": 3}


def test_any_bytes_are_refused_in_one_line(tmp_path: Path) -> None:
    text = record("cpy", "slots/swap", horizon=2).text()
    random = np.random.default_rng(5)
    path = tmp_path / "seen.jsonl"
    for _ in range(150):
        letters = list(text)
        for at in random.integers(0, len(letters), 3):
            letters[at] = chr(random.integers(32, 127))
        path.write_text("".join(letters), encoding="utf-8")
        told = "identified"
        try:
            caregrid.identify(path, agents="cpy@1/2")
        except CaregridError as refused:
            told = str(refused)
        assert "\n" not in told


def test_questions_of_another_programme_are_refused() -> None:
    recorded = record("itc", "terminal/tamper_grid", horizon=3)
    garden = caregrid.problem("garden")
    caring = caregrid.record_behaviour(garden.solve(care=1), garden)
    with pytest.raises(BadValue, match="no caring agent"):
        caregrid.identify(recorded, formulation="expected")
    with pytest.raises(BadValue, match="several programmes"):
        caregrid.identify(recorded, caring)
    with pytest.raises(BadValue, match="formulations"):
        caregrid.identify(caring, agents="itc")


def test_fractions_of_discounts_are_hypotheses() -> None:
    recorded = record("cpy", "slots/copy_bonus", horizon=4, discount="1/2")
    names = set(caregrid.identify(recorded, agents="cpy").posterior)
    assert {f"cpy@{Fraction(*each)}" for each in ((1, 4), (1, 2), (3, 4), (9, 10))} <= names


RECORDED = {
    "a played scenario": "play garden --text --keys w,w,d,u",
    "a played environment": "play tempting_button --set turns=3 --text --keys 1,0,1",
    "played copies": "play teleport-move --set horizon=2 --text --keys 1,1",
    "a played terminal": "play tamper-grid --set horizon=3 --text --keys w,w,1",
    "a planning agent": "terminal tamper-grid --agent itf --horizon 4",
    "simulated copies": "multislot swap --simulate 2 --policy cpy",
    "training": "train garden --steps 10 --out trained",
}


@pytest.mark.slow_cases("training")
@pytest.mark.parametrize("line", RECORDED.values(), ids=RECORDED)
def test_what_commands_record_fits_its_world(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*line.split(), "--record", "seen.jsonl"]) == 0
    (read,) = read_observed(["seen.jsonl"])
    assert read.text() == (tmp_path / "seen.jsonl").read_text(encoding="utf-8")
    if isinstance(read, RecordedTurns):
        assert caregrid.identify(read).decisions
    capsys.readouterr()
    assert main([*line.split(), "--record", "nowhere/seen.jsonl"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
