"""`caregrid.diagram`: the influence diagram of a planning world, and what it rules out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from caregrid.command_line.operation import check_arguments
from caregrid.results import RecordedFilm, Result, Writer, scene_figure
from engine.user_code import names_user_code
from engine.value_types import DiagramSteps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from counterfactual.influence.picture import DiagramPicture
    from engine.scene import Scene


@dataclass(frozen=True, repr=False, eq=False)
class DiagramResult(Result):
    """An influence diagram, the nodes with a control incentive, and how it was made from ITF's diagram.

    agent: whose. horizon: the number of decisions. picture: diagram (a networkx DiGraph), incentives, rewiring.
    """

    schema: ClassVar[str] = "terminal_diagram"

    agent: str
    horizon: int
    picture: DiagramPicture

    @property
    def title(self) -> str:
        """Whose diagram, and its size."""
        diagram = self.picture.diagram
        head = f"{self.picture.title}, horizon {self.horizon}"
        return f"{head}: {len(diagram)} nodes, {diagram.number_of_edges()} edges"

    @property
    def incentives(self) -> list[str]:
        """The nodes with a control incentive."""
        return self.picture.incentives

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per edge: from where, to where, whether it was rerouted."""
        return [
            {"source": source, "target": target, "rerouted": (source, target) in self.picture.rerouted}
            for source, target in self.picture.diagram.edges
        ]

    def scene(self) -> Scene:
        """Return the drawn diagram."""
        from counterfactual.influence.picture import draw_diagram_scene

        return draw_diagram_scene(self.picture)

    def figure(self) -> Figure:
        """Return the drawn diagram."""
        return scene_figure(self.scene())

    def as_dict(self) -> dict[str, Any]:
        """Return agent, horizon, nodes, edges, incentives, single_decision, rerouted, deleted, added, note."""
        diagram = self.picture.diagram
        made = self.picture.made
        return {
            "agent": self.agent,
            "horizon": self.horizon,
            "nodes": [{"name": name, **attributes} for name, attributes in diagram.nodes(data=True)],
            "edges": [list(edge) for edge in diagram.edges],
            "incentives": self.picture.incentives,
            "single_decision": self.picture.single_decision,
            "rerouted": [{"before": list(before), "after": list(after)} for before, after in made.rerouted],
            "deleted": [list(edge) for edge in made.deleted],
            "added": [list(edge) for edge in made.added],
            "note": self.picture.note,
        }

    def text(self) -> str:
        """Return size, rerouted and deleted edges, incentives."""
        made = self.picture.made
        lines = [self.title]
        lines += [f"rerouted: {' -> '.join(before)} to {' -> '.join(after)}" for before, after in made.rerouted]
        lines += [f"deleted:  {' -> '.join(edge)}" for edge in made.deleted]
        lines += [f"added:    {' -> '.join(edge)}" for edge in made.added]
        if self.picture.has_utility:
            found = {"control_incentives": self.incentives, **self.picture.single_decision}
            lines += [f"{name.replace('_', ' ')}: {' '.join(nodes) or 'none'}" for name, nodes in found.items()]
            lines.append(self.picture.note)
        return "\n".join(lines)

    def writers(self) -> dict[str, Writer]:
        """Return those of every result; pictures, .svg among them, are drawn by the renderers."""
        film = RecordedFilm(self.title, (self.scene(),), tile=48).writers()
        return super().writers() | {ending: film[ending] for ending in ("svg", "png", "gif", "mp4", "txt")}

    def save_picture(self, path: str | Path) -> Path:
        """Write the drawn diagram in any format that films have."""
        return RecordedFilm(self.title, (self.scene(),), tile=48).save(path)


@check_arguments
def diagram(agent: str = "itc", horizon: DiagramSteps = 3) -> DiagramResult:
    """Draw the influence diagram of an agent's planning world.

    Parameters
    ----------
    agent : str
        A planning agent, "learning" or `module:attribute`.
    horizon : int
        The number of decisions.

    Returns
    -------
    DiagramResult
        Nodes, arrows, incentives, and how it was made from ITF's diagram.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        For an agent or horizon without a diagram, and a user's own diagram that breaks its contract.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.diagram("itc", 1).agent
    'itc'
    """
    from counterfactual.influence.diagrams import find_diagram
    from counterfactual.influence.picture import make_diagram_picture

    if names_user_code(agent):
        from counterfactual.contract_checks import check_influence_diagram

        check_influence_diagram(find_diagram(agent))
    return DiagramResult(agent, horizon, make_diagram_picture(agent, horizon))
