"""A unit as releases before stored it: one file, JSON that carries the checksum of its own body.

{"blake2b":"<32 hex digits>","unit":<body>}      body = {"experiment", "version", "seed", "setting", "rows"}
"""

from __future__ import annotations

import hashlib
import json

from experiments.runs.keys import unit_id
from experiments.runs.unit import StoredUnit

_HEAD, _MIDDLE, _TAIL = b'{"blake2b":"', b'","unit":', b"}\n"
_DIGITS = 32
_BODY = len(_HEAD) + _DIGITS + len(_MIDDLE)


def encode(unit: StoredUnit) -> bytes:
    """The bytes of a unit's file."""
    body = json.dumps(unit._asdict(), separators=(",", ":"), ensure_ascii=False).encode()
    return _HEAD + _digest(body) + _MIDDLE + body + _TAIL


def decode(content: bytes) -> StoredUnit | None:
    """What the file says, or None where the bytes are torn, altered or somebody else's."""
    body = content[_BODY : -len(_TAIL)]
    if content != _HEAD + _digest(body) + _MIDDLE + body + _TAIL:
        return None
    try:
        unit = StoredUnit(**json.loads(body.decode()))
    except (ValueError, TypeError):
        return None
    return unit if isinstance(unit.setting, dict) and isinstance(unit.rows, list) else None


def file_name(unit: StoredUnit) -> str:
    """The name of a unit's file."""
    return f"{unit_id(unit.experiment, unit.version, unit.seed, unit.setting)}.json"


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGITS // 2).hexdigest().encode()
