"""Files are written completely or not at all, several together, and read only where they are regular and small."""

import os
import shutil
import socket
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from engine import array_file
from engine.errors import BadFile
from engine.files import (
    all_or_none,
    create_atomically,
    keep_sources,
    output_directory,
    read_bytes,
    read_text,
    require_other_place,
    write_atomically,
)


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

    with pytest.raises(BadFile, match=r"file\.txt: cannot write: no space left on device; choose another path"):
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
    with pytest.raises(BadFile, match="cannot write: a file is there, not a folder"):
        output_directory(tmp_path / "plain" / "below")
    with pytest.raises(BadFile, match="cannot write: a file is there, not a folder"):
        output_directory(tmp_path / "plain")


def test_an_output_directory_is_made_and_left_empty(tmp_path: Path) -> None:
    folder = output_directory(tmp_path / "a" / "b")
    assert folder.is_dir()
    assert os.listdir(folder) == []
    assert output_directory(folder) == folder


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "values.npz"
    array_file.write_arrays(path, {"of": "zeros"}, {"zeros": np.zeros(200_000)})
    assert array_file.read_arrays(path, ["zeros"], "zeros", "")[1][0].shape == (200_000,)
    monkeypatch.setattr(array_file, "LARGEST", 1 << 20)
    monkeypatch.setattr(array_file, "_read_array", None)  # nothing is unpacked
    with pytest.raises(BadFile, match=r"a file of zeros that unpacks to 0\.0 GiB, more than 0; make it anew"):
        array_file.read_arrays(path, ["zeros"], "zeros", "make it anew")


def test_of_several_that_create_a_file_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    assert create_atomically(target, b"first")
    assert not create_atomically(target, b"second")
    assert (target.read_bytes(), os.listdir(tmp_path)) == (b"first", ["file"])

    def no_links(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_links)
    assert not create_atomically(target, b"third")
    assert create_atomically(tmp_path / "other", b"fourth")
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]


def test_a_link_stays_and_the_file_that_it_names_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    for name in ("there", "not there yet"):
        (tmp_path / name).symlink_to(tmp_path / "real" / name)
    write_atomically(tmp_path / "real" / "there", "old")
    for name in ("there", "not there yet"):
        write_atomically(tmp_path / name, "new")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "real" / name).read_text() == "new"
    assert sorted(os.listdir(tmp_path / "real")) == ["not there yet", "there"]


def _made(kind: str, path: Path) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to a device":
        path.symlink_to(os.devnull)
    elif kind == "link to itself":
        path.symlink_to(path)
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a device", "link to itself", "socket"])
def test_what_is_no_file_is_never_replaced(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the names of sockets are short
    path = Path("place")
    _made(kind, path)
    before = path.lstat()
    with pytest.raises(BadFile, match="place: cannot write: "):
        write_atomically(path, "x")
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert os.listdir() == ["place"]


def test_several_files_are_written_together(tmp_path: Path) -> None:
    write_atomically(tmp_path / "one", "old")
    with all_or_none():
        write_atomically(tmp_path / "one", "new")
        with all_or_none():
            write_atomically(output_directory(tmp_path / "a" / "b") / "two", "new")
        assert (tmp_path / "one").read_text() == "old"
    assert [(tmp_path / name).read_text() for name in ("one", "a/b/two")] == ["new", "new"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "one", "two"]


@pytest.mark.parametrize("fault", [ZeroDivisionError("five"), KeyboardInterrupt(), None])
def test_of_several_files_none_is_written_where_one_fails(tmp_path: Path, fault: BaseException | None) -> None:
    write_atomically(tmp_path / "one", "old")
    os.mkfifo(tmp_path / "pipe")

    @all_or_none()
    def write() -> None:
        write_atomically(tmp_path / "one", "new")
        write_atomically(output_directory(tmp_path / "a" / "b") / "two", "new")
        if fault is not None:
            raise fault
        write_atomically(tmp_path / "pipe", "new")

    with pytest.raises(BadFile if fault is None else type(fault)):
        write()
    assert (tmp_path / "one").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["one", "pipe"]


def test_a_file_that_is_written_twice_and_folders_in_folders_leave_nothing(tmp_path: Path) -> None:
    with all_or_none():
        for text in ("first", "second"):
            write_atomically(tmp_path / "one", text)
    assert (tmp_path / "one").read_text() == "second"
    assert os.listdir(tmp_path) == ["one"]

    @all_or_none()
    def fail_at_the_end() -> None:
        for folder in (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "c"):
            write_atomically(output_directory(folder) / "two", "new")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_at_the_end()
    assert os.listdir(tmp_path) == ["one"]


def test_only_regular_files_of_bounded_size_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbftext")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_bytes(tmp_path / "file") == b"\xef\xbb\xbftext"
    assert read_text(tmp_path / "link", 7) == "text"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "latin").write_bytes("grün".encode("latin-1"))
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(3 << 30)
    faults = {
        "none": "map file not found",
        "loop": "cannot read the map: too many levels",
        "endless": "cannot read the map: it is a device",
        "pipe": "cannot read the map: it is a pipe",
        "": "cannot read the map: it is a folder",
        "huge": "cannot read the map: 3221225472 bytes are there, and 67108864 are the most",
        "latin": "cannot read the map: not UTF-8 text",
        "x" * 1000: "cannot read the map: file name too long",
    }
    for name, reason in faults.items():
        with pytest.raises(BadFile, match=f"{reason}.*; draw one"):
            read_text(tmp_path / name, what="the map", remedy="draw one")
    for what, named in (("it", "none: file not found"), ("the sweep file", "none: sweep file not found")):
        with pytest.raises(BadFile, match=named):
            read_text(tmp_path / "none", what=what)


def test_an_archive_of_very_many_arrays_is_refused_before_it_is_looked_through(tmp_path: Path) -> None:
    path = tmp_path / "many.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1001):
            archive.writestr(f"{number}.npy", b"")
    with pytest.raises(BadFile, match="a file of tests with more than 1000 arrays; delete it"):
        array_file.read_arrays(path, (), "tests", "delete it")


def test_a_file_is_not_replaced_by_what_is_made_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whatever name: relative, through links of both kinds; once it has been written it may be read again."""
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "a.txt"
    source.write_text("a")
    (tmp_path / "link").symlink_to("a.txt")
    os.link(source, tmp_path / "twin")
    for name in ("a.txt", "./a.txt", "link", "twin", source):
        with keep_sources([None, True, "missing", name]):
            for other in ("a.txt", "link", source):
                with pytest.raises(BadFile, match="overwritten by what is made of it; choose another path"):
                    read_text(other, what="the map", remedy="name a map")
        with pytest.raises(BadFile, match="overwritten"):
            require_other_place(name, ["missing", "link"])
    with keep_sources(["a.txt"]):
        write_atomically("a.txt", "b")
        assert read_text("link") == "b"
    require_other_place("b.txt", ["a.txt"])


def test_a_file_is_not_named_as_a_folder_is(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot write: it names a folder; leave out the / at its end"):
        write_atomically(f"{tmp_path}/film.gif/", b"film")
    assert not list(tmp_path.iterdir())
