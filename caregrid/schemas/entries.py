"""What list, show, validate, cite, papers and doctor print with --json."""

from typing import Annotated, NotRequired, TypedDict

from caregrid.json_schema import OutputSchema

__all__ = ["cite", "doctor", "list_", "papers", "show", "validate"]


class Work(TypedDict):
    """A work to cite."""

    key: Annotated[str, "its BibTeX key"]
    bibtex: Annotated[str, "its BibTeX entry"]


class CiteOutput(TypedDict):
    """What to cite."""

    name: Annotated[str | None, "the entry's; null: caregrid alone"]
    works: Annotated[list[Work], "caregrid first"]


cite = OutputSchema(version=1, shape=CiteOutput)
"""`caregrid cite`: what to cite for an entry, as BibTeX."""


class PaperItemOutput(TypedDict):
    """A definition, equation, theorem, example, figure or table."""

    section: Annotated[str, "of the document"]
    name: Annotated[str, "as the document numbers it, or a short name"]
    about: Annotated[str, "what it is"]
    entries: Annotated[list[str], "KIND/NAME of the entries that refer to it; or files"]
    command: Annotated[str, "of the first entry; empty: there is none"]
    python: Annotated[str, "the same in Python; empty: there is none"]
    state: Annotated[str, "here, in the code (no command) or informal (nothing to compute)"]


class PapersOutput(TypedDict):
    """What of a paper is here."""

    document: Annotated[str, "its key in the bibliography"]
    items: Annotated[list[PaperItemOutput], "in the paper's order"]


papers = OutputSchema(version=1, shape=PapersOutput)
"""`caregrid papers`: what of a paper is here, item by item."""


class DoctorOutput(TypedDict):
    """The installation."""

    packages: Annotated[dict[str, dict[str, str | None]], "extra -> package -> version; null: missing"]
    problems: Annotated[list[str], "what is broken, and how to repair it"]
    install: Annotated[dict[str, str], "extra -> the shell line that installs what is missing of it"]


doctor = OutputSchema(version=1, shape=DoctorOutput)
"""`caregrid doctor`: what is installed, missing or broken."""


class ListOutput(TypedDict):
    """Names, by kind."""

    kinds: Annotated[dict[str, list[str]], "kind -> names, sorted"]


list_ = OutputSchema(version=1, shape=ListOutput)
"""`caregrid list`: the entries of every kind."""


class Thing(TypedDict):
    """name to documentation are those of every kind, the others of some."""

    name: Annotated[str, "as 'caregrid list' spells it"]
    kind: Annotated[str, "its kind"]
    programme: Annotated[str, "which research programme"]
    file: Annotated[str, "where it is written"]
    documentation: Annotated[str, "the docstring of that file"]
    options: NotRequired[Annotated[dict[str, object], "option -> default; required: it has none"]]
    declares: NotRequired[Annotated[dict[str, object], "field -> value of a declared object"]]
    parameters: NotRequired[Annotated[dict[str, str], "of worlds with an input terminal: parameter -> what it is"]]
    problem: NotRequired[Annotated[str, "of scenarios: in a sentence"]]
    map: NotRequired[Annotated[list[str], "of scenarios: rows of letters"]]
    legend: NotRequired[Annotated[dict[str, str | list[str]], "of scenarios: letter -> what it stands for"]]
    actions: NotRequired[Annotated[list[str], "of scenarios: names"]]
    outcomes_of_chance: NotRequired[Annotated[dict[str, str], "of scenarios: outcome -> what it is"]]
    demonstrations: NotRequired[Annotated[dict[str, str], "of scenarios: name -> what it shows"]]
    newcomers: NotRequired[Annotated[dict[str, float], "of scenarios: name -> probability"]]
    weights: NotRequired[Annotated[dict[str, float], "of scenarios: newcomer -> coefficient; absent if all are 1"]]
    default_formulation: NotRequired[Annotated[str, "of scenarios: how others count"]]
    discount: NotRequired[Annotated[float, "of scenarios"]]
    reproduces: NotRequired[Annotated[str, "of experiments: the table or figure of a paper"]]
    settings: NotRequired[Annotated[dict[str, list[object]], "of experiments: setting -> values"]]
    claims: NotRequired[Annotated[list[str], "of experiments: the paper's statements"]]
    says: NotRequired[Annotated[str, "of suites: what it measures"]]
    worlds: NotRequired[Annotated[list[str], "of suites: names"]]
    quick: NotRequired[Annotated[list[str], "of suites: names of the quick subset"]]
    version: NotRequired[Annotated[int, "of schemas"]]
    fields: NotRequired[Annotated[dict[str, str], "of schemas: field -> type and meaning"]]
    json_schema: NotRequired[Annotated[dict[str, object], "of schemas: draft 2020-12 of JSON Schema"]]


class ShowOutput(TypedDict):
    """All things of that name."""

    things: Annotated[list[Thing], "one a kind"]


show = OutputSchema(version=2, shape=ShowOutput)
"""`caregrid show`: everything that has the name."""


class ValidateOutput(TypedDict):
    """A thing that keeps its contract."""

    kind: Annotated[str, "its kind"]
    name: Annotated[str, "its name"]
    checked: Annotated[bool, "whether its kind has more to check than its type"]


validate = OutputSchema(version=1, shape=ValidateOutput)
"""`caregrid validate`: one thing against the contract of its kind."""
