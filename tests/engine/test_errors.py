"""Errors: one line with culprit, place and remedy; they survive the trip between processes."""

import io
import pickle

import pytest

from engine import errors
from engine.errors import (
    BadFile,
    BadValue,
    CaregridError,
    MapError,
    MissingExtra,
    RaggedRows,
    UnknownName,
    did_you_mean,
)
from engine.printable import make_one_line, shorten

EVERY_KIND = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, CaregridError)]


def test_the_hierarchy_is_the_one_drawn_at_the_top() -> None:
    drawn = errors.__doc__ or ""
    assert all(kind.__name__ in drawn for kind in EVERY_KIND)
    assert {kind for kind in EVERY_KIND if issubclass(kind, MapError)} == {
        MapError,
        errors.RaggedRows,
        errors.UnknownGlyph,
        errors.MissingFeature,
        errors.DuplicateFeature,
        errors.UnreachableFeature,
    }


def test_a_message_reads_place_problem_remedy() -> None:
    assert str(BadValue("care nan", place="care", remedy="choose a finite number")) == (
        "care: care nan; choose a finite number"
    )
    assert str(BadFile("gone")) == "gone"


def test_an_argument_has_the_name_that_its_reader_gave_it() -> None:
    def named() -> list[str]:
        confirmed = errors.argument("yes", True)
        return [errors.argument("unit_timeout"), errors.argument("engine", "dask"), confirmed]

    assert named() == ["unit_timeout", "engine='dask'", "yes=True"]
    with errors.naming_options():
        assert named() == ["--unit-timeout", "--engine dask", "--yes"]
    assert named()[0] == "unit_timeout"


@pytest.mark.parametrize("kind", EVERY_KIND, ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling(kind: type[CaregridError]) -> None:
    if kind is UnknownName:
        error: CaregridError = UnknownName("scenario", "workshp", ["workshop", "garden"], place="here")
    elif issubclass(kind, MapError):
        error = kind("odd", place="map", remedy="mend it", line="# x #", column=2)
    else:
        error = kind("odd", place="there", remedy="mend it")
    twin = pickle.Unpickler(io.BytesIO(pickle.dumps(error))).load()
    assert type(twin) is kind
    assert (str(twin), twin.problem, twin.place, twin.remedy) == (str(error), error.problem, error.place, error.remedy)
    more = error.adding("then go on")
    assert type(more) is kind
    assert more.remedy == f"{error.remedy}; then go on"
    assert more.remedy in str(more)
    assert more.problem == error.problem


def test_a_map_error_points_at_the_column() -> None:
    error = RaggedRows("too short", line="#ab", column=3)
    assert str(error) == "too short\n#ab\n   ^"
    assert RaggedRows("too short", line="#ab").excerpt() == "#ab"
    assert RaggedRows("too short").excerpt() == ""


@pytest.mark.parametrize(
    ("name", "choices", "remedy"),
    [
        ("workshp", ["garden", "workshop"], "did you mean 'workshop'?"),
        ("WORKSHOP", ["garden", "workshop"], "did you mean 'workshop'?"),
        ("zzz", ["garden", "workshop"], "choose from garden, workshop"),
        ("zzz", [], "there are none"),
    ],
)
def test_did_you_mean(name: str, choices: list[str], remedy: str) -> None:
    assert did_you_mean(name, choices) == remedy


@pytest.mark.parametrize(
    ("kind", "known"),
    [(BadValue, ValueError), (BadFile, OSError), (MissingExtra, ImportError), (MapError, ValueError)],
)
def test_errors_are_also_what_python_calls_them(kind: type[CaregridError], known: type[Exception]) -> None:
    """One line as ever, whatever Python's own class would make of it; pickling is tested above, for every kind."""
    with pytest.raises(known, match=r"^there: odd; mend it$") as caught:
        raise kind("odd", place="there", remedy="mend it")
    assert str(caught.value) == "there: odd; mend it"
    assert (caught.value.problem, caught.value.place) == ("odd", "there")  # type: ignore[attr-defined]


def test_an_unknown_name_is_a_missing_key_too() -> None:
    error = UnknownName("scenario", "workshp", ["workshop"])
    assert isinstance(error, KeyError)
    assert str(error) == "unknown scenario 'workshp'; did you mean 'workshop'?"


def test_an_unknown_name_is_one_line_however_it_is_written() -> None:
    message = str(UnknownName("agent", "a\nname of\x0bmany " + "words " * 99, ["random"]))
    assert message.startswith("unknown agent 'a name of many words")
    assert len(message.splitlines()) == 1
    assert len(message) < 200


def test_whatever_a_message_quotes_it_is_one_line_of_bounded_length() -> None:
    error = BadValue("a\nb\x1b[2J", place="\udcff" * 3, remedy="9" * 100_000)
    assert str(error).splitlines() == [str(error)]
    assert str(error).startswith(r"\udcff\udcff\udcff: a\nb\x1b[2J; 999")
    assert len(str(error)) < 2000
    assert len(str(UnknownName("thing", "", map(str, range(1000))))) < 1000
    assert make_one_line("first" + "9" * 100 + "last", 12) == "first999 ... last"
    long = MapError("odd", line="#" * 5000, column=3000)
    assert long.excerpt() == "#" * 100 + "\n" + " " * 50 + "^"


@pytest.mark.parametrize(
    ("text", "shown"), [("", ""), ("a" * 10, "a" * 10), ("a" * 11, "aaaaaaa..."), ("a" * 5000, "aaaaaaa...")]
)
def test_a_text_is_cut_only_where_that_makes_it_shorter(text: str, shown: str) -> None:
    assert shorten(text, 10) == shown


def test_an_error_whose_class_takes_other_arguments_is_moved_and_extended() -> None:
    """A hyper-parameter that a copy does not have was a TypeError where the place of the mistake was added."""
    from engine.agent import UnknownHyperparameter

    error = UnknownHyperparameter("courage", "q_learning", ["epsilon"])
    assert str(error.move_to("mine.py, 'Mine'")) == "mine.py, 'Mine': no hyper-parameter 'courage'; choose from epsilon"
    assert str(error.adding("or ask for none")).endswith("choose from epsilon; or ask for none")
    assert isinstance(error.move_to("mine.py"), UnknownHyperparameter)
