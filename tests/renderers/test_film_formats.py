"""Film formats: every registered one passes the checker, and a user's own is taken, or refused in one line."""

from pathlib import Path
from typing import Any

import pytest

from engine.errors import ContractBroken, MissingExtra, UnknownName
from engine.scene import Film
from renderers.film import FORMATS, FilmFormat, check_film_format, save_film
from tests.users_files import read_right_file

RIGHT = read_right_file("film_formats", "captions")


@pytest.fixture
def own_file(users_folder: Path) -> Path:
    """A file of the user's own, importable as `own_formats`."""
    return users_folder / "own_formats.py"


def test_a_format_of_ones_own(own_file: Path, film: Film) -> None:
    own_file.write_text(RIGHT)
    save_film("walk.captions", film, file_format="own_formats:captions")
    assert Path("walk.captions").read_text() == "step 0\nstep 1\nstep 2\nstep 3"
    check_film_format(FORMATS["own_formats:captions"])


@pytest.mark.parametrize("mistake", ["FilmFormat(lambda film: 3)", "FilmFormat(lambda film: 1 / 0)"])
def test_what_breaks_while_saving_is_one_line_and_leaves_no_file(mistake: str, own_file: Path, film: Film) -> None:
    own_file.write_text(RIGHT.replace("FilmFormat(encode)", mistake))
    with pytest.raises(ContractBroken, match=r"^own_formats\.py.*") as refused:
        save_film("walk.captions", film, file_format="own_formats:captions")
    assert "\n" not in str(refused.value)
    assert not Path("walk.captions").exists()


def test_a_format_of_ones_own_may_need_a_package(own_file: Path, film: Film) -> None:
    own_file.write_text(RIGHT.replace("FilmFormat(encode)", "FilmFormat(encode, modules=('no_such_codec',))"))
    with pytest.raises(MissingExtra, match="install no_such_codec"):
        save_film("walk.captions", film, file_format="own_formats:captions")
    assert not Path("walk.captions").exists()


def test_an_unknown_format_is_refused(film: Film, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'gif'"):
        save_film(tmp_path / "walk", film, file_format="giff")


@pytest.mark.parametrize("modules", ["numpy", 3, (3,), ("",)], ids=str)
def test_modules_that_are_no_names_are_refused(modules: Any) -> None:
    with pytest.raises(ContractBroken, match=r"modules is .*; expected a tuple of names"):
        check_film_format(FilmFormat(lambda film: b"x", modules=modules))
