"""One line of a segment: JSON that carries the keyed checksum of its own body.

    {"blake2b":"<32 hex digits>",<body>}        a unit's body:  "setting":[values],"rows":[{column: value}, ...]

The values stand in the order of the settings' names. A setting's text, by which units are told apart, is the list of
its values with whole floats written as integers: 1.0 and 1 are the same value.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from experiments.experiment import Rows, Scalar, SettingValues, UnitSetting
from experiments.runs.storage.identity import Identity

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


def framed(body: bytes, key: bytes = b"") -> bytes:
    """A line of this body."""
    return _HEAD + _checksum(body, key) + _MIDDLE + body + _TAIL


def body_of(line: bytes, key: bytes = b"") -> bytes | None:
    """The body of a line, None where the line is torn, altered or keyed otherwise."""
    body = line[_BODY]
    if line[_SUM] != _checksum(body, key):
        return None
    framing = (line[: _SUM.start], line[_SUM.stop : _BODY.start], line[_BODY.stop :])
    return body if framing == _FRAMING else None


def unit_line(identity: Identity, setting: UnitSetting, rows: Rows) -> bytes:
    """The line of a finished unit."""
    values = [_value_text(setting[name]) for name in identity.settings]
    rows_text = _COMPACT.encode(rows).encode()
    return framed(_SETTING + b"[" + b",".join(values) + b"]" + _ROWS + rows_text, identity.key)


def setting_text(body: bytes) -> bytes | None:
    """The text of the setting in a unit's body, None where the body is none of a unit."""
    end = body.find(_END_OF_SETTING)
    if end < 0 or not body.startswith(_SETTING):
        return None
    return normalised(body[len(_SETTING) : end + 1])


def unit_of(body: bytes, identity: Identity) -> tuple[UnitSetting, Rows]:
    """The setting and the rows in a unit's body; ValueError where there are none."""
    content = _parse("{" + body.decode() + "}")
    setting, rows = content.get("setting"), content.get("rows")
    if not isinstance(setting, list) or not isinstance(rows, list) or len(setting) != len(identity.settings):
        raise ValueError("no unit")
    return dict(zip(identity.settings, setting, strict=True)), rows


def texts_of(settings: SettingValues) -> Iterator[bytes]:
    """The text of every combination of values, the last setting changing fastest, without building one setting."""
    names = list(settings)
    order = [names.index(name) for name in sorted(names)]
    values = [[normalised(b"[" + _value_text(value) + b"]")[1:-1] for value in settings[name]] for name in names]
    for point in itertools.product(*values):
        yield b"[" + b",".join([point[place] for place in order]) + b"]"


def text_of_setting(setting: UnitSetting) -> bytes:
    """The text of one setting."""
    return normalised(b"[" + b",".join(_value_text(setting[name]) for name in sorted(setting)) + b"]")


def values_of(text: bytes) -> list[Any]:
    """The values in a setting's text."""
    values: list[Any] = _parse(text.decode())
    return values


def normalised(text: bytes) -> bytes:
    """A list of values with whole floats as integers."""
    if b".0" not in text:
        return text
    if b'"' not in text:
        return _WHOLE_FLOAT.sub(rb"\1", text)
    values = [int(value) if _is_whole(value) else value for value in json.loads(text)]
    return _COMPACT.encode(values).encode()


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < 1e16


def _value_text(value: Scalar) -> bytes:
    return _COMPACT.encode(value + 0.0 if isinstance(value, float) else value).encode()


def _checksum(body: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGITS // 2, key=key).hexdigest().encode()
