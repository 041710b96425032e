"""Five objects, one a programme: what the viewer, the player, the benchmark and `caregrid list` find is theirs."""

from pathlib import Path

import pytest

import caregrid
from caregrid.kinds import KINDS
from caregrid.programmes.playable import PLAYABLE_PROGRAMMES
from caregrid.programmes.programme import PROGRAMMES, Programme
from caregrid.programmes.viewable import VIEWABLE_PROGRAMMES
from caregrid.results.result import Result
from experiments.bench.suites import SUITES


def test_there_are_five_programmes() -> None:
    assert PROGRAMMES.names() == ("caring", "extended", "slots", "terminal", "theory")
    assert all(isinstance(programme, Programme) for programme in PROGRAMMES.values())


@pytest.mark.parametrize("name", PROGRAMMES.names())
def test_a_programme_solves_its_example(name: str) -> None:
    programme = PROGRAMMES[name]
    assert programme.example in KINDS[programme.worlds].light_registry()
    result = programme.solve(programme.example)
    assert isinstance(result, Result)
    assert result.rows()


@pytest.mark.parametrize("name", PROGRAMMES.names())
def test_what_viewer_and_player_find_is_the_programme(name: str) -> None:
    programme = PROGRAMMES[name]
    assert (name in VIEWABLE_PROGRAMMES) == (programme.film is not None)
    assert (name in PLAYABLE_PROGRAMMES) == (programme.game is not None)
    if programme.film is not None:
        assert VIEWABLE_PROGRAMMES[name] == programme.viewable
    if programme.game is not None:
        assert PLAYABLE_PROGRAMMES[name] == programme.playable


def test_every_suite_is_a_programmes() -> None:
    assert sorted(suite for programme in PROGRAMMES.values() for suite in programme.suites) == list(SUITES.names())


def test_lessons_ask_the_answers_of_programmes() -> None:
    answers = {answer.__name__ for programme in PROGRAMMES.values() for answer in programme.lesson_answers}
    folder = Path(caregrid.__file__).parent / "lessons/catalogue"
    text = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    assert all(f"{answer}," in text or f"{answer}(" in text for answer in answers)
