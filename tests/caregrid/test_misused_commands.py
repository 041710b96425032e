"""Whatever stands in the place of any word of any command: results, or one line and exit code 2, and nothing else.

The commands and their words are read from their declarations, so that a new one is tried as well.
"""

import contextlib
import io
import os
import resource
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caregrid.command_line.operation import Operation
from caregrid.main import main
from caregrid.operations import COMMANDS
from tests.caregrid.accepted_lines import ACCEPTED, STORED, changed, write_behaviour, write_pack

FOUND_FAULTS = {"check", "collect", "doctor", "draw", "multislot", "pack", "report", "run", "verify"}
"""Commands that end with 1 where a claim fails, units are lost or something is found."""
CALM = "", ".png", ".csv", ".json", ".txt"
NODES = ("folder", "pipe", "device", "socket", "loop", "latin", "noise", "empty", "huge", "empty/below", "none/below")
WORDS = st.one_of(
    st.sampled_from(("", "nan", "inf", "-inf", "1e308", "-1e308", "1e999", "-1", "0", "9" * 5000, "1_0", "1/0", "1/3")),
    st.integers(-(10**30), 10**30).map(str),
    st.floats().map(repr),
    st.sampled_from((",", ":", "=", "a=b=c", "x:", ":x", "0:1:0", "0:inf:1", "0:1e9:1", "nan:1:1", "1,1", "0-0", "..")),
    st.sampled_from(("os:system", "sys:exit", "json:dumps", "x" * 5000, "(" * 2000, "a\nb", "\x1b[2J", "\x00")),
    st.sampled_from(("\ud800", "\udcff", "/", "~", "%s", "{0}", "garden", "slip=nan", "map=/dev/zero", "noop=7")),
    st.text(max_size=8),
    st.tuples(st.sampled_from(NODES), st.sampled_from(CALM)).map("".join),
)


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with everything that is not a harmless file, and a run; it is the working directory."""
    folder, before = tmp_path_factory.mktemp("misused"), Path.cwd()
    for ending in CALM:
        (folder / f"folder{ending}").mkdir()
        os.mkfifo(folder / f"pipe{ending}")
        (folder / f"device{ending}").symlink_to("/dev/zero")
        (folder / f"loop{ending}").symlink_to(folder / f"loop{ending}")
        (folder / f"latin{ending}").write_bytes("grün".encode("latin-1"))
        (folder / f"noise{ending}").write_bytes(bytes(range(256)) * 9)
        (folder / f"empty{ending}").touch()
        with (folder / f"huge{ending}").open("wb") as stream:
            stream.truncate(3 << 30)
    os.chdir(folder)
    try:
        for ending in CALM:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(f"socket{ending}")
        write_behaviour(folder)
        assert answered(["run", *ACCEPTED["run"].split(), f"--out={STORED}"])[0] == 1
        write_pack(folder)
        yield folder
    finally:
        os.chdir(before)


def answered(words: list[str]) -> tuple[int, str]:
    """The exit code, and what was said on stderr."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        return main(words), said.getvalue()


def kinds(folder: Path) -> dict[str, int]:
    """What lies in a folder: name -> what kind of thing it is, and how large where that is known beforehand."""
    return {str(path.relative_to(folder)): path.lstat().st_mode for path in folder.rglob("*")}


def tidy(folder: Path, before: dict[str, int]) -> None:
    """Remove what was not there."""
    for name in sorted(kinds(folder).keys() - before.keys(), reverse=True):
        path = folder / name
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def words_taken(operation: Operation) -> list[tuple[str | None, int]]:
    """The words that a command takes, flags left out: an option's spelling, or None and an argument's place."""
    options: list[tuple[str | None, int]] = [
        (one.spelling, 0) for one in operation.parameters if not one.by_place and not one.is_flag
    ]
    places = [one for one in operation.parameters if one.by_place]
    return [*options, *((None, number) for number, _ in enumerate(places))]


def test_every_command_is_misused() -> None:
    assert set(ACCEPTED) == set(COMMANDS)


@pytest.mark.slow_cases("train", "battery", "bench", "identify", "sweep", "demo", "design")
@pytest.mark.parametrize("command", sorted(ACCEPTED))
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
@given(data=st.data())
def test_any_word_in_any_place(command: str, playground: Path, data: st.DataObject) -> None:
    takes = words_taken(COMMANDS[command])
    if not takes:
        return
    option, place = data.draw(st.sampled_from(takes))
    words = changed(command, option, place, data.draw(WORDS))
    before, memory = kinds(playground), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code, said = answered(words)
    after = kinds(playground)
    tidy(playground, before)
    assert code in ((0, 1, 2) if command in FOUND_FAULTS else (0, 2)), said
    assert all(after.get(name) == mode for name, mode in before.items()), "something was replaced"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 500_000  # kilobytes
    if code == 2:
        assert after.keys() == before.keys(), "something was left"
        assert said.startswith("caregrid")
        assert len(said.splitlines()) in (1, 3), said  # three where a line of a map is shown with a caret
        assert len(said) < 5000
        assert all(letter.isprintable() or letter in "\n\xa0" for letter in said)


@pytest.mark.parametrize("option", ["--set", "--own", "--map", "--care-min", "--formulation"])
def test_two_hyphens_are_a_value(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(SystemExit):
        assert main(["breakpoints", "workshop", f"{option}=--"]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert told.err.count("\n") == 1
    assert "--" in told.err


@pytest.mark.parametrize(
    "line",
    [
        "train garden --steps=10 --out=LONG",
        "solve LONG:name",
        "breakpoints garden --values=LONG",
        "sweep garden --care=0,1 --quiet --engine=dask --scheduler=LONG",
        "bench-compare LONG",
        "compare garden --policy=LONG",
        "regions toll_road --quiet --out=LONG/a.png",
    ],
)
def test_names_too_long_for_any_file(line: str, playground: Path) -> None:
    before = kinds(playground)
    code, said = answered(line.replace("LONG", "x" * 300).split())
    assert (code, len(said.splitlines())) == (2, 1), said
    assert kinds(playground) == before
