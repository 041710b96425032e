"""g: an agent as an unsupervised learner, which divides points into clusters.

The points are shown in order, with reward 0, a point as 2 c + 1 with c the Cantor pairing of its coordinates' places
among the rationals. Points are in one cluster where the agent takes the same action, mod the number of points.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Unsupervised learning), which leaves g open.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.enumerations.pairs import paired
from xenv.theory.enumerations.rationals import place_of_rational
from xenv.theory.histories import Percept
from xenv.theory.response import ZERO

Point: TypeAlias = tuple[Fraction, ...]
Clustering: TypeAlias = frozenset[frozenset[Point]]


class ClusteringTrial(NamedTuple):
    """<n, D, C>: the dimension, the points, a clustering of them."""

    dimension: int
    points: tuple[Point, ...]
    clusters: Clustering


def number_of_point(point: Point) -> int:
    """The number of a point: its coordinates' places, paired from the first on."""
    number = place_of_rational(point[0])
    for coordinate in point[1:]:
        number = paired(number, place_of_rational(coordinate))
    return number


def clusterer(agent: HistoryAgent, points: tuple[Point, ...]) -> Clustering:
    """g(A): the clusters into which it divides points."""
    actions = agent.answers(Percept(ZERO, 2 * number_of_point(point) + 1) for point in points).actions
    groups: dict[int, set[Point]] = {}
    for point, action in zip(points, actions, strict=True):
        groups.setdefault(action % len(points), set()).add(point)
    return frozenset(map(frozenset, groups.values()))


def looks_clustered(agent: HistoryAgent, trial: ClusteringTrial) -> bool:
    """Whether g(A) would cluster the points so."""
    return clusterer(agent, trial.points) == trial.clusters


def clusterings(points: tuple[Point, ...]) -> Iterator[Clustering]:
    """All ways to divide points into clusters."""
    if not points:
        yield frozenset()
        return
    first, rest = points[0], points[1:]
    for clusters in clusterings(rest):
        yield clusters | {frozenset({first})}
        for cluster in clusters:
            yield clusters - {cluster} | {cluster | {first}}


def default_clustering_trials() -> tuple[ClusteringTrial, ...]:
    """All clusterings of three points on a line and of three in the plane."""
    line = ((Fraction(0),), (Fraction(1, 2),), (Fraction(3),))
    plane = ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)), (Fraction(1), Fraction(-2)))
    sets: tuple[tuple[Point, ...], ...] = (line, plane)
    return tuple(
        ClusteringTrial(len(points[0]), points, clusters)
        for points in sets
        for clusters in sorted(clusterings(points), key=_in_order)
    )


def _in_order(clusters: Clustering) -> list[list[Point]]:
    return sorted(sorted(cluster) for cluster in clusters)
