"""What one played like, in the page and on the desktop: the same words, intervals and posterior of care."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from caregrid.lessons.lesson import LiveProblem
from caregrid.programmes.caring.played_like import describe_intervals, describe_player, gather_choices
from craftworld.identification.behaviour import read_behaviours
from craftworld.identification.identify import find_optimal_care, identify
from craftworld.identification.posterior import CARE, Prior, integrate, integrate_random
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_optimal_policies
from craftworld.solution.problem import Problem, make_problem
from engine.errors import BadFile
from engine.mdp.policies import Trajectory
from tests.caregrid.lessons.test_live_page import OPEN
from tests.caregrid.lessons.test_page_solver import SOLVER, page_context, random_scenarios

SCRIPTS = ("elements", "axis", *SOLVER, "why", "identify", "record")
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
ASKED = """(world, rows, names) => {
  const drawn = { ...world, rows }, solved = why.table(drawn), { table } = solved;
  const actions = names.map((name) => table.actions.indexOf(name)), choices = identifying.choices(table, [actions]);
  const posterior = identifying.posterior(choices);
  return JSON.stringify({
    optimal: identifying.optimal(choices).map((each) => each.map(String)), said: identifying.described(choices),
    logEvidence: posterior.logEvidence, logRandom: posterior.logRandom,
    quantiles: LEVELS.map((level) => Math.atan(identifying.quantile(posterior, level))),
    file: recording.lines(drawn, solved, world, [actions], "player"),
  });
}"""


def walk(problem: Problem, care: float, slip: float, seed: int) -> Trajectory:
    """The path of an optimal agent that slips now and then, until it ends, at most 60 steps."""
    random = np.random.default_rng(seed)
    mdp = problem.mdp
    start = int(mdp.start_states()[0])
    policy = find_optimal_policies(problem, care)[start]
    states, actions = [start], list[int]()
    while not mdp.terminal[states[-1]] and len(actions) < 60:
        best = int(policy[states[-1]])
        action = int(random.integers(len(mdp.actions))) if random.random() < slip else best
        actions.append(action)
        states.append(int(mdp.next_state[states[-1], action, 0]))
    return Trajectory(tuple(states), tuple(actions), (0,) * len(actions))


def ask_page(problem: Problem, path: Trajectory, exported: dict) -> dict:
    names = [problem.mdp.actions[action] for action in path.actions]
    context = page_context(*SCRIPTS)
    asked = ", ".join(json.dumps(each) for each in (exported, list(problem.scenario.grid.rows), names))
    return json.loads(context.eval(f"({ASKED.replace('LEVELS', json.dumps(LEVELS))})({asked})"))


def export(name: str) -> dict:
    problem = make_problem(SCENARIOS[name]())
    return LiveProblem(name, problem, SCENARIOS[name]).describe()


@pytest.mark.slow_cases("workshop", "side_effects_sokoban", "mailroom", "playroom")
@pytest.mark.parametrize(
    ("name", "care", "slip", "seed"),
    [
        ("workshop", 2.0, 0.15, 1),
        ("kitchen_peanut", 0.5, 0.0, 3),
        ("playroom", 1.0, 0.2, 4),
        ("side_effects_sokoban", 2.0, 0.1, 5),
        ("mailroom", 5.0, 0.1, 6),
    ],
)
def test_the_page_says_what_the_desktop_says(name: str, care: float, slip: float, seed: int) -> None:
    problem = make_problem(SCENARIOS[name]())
    path = walk(problem, care, slip, seed)
    page = ask_page(problem, path, export(name))
    choices = gather_choices(problem, path)
    assert choices is not None
    want = find_optimal_care(choices)
    got = [(float(low), float(high)) for low, high in page["optimal"]]
    assert len(got) == len(want)
    assert np.allclose(np.arctan(got).ravel(), np.arctan(want).ravel(), rtol=1e-9, atol=1e-12)
    posterior = integrate(choices, Prior())
    assert page["logEvidence"] == pytest.approx(posterior.log_evidence, abs=5e-4)
    assert page["logRandom"] == pytest.approx(integrate_random(choices), abs=1e-9)
    shares = [posterior.find_share_below(CARE, each) for each in page["quantiles"]]
    assert shares == pytest.approx(LEVELS, abs=2e-3)
    said = [words for _, words in describe_player(problem, path)]
    assert page["said"][0][1].replace("\u2212", "-") == said[0]
    assert len(page["said"]) == len(said)


@pytest.mark.slow
def test_what_one_did_is_a_file_that_the_desktop_reads(tmp_path: Path) -> None:
    """A world with rules, one with a table, and a map of one's own: the steps, one file after the other as one."""
    files, want = [], []
    for scenario in (SCENARIOS["playroom"](), SCENARIOS["kitchen_peanut"](), random_scenarios("kitchen_peanut", 1)[0]):
        problem = make_problem(scenario)
        path = walk(problem, 1.0, 0.1, 5)
        files.append(ask_page(problem, path, export(scenario.name))["file"])
        want.append((tuple(scenario.grid.rows), [problem.mdp.actions[action] for action in path.actions]))
    place = tmp_path / "mine.jsonl"
    place.write_text("".join(files), encoding="utf-8")
    read = read_behaviours(place)
    assert [
        (tuple(each.world.scenario.grid.rows), [each.world.table.actions[step.action] for step in each.episodes[0]])
        for each in read
    ] == want
    assert [each.world.map is None for each in read] == [True, True, False]
    broken = place.read_text(encoding="utf-8").splitlines()
    last = json.loads(broken[-1])
    broken[-1] = json.dumps(last | {"action": "fly"})
    place.write_text("\n".join(broken), encoding="utf-8")
    with pytest.raises(BadFile, match=f"episode 1, step {last['step']}: action 'fly' is impossible"):
        read_behaviours(place)
    lines = files[1].splitlines()
    place.write_text("\n".join([*lines, lines[0].replace("kitchen_peanut", "playroom"), lines[1]]), encoding="utf-8")
    with pytest.raises(BadFile, match=f"line {len(lines) + 1}: it was recorded in another world"):
        read_behaviours(place)


GAMES = """(async () => {
  const data = JSON.parse(document.getElementById("lessons").textContent).find(({ name }) => name === "how_much_care");
  const section = document.querySelector("#how_much_care"), worlds = gaming.worlds(data.worlds[0].world), said = [];
  for (const world of worlds) {
    const { table } = why.table(world), plan = solvedAtCare(table, 0.5);
    for (let state = table.starts[0]; !table.terminal[state];) {
      const action = plan.best(state);
      section.querySelectorAll(".walk .take")[action].click();
      state = table.next[state * table.actions.length + action];
    }
    const { low, median, high, share } = section.querySelector(".games").dataset;
    said.push([low, median, high, share].map(Number));
    section.querySelector(".next-game").click();
  }
  let saved = "";
  recording.save = (text) => { saved = text; };
  section.querySelector(".save-games").click();
  return { said, saved, met: section.querySelector(".challenge").dataset.met };
})()"""
READ = """(async () => {
  const games = document.querySelector("#how_much_care .games"), input = games.querySelector(".class-files");
  const files = new DataTransfer(), says = () => games.querySelector(".refused").textContent;
  for (const [name, text] of FILES) files.items.add(new File([text], name));
  input.files = files.files;
  input.dispatchEvent(new Event("change"));
  while (!says()) await new Promise((done) => setTimeout(done, 50));
  return { refused: says(), listed: [...games.querySelectorAll(".of-class li")].map((each) => each.textContent) };
})()"""


@pytest.mark.slow
def test_ten_games_narrow_a_posterior_that_is_the_desktops(browser, page: Path, tmp_path: Path) -> None:
    browser.open(page, 1366, 650)
    browser.do(OPEN)
    played = browser.do(GAMES)
    shares = [share for *_, share in played["said"]]
    assert len(shares) == 10
    assert shares[-1] < 0.1 < shares[0]
    assert played["met"] == "yes"
    file = tmp_path / "player.jsonl"
    file.write_text(played["saved"], encoding="utf-8")
    read = read_behaviours(file)
    assert len(read) == 10
    found = {each.name: each for each in identify(read, ["expected"]).hypotheses}["expected"].posterior
    assert found is not None
    assert [found.find_share_below(CARE, math.atan(each)) for each in played["said"][-1][:3]] == pytest.approx(
        [0.05, 0.5, 0.95], abs=3e-3
    )
    first, *rest = played["saved"].splitlines()
    broken = "\n".join([first, rest[0].replace('"step":1', '"step":2')])
    files = [("ann.jsonl", played["saved"]), ("bea.jsonl", "{"), ("cleo.jsonl", broken), ("dan.jsonl", "[]")]
    opened = browser.do(READ.replace("FILES", json.dumps(files)))
    assert len(opened["listed"]) == 1
    assert opened["listed"][0].startswith("player: care 0.")
    assert opened["refused"] == (
        "bea.jsonl is left out: line 1: it is not JSON. cleo.jsonl is left out: line 2: it does not fit its world. "
        "dan.jsonl is left out: no game of this lesson is in it."
    )
    browser.follow_link(page, "how_much_care")
    games = 'document.querySelector("#how_much_care .games").dataset'
    assert browser.do(f"[{games}.low, {games}.median, {games}.high, {games}.share].map(Number)") == played["said"][-1]
    assert browser.do('document.querySelector("#how_much_care .challenge").dataset.met') == "yes"
    assert not browser.errors


def test_a_link_leaves_out_games_that_cannot_be(browser, page: Path) -> None:
    """One that does not come to its end, one with a move that there is not, and one too many."""
    browser.open(page, 1280)
    browser.do(f'location.hash = "#how_much_care?games=0_77.1__x{"_0.0" * 9}"')
    browser.wait('document.querySelector("#how_much_care .about").textContent.startsWith("Game 1 of 10")')
    assert browser.do('document.querySelector("#how_much_care .games").dataset.games') == "0"
    assert not browser.errors


def test_large_cares_are_written_in_digits() -> None:
    assert describe_intervals([(1234.0, math.inf)]) == (
        "care 1230 and above; anything below 1230 would have gone elsewhere"
    )
