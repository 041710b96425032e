"""A segment: the file into which one session, and nobody else, writes the units that it finishes.

    first line      what the units are, which code made them, and what a lost manifest is made of again
    then            a line per unit; what follows the last line's end was cut off by a kill and means nothing

A line is JSON that carries the checksum of its own body, keyed by the identity of the units:

    {"blake2b":"<32 hex digits>",<body>}        a unit's body:  "setting":[values],"rows":[{column: value}, ...]
    checksum = BLAKE2b(body; key = BLAKE2b(experiment, version, seed, names of the settings))

The identity is what all units of a directory have in common. As every checksum is keyed with it, a unit of anything
else never passes for one of ours, wherever its line or file is put.

The values stand in the order of the settings' names. A setting's text, by which units are told apart, is the list
of its values with whole floats written as integers: 1.0 and 1 are the same value.

Lines are appended and flushed to the disk before a unit counts as stored; where that fails the file is cut back to
what it was. Anybody may have filled the folder: only names and first lines of regular files are read (`engine.files`
opens no others).

Others see that the writer lives: by its lock where locks reach, else by its signs of life.

    name of a segment   NUMBER-MACHINE-PID.jsonl; a machine is its host's name and a digest of its kernel's start

A session holds a lock on its segment for as long as it lives. The kernel lets go of it, so on one machine its absence
says that the session is dead. Elsewhere, and on a file system without locks, the segment's time says it, which a living
session moves every second: one that has not moved it for SECONDS_WITHOUT_SIGN counts as dead. It may only be paused, so
nothing of its work is ever removed without a trace: where others thought it dead and removed its file, it writes its
units anew. No clock is compared with another. Two machines of one name differ by their kernels. After a restart a
machine is another one."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import hashlib
import itertools
import json
import os
import platform
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile
from engine.files import make_read_error, make_write_error, open_regular_file, sync_folder
from experiments.experiment import Experiment, Rows, Scalar, SettingValues, UnitSetting

SECONDS_BETWEEN_SIGNS = 1.0
SECONDS_WITHOUT_SIGN = 30.0
START_OF_KERNEL = Path("/proc/sys/kernel/random/boot_id")


@functools.cache
def name_this_machine() -> str:
    """This machine in the names of its segments."""
    host = re.sub(r"[^\w.]+", "_", platform.node()) or "host"
    try:
        start = START_OF_KERNEL.read_bytes()
    except OSError:  # only Linux says it
        return host
    return f"{host}.{hashlib.blake2b(start, digest_size=4).hexdigest()}"


def parse_machine(name: str) -> str:
    """Return the machine whose session wrote the segment of this name."""
    return name.partition("-")[2].rpartition("-")[0]


def hold(handle: int) -> None:
    """Lock a segment of ours for as long as this process lives, where its file system has locks."""
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)


class SignsOfLife:
    """What is seen of the lives of sessions, by the names of their segments. units: the folder of segments."""

    def __init__(self, units: Path) -> None:
        self._units = units
        self._seen: dict[Path, tuple[int, float]] = {}

    def look(self, name: str, otherwise: Path | None = None) -> bool | None:
        """Return whether the session is alive; None where it has given no sign yet, and may still give one.

        otherwise: the file whose time is watched where no session is named.
        """
        path = otherwise if otherwise is not None and not name else self._units / Path(name).name
        held = _is_held(path) if parse_machine(path.name) == name_this_machine() else None
        if held is not None:
            return held
        try:
            return self._watch(path, _read_time(path))
        except (OSError, ValueError):  # there is none
            return False

    def _watch(self, path: Path, moment: int) -> bool | None:
        """Return whether a file's time moves; False where it has not for long."""
        now = time.monotonic()
        before, since = self._seen.setdefault(path, (moment, now))
        if moment != before:
            self._seen[path] = (moment, now)
            return True
        return None if now - since < SECONDS_WITHOUT_SIGN else False


def _is_held(path: Path) -> bool | None:
    """Return whether somebody holds a lock on a file; None where there are no locks, or it may not be read."""
    try:
        with open_regular_file(path) as handle:
            if handle is None:
                return False
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    except OSError:
        return None
    return False


def _read_time(path: Path) -> int:
    """When a file was last changed; what other machines know about it may be old until it is opened."""
    with contextlib.suppress(BadFile), open_regular_file(path) as handle:
        if handle is not None:
            return os.fstat(handle).st_mtime_ns
    return path.stat().st_mtime_ns


KEY_BYTES = 32


class Identity(NamedTuple):
    """settings: the names of the settings, in the order of the alphabet."""

    experiment: str
    version: int
    seed: int
    settings: tuple[str, ...]

    @property
    def key(self) -> bytes:
        """What the checksums of the units are keyed with."""
        return _make_key(self)

    def difference(self, stored: Mapping[str, Any]) -> str:
        """Return the first thing in which a stored identity differs, "seed 0, not of seed 1"; "" where nothing does.

        What `stored` does not say, as in the manifests of older releases, differs from nothing.
        """
        for what, ours in self._asdict().items():
            theirs = stored.get(what, ours)
            theirs = tuple(theirs) if isinstance(theirs, list) else theirs
            if theirs != ours:
                return f"{what} {_write_words(theirs)}, not of {what} {_write_words(ours)}"
        return ""


def make_identity(experiment: Experiment, seed: int) -> Identity:
    """Return what the units of an experiment and a seed have in common."""
    return Identity(experiment.name, experiment.version, seed, tuple(sorted(experiment.settings)))


def read_identity(content: Any) -> Identity | None:
    """Return the identity that a file declares, None where it is none."""
    try:
        settings = tuple(content["settings"])
        identity = Identity(content["experiment"], content["version"], content["seed"], settings)
    except (KeyError, TypeError):
        return None
    plain = isinstance(identity.experiment, str) and all(isinstance(name, str) for name in settings)
    return identity if plain and type(identity.version) is type(identity.seed) is int else None


def _write_words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@functools.lru_cache(maxsize=64)
def _make_key(identity: Identity) -> bytes:
    return hashlib.blake2b(json.dumps(identity).encode(), digest_size=KEY_BYTES).digest()


_HEAD, _MIDDLE, _TAIL = b'{"blake2b":"', b'",', b"}\n"
_DIGITS = 32
_SUM = slice(len(_HEAD), len(_HEAD) + _DIGITS)
_BODY = slice(_SUM.stop + len(_MIDDLE), -len(_TAIL))
_FRAMING = (_HEAD, _MIDDLE, _TAIL)
_SETTING, _ROWS = b'"setting":', b',"rows":'
_END_OF_SETTING = b"]" + _ROWS  # a quote inside a word is escaped, so no word contains this
_WHOLE_FLOAT = re.compile(rb"(?<=[\[,])(-?\d+)\.0(?=[,\]])")
_VALUE = rb'(?:"[^",\\\x00-\x1f\x80-\xff]*"|-?(?:0|[1-9]\d{0,17})(?:\.\d+)?|true|false|null)'
_PLAIN_VALUES = re.compile(rb"\[" + _VALUE + rb"(?:," + _VALUE + rb")*\]")  # others are parsed to see what they are
_parse = json.JSONDecoder().decode
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def frame_line(body: bytes, key: bytes = b"") -> bytes:
    """Return a line of this body."""
    return _HEAD + _compute_checksum(body, key) + _MIDDLE + body + _TAIL


def read_body(line: bytes, key: bytes = b"") -> bytes | None:
    """Return the body of a line, None where the line is torn, altered or keyed otherwise."""
    body = line[_BODY]
    if line[_SUM] != _compute_checksum(body, key):
        return None
    framing = (line[: _SUM.start], line[_SUM.stop : _BODY.start], line[_BODY.stop :])
    return body if framing == _FRAMING else None


def write_unit_line(identity: Identity, setting: UnitSetting, rows: Rows) -> bytes:
    """Return the line of a finished unit."""
    values = [_write_value(setting[name]) for name in identity.settings]
    rows_text = _COMPACT.encode(rows).encode()
    return frame_line(_SETTING + b"[" + b",".join(values) + b"]" + _ROWS + rows_text, identity.key)


def read_setting_text(body: bytes, identity: Identity) -> bytes | None:
    """Return the text of the setting in a unit's body, None where the body is none of a unit."""
    end = body.find(_END_OF_SETTING)
    if end < 0 or not body.startswith(_SETTING):
        return None
    text = body[len(_SETTING) : end + 1]
    if not _PLAIN_VALUES.fullmatch(text) or text.count(b",") != len(identity.settings) - 1:
        try:
            values = _parse(text.decode())
        except (ValueError, RecursionError):
            return None
        if len(values) != len(identity.settings) or not all(isinstance(value, Scalar) for value in values):
            return None
    return normalise_values(text)


def parse_unit(body: bytes, identity: Identity) -> tuple[UnitSetting, Rows]:
    """Return the setting and the rows in the body of a unit; ValueError where there are no rows."""
    try:
        content = _parse("{" + body.decode() + "}")
    except RecursionError:
        raise ValueError("lists within lists") from None
    rows = content["rows"]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("no rows")
    return dict(zip(identity.settings, content["setting"], strict=True)), rows


def generate_setting_texts(settings: SettingValues) -> Iterator[bytes]:
    """The text of every combination of values, the last setting changing fastest, without building one setting."""
    names = list(settings)
    order = [names.index(name) for name in sorted(names)]
    values = [[normalise_values(b"[" + _write_value(value) + b"]")[1:-1] for value in settings[name]] for name in names]
    for point in itertools.product(*values):
        yield b"[" + b",".join([point[place] for place in order]) + b"]"


def write_setting_text(setting: UnitSetting) -> bytes:
    """Return the text of one setting."""
    return normalise_values(b"[" + b",".join(_write_value(setting[name]) for name in sorted(setting)) + b"]")


def parse_setting_text(text: bytes) -> list[Any]:
    """Return the values in a setting's text."""
    values: list[Any] = _parse(text.decode())
    return values


def normalise_values(text: bytes) -> bytes:
    """Return a list of values with whole floats as integers."""
    if b".0" not in text:
        return text
    if b'"' not in text:
        return _WHOLE_FLOAT.sub(rb"\1", text)
    values = [int(value) if _is_whole(value) else value for value in json.loads(text)]
    return _COMPACT.encode(values).encode()


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < 1e16


def _write_value(value: Scalar) -> bytes:
    return _COMPACT.encode(value + 0.0 if isinstance(value, float) else value).encode()


def _compute_checksum(body: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGITS // 2, key=key).hexdigest().encode()


BLOCK = 1 << 20


def read_first_line(path: Path, longest: int) -> bytes:
    """Return the first line of a file with its end, b"" where there is none of at most that many bytes."""
    with open_regular_file(path) as handle:
        content = b"" if handle is None else os.pread(handle, longest, 0)
    return content[: content.find(b"\n") + 1]


def list_names(folder: Path) -> list[str]:
    """Return the names in a folder in order, those that begin with a dot left out; none where there is no folder."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise make_read_error(folder, error) from error


SUFFIX = ".jsonl"
FORMAT = 1
LONGEST_HEADER = 1 << 20
_HEADER = b'"segment":'


class SegmentWriter:
    """A new segment in a folder; BadFile where it cannot be written. Close it: a segment without units then goes."""

    def __init__(self, folder: Path, identity: Identity, facts: Mapping[str, Any]) -> None:
        self._identity = identity
        self._size = 0
        self._units = 0
        header = {"format": FORMAT, **identity._asdict(), **facts}
        self._header = frame_line(_HEADER + json.dumps(header, separators=(",", ":")).encode())
        try:
            self._begin(folder, self._header)
        except OSError as error:
            raise make_write_error(folder, error) from error
        self._closed = threading.Event()
        threading.Thread(target=self._show_life, daemon=True).start()

    def _begin(self, folder: Path, content: bytes) -> None:
        self.path, self._handle = _create_segment(folder)
        hold(self._handle)
        self._size = 0
        self._write(content)
        sync_folder(folder)

    @property
    def name(self) -> str:
        """The name by which other sessions know this one."""
        return self.path.name

    def append(self, finished: Iterable[tuple[UnitSetting, Rows]]) -> None:
        """Store finished units, all of them or none; BadFile where they cannot be stored."""
        lines = [write_unit_line(self._identity, setting, rows) for setting, rows in finished]
        if not lines:
            return
        content = b"".join(lines)
        try:
            with _unless_gone():
                self._write(content)
            self._write_anew_where_gone(content)
        except OSError as error:
            raise make_write_error(self.path, error) from error
        self._units += len(lines)

    def _write_anew_where_gone(self, last: bytes = b"") -> None:
        """Write the units into a new segment where somebody has removed ours, as `compact` does with those of the dead.

        A session that was paused looks dead where there are no locks. last: what was just written, which `compact` may
        not have read; all that came before was still there afterwards. The content is still ours to read, unless the
        file system is another machine's.
        """
        with contextlib.suppress(FileNotFoundError), _unless_gone():
            if os.path.samestat(os.fstat(self._handle), os.stat(self.path)):
                return
        content = self._header + last
        with _unless_gone():
            content = _read_from_start(self._handle, self._size)
        gone = self._handle
        self._begin(self.path.parent, content)
        os.close(gone)

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            os.fsync(self._handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise
        self._size += len(content)

    def _show_life(self) -> None:
        while not self._closed.wait(SECONDS_BETWEEN_SIGNS):
            with contextlib.suppress(OSError):
                os.utime(self._handle)

    def close(self) -> None:
        """Let go of the segment; it is removed where nothing was stored in it."""
        if self._closed.is_set():
            return
        self._closed.set()
        try:
            if self._units:
                self._write_anew_where_gone()
            else:
                with contextlib.suppress(OSError):
                    self.path.unlink()
        except OSError as error:
            raise make_write_error(self.path, error) from error
        finally:
            os.close(self._handle)


@contextlib.contextmanager
def _unless_gone() -> Iterator[None]:
    """What fails because another machine has removed the file is left out."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ESTALE:
            raise


def _read_from_start(handle: int, size: int) -> bytes:
    content = bytearray()
    while len(content) < size and (block := os.pread(handle, size - len(content), len(content))):
        content += block
    return bytes(content)


def read_header(path: Path) -> dict[str, Any] | None:
    """Return what a segment's first line says; None where it is torn, altered or that of another format."""
    return parse_header(read_first_line(path, LONGEST_HEADER))


def parse_header(line: bytes) -> dict[str, Any] | None:
    """Return what a first line says; None where it is not a segment's."""
    body = read_body(line)
    if body is None or not body.startswith(_HEADER):
        return None
    try:
        header = json.loads(body[len(_HEADER) :])
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) and header.get("format") == FORMAT else None


def _create_segment(folder: Path) -> tuple[Path, int]:
    """Return a new file under the next free number, open for appending."""
    while True:
        numbers = [int(name[:6]) for name in list_names(folder) if name.endswith(SUFFIX) and name[:6].isdigit()]
        path = folder / f"{max(numbers, default=0) + 1:06d}-{name_this_machine()}-{os.getpid()}{SUFFIX}"
        with contextlib.suppress(FileExistsError):
            return path, os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND, 0o666)
