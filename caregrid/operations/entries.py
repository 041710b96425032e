"""Operations on what there is: list and show entries, validate one, look whether the installation works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from caregrid.command_line.operation import Word, operation
from caregrid.kinds import KINDS, find_kind

if TYPE_CHECKING:
    from caregrid.installation import Installation
    from caregrid.inventory import Description, EntryList, Validation

__all__ = ["doctor", "list_", "show", "validate"]

GROUP = "What there is, and whether it works"
EVERY_KIND = tuple(KINDS)


@operation(group=GROUP)
def list_(kind: Annotated[str | None, Word(kinds=("kinds",), metavar="KIND", by_place=True)] = None) -> EntryList:
    """List the kinds of things there are and how many each has; of one kind, list the entries.

    Kinds are scenarios, agents, futures, worlds, experiments and more. `caregrid show NAME` explains any entry. Entries
    of installed packages are listed, too; a broken one is marked in its line.

    Parameters
    ----------
    kind : str
        One kind only, such as scenarios.

    Returns
    -------
    EntryList
        The names of each kind, with summaries that are read without importing anything.

    Raises
    ------
    UnknownName
        For a kind that does not exist.

    Examples
    --------
    >>> import caregrid
    >>> "workshop" in caregrid.entries("scenarios").by_kind["scenarios"]
    True
    """
    from caregrid.inventory import EntryList

    kinds = [find_kind(kind)] if kind else list(KINDS.values())
    return EntryList(kinds, {one.name: list(one.light_registry()) for one in kinds})


entries = list_  # in Python, where `list` is another function


@operation(group=GROUP)
def show(
    name: Annotated[str, Word(kinds=EVERY_KIND)],
    kind: Annotated[str | None, Word(kinds=("kinds",), metavar="KIND")] = None,
) -> Description:
    """Show an entry: its kind, file and documentation, and its options, parameters or settings with their defaults.

    Parameters
    ----------
    name : str
        A name that 'caregrid list' lists, KIND/NAME, or MODULE:NAME with a kind.
    kind : str
        The kind, such as scenarios.

    Returns
    -------
    Description
        Every entry that has this name.

    Raises
    ------
    UnknownName, BadValue
        For a name that nothing has, or MODULE:NAME without a kind.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.describe("itc").title
    'itc (planning_agents)'
    """
    from caregrid.inventory import Description, describe_entry, find_entries

    return Description([describe_entry(one, found) for one, found in find_entries(name, kind)])


describe = show


@operation(group=GROUP)
def validate(
    kind: Annotated[str, Word(kinds=("kinds",), metavar="KIND")],
    thing: Annotated[Any, Word(kinds=EVERY_KIND, metavar="NAME")],
) -> Validation:
    """Check an entry of any kind against its contract: a name, or MODULE:NAME in a file of your own.

    The entry is built and called as caregrid would call it. The first mistake is one line: file, method, what it gave,
    and what was expected.

    Parameters
    ----------
    kind : str
        A kind that 'caregrid list' lists.
    thing : str or object
        A registered name, or MODULE:NAME of your own; in Python also the object.

    Returns
    -------
    Validation
        That the contract holds.

    Raises
    ------
    ContractBroken
        For the first thing that is wrong.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.validate("formulations", "expected").text()
    'expected (formulations): its contract holds'
    """
    from caregrid.inventory import check_entry

    return check_entry(kind, thing)


@operation(group=GROUP)
def doctor() -> Installation:
    """Say which packages are installed, which extras are missing, and how to repair what is broken.

    Exit code: 1 if something is broken, 0 otherwise (a missing extra is not broken).

    Returns
    -------
    Installation
        The version of every package by extra, what is broken, and the commands that install what is missing.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.doctor().problems
    []
    """
    from caregrid.installation import inspect_installation

    return inspect_installation()
