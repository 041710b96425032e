"""What a pack says of itself: RO-Crate metadata, in the terms of the profile for runs of programs.

    ro-crate-metadata.json   JSON-LD, RO-Crate 1.1 with the Process Run Crate profile 0.5
    ./                       the data set: name, date, licence, citation, its files with length and SHA-256
    #session-1, ...          a CreateAction a session: instrument caregrid, object the settings, result the rows

The digests tell damage from what was packed. Whoever changes a file can change them, too: they prove nothing of who
made the rows. Profile: https://w3id.org/ro/wfrun/process; RO-Crate: https://w3id.org/ro/crate/1.1.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from engine.errors import BadFile

METADATA = "ro-crate-metadata.json"
LARGEST_METADATA = 64 << 20
RO_CRATE = "https://w3id.org/ro/crate/1.1"
RUN_TERMS = "https://w3id.org/ro/terms/workflow-run/context"
PROFILE, PROFILE_NAME, PROFILE_VERSION = "https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5"
UNDATED = "1980-01-01"
SOFTWARE = "caregrid"
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_SHA256 = re.compile(r"[0-9a-f]{64}")
PACKAGES = "https://pypi.org/project"
LONGEST_VALUES = 1000
MOMENTS = {"started": "startTime", "finished": "endTime"}

Entity = dict[str, Any]


class PackedFile(NamedTuple):
    """A file of a pack. about: what it is. form: its media type."""

    name: str
    size: int
    sha256: str
    about: str
    form: str


class CrateContent(NamedTuple):
    """What a pack is of. outputs: the files that are made of all rows. sessions: records of how the rows came about."""

    name: str
    reproduces: str
    licence: str
    files: Sequence[PackedFile]
    outputs: Sequence[str]
    sessions: Sequence[Mapping[str, Any]]


def write_crate(run: CrateContent) -> bytes:
    """Return the metadata of a pack."""
    licence = {"@id": f"https://spdx.org/licenses/{quote(run.licence)}", "@type": "CreativeWork", "name": run.licence}
    profile = {"@id": PROFILE, "@type": "CreativeWork", "name": PROFILE_NAME, "version": PROFILE_VERSION}
    actions = _describe_sessions(run)
    root: Entity = {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": _refer(profile),
        "name": f"Results of {run.name}",
        "description": f"{run.reproduces}: rows, figure, claims and how they came about.",
        "datePublished": _find_date(run.sessions),
        "license": _refer(licence),
        "citation": {"@id": "CITATION.cff"},
        "hasPart": [{"@id": file.name} for file in run.files],
        "mentions": [_refer(action) for action in actions if action["@type"] == "CreateAction"],
    }
    descriptor = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": _refer(root),
        "conformsTo": {"@id": RO_CRATE},
    }
    graph: list[Entity] = [descriptor, root, profile, licence, *actions, *map(_describe_file, run.files)]
    content = {"@context": [f"{RO_CRATE}/context", RUN_TERMS], "@graph": list(map(_unwrap, graph))}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def _unwrap(entity: Entity) -> Entity:
    """Return an entity with single values in place of lists of one, as RO-Crate wants it."""
    return {term: value[0] if isinstance(value, list) and len(value) == 1 else value for term, value in entity.items()}


def _refer(entity: Entity) -> Entity:
    return {"@id": entity["@id"]}


def _describe_file(file: PackedFile) -> Entity:
    return {
        "@id": file.name,
        "@type": "File",
        "name": file.name,
        "description": file.about,
        "encodingFormat": file.form,
        "contentSize": str(file.size),
        "sha256": file.sha256,
    }


def _describe_sessions(run: CrateContent) -> list[Entity]:
    """Return an action a session, the settings that it was asked for, and the programs that it ran, each once."""
    entities: dict[str, Entity] = {}
    names = {file.name for file in run.files}
    for number, session in enumerate(run.sessions, 1):
        last = number == len(run.sessions)
        segment = f"units/{session.get('segment')}"
        results = [*([segment] if segment in names else []), *(run.outputs if last else [])]
        software = _describe_programs(session)
        settings = _describe_settings(session, number)
        action = {
            "@id": f"#session-{number}",
            "@type": "CreateAction",
            "name": f"Run of {run.name}",
            "description": _write_command(session),
            "instrument": _refer(software[0]),
            "object": [{"@id": "manifest.json"}, *map(_refer, settings)],
            "result": [{"@id": name} for name in results],
            **{term: str(session[key]) for key, term in MOMENTS.items() if key in session},
            **_describe_end(session),
        }
        entities |= {entity["@id"]: entity for entity in (action, *software, *settings)}
    return list(entities.values())


def _describe_programs(session: Mapping[str, Any]) -> list[Entity]:
    """caregrid, and what it needs, in the versions of a session."""
    stated = session.get("versions")
    versions = {str(name): str(version) for name, version in stated.items()} if isinstance(stated, dict) else {}
    versions = {SOFTWARE: "unknown"} | versions
    needed = [_describe_program(name, version) for name, version in versions.items() if name != SOFTWARE]
    software = _describe_program(SOFTWARE, versions[SOFTWARE], page="")
    commit = session.get("git")
    return [
        {
            **software,
            "description": "a gridworld safety simulator" + (f", commit {commit}" if commit else ""),
            "softwareRequirements": [_refer(program) for program in needed],
        },
        *needed,
    ]


def _describe_program(name: str, version: str, page: str = PACKAGES) -> Entity:
    """page: below which a program has a page of its own, "" where it has none."""
    place = f"{page}/{quote(name)}/{quote(version.partition('+')[0])}" if page else f"#{name}-{quote(version)}"
    about = {"@id": place, "@type": "SoftwareApplication", "name": name, "softwareVersion": version}
    return {**about, "url": place} if page else about


def _describe_settings(session: Mapping[str, Any], number: int) -> list[Entity]:
    stated = session.get("settings")
    settings = stated if isinstance(stated, dict) else {}
    return [
        {
            "@id": f"#session-{number}-{quote(str(name))}",
            "@type": "PropertyValue",
            "name": str(name),
            "value": json.dumps(values, ensure_ascii=False, default=str)[:LONGEST_VALUES],
        }
        for name, values in settings.items()
    ]


def _describe_end(session: Mapping[str, Any]) -> Entity:
    """Return whether a session did what it was asked for, as far as its record tells."""
    failed, stopped = session.get("failed"), session.get("stopped")
    problem = ""
    if stopped or "finished" not in session:
        problem = f"stopped by {stopped or 'a kill'}"
    elif failed:
        problem = f"{len(failed) if isinstance(failed, list) else 1} units failed"
    status = f"http://schema.org/{'Failed' if problem else 'Completed'}ActionStatus"
    return {"actionStatus": status, **({"error": problem} if problem else {})}


def _write_command(session: Mapping[str, Any]) -> str:
    words = session.get("command")
    return shlex.join(map(str, words)) if isinstance(words, list) and words else "caregrid, from Python"


def _find_date(sessions: Sequence[Mapping[str, Any]]) -> str:
    """Return the day on which the last session ended, or began."""
    moments = [str(session.get(key, "")) for session in sessions for key in ("started", "finished")]
    return max((found[0] for moment in moments if (found := _DATE.match(moment))), default=UNDATED)


def read_digests(content: bytes, place: Path) -> dict[str, tuple[int, str]]:
    """Return the length and SHA-256 of each file that metadata names; BadFile where they say neither."""
    try:
        graph = json.loads(content)["@graph"]
        files = [entity for entity in graph if entity.get("@type") == "File"]
        digests = {entity["@id"]: (int(entity["contentSize"]), entity["sha256"]) for entity in files}
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise _refuse(place, "it cannot be read") from error
    for name, (_, digest) in digests.items():
        if not isinstance(name, str) or not isinstance(digest, str) or not _SHA256.fullmatch(digest):
            raise _refuse(place, f"it has no SHA-256 of {name!r}")
    if len(digests) < len(files):
        raise _refuse(place, "it names a file twice")
    return digests


def _refuse(place: Path, problem: str) -> BadFile:
    return BadFile(f"{METADATA}: {problem}", place=str(place), remedy="ask for a file that 'caregrid pack' made")
