"""`caregrid.entries`, `describe`, `validate`, `doctor`, `lesson`, `course`: what the commands print, as tables."""

from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.workshop import Workshop
from engine.errors import BadValue, ContractBroken, UnknownName
from tests.printed_json import printed_content


@pytest.mark.slow_cases(beyond=3)
@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["list"], lambda: caregrid.entries()),
        (["list", "scenarios"], lambda: caregrid.entries("scenarios")),
        (["show", "workshop"], lambda: caregrid.describe("workshop")),
        (["validate", "scenarios", "workshop_auto"], lambda: caregrid.validate("scenarios", "workshop_auto")),
        (["doctor"], caregrid.doctor),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_they_are_what_the_commands_print(capsys: pytest.CaptureFixture[str], words: list[str], made: object) -> None:
    result = made()  # type: ignore[operator]
    assert main(words) == 0
    assert capsys.readouterr().out == f"{result.text()}\n"
    assert main([*words, "--json"]) == 0
    content = printed_content(capsys.readouterr().out, words[0])
    if words[0] == "show":
        [thing] = content["things"]
        assert thing == {heading.replace(" ", "_"): value for heading, value in result.as_dict().items()}
    else:
        assert content.get("kinds", content) == result.as_dict()
    assert result._repr_html_()
    with pytest.raises(BadValue, match="no figure"):
        result.figure()


def test_tables() -> None:
    listed = caregrid.entries("scenarios").frame()
    assert listed["name"].tolist() == list(SCENARIOS)
    first, *lines = str(caregrid.entries("scenarios")).strip().splitlines()
    assert first == "scenarios:"
    assert {line.split()[0] for line in lines} >= set(SCENARIOS)
    described = caregrid.describe("workshop").frame()
    assert "key_start" in described["option"].tolist()
    assert caregrid.validate("scenarios", Workshop).name == "Workshop"
    with pytest.raises(ContractBroken):
        caregrid.validate("scenarios", Path)
    with pytest.raises(UnknownName, match="did you mean 'scenarios'"):
        caregrid.entries("scenario")


def test_lessons(tmp_path: Path) -> None:
    lesson = caregrid.lesson("care")
    assert lesson.title == caregrid.lesson(1).title
    assert len(lesson.frame()) == len(lesson.lesson.variants())
    assert len(lesson.film()) == lesson.frame()["scenes"].iloc[0]
    assert lesson.save(tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UnknownName):
        lesson.film("a lot")
    assert caregrid.course().frame()["number"].tolist() == list(range(1, len(caregrid.course().lessons) + 1))


def test_a_broken_entry_of_ones_own_is_named_when_it_is_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    garden = "from craftworld.scenarios.garden import Garden\n"
    (tmp_path / "described_by_tests.py").write_text(f"{garden}class Own(Garden):\n    newcomers = lambda self: 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ContractBroken, match=r"described_by_tests.py, class Own: .* not iterable"):
        caregrid.describe("described_by_tests:Own", "scenarios")
