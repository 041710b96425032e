"""Walking oneself in the page: by clicks, keys and buttons, the same returns and optimal cares as on the desktop."""

import json
import math
from pathlib import Path

import pytest

from caregrid.lessons import LESSONS
from caregrid.lessons.lesson import LiveProblem
from caregrid.programmes.caring.game import compute_path_returns, find_optimal_cares
from craftworld.solution.exact_solution import FROM_ZERO, choose_segments
from engine.mdp.policies import Trajectory
from engine.randomness.counter_based import randrange, split
from tests.caregrid.lessons.test_live_page import LIVE, OPEN, POINT

NAMES = [lesson.name for lesson in LIVE]


def opened_walk(browser, pages: dict[str, Path], name: str, width: int) -> LiveProblem:
    """Open a lesson's own page, and its walk."""
    browser.open(pages[f"live/{name}.html"], width)
    browser.do(OPEN)
    browser.do(f'document.querySelector("#{name} .walk").open = true')
    browser.wait(f'document.querySelector("#{name} .walk .board") !== null')
    live = LESSONS[name].live()[0]
    assert isinstance(live, LiveProblem)
    return live


def take(browser, name: str, actions: list[int]) -> dict:
    """Press buttons; what the walk says then."""
    return browser.do(
        f'(() => {{ const walk = document.querySelector("#{name} .walk"); for (const action of {actions}) '
        'walk.querySelectorAll(".take")[action].click(); return {...walk.dataset, '
        'says: walk.querySelector(".walk-says").textContent}; })()'
    )


def walked(live: LiveProblem, actions: list[int]) -> Trajectory:
    mdp = live.problem.mdp
    states = [int(mdp.start_states()[0])]
    for action in actions:
        states.append(int(mdp.next_state[states[-1], action, 0]))
    return Trajectory(tuple(states), tuple(actions), (0,) * len(actions))


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", NAMES)
def test_a_walk_gets_what_it_gets_on_the_desktop(browser, live_pages: dict[str, Path], name: str) -> None:
    live = opened_walk(browser, live_pages, name, 390)
    mdp, start = live.problem.mdp, int(live.problem.mdp.start_states()[0])
    segments = choose_segments(live.problem, FROM_ZERO)[start]
    for number, segment in enumerate(segments):
        wasted = []  # steps at the start that are walked and not taken back, so that some paths are optimal at no care
        if number % 2:
            wasted = [action for action in range(len(mdp.actions)) if mdp.next_state[start, action, 0] == start][:1]
        actions = [*wasted, *map(int, segment.actions)]
        shown = take(browser, name, actions)
        got = compute_path_returns(live.problem, walked(live, actions))
        assert shown["over"] == "true"
        assert float(shown["own"]) == pytest.approx(got.own)
        others = json.loads(shown["others"])
        assert others == {each: pytest.approx(value) for each, value in got.others.items() if math.isfinite(value)} | {
            each: None for each, value in got.others.items() if not math.isfinite(value)
        }
        cares = json.loads(shown["optimal"])
        expected = find_optimal_cares(got.line, segments)
        assert (cares is None) == (expected is None)
        if cares is not None and expected is not None:
            assert [float(care) for care in cares] == pytest.approx(list(expected))
        browser.do(f'document.querySelector("#{name} .walk .reset").click()')
    assert not browser.errors
    assert browser.do("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", NAMES)
def test_steps_are_taken_back_and_those_without_effect_are_named(
    browser, live_pages: dict[str, Path], name: str
) -> None:
    live = opened_walk(browser, live_pages, name, 1280)
    mdp, state, done = live.problem.mdp, int(live.problem.mdp.start_states()[0]), list[int]()
    own = 0.0
    for turn in range(25):
        action = randrange(len(mdp.actions), split(11, name), turn)
        shown = take(browser, name, [action])
        after = int(mdp.next_state[state, action, 0])
        own += float(mdp.reward[state, action, 0])
        assert ("no effect" in shown["says"]) == (after == state)
        assert float(shown["own"]) == pytest.approx(own * live.problem.own)
        done.append(action)
        state = after
        if mdp.terminal[state]:
            break
    for left in reversed(range(len(done))):
        browser.do(f'document.querySelector("#{name} .walk .undo").click()')
        assert browser.do(f'document.querySelector("#{name} .walk").dataset.steps') == str(left)
    assert browser.do(f'document.querySelector("#{name} .walk .undo").disabled')
    assert not browser.errors


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("width", [390, 1280])
def test_clicks_and_arrow_keys_walk(browser, live_pages: dict[str, Path], width: int) -> None:
    live = opened_walk(browser, live_pages, "care", width)
    mdp, scenario = live.problem.mdp, live.problem.scenario
    start = int(mdp.start_states()[0])
    action = next(a for a in range(4) if mdp.next_state[start, a, 0] != start)
    there = scenario.position(mdp.states[int(mdp.next_state[start, action, 0])])
    rows = scenario.grid.rows
    share = f"[{(there.column + 0.5) / len(rows[0])}, {(there.row + 0.5) / len(rows)}]"
    browser.click(
        *browser.do(POINT.replace("NAME", "care").replace(" .board", " .walk .board").replace("SHARE", share))
    )
    by_click = browser.do('document.querySelector("#care .walk-says").textContent')
    assert by_click.startswith(mdp.actions[action])
    browser.do('document.querySelector("#care .walk .board").focus()')
    browser.press("u")
    browser.press(f"Arrow{mdp.actions[action].title()}")
    assert browser.do('document.querySelector("#care .walk-says").textContent') == by_click
    assert browser.do('document.querySelector("#care .walk").dataset.steps') == "1"
