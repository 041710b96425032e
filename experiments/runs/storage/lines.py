"""One line of a segment: JSON that carries the checksum of its own body, keyed by the identity of the units.

    {"blake2b":"<32 hex digits>",<body>}        a unit's body:  "setting":[values],"rows":[{column: value}, ...]
    checksum = BLAKE2b(body; key = BLAKE2b(experiment, version, seed, names of the settings))

The identity is what all units of a directory have in common. As every checksum is keyed with it, a unit of anything
else never passes for one of ours, wherever its line or file is put.

The values stand in the order of the settings' names. A setting's text, by which units are told apart, is the list
of its values with whole floats written as integers: 1.0 and 1 are the same value.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from experiments.experiment import Experiment, Rows, Scalar, SettingValues, UnitSetting

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
        """The first thing in which a stored identity differs, "seed 0, not of seed 1"; "" where nothing does.

        What `stored` does not say, as in the manifests of older releases, differs from nothing.
        """
        for what, ours in self._asdict().items():
            theirs = stored.get(what, ours)
            theirs = tuple(theirs) if isinstance(theirs, list) else theirs
            if theirs != ours:
                return f"{what} {_write_words(theirs)}, not of {what} {_write_words(ours)}"
        return ""


def make_identity(experiment: Experiment, seed: int) -> Identity:
    """What the units of an experiment and a seed have in common."""
    return Identity(experiment.name, experiment.version, seed, tuple(sorted(experiment.settings)))


def read_identity(content: Any) -> Identity | None:
    """The identity that a file declares, None where it is none."""
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
_parse = json.JSONDecoder().decode
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def frame_line(body: bytes, key: bytes = b"") -> bytes:
    """A line of this body."""
    return _HEAD + _compute_checksum(body, key) + _MIDDLE + body + _TAIL


def read_body(line: bytes, key: bytes = b"") -> bytes | None:
    """The body of a line, None where the line is torn, altered or keyed otherwise."""
    body = line[_BODY]
    if line[_SUM] != _compute_checksum(body, key):
        return None
    framing = (line[: _SUM.start], line[_SUM.stop : _BODY.start], line[_BODY.stop :])
    return body if framing == _FRAMING else None


def write_unit_line(identity: Identity, setting: UnitSetting, rows: Rows) -> bytes:
    """The line of a finished unit."""
    values = [_write_value(setting[name]) for name in identity.settings]
    rows_text = _COMPACT.encode(rows).encode()
    return frame_line(_SETTING + b"[" + b",".join(values) + b"]" + _ROWS + rows_text, identity.key)


def read_setting_text(body: bytes) -> bytes | None:
    """The text of the setting in a unit's body, None where the body is none of a unit."""
    end = body.find(_END_OF_SETTING)
    if end < 0 or not body.startswith(_SETTING):
        return None
    return normalise_values(body[len(_SETTING) : end + 1])


def parse_unit(body: bytes, identity: Identity) -> tuple[UnitSetting, Rows]:
    """The setting and the rows in a unit's body; ValueError where there are none."""
    content = _parse("{" + body.decode() + "}")
    setting = content.get("setting")
    rows = content.get("rows")
    if not isinstance(setting, list) or not isinstance(rows, list) or len(setting) != len(identity.settings):
        raise ValueError("no unit")
    return dict(zip(identity.settings, setting, strict=True)), rows


def generate_setting_texts(settings: SettingValues) -> Iterator[bytes]:
    """The text of every combination of values, the last setting changing fastest, without building one setting."""
    names = list(settings)
    order = [names.index(name) for name in sorted(names)]
    values = [[normalise_values(b"[" + _write_value(value) + b"]")[1:-1] for value in settings[name]] for name in names]
    for point in itertools.product(*values):
        yield b"[" + b",".join([point[place] for place in order]) + b"]"


def write_setting_text(setting: UnitSetting) -> bytes:
    """The text of one setting."""
    return normalise_values(b"[" + b",".join(_write_value(setting[name]) for name in sorted(setting)) + b"]")


def parse_setting_text(text: bytes) -> list[Any]:
    """The values in a setting's text."""
    values: list[Any] = _parse(text.decode())
    return values


def normalise_values(text: bytes) -> bytes:
    """A list of values with whole floats as integers."""
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
