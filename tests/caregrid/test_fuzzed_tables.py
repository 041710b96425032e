"""Thousands of mutated models: each is a right table, or refused in one line that names the file."""

import io
import random
import re
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import caregrid
from engine.errors import CaregridError

MODELS = Path(__file__).resolve().parents[1] / "data" / "tables"
GIVEN = {"machine.prism": {"p": 0.3}, "beds.jani": {"rain": 0.4}}
FILES = sorted(path.name for path in MODELS.iterdir() if path.suffix != ".json" and path.suffix != ".md")
WORDS = re.compile(r"\w+|\s+|.", re.S)
SPLICED = [
    "(" * 500,
    "-" * 3000,
    "1e400",
    "9" * 300,
    "pow(9, pow(9, 99))",
    "0/0",
    "true",
    "x'",
    "[0..999999999]",
    '"',
    "\0",
    "é",
]
SPLICED += [
    "{",
    "]",
    "[]",
    "null",
    "NaN",
    "-1",
    "endmodule",
    "!" * 999,
    "module m = walker [x=y] endmodule",
    "1.5",
    "=>",
    "?",
]


def mutate(text: str, draw: random.Random) -> str:
    """Drop, double, exchange or splice in words of a text, or cut it."""
    words = WORDS.findall(text)
    for _ in range(draw.choice((1, 1, 2, 5))):
        at = draw.randrange(len(words))
        kind = draw.randrange(6)
        if kind == 0:
            del words[at : at + draw.choice((1, 1, 30))]
        elif kind == 1:
            words.insert(at, words[at])
        elif kind == 2:
            words[at] = draw.choice(words)
        elif kind == 3:
            words.insert(at, draw.choice(SPLICED))
        elif kind == 4:
            words[at] = draw.choice(SPLICED)
        else:
            words = words[:at]
        words = words or [" "]
    return "".join(words)


def require_right_or_refused(path: Path, **given: float) -> bool:
    """Whether a file is read: then its table is sound; otherwise it is refused in one line that names it."""
    before, table, refused = time.process_time(), None, ""
    try:
        table = caregrid.read_table(path, most_states=2000, **given).table
    except CaregridError as error:
        refused = str(error)
    assert time.process_time() - before < 20.0
    if table is None:
        assert "\n" not in refused
        assert refused.startswith((str(path), "own", "others", "costs"))
        return False
    asked = np.ones(table.probability.shape[:2], dtype=bool) if table.available is None else table.available
    asked = asked & ~table.terminal[:, None]
    assert (asked.any(axis=1) | table.terminal).all()
    assert np.isfinite(table.reward).all()
    assert np.allclose(table.probability.sum(axis=2)[asked], 1.0)
    return True


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("name", FILES)
def test_a_mutated_model_is_right_or_refused_in_one_line(name: str, tmp_path: Path) -> None:
    draw = random.Random(name)
    text = (MODELS / name).read_text()
    read = 0
    for _ in range(250):
        path = tmp_path / name
        path.write_text(mutate(text, draw), encoding="utf-8", errors="replace")
        read += require_right_or_refused(path, **GIVEN.get(name, {}))
    assert 0 < read < 250


def test_mutated_bytes_of_arrays_are_right_or_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "ours.npz"
    caregrid.problem("icy_yard").export(out=path)
    whole, draw = path.read_bytes(), random.Random(0)
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(draw.choice((1, 3, 20))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        path.write_bytes(bytes(content[: draw.choice((len(content), len(content), draw.randrange(len(content)))) or 1]))
        require_right_or_refused(path)


def test_arrays_of_other_shapes_and_values_are_right_or_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "ours.npz"
    caregrid.problem("icy_yard").export(out=path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    draw, generator = random.Random(1), np.random.default_rng(1)
    read = 0
    for _ in range(300):
        changed = dict(arrays)
        name = draw.choice(sorted(arrays))
        array = arrays[name]
        kind = draw.randrange(6)
        if kind == 0:
            del changed[name]
        elif kind == 1 or array.ndim == 0:
            changed[name] = np.array(draw.choice(["{}", '{"format": "caregrid table", "version": 1}', "[]", "x"]))
        elif kind == 2:
            changed[name] = array[: draw.randrange(len(array))]
        elif kind == 3:
            changed[name] = array.astype(draw.choice(["f4", "i8", "U4", "c16", "b1"]))
        elif kind == 4:
            changed[name] = np.moveaxis(array, 0, -1)
        else:
            flat = np.array(array).reshape(-1)
            flat[generator.integers(len(flat))] = draw.choice([-1, 0, 1, 60, 255])
            changed[name] = flat.reshape(array.shape)
        buffer = io.BytesIO()
        np.savez(buffer, **changed)
        path.write_bytes(buffer.getvalue())
        read += require_right_or_refused(path)
    assert read


def test_no_array_is_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "ours.npz"
    caregrid.problem("icy_yard").export(out=path)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.array([print], dtype=object))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, stream.getvalue() if name == "rewards.npy" else content)
    assert not require_right_or_refused(path)
