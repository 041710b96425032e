"""Files as users name them: written completely or not at all, read only where they are regular and of bounded size.

Writing is a temporary neighbour, flushed to the disk, then renamed. A pipe, device or socket is never opened, for
writing or for reading, nor waited for; a link counts as what it leads to.
"""

from __future__ import annotations

import contextlib
import os
import platform
import stat
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from engine.errors import EXHAUSTED, RAISE_LIMITS, BadFile, CaregridError, argument

LARGEST_TEXT = 64 << 20  # bytes
_MASK = threading.Lock()


@dataclass(frozen=True)
class _Staged:
    """What is written within `all_or_none`: files that are complete under other names, and folders that are new."""

    files: dict[Path, Path] = field(default_factory=dict)
    folders: list[Path] = field(default_factory=list)


_STAGED: ContextVar[_Staged | None] = ContextVar("_STAGED", default=None)
_TARGETS: ContextVar[set[tuple[int, int]] | None] = ContextVar("_TARGETS", default=None)
"""Files that are going to be replaced, by device and number, so that a file has no other name."""
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a link to itself",
}


def suggest_another_place() -> str:
    """Return the remedy where something cannot be written, or something else lies."""
    return f"choose another {argument('path', option='place with --out')}"


@contextlib.contextmanager
def all_or_none() -> Iterator[None]:
    """Write all files at the end of the block, together; where something fails, none, and no new folder stays.

    Until then, reading a file gives what was there before. An inner block is part of the outer one.
    """
    if _STAGED.get() is not None:
        yield
        return
    staged = _Staged()
    token = _STAGED.set(staged)
    try:
        try:
            yield
        finally:
            _STAGED.reset(token)
        for target, temporary in staged.files.items():
            try:
                os.replace(temporary, target)
            except OSError as error:
                raise make_write_error(target, error) from error
    except BaseException:
        for left in staged.files.values():
            _remove_unless_lost(left.unlink)
        for folder in sorted(staged.folders, reverse=True):  # what lies in a folder comes before it
            _remove_unless_lost(folder.rmdir)
        raise


@contextlib.contextmanager
def keep_sources(targets: Iterable[object]) -> Iterator[None]:
    """Within the block, refuse to read a file that is one of the targets, by whatever name: writing would replace it.

    targets: where something is going to be written; what is no path of a file that is there is left out. A target that
    has been written may be read.
    """
    numbers = {number for target in targets if isinstance(target, str | Path) and (number := _number_file(target))}
    token = _TARGETS.set(numbers)
    try:
        yield
    finally:
        _TARGETS.reset(token)


def _number_file(path: str | Path) -> tuple[int, int] | None:
    """Return the device and the number of a regular file, links followed; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def require_other_place(target: str | Path, sources: Iterable[str | Path]) -> None:
    """Raise BadFile where one of the sources is the file that is going to be written."""
    with keep_sources([target]):
        for source in sources:
            _require_kept(source)


def _require_kept(path: str | Path) -> None:
    if (targets := _TARGETS.get()) and _number_file(path) in targets:
        raise BadFile("it would be overwritten by what is made of it", place=str(path), remedy=suggest_another_place())


def write_atomically(path: str | Path, content: bytes | str | Callable[[IO[bytes]], object]) -> None:
    """Write a file so that nothing half-written is ever seen, whatever fails.

    content: bytes, text (written as UTF-8, lone surrogates as escapes such as \\udcff), or a function that writes into
    a binary stream. A link stays, and the file that it names is written. Raises BadFile where the folder is missing,
    read-only or full, and where something is in the place that is not a file, such as a device; what was there is then
    untouched.
    """
    target, staged = require_writable(path), _STAGED.get()
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise make_write_error(target, error) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            if callable(content):
                content(stream)
            else:
                stream.write(content.encode(errors="backslashreplace") if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_read_umask())
        if targets := _TARGETS.get():
            targets -= {_number_file(target)}
        if staged is None:
            os.replace(temporary, target)
        else:
            earlier, staged.files[target] = staged.files.get(target), Path(temporary)
            if earlier is not None:
                _remove_unless_lost(earlier.unlink)
    except BaseException as error:
        _remove_unless_lost(Path(temporary).unlink)
        if isinstance(error, OSError) and not isinstance(error, CaregridError):
            raise make_write_error(target, error) from error
        raise


def _remove_unless_lost(remove: Callable[[], None]) -> None:
    """Remove something; what took its place away may keep us from tidying up, too, and some names are of no file."""
    with contextlib.suppress(OSError, ValueError):
        remove()


def require_file_place(path: str | Path) -> Path:
    """As `require_writable`, BadFile also where there is no folder for the file."""
    target = require_writable(path)
    if not target.parent.is_dir():
        raise BadFile("cannot write: no such folder", place=str(path), remedy="make its folder first")
    return target


def require_folder_place(path: str | Path) -> Path:
    """Return the folder that a path names, there or to be made; BadFile where it cannot be made. It is not made yet."""
    folder = Path(path)
    try:
        if folder.is_dir():
            return folder
    except (OSError, ValueError) as error:
        raise make_write_error(folder, error) from error
    if os.path.lexists(folder):
        raise _refuse_folder(folder)
    return require_file_place(folder)


def require_writable(path: str | Path) -> Path:
    """Return the file that a path names, links followed; BadFile where a device, a pipe or a folder is there.

    To be asked before long work, too.
    """
    if isinstance(path, str) and path.endswith("/"):
        raise BadFile("cannot write: it names a folder", place=path, remedy="leave out the / at its end")
    path = Path(path)
    try:
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return target
    except (OSError, ValueError) as error:
        raise make_write_error(path, error) from error
    if not stat.S_ISREG(mode):
        raise BadFile(
            f"cannot write: {_KINDS[stat.S_IFMT(mode)]} is there", place=str(path), remedy=suggest_another_place()
        )
    return target


def output_directory(path: str | Path) -> Path:
    """Make a directory for results and prove that it can be written to; BadFile otherwise."""
    folder, staged = Path(path), _STAGED.get()
    try:
        if staged is not None:
            staged.folders.extend(new for new in (folder, *folder.parents) if not new.exists())
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        raise _refuse_folder(folder) from error
    except (OSError, ValueError) as error:
        raise make_write_error(folder, error) from error
    return folder


def _refuse_folder(folder: Path) -> BadFile:
    problem = "cannot write: a file is there, not a folder"
    return BadFile(problem, place=str(folder), remedy=suggest_another_place())


def sync_folder(folder: Path) -> None:
    """Flush a folder's own entries to the disk, so that a new file in it survives a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot, and keep their entries by themselves
            os.fsync(handle)
    finally:
        os.close(handle)


def create_atomically(path: Path, content: bytes) -> bool:
    """Write a file that is not there yet, complete or not at all; False where somebody else was first.

    Of any number of processes, on one machine or several, exactly one gets True. BadFile where it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{platform.node()}-{os.getpid()}.part")
    write_atomically(temporary, content)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:
        return _create_without_links(path, content)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _create_without_links(path: Path, content: bytes) -> bool:
    """Create a file on a file system without hard links, where a reader may see a part for a moment."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
    except FileExistsError:
        return False
    except OSError as error:
        raise make_write_error(path, error) from error
    return True


@contextlib.contextmanager
def open_regular_file(path: Path) -> Iterator[int | None]:
    """A descriptor for reading, None where there is no regular file; BadFile where it may not be read."""
    _require_kept(path)
    try:
        there = stat.S_ISREG(os.stat(path).st_mode)
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if there else None
    except (FileNotFoundError, NotADirectoryError):
        handle = None
    except (OSError, ValueError) as error:  # no file has a name with NUL or half of a pair of surrogates
        raise make_read_error(path, error) from error
    if handle is None:
        yield None
        return
    try:
        yield handle if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except OSError as error:
        raise error if isinstance(error, BadFile) else make_read_error(path, error) from error
    finally:
        os.close(handle)


def read_bytes(path: str | Path, most: int = LARGEST_TEXT, *, what: str = "it", remedy: str = "") -> bytes:
    """All of a file; BadFile, at once, where there is none, where it is no regular file, or of more than `most` bytes.

    what: the file, in "cannot read ...". remedy: what to do instead.
    """
    place = Path(path)
    _require_kept(place)
    try:
        with open_regular_file(place) as handle:
            if handle is None:
                raise _explain_absence(place)
            size = os.fstat(handle).st_size
            if size > most:
                raise OSError(f"{size} bytes are there, and {most} are the most")
            with open(handle, "rb", closefd=False) as stream:
                return stream.read(most)
    except FileNotFoundError as error:
        named = "file" if what == "it" else f"{what.removeprefix('the ').removesuffix(' file')} file"
        raise BadFile(f"{named} not found", place=str(path), remedy=remedy) from error
    except (OSError, ValueError) as error:
        reason = error.problem.removeprefix("cannot read: ") if isinstance(error, BadFile) else str(error)
        raise BadFile(f"cannot read {what}: {reason}", place=str(path), remedy=remedy) from error


def read_text(path: str | Path, most: int = LARGEST_TEXT, *, what: str = "it", remedy: str = "") -> str:
    """All of a file of UTF-8 text, a byte order mark left out; BadFile as in `read_bytes`, and for what is not text."""
    content = read_bytes(path, most, what=what, remedy=remedy)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(f"cannot read {what}: not UTF-8 text", place=str(path), remedy=remedy) from error


def make_read_error(path: Path, error: OSError | ValueError) -> BadFile:
    """Return the error for a file that cannot be read."""
    return BadFile(f"cannot read: {_find_reason(error)}", place=str(path))


def _find_reason(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _explain_absence(path: Path) -> OSError:
    """Return why there is no regular file."""
    if not os.path.exists(path):
        return FileNotFoundError(path)
    return OSError(f"it is {_KINDS[stat.S_IFMT(path.stat().st_mode)]}")


def make_write_error(path: Path, error: OSError | ValueError) -> BadFile:
    """Return the error for a file that cannot be written; an error that says so already is returned as it is."""
    if isinstance(error, BadFile):
        return error
    remedy = RAISE_LIMITS if getattr(error, "errno", None) in EXHAUSTED else suggest_another_place()
    return BadFile(f"cannot write: {_find_reason(error)}", place=str(path), remedy=remedy)


def _read_umask() -> int:
    """Return the mask for new files, which can only be read by setting it: one thread at a time."""
    with _MASK:
        mask = os.umask(0)
        os.umask(mask)
    return mask
