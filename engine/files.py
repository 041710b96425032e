"""Writing files completely or not at all: a temporary neighbour, flushed to the disk, then renamed."""

from __future__ import annotations

import contextlib
import os
import platform
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from engine.errors import BadFile, CaregridError

_MASK = threading.Lock()
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a link to itself",
}


def write_atomically(path: str | Path, content: bytes | str | Callable[[IO[bytes]], object]) -> None:
    """Write a file so that nothing half-written is ever seen, whatever fails.

    content: bytes, text (written as UTF-8), or a function that writes into a binary stream. A link stays, and the file
    that it names is written. Raises BadFile where the folder is missing, read-only or full, and where something is in
    the place that is no file, such as a device; what was there is then untouched.
    """
    target = _written_file(Path(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            if callable(content):
                content(stream)
            else:
                stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):  # what took the place away may keep us from tidying up, too
            Path(temporary).unlink()
        if isinstance(error, OSError) and not isinstance(error, CaregridError):
            raise _unwritable(target, error) from error
        raise


def _written_file(path: Path) -> Path:
    """The file that a path names, links followed; BadFile where a device, a pipe or a folder is there."""
    try:
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return target
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    if not stat.S_ISREG(mode):
        remedy = "choose another place with --out"
        raise BadFile(f"cannot write: {_KINDS[stat.S_IFMT(mode)]} is there", place=str(path), remedy=remedy)
    return target


def output_directory(path: str | Path) -> Path:
    """Make a directory for results and prove that it can be written to; BadFile otherwise."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error
    return folder


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
    """The same on file systems that have no hard links, where a reader may see a part for a moment."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
    except FileExistsError:
        return False
    except OSError as error:
        raise _unwritable(path, error) from error
    return True


def _unwritable(path: Path, error: OSError | ValueError) -> BadFile:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return BadFile(f"cannot write: {reason}", place=str(path), remedy="choose another place with --out")


def _umask() -> int:
    """The mask for new files, which can only be read by setting it: one thread at a time."""
    with _MASK:
        mask = os.umask(0)
        os.umask(mask)
    return mask
