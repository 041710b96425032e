"""The operations `cite` and `papers`: what to cite for an entry, and what of each paper is here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from caregrid.command_line.operation import Word, operation
from caregrid.kinds import KINDS

if TYPE_CHECKING:
    from caregrid.citations import Citations
    from caregrid.paper_items import PaperReading

__all__ = ["cite", "papers"]


@operation(group="What there is, and whether it works")
def cite(
    name: Annotated[str | None, Word(kinds=tuple(KINDS), by_place=True)] = None,
    kind: Annotated[str | None, Word(kinds=("kinds",), metavar="KIND")] = None,
) -> Citations:
    """Print BibTeX for caregrid and for the works of an entry.

    An entry cites the document that its package implements, and the works that its documentation names by their titles.

    Parameters
    ----------
    name : str
        A name that 'caregrid list' lists, KIND/NAME, or MODULE:NAME with a kind. Without one: caregrid alone.
    kind : str
        The kind, such as scenarios.

    Returns
    -------
    Citations
        BibTeX key -> entry, caregrid first.

    Raises
    ------
    UnknownName, BadValue
        For a name that nothing has, or MODULE:NAME without a kind.

    Examples
    --------
    >>> import caregrid
    >>> list(caregrid.cite("sarsa").works)
    ['caregrid', 'sarsa', 'expected_sarsa']
    """
    from caregrid.citations import cite_entry

    return cite_entry(name, kind)


@operation(group="What there is, and whether it works")
def papers(
    document: Literal["considerate", "selfreflection", "selfreflection_theory", "multislot", "counterfactual"],
) -> PaperReading:
    """Print what a paper defines, proves and shows, and the command and Python call for each.

    What belongs to an item is read from the references in the documentation of the entries.

    Parameters
    ----------
    document : str
        The document's key in the bibliography, as `caregrid cite` prints it.

    Returns
    -------
    PaperReading
        A row for each definition, equation, theorem, example, figure and table.

    Raises
    ------
    UnknownName
        For an unknown document.

    Examples
    --------
    >>> import caregrid
    >>> [row["command"] for row in caregrid.papers("multislot").rows() if row["name"] == "V^sta"]
    ['caregrid multislot swap --horizon 3 --value sta:1']
    """
    from caregrid.paper_items import read_paper

    return read_paper(document)
