"""What a person makes in the page: numbers dragged in sentences, challenges, work that is kept, letters."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import pytest

from caregrid.lessons import LESSONS
from caregrid.lessons.lesson import LiveProblem
from caregrid.lessons.live_world import write_live_world
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_break_points
from craftworld.solution.problem import make_problem
from renderers.drawing.sprites import find_sprite
from tests.caregrid.lessons.test_live_page import OPEN, click, open_editor
from tests.caregrid.lessons.test_page_promises import choose, read_texts
from tests.caregrid.lessons.test_page_solver import page_context
from tests.caregrid.lessons.test_sweep_page import worlds_of

CARING = [name for name in LESSONS.names() if isinstance(LESSONS[name].live()[0], LiveProblem)]
FAR_WOOD = """\
##########
#E.K...KT#
#........#
#........#
#........#
#.......W#
#.......F#
#........#
#.......X#
##########"""
"""A workshop in which wood lies beside the factory: extra wood spares a newcomer one step only."""


def drag_keys(browser, name: str, number: str, key: str, count: int) -> None:
    """Press a key some times on a number of a lesson's sentence."""
    for _ in range(count):
        browser.do(f'document.querySelector("#{name} .drag[data-name={number}]").focus()')
        browser.press(key)


def test_the_sentence_is_the_arithmetic_of_the_lesson(browser, page: Path) -> None:
    """At each break point: cost and gain are those of the exact lines, and their parts add up to them."""
    browser.open(page, 1280)
    browser.do(OPEN)
    for name in ("care", "options", "whose_wishes", "box_in_the_way"):
        world = write_live_world(LESSONS[name].live()[0].problem)
        for before, now in zip(world["segments"], world["segments"][1:], strict=False):
            click(browser, LESSONS[name], ".next-point")
            [words] = read_texts(browser, name, ".price-place > .price")
            cost, gain = before["line"][0] - now["line"][0], now["line"][1] - before["line"][1]
            shown = browser.do(
                f'[...document.querySelectorAll("#{name} .price .drag")].map((e) => Number(e.ariaValueNow))'
            )
            assert shown[:2] == pytest.approx([cost, gain])
            assert float(read_texts(browser, name, ".begins-at")[0]) == pytest.approx(cost / gain, rel=1e-3)
            assert cost / gain == pytest.approx(now["from"])
            assert "is done." in words
            assert words.count("(") >= 2, words  # where the cost comes from, and the gain


@pytest.mark.slow
def test_wood_and_chance_are_said(browser, page: Path) -> None:
    """What looked wrong before: wood costs 12 beside two steps, and one of five people comes."""
    browser.open(page, 1280)
    browser.do(OPEN)
    for _ in range(4):
        click(browser, LESSONS["care"], ".next-point")
    [words] = read_texts(browser, "care", ".price-place > .price")
    world = write_live_world(LESSONS["care"].live()[0].problem)
    paid = [-sum(step["reward"] for step in segment["steps"]) for segment in world["segments"][-2:]]
    assert paid == [-segment["own"] for segment in world["segments"][-2:]]
    assert "12 for “leave the extra wood”" in words
    click(browser, LESSONS["options"], ".next-point")
    [words] = read_texts(browser, "options", ".price-place > .price")
    before, now = (one["others"] for one in write_live_world(LESSONS["options"].live()[0].problem)["segments"][:2])
    gained = [name for name in now if now[name] == before[name] + 1]
    assert f"1/5 of 1 for each of 2: {', '.join(gained)}" in words


@pytest.mark.slow
def test_a_number_that_is_dragged_moves_break_points_and_path(browser, page: Path) -> None:
    """Against fractions: with own returns counted k times as much every break point is k times as large."""
    browser.open(page, 1280)
    browser.do(OPEN)
    problem = LESSONS["care"].live()[0].problem
    points = [Fraction(point).limit_denominator(1000) for point in find_break_points(problem)]
    for _ in range(2):
        click(browser, LESSONS["care"], ".next-point")
    drag_keys(browser, "care", "cost", "ArrowRight", 20)
    factor = (
        Fraction(
            browser.do('Number(document.querySelector("#care .drag[data-name=cost]").ariaValueNow)')
        ).limit_denominator(100)
        / 2
    )
    assert factor == 2
    label = browser.do('document.querySelector("#care .ticks").getAttribute("aria-label")')
    assert label == "break points at " + ", ".join(f"{float(factor * point):.4g}" for point in points)
    # At the care that is shown, 0.4, the favour that now costs twice as much is no longer done.
    assert browser.do('document.querySelector("#care .number-line .value").textContent') == "0.4"
    assert browser.do('document.getElementById("care").dataset.segment') == "1"
    click(browser, LESSONS["care"], ".as-it-is")
    assert browser.do('document.getElementById("care").dataset.segment') == "2"


@pytest.mark.slow
def test_a_pointer_drags_a_number(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.do(OPEN)
    box = 'document.querySelector("#care .drag[data-name=care]")'
    browser.do(f'{box}.scrollIntoView({{block: "center"}})')
    x, y = browser.do(
        f"(() => {{ const b = {box}.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
    )
    for kind, at in (("mousePressed", x), ("mouseMoved", x + 60), ("mouseMoved", x + 300), ("mouseReleased", x + 300)):
        browser._send("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", buttons=1, clickCount=1)
    assert float(browser.do('document.getElementById("care").dataset.care')) > 0.1
    assert not browser.errors


@pytest.mark.slow
def test_a_sweep_says_why_its_break_point_is_there(browser, page: Path) -> None:
    """Teleport: with probability 3/5 staying and moving are worth the same to who counts copies."""
    browser.open(page, 1280)
    browser.do(OPEN)
    choose(browser, "teleport", "select.world", 2)
    click(browser, LESSONS["teleport"], ".next-point")
    said = read_texts(browser, "teleport", ".price-place p")
    assert said == ["my copies: stay: 1.05 before, 0.6 + 0.75 × probability now; both are 1.05 at 0.6."]


@pytest.mark.slow
def test_a_challenge_is_checked_and_can_be_sent(browser, page: Path) -> None:
    """The first lesson's, met by a map whose break points are the desktop's; who opens the link sees it met."""
    challenge = LESSONS["care"].challenge
    scenario = SCENARIOS["workshop"]
    desktop = find_break_points(make_problem(scenario(scenario.parse_map(FAR_WOOD))))
    assert max(desktop) > challenge.number > max(find_break_points(make_problem(scenario())))
    open_editor(browser, page, LESSONS["care"], 1280)
    assert read_texts(browser, "care", ".challenge-says") == [""]
    browser.do(f'document.querySelector("#care .map-text").value = {json.dumps(FAR_WOOD)}')
    click(browser, LESSONS["care"], ".use-text")
    assert read_texts(browser, "care", ".challenge-says") == ["Met, checked exactly."]
    link = browser.do('document.querySelector("#care .send").getAttribute("href")')
    browser.open(page, 1280)
    assert read_texts(browser, "care", ".challenge-says") == [""]
    browser.do(f"location.hash = {json.dumps(link)}")
    browser.wait('document.querySelector("#care .challenge").dataset.met === "yes"')


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["whom", "options", "box_in_the_way"])
def test_a_walk_meets_a_challenge_and_can_be_sent(browser, page: Path, name: str) -> None:
    """The exact path at the care that is asked for meets it; the one at care 0 does not."""
    challenge = LESSONS[name].challenge
    segments = write_live_world(LESSONS[name].live()[challenge.world].problem)["segments"]
    [wanted] = [
        one
        for one in segments
        if (one["from"] or 0.0) < challenge.number and (one["to"] is None or challenge.number < one["to"])
    ]
    for segment, met in ((segments[0], False), (wanted, True)):
        walk = ".".join(step["action"].replace(" ", "+") for step in segment["steps"][1:])
        browser.open(page, 1280)
        browser.do(f"location.hash = {json.dumps(f'#{name}?walk={walk}')}")
        browser.wait(f'document.querySelector("#{name} .walk").dataset.over === "true"')
        assert browser.do(f'document.querySelector("#{name} .challenge").dataset.met') == ("yes" if met else "no")


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["teleport", "input_terminal", "as_if"])
def test_a_value_meets_a_challenge(browser, page: Path, name: str) -> None:
    """A value found here by halving the polynomial of the export meets it, the ends of the line do not."""
    challenge = LESSONS[name].challenge
    world = worlds_of(page, name)[challenge.world]["world"]

    def number(value: float) -> float:
        segment = [one for one in world["segments"] if one["from"] <= value][-1]
        return sum(each * value**power for power, each in enumerate(segment["numbers"][challenge.name]))

    low, high = world["low"], world["high"]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if number(middle) < challenge.number else (low, middle)
    for value, met in ((world["high"], False), (low, True)):
        browser.open(page, 1280)
        browser.do(f"location.hash = {json.dumps(f'#{name}?world={challenge.world}&value={value}')}")
        browser.wait(f'Math.abs(Number(document.getElementById("{name}").dataset.value) - {value}) < 1e-6')
        assert browser.do(f'document.querySelector("#{name} .challenge").dataset.met') == ("yes" if met else "no")


def test_every_challenge_names_a_goal_and_a_world() -> None:
    context = page_context("challenge")
    goals = json.loads(context.eval("JSON.stringify(Object.keys(challenges.goals))"))
    for name in LESSONS.names():
        challenge = LESSONS[name].challenge
        assert challenge.goal in goals
        assert challenge.world < len(LESSONS[name].live())


@pytest.mark.slow
def test_work_is_kept_saved_and_opened(browser, page: Path, tmp_path: Path) -> None:
    """A prediction, a map and the choice of letters are there again when the page is opened anew, until forgotten."""
    open_editor(browser, page, LESSONS["care"], 1280)
    browser.do('document.querySelectorAll("#care .predict input")[1].click()')
    browser.do('document.querySelector("#care .predict").requestSubmit()')
    browser.do(f'document.querySelector("#care .map-text").value = {json.dumps(FAR_WOOD)}')
    click(browser, LESSONS["care"], ".use-text")
    browser.do('document.querySelector(".work .letters").click()')
    kept = browser.do("JSON.stringify(work.all())")
    browser.open(page, 1280, keeps=True)
    assert browser.do("JSON.stringify(work.all())") == kept
    assert browser.do('document.querySelector("#care .after-prediction").hidden') is False
    assert browser.do('document.querySelector("#care .map-text").value') == FAR_WOOD
    assert browser.do('document.body.classList.contains("letters")')
    assert browser.do('document.querySelectorAll(".board use").length') == 0
    browser.do("work.forget()")
    browser.open(page, 1280, keeps=True)
    assert browser.do('document.body.classList.contains("letters")') is False
    assert json.loads(browser.do("JSON.stringify(work.all())"))["maps"] == {}


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is no file of the format"),
        ('{"format": "x"}', "it is no file of the format"),
    ],
)
def test_a_file_that_is_no_work_is_refused(browser, page: Path, text: str, reason: str) -> None:
    browser.open(page, 1280)
    browser.do(
        '(() => { const input = document.querySelector(".work-file"), data = new DataTransfer();'
        f'data.items.add(new File([{json.dumps(text)}], "w.json"));'
        'input.files = data.files; input.dispatchEvent(new Event("change")); })()'
    )
    browser.wait('document.querySelector(".work-says").textContent !== ""')
    assert browser.do('document.querySelector(".work-says").textContent').startswith(
        f"w.json cannot be opened: {reason}"
    )


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_the_projector_shows_one_lesson_at_a_time(browser, page: Path, width: int, height: int) -> None:
    browser.open(page, width, height)
    browser.do("document.documentElement.requestFullscreen = undefined")
    browser.do('document.querySelector(".project").click()')
    shown = (
        "[...document.querySelectorAll('main > section')].filter((each) => each.offsetParent).map((each) => each.id)"
    )
    assert browser.do(shown) == ["care"]
    bottom = browser.do('document.querySelector("#care .live .board").getBoundingClientRect().bottom')
    assert bottom < height
    browser.do("document.querySelector(\".projector-bar [aria-label='next lesson']\").click()")
    assert browser.do(shown) == ["whom"]
    browser.press("Escape")
    assert len(browser.do(shown)) == len(LESSONS.names())


@pytest.mark.slow
def test_the_page_finds_the_sprites_of_the_desktop(browser, page: Path) -> None:
    """For the name of every feature and mark of every live world."""
    pairs = {("agent", "agent"), ("newcomer", "other"), ("a zyx", "object"), ("Ann's desk", "feature")}
    for name in CARING:
        for world in (each["world"] for each in worlds_of(page, name)):
            pairs |= {(feature["names"][0], "feature") for feature in world["features"]}
            pairs |= {
                (mark[3], mark[4]) for one in world["segments"] for step in one["steps"] for mark in step["marks"]
            }
    asked = sorted(pairs)
    browser.open(page, 1280)
    found = browser.do(f"{json.dumps(asked)}.map(([name, role]) => sprites.find(name, role))")
    assert found == [find_sprite(name, role) for name, role in asked]
    assert found.count("") < len(found) / 2


MAPS = {
    "care": FAR_WOOD,
    "own_kind": "#####\n#S  #\n#A  #\n#F  #\n#####",
    "whose_wishes": "#########\n#P  #T B#\n#X  #   #\n#       #\n#   #####\n#K     Y#\n#########",
    "your_own_map": (
        "##########\n#E......T#\n#........#\n#........#\n#........#\n#.....W..#\n#....F...#\n#......K.#\n#.K.....X#\n##########"
    ),
}
GOALS = {
    "last break point above": lambda points, number: max(points) > number,
    "last break point below": lambda points, number: max(points) < number,
}


@pytest.mark.parametrize("name", MAPS)
def test_a_challenge_of_a_map_can_be_met_and_is_not_met_at_first(name: str) -> None:
    """By the exact break points of the desktop."""
    challenge = LESSONS[name].challenge
    live = LESSONS[name].live()[challenge.world]
    scenario = live.problem.scenario
    drawn = live.make(type(scenario).parse_map(MAPS[name]))
    goal = GOALS[challenge.goal]
    assert goal(find_break_points(make_problem(drawn, live.problem.formulation)), challenge.number)
    assert not goal(find_break_points(live.problem), challenge.number)


def test_the_challenge_of_the_game_asks_for_the_most_that_can_be_earned() -> None:
    """By brute force over what is done at the buttons; elsewhere it does not matter what one does."""
    challenge = LESSONS["self_reflection"].challenge
    game = LESSONS["self_reflection"].live()[challenge.world].describe()
    buttons = [turn for turn, seen in enumerate(game["sees"]) if seen == 0]
    totals = []
    for choices in itertools.product((0, 1), repeat=len(buttons)):
        done = dict(zip(buttons, choices, strict=True))
        shown: list[int] = []
        total = 0.0
        for turn, seen in enumerate(game["sees"]):
            times = {action: shown.count(action) for action in shown}
            copy = max(times, key=lambda action: (times[action], shown[::-1].index(action) * -1)) if times else 0
            total += game["reward"][str(seen) if str(seen) in game["reward"] else seen][done.get(turn, 0)][copy]
            shown += [done[turn]] if seen == 0 else []
        totals.append(total)
    assert max(totals) == challenge.number
