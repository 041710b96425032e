"""The operation `cite`: what to cite for an entry, as BibTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from caregrid.command_line.operation import Word, operation
from caregrid.kinds import KINDS

if TYPE_CHECKING:
    from caregrid.citations import Citations

__all__ = ["cite"]


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
