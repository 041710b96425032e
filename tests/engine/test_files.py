"""Files are written completely or not at all."""

import os
import shutil
from pathlib import Path
from typing import IO

import pytest

from engine.errors import BadFile
from engine.files import output_directory, write_atomically


@pytest.mark.parametrize("content", ["grün\n", "grün\n".encode(), lambda stream: stream.write("grün\n".encode())])
def test_text_bytes_and_writers_are_written(tmp_path: Path, content: object) -> None:
    target = tmp_path / "file.txt"
    write_atomically(target, content)  # type: ignore[arg-type]
    assert target.read_text(encoding="utf-8") == "grün\n"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", "x")
        assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


@pytest.mark.parametrize("fault", [ZeroDivisionError("five"), KeyboardInterrupt()])
def test_a_failing_writer_leaves_the_old_file(tmp_path: Path, fault: BaseException) -> None:
    target = tmp_path / "file.txt"
    write_atomically(target, "old")

    def fail(stream: IO[bytes]) -> None:
        stream.write(b"half")
        raise fault

    with pytest.raises(type(fault)):
        write_atomically(target, fail)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_folder_lost_while_writing_is_an_error_for_people(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()

    def lose_the_folder(stream: IO[bytes]) -> None:
        shutil.rmtree(folder)
        folder.write_text("a file now")  # the temporary file can neither be renamed nor removed any more

    with pytest.raises(BadFile, match="cannot write: not a directory"):
        write_atomically(folder / "file.txt", lose_the_folder)
    assert folder.read_text() == "a file now"


def test_a_full_disk_is_an_error_for_people(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    write_atomically(target, "old")

    def full(stream: IO[bytes]) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(BadFile, match=r"file\.txt: cannot write: no space left on device; choose another place"):
        write_atomically(target, full)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("a file")
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "plain" / "below", tmp_path / "missing" / "file", tmp_path / "folder"):
        with pytest.raises(BadFile, match="cannot write"):
            write_atomically(place, "x")
    assert sorted(os.listdir(tmp_path)) == ["folder", "plain"]
    with pytest.raises(BadFile, match="cannot write: not a directory"):
        output_directory(tmp_path / "plain" / "below")
    with pytest.raises(BadFile, match="cannot write: file exists"):
        output_directory(tmp_path / "plain")


def test_an_output_directory_is_made_and_left_empty(tmp_path: Path) -> None:
    folder = output_directory(tmp_path / "a" / "b")
    assert folder.is_dir()
    assert os.listdir(folder) == []
    assert output_directory(folder) == folder
