"""view, play, record and compare as a user runs them, headless; bad input costs one line and leaves nothing behind."""

from pathlib import Path

import pytest
from PIL import Image

from caregrid.main import main
from tests.printed_json import printed_content

WORLD = "workshop_auto"


@pytest.mark.parametrize("ending", ["gif", "png", "mp4", "json", "txt"])
def test_recording_several_cares(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"paths.{ending}"
    arguments = ["record", WORLD, "--care", "0,1,6", "--frames", "4", "--tile", "12", "--out", str(out), "--json"]
    assert main(arguments) == 0
    result = printed_content(capsys.readouterr().out)
    assert result == {"scenario": WORLD, "care": [0, 1, 6], "scenes": 4, "out": str(out)}
    assert out.stat().st_size > 500


def test_a_recorded_film_replays_without_its_world(tmp_path: Path) -> None:
    film, gif = tmp_path / "film.json", tmp_path / "film.gif"
    assert main(["record", WORLD, "--care", "1", "--out", str(film)]) == 0
    assert main(["view", "--episode", str(film), "--headless", "--frames", "5", "--out", str(gif)]) == 0
    with Image.open(gif) as animation:
        assert animation.n_frames == 5
        assert animation.size == (960, 640)


def test_headless_viewing_presses_keys(tmp_path: Path) -> None:
    out = tmp_path / "view.txt"
    keys = "up,f,o,end"
    assert main(["view", WORLD, "--headless", "--keys", keys, "--frames", "5", "--out", str(out)]) == 0
    frames = out.read_text().split("\n\n")
    assert "care: 1\n" in frames[0]
    assert "care: 1.25\n" in frames[1]
    assert "formulation: expected" in frames[1]
    assert "formulation: expected" not in frames[2]
    assert "overlay: policy" in frames[3]
    assert "acting: newcomer" in frames[4]


def test_headless_playing_without_keys_plays_the_optimum(tmp_path: Path) -> None:
    out = tmp_path / "play.txt"
    assert main(["play", WORLD, "--care", "6", "--headless", "--out", str(out)]) == 0
    readings = dict(line.split(": ", 1) for line in out.read_text().splitlines() if ": " in line)
    assert readings["your augmented return"] == readings["the optimum's"]
    assert readings["acting"] == "newcomer"


def test_headless_playing_with_keys(tmp_path: Path) -> None:
    out = tmp_path / "play.txt"
    assert main(["play", WORLD, "--headless", "--keys", "right,right,u", "--frames", "4", "--out", str(out)]) == 0
    assert out.read_text().count("your return: -1") == 2


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_comparison_is_as_wide_as_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["compare", "playroom", "--care", "0,1,10", "--formulation", "expected,worst_case"]) == 0
    drawn = capsys.readouterr().out
    assert max(map(len, drawn.splitlines())) <= columns
    assert drawn.count("care 0 to 1") > 1


def test_comparing_in_text_in_json_and_in_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", WORLD, "--care", "0,6", "--formulation", "expected,worst_case"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "worst case (Eq. 2)" in text
    assert "care 6" in text
    assert "return:" in text
    assert "\x1b" not in text
    assert main([*arguments, "--out", str(tmp_path / "paths.png"), "--json"]) == 0
    result = printed_content(capsys.readouterr().out)
    assert [(row["formulation"], row["care"]) for row in result["rows"]] == [
        ("expected", 0), ("expected", 6), ("worst_case", 0), ("worst_case", 6)
    ]  # fmt: skip
    with Image.open(tmp_path / "paths.png") as picture:
        assert picture.width > picture.height


def test_recording_in_another_format_than_the_endings(tmp_path: Path) -> None:
    out = tmp_path / "film.log"
    arguments = ["record", WORLD, "--care", "1", "--frames", "2", "--out", str(out)]
    assert main(arguments) == 2
    assert main([*arguments, "--format", "txt"]) == 0
    assert out.read_text().startswith("[1/2]")


def test_a_users_own_map(tmp_path: Path) -> None:
    drawn = tmp_path / "small.txt"
    drawn.write_text("########\n#E.K..T#\n#...W..#\n#..F.KX#\n########\n")
    out = tmp_path / "film.txt"
    assert main(["record", WORLD, "--map", str(drawn), "--care", "1", "--out", str(out)]) == 0
    assert "#E K  T#" in out.read_text()


def test_bad_films_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.json").write_text('{"caregrid_film": 1, "scenes": [{"floor": ["##"')
    assert main(["view", "--episode", str(tmp_path / "bad.json"), "--headless", "--out", str(tmp_path / "x.gif")]) == 2
    assert "it is not JSON" in capsys.readouterr().err


def test_saving_from_the_viewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    keys = ["view", WORLD, "--headless", "--keys", "s,s,g", "--frames", "4", "--out", "view.json"]
    assert main(keys) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "caregrid-001.png", "caregrid-002.png", "caregrid-001.gif", "view.json"
    }  # fmt: skip


def test_a_window_under_the_dummy_driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same command without --headless: keys posted to pygame change the care and leave."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    from renderers.viewer import window

    keys = [pygame.K_UP, pygame.K_s, pygame.K_q]
    seen = set()
    update = window.Window.update

    def posting(self: window.Window, seconds: float) -> object:
        if keys and not self.working:  # a key that meets work would stop it
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=keys.pop(0), unicode="", mod=0))
        frame = update(self, seconds)
        if not self.working:
            seen.add(dict(self.player.scene().readings)["care"])
        return frame

    monkeypatch.setattr(window.Window, "update", posting)
    assert main(["view", WORLD]) == 0
    assert seen == {"1.25"}
    assert [path.name for path in tmp_path.iterdir()] == ["caregrid-001.png"]
