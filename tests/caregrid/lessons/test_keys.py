"""Every exercise has its answer, and the numbers of the answers are those that the program computes."""

from collections.abc import Callable, Iterable

import pytest

import caregrid
from caregrid.lessons import LESSONS, list_lessons
from craftworld.scenarios import SCENARIOS


def show(numbers: Iterable[float], digits: int = 4) -> list[str]:
    """Numbers as the page writes them, with a true minus sign."""
    return [f"{number:.{digits}g}".replace("-", "\u2212") for number in numbers]


def move(scenario: str, sign: str, cell: tuple[int, int], goal: tuple[int, int]) -> str:
    """A scenario's map with a feature elsewhere."""
    rows = [list(row) for row in SCENARIOS[scenario]().grid.rows]
    assert rows[cell[0]][cell[1]] == sign
    rows[cell[0]][cell[1]], rows[goal[0]][goal[1]] = " ", sign
    return "\n" + "\n".join("".join(row) for row in rows) + "\n"


def find_points(scenario: str, **options: object) -> tuple[float, ...]:
    return caregrid.problem(scenario, **options).breakpoints().points


def compare_slots(value: str, horizon: int) -> list[str]:
    solved = caregrid.slots("teleport_move", value=value, horizon=horizon)
    return [line.split()[2] for line in solved.text().splitlines()[:2]]


def solve_playroom(formulation: str) -> list[str]:
    return show(set(caregrid.problem("playroom", formulation).solve(10.0).others.values()))


def find_sweep_points(lesson: str, number: int) -> list[float]:
    return [segment["from"] for segment in LESSONS[lesson].live()[number].describe()["segments"][1:]]


def compute_ways_of_tampering() -> list[str]:
    first, second = LESSONS["input_terminal"].live()[0].describe()["segments"][:2]
    [works], [lost, often] = first["numbers"]["ITF"], second["numbers"]["ITF"]
    assert (works - lost) / often == pytest.approx(76 / 15)
    return show([often, -lost, works])


ANSWERS: dict[tuple[str, int], Callable[[], list[str]]] = {
    ("care", 1): lambda: ["1/972", "2/5", "4/4", "14/3"] * (find_points("workshop") == (1 / 972, 2 / 5, 4 / 4, 14 / 3)),
    ("care", 2): lambda: show({max(row["total"] for row in caregrid.problem("workshop").breakpoints().rows())}),
    ("care", 3): lambda: (
        ["5/976"] * (find_points("workshop", map=move("workshop", "K", (7, 7), (2, 1))) == (5 / 976, 2 / 5, 14 / 3))
    ),
    ("whom", 1): lambda: [
        *solve_playroom("expected"), *solve_playroom("worst_case"), *solve_playroom("no_worse_off")
    ],
    ("whom", 2): lambda: ["5/3", "1"] * (
        (*find_points("playroom"), *find_points("playroom", formulation="worst_case")) == (pytest.approx(5 / 3), 1)
    ),
    ("options", 1): lambda: show(find_points("mailroom")),
    ("teleport", 1): lambda: [*compare_slots("cpy", 3), *compare_slots("sta:1", 3), *compare_slots("dyn", 3)],
    ("teleport", 2): lambda: show([*find_sweep_points("teleport", 0), *find_sweep_points("teleport", 3)]),
    ("teleport", 3): lambda: compare_slots("cpy", 2),
    ("input_terminal", 1): lambda: [
        *compute_ways_of_tampering(), *[f"{point:,.0f}" for point in find_sweep_points("input_terminal", 1)]
    ],
    ("own_kind", 2): lambda: show(find_points("kitchen_peanut", set={"probability": 0.01})),
    ("as_if", 1): lambda: show(
        float(row["reward"]) for row in caregrid.theory("ignoring_rewards", "once_rewarded", turns=4).rows()
    ),
    ("as_if", 3): lambda: show(find_sweep_points("as_if", 0)),
    ("as_if", 4): lambda: [f"{int(caregrid.theory('newcomb', f'always:{one}', turns=12).total):,}" for one in (0, 1)],
    ("whose_wishes", 2): lambda: show(find_points("office_kitchen"), 3),
    ("whose_wishes", 3): lambda: show(
        find_points("office_kitchen", map=move("office_kitchen", "B", (1, 7), (5, 5))), 3
    ),
    ("how_much_care", 1): lambda: show(caregrid.problem("playroom").breakpoints(care_min=-5).points),
    ("box_in_the_way", 1): lambda: show(find_points("side_effects_sokoban")[:1], 3),
    ("box_in_the_way", 2): lambda: ["2/3"] * (find_points("side_effects_sokoban")[1] == pytest.approx(2 / 3)),
}  # fmt: skip


def test_every_exercise_is_answered() -> None:
    for lesson in list_lessons():
        assert len(lesson.key) == len(lesson.exercises) > 0, lesson.name


@pytest.mark.slow_cases("input_terminal-1")
@pytest.mark.parametrize(("name", "number"), ANSWERS, ids=str)
def test_an_answer_has_the_numbers_that_are_computed(name: str, number: int) -> None:
    computed = ANSWERS[name, number]()
    assert computed
    answer = LESSONS[name].key[number - 1]
    assert [each for each in computed if each not in answer] == []


def test_the_room_of_the_key_has_no_break_point() -> None:
    rows = LESSONS["your_own_map"].key[0].split("`")[1::2]
    assert find_points("workshop_auto", map="\n" + "\n".join(rows) + "\n") == ()
