"""Which agent is it: behaviour of any programme, read, and handed to the programme whose agents are the hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.programmes.agent_evidence import AgentIdentification, compare_agents
from caregrid.programmes.caring.identification import (
    CaringQuestions,
    Identification,
    IdentifiedGroup,
    identify_caring,
)
from caregrid.programmes.caring.replayed_behaviour import make_named_world, make_observed_world
from caregrid.programmes.programme import PROGRAMMES
from caregrid.programmes.turns import RecordedTurns, read_turns
from craftworld.identification.behaviour import Behaviour, read_behaviours
from engine.behaviour_file import read_programme
from engine.errors import BadValue, UnknownName
from engine.printable import show_value
from engine.value_types import to_list

if TYPE_CHECKING:
    from craftworld.identification.posterior import Prior

CARING = "caring"
Observed = Behaviour | RecordedTurns


def identify_behaviour(
    observed: Sequence[Any],
    asked: CaringQuestions,
    agents: Sequence[str],
    prior: Prior,
    out: str | Path | None,
    worlds: Sequence[Any] = (),
) -> Identification | IdentifiedGroup | AgentIdentification:
    """Identify the agent; the arguments are those of `caregrid.operations.identifying.identify`."""
    if out is not None:
        Identification.check_place(out)
    several = read_observed(observed, worlds)
    caring = [each for each in several if isinstance(each, Behaviour)]
    turns = [each for each in several if isinstance(each, RecordedTurns)]
    if caring and turns:
        raise BadValue("behaviour of several programmes", place="identify", remedy="identify one programme at a time")
    result: Identification | IdentifiedGroup | AgentIdentification
    if turns:
        if asked != CaringQuestions(misfit=asked.misfit):
            remedy = "leave formulation, prior, by_agent out"
            raise BadValue("no caring agent acts here", place="identify", remedy=remedy)
        result = identify_turns(turns, agents, prior, asked.misfit)
    else:
        if agents:
            raise BadValue("caring agents act here", place="identify", remedy="name formulations instead of agents")
        result = identify_caring(caring, asked, prior)
    if out is not None:
        result.save(out)
    return result


def read_observed(observed: Sequence[Any], worlds: Sequence[Any] = ()) -> list[Observed]:
    """Read behaviour: files, or what was recorded already.

    worlds: scenarios or problems that files were recorded in. Raises BadValue for one that no file was recorded in.
    """
    made = [make_observed_world(each) for each in worlds]
    one = isinstance(observed, str | Path | Behaviour | RecordedTurns)
    found: list[Observed] = []
    given: Any = [observed] if one else observed
    for each in to_list(given, "behaviour", "identify", "give files, or what record_behaviour() gave"):
        if isinstance(each, Behaviour | RecordedTurns):
            found.append(each)
        elif not isinstance(each, str | Path):
            raise BadValue(f"behaviour is {show_value(each)}", place="identify", remedy="give a file, or a recording")
        elif read_programme(each) in (CARING, ""):
            known = {one.world.fingerprint: one.world for one in found if isinstance(one, Behaviour)}
            found += read_behaviours(each, known, make_named_world, made)
        else:
            found.append(read_turns(each))
    used = [one.world for one in found if isinstance(one, Behaviour)]
    for world in made:
        if not any(world is one for one in used):
            raise BadValue(f"nothing was recorded in '{world.name}'", place="identify", remedy="leave this world out")
    return found


def identify_turns(
    turns: Sequence[RecordedTurns], agents: Sequence[str], prior: Prior, misfit: bool = False
) -> AgentIdentification:
    """Identify an agent of a programme that says what its hypotheses would have done.

    misfit: whether to ask if it is any of them.
    """
    from caregrid.programmes.agent_misfit import find_agent_misfit

    programmes = sorted({each.programme for each in turns})
    if len(programmes) > 1:
        raise BadValue("behaviour of several programmes", place="identify", remedy="identify one programme at a time")
    known = [CARING, *(name for name in PROGRAMMES.names() if PROGRAMMES[name].explain is not None)]
    if programmes[0] not in known:
        raise UnknownName("programme", programmes[0], known, place=turns[0].place)
    explain = PROGRAMMES[programmes[0]].explain
    assert explain is not None
    explanation = explain(turns, agents)
    worlds = tuple(each.world for each in turns)
    compared = compare_agents(explanation, prior)
    found = find_agent_misfit(explanation, prior) if misfit else None
    return AgentIdentification(programmes[0], worlds, compared, explanation.decisions, explanation.notes, found)
