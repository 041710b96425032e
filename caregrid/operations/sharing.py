"""Operations that share results: pack a run into one file, unpack the file, compute some of its units again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, QUIET
from engine.value_types import Seed, Share

if TYPE_CHECKING:
    from caregrid.runs.experiment import ExperimentResult
    from caregrid.runs.sharing import PackedRun, UnpackedRun, VerifiedRun

__all__ = ["pack", "unpack", "verify"]

GROUP = "Experiments and benchmarks"


@operation(group=GROUP)
def pack(
    results: Annotated[str | Path | ExperimentResult, Word(made_by="stored_rows")],
    out: Annotated[str | Path | None, FILE] = None,
    *,
    licence: Annotated[str, Word(metavar="SPDX")] = "MIT",
) -> PackedRun:
    """Pack a run into one file for colleagues: rows, figure, claims, provenance, licence and what to cite.

    TARGET is what 'caregrid run' took, or a run directory. The file is a zip archive and an RO-Crate: 'caregrid unpack'
    makes a run directory of it, and pandas alone reads its rows.csv. The same run gives the same bytes. It holds the
    sessions' records, too: commands, the machine's name, the logs. Exit code: 0 done, 1 if finished units are lost or
    other code made some, 2 bad input.

    Parameters
    ----------
    results : str, Path or ExperimentResult
        A run directory, what 'caregrid run' took, or what `caregrid.load` gave.
    out : str or Path
        The file (default: DIR.crate.zip, in the working directory).
    licence : str
        What readers may do with the results: an identifier of spdx.org/licenses, such as CC-BY-4.0.

    Returns
    -------
    PackedRun
        The file, and what is in it.

    Raises
    ------
    BadFile
        Where nothing is stored, or the file cannot be written.

    Examples
    --------
    >>> import caregrid, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> run = caregrid.run("counterfactual/tamper_grid", quick=True, engine="serial", out=f"{folder}/run")
    >>> caregrid.pack(run, f"{folder}/run.crate.zip").path.name
    'run.crate.zip'
    """
    from caregrid.citations import cite_run
    from caregrid.runs.sharing import PackedRun, read_results
    from experiments.sharing.packing import ENDING, pack_run

    stored = read_results(results)
    directory = stored.results.store.path
    target = Path(f"{directory.resolve().name}{ENDING}") if out is None else Path(out)
    stored.results.require_units()
    return PackedRun(stored, pack_run(stored.results, target, cite_run(directory), licence))


@operation(group=GROUP)
def unpack(
    file: Annotated[str | Path, FILE],
    out: Annotated[str | Path | None, Word(metavar="DIR")] = None,
) -> UnpackedRun:
    """Make a run directory of a file that 'caregrid pack' made.

    Every byte is compared with the file's own digests, which tell damage from what was packed, but not who made it.
    Nothing in it is imported or run. The directory is new, and appears whole or not at all. 'caregrid verify' computes
    a part of its units again.

    Parameters
    ----------
    file : str or Path
        The file.
    out : str or Path
        The directory (default: the file's name without .crate.zip, in the working directory).

    Returns
    -------
    UnpackedRun
        The directory, and what is in it.

    Raises
    ------
    BadFile
        For a file that is none of ours, or damaged, and where something is in the directory's place.

    Examples
    --------
    >>> import caregrid
    >>> _ = caregrid.run("multislot/threshold", quick=True, engine="serial", out="mine")
    >>> _ = caregrid.pack("mine", out="mine.crate.zip")
    >>> caregrid.unpack("mine.crate.zip", "theirs").rows() != []
    True
    """
    from caregrid.runs.sharing import UnpackedRun
    from experiments.sharing.packing import ENDING, unpack_run

    name = Path(file).name
    short = name.removesuffix(ENDING) if name.endswith(ENDING) else Path(file).stem
    return UnpackedRun(unpack_run(Path(file), Path(short) if out is None else Path(out)))


@operation(group=GROUP)
def verify(
    place: Annotated[str | Path, Word(metavar="FILE-or-DIR")],
    *,
    share: Annotated[Share, Word(metavar="S")] = 0.1,
    seed: Seed | None = None,
    trust: bool = False,
    yes: bool = False,
    quiet: Annotated[bool, QUIET] = True,
) -> VerifiedRun:
    """Compute some of a run's units again on this machine, and say whether they give the same bytes.

    The units are drawn at random. Of one that differs, the first column is shown with both values, and whether other
    code made it: which part differs. Exit code: 0 every byte agrees, 1 some differ, 2 it was refused.

      caregrid verify table_1.crate.zip
      caregrid verify results/mine --share 1 --trust

    Parameters
    ----------
    place : str or Path
        A run directory, or a file that 'caregrid pack' made.
    share : float
        The share of the units to compute, above 0 and up to 1.
    seed : int
        The seed that units are drawn by; by default one that nobody can foresee, which is printed.
    trust : bool
        Import code that the run names, MODULE:NAME, and run it; without it only registered experiments are computed.
    yes : bool
        Compute for more than ten minutes.
    quiet : bool
        No progress (by default in Python).

    Returns
    -------
    VerifiedRun
        `agrees`, and a row per unit that differs.

    Raises
    ------
    UntrustedCode
        Where code is needed that nobody trusts.
    BadValue
        For rows that do not repeat, such as measured seconds, and for what takes long.

    Examples
    --------
    >>> import caregrid
    >>> _ = caregrid.run("multislot/threshold", quick=True, engine="serial", out="mine")
    >>> caregrid.verify("mine", seed=1).agrees
    True
    """
    from experiments.runs.unit import limit_inner_threads

    if "numpy" not in sys.modules:
        limit_inner_threads()  # numpy reads these limits when it is loaded
    from caregrid.runs.sharing import VerifiedRun, draw_seed, open_results
    from engine.effort import ProgressLines
    from experiments.sharing.verification import verify_results

    def show_nothing(done: int, total: float) -> None:
        """Show nothing."""

    show: Any = show_nothing if quiet else ProgressLines("units").show
    chosen = draw_seed() if seed is None else seed
    with open_results(Path(place), trust) as results:
        found = verify_results(results.results, share, chosen, trust=trust, yes=yes, show=show)
        warnings = tuple(results.results.store.tally().warning.splitlines())
        return VerifiedRun(Path(place), results.name, found, warnings)
