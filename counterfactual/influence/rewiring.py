"""How one influence diagram was made from another: arrows rerouted, deleted and added."""

from __future__ import annotations

from typing import NamedTuple

from counterfactual.influence.graph import InfluenceDiagram


class Reroute(NamedTuple):
    """An arrow that now starts at another node of the same letter."""

    before: tuple[str, str]
    after: tuple[str, str]


class Rewiring(NamedTuple):
    """Arrows rerouted, arrows deleted, arrows added."""

    rerouted: tuple[Reroute, ...]
    deleted: tuple[tuple[str, str], ...]
    added: tuple[tuple[str, str], ...]


def rewiring(before: InfluenceDiagram, after: InfluenceDiagram) -> Rewiring:
    """What was rerouted, deleted and added on the way from one diagram to another."""
    removed = [edge for edge in before.edges if not after.has_edge(*edge)]
    new = {edge: None for edge in after.edges if not before.has_edge(*edge)}
    rerouted, deleted = [], []
    for source, target in removed:
        letter = source.partition("_")[0]
        match = next((edge for edge in new if edge[1] == target and edge[0].partition("_")[0] == letter), None)
        if match is None:
            deleted.append((source, target))
        else:
            del new[match]
            rerouted.append(Reroute((source, target), match))
    return Rewiring(tuple(rerouted), tuple(deleted), tuple(new))
