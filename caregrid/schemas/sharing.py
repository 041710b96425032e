"""What packing, unpacking and verifying runs print with --json."""

from typing import Annotated, TypedDict

from caregrid.json_schema import OutputScalar, OutputSchema

__all__ = ["pack", "unpack", "verify"]


class PackOutput(TypedDict):
    """What was packed."""

    experiment: Annotated[str, "its name"]
    file: Annotated[str, "that was written"]
    files: Annotated[list[str], "what is in it"]
    units: Annotated[int, "how many"]
    rows: Annotated[int, "how many"]
    problems: Annotated[list[str], "what a reader must know of the units"]


pack = OutputSchema(version=1, shape=PackOutput)
"""`caregrid pack`: a run in one file."""


class UnpackOutput(TypedDict):
    """What came out."""

    experiment: Annotated[str, "its name"]
    directory: Annotated[str, "the run directory that was made"]
    files: Annotated[list[str], "what is in it"]
    units: Annotated[int, "how many"]


unpack = OutputSchema(version=1, shape=UnpackOutput)
"""`caregrid unpack`: a run directory from a file."""


class DifferingUnit(TypedDict):
    """A unit that gives other bytes."""

    setting: Annotated[str, "setting -> value, as JSON"]
    column: Annotated[str, "the first that differs; empty: the unit cannot be computed"]
    stored: Annotated[OutputScalar, "the stored value"]
    recomputed: Annotated[OutputScalar, "the value here, or why there is none"]
    code: Annotated[str, "in what this code differs from that which made the unit; empty: in nothing"]


class VerifyOutput(TypedDict):
    """What computing units again has shown."""

    experiment: Annotated[str, "its name"]
    place: Annotated[str, "the file or directory"]
    agrees: Annotated[bool, "whether every byte does"]
    units: Annotated[int, "how many are stored"]
    recomputed: Annotated[int, "how many were computed again"]
    differences: Annotated[list[DifferingUnit], "units that differ"]
    code: Annotated[str, "in what this code differs from that which made the units; empty: in nothing"]
    unknown: Annotated[str, "what nobody can know of it; empty: nothing"]
    stale: Annotated[list[str], "files that are not what the units say"]
    seed: Annotated[int, "draws the same units again"]
    warnings: Annotated[list[str], "units that are lost"]


verify = OutputSchema(version=1, shape=VerifyOutput)
"""`caregrid verify`: some units of a run computed once more."""
