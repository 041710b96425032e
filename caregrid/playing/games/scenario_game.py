"""A tabulated scenario to play: a person is the acting agent, then sees the newcomers and the exact optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caregrid.playing.game import NOTHING, Facts, Game, Move
from caregrid.playing.games.caring_result import caring_result
from caregrid.playing.games.scenario_goal import action_menu, company, step_text, step_to, world_text
from caregrid.shows.caring.explorer import inspect
from caregrid.shows.scenes import YOU, overlay_names, solution_scene
from caregrid.shows.solved import SolvedEpisode, with_solutions
from craftworld.solution.episodes import acting_episode, acting_key, newcomer_episodes
from craftworld.solution.problem import Problem
from engine.mdp.episode import Trajectory, successor
from engine.randomness.counter_based import uniform
from engine.scene import Scene


class ScenarioGame(Game):
    """A path in the problem's table.

    care: the coefficient of the augmented return that is compared. seed: of chance, in worlds that have any.
    """

    def __init__(self, problem: Problem, care: float, seed: int = 0) -> None:
        self.problem, self.care, self.seed = problem, care, seed
        scenario = problem.scenario
        self.title = f"{scenario.name}: your turn"
        self.about = world_text(scenario)
        self.goal = (
            f"You are the acting agent. {company(scenario)} What counts is your own return plus {care:g} times what "
            f"the others' prospects add ({problem.formulation})."
        )
        self.path = Trajectory((int(problem.mdp.start_states()[0]),), (), ())
        self._episodes: list[SolvedEpisode] | None = None

    @property
    def over(self) -> bool:
        """Whether the episode has ended, or the scenario's time limit has cut it."""
        return self._ended or len(self.path.actions) >= self.problem.scenario.time_limit

    @property
    def _ended(self) -> bool:
        return bool(self.problem.mdp.terminal[self.path.states[-1]])

    def menu(self) -> tuple[Move, ...]:
        """Arrows move, digits (then letters) do the other actions."""
        if self.over:
            return ()
        names, mask = self.problem.mdp.actions, self.problem.mdp.action_mask(self.path.states[-1])
        return action_menu(tuple(names), tuple(name for name, can in zip(names, mask, strict=True) if can))

    def take(self, action: str) -> str:
        """A step in the table; the nth draws the same number each time."""
        mdp, (states, actions, slots) = self.problem.mdp, self.path
        number = mdp.actions.index(action)
        slot = successor(mdp, states[-1], number, uniform(acting_key(self.seed), len(actions)))
        after = int(mdp.next_state[states[-1], number, slot])
        self.path, self._episodes = Trajectory((*states, after), (*actions, number), (*slots, slot)), None
        return step_text(self.path.episode(mdp))

    def __len__(self) -> int:
        return sum(map(len, self.episodes))

    @property
    def present(self) -> int:
        """The acting agent's last state; the newcomers' episodes follow it."""
        return len(self.path.actions)

    def overlays(self) -> Sequence[str]:
        """As in the viewer; values and policy are hints."""
        return overlay_names(self.episodes)

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """A scene; values are read once the game is over."""
        scene = solution_scene(self.episodes, index, overlay, values=self.over)
        return replace(scene, readings=(*scene.readings, ("care", f"{self.care:g}")))

    def inspect(self, index: int, cell: tuple[int, int]) -> Facts:
        """The values there."""
        return inspect(self.episodes, index, cell)

    def move_to(self, cell: tuple[int, int]) -> str | None:
        """The step to a neighbouring cell."""
        mdp = self.problem.mdp
        return step_to(self.problem.scenario, mdp.states[self.path.states[-1]], cell, mdp.actions)

    def result(self) -> Facts:
        """The path beside the exact optima."""
        return caring_result(self.problem, self.care, self.path)

    def suggestion(self) -> str | None:
        """The optimal action at the coefficient; None where the optimum never ends and repeats itself."""
        (start, *_), done = self.path.states, len(self.path.actions)
        segment = self.problem.segment(self.care, start)
        if self.over:
            return None
        if self.path.states == segment.path[: done + 1]:
            return self.problem.mdp.actions[segment.actions[done]] if done < len(segment.actions) else None
        policy = self.problem.planned(self.care, start).policy if segment.policy is None else segment.policy
        return self.problem.mdp.actions[int(policy[self.path.states[-1]])]

    @property
    def episodes(self) -> list[SolvedEpisode]:
        """The path, and once it has ended the newcomers' episodes after it."""
        if self._episodes is None:
            chapters = [acting_episode(self.problem, YOU, self.path, self.seed)]
            chapters += newcomer_episodes(self.problem, self.path.states[-1], self.seed)
            self._episodes = with_solutions(self.problem, chapters, self.care)
        return self._episodes
