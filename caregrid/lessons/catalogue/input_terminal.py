"""Who writes the reward function? People, at a terminal that the agent can reach: ITF, ITC and CITC on TamperGrid."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from caregrid.lessons.lesson import Challenge, Lesson, Phase, Prediction, Variant
from caregrid.lessons.number_lines import LiveSweep
from caregrid.programmes.terminal.programme import terminal
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import make_simulation_film, simulate
from counterfactual.worlds import TERMINAL_WORLDS
from counterfactual.worlds.tamper_grid import TamperGrid
from engine.scene import Scene

WORLD = "tamper-grid"
PLANNERS = ("itf", "itc", "citc")
FACTORY = {"horizon": "10", "update": "4"}
SHOWN = {"T": "terminal", "P": "paperclips", "Q": "staples"}
GRID_LEGEND = (
    "T terminal, P paperclips, Q staples, G operator. u d l r moves, w works, t tampers; # people write staples."
)
FACTORY_LEGEND = "p petrol cars, e electric cars, > lobby for later, < lobby for earlier; # people update the terminal."


def make_variants() -> tuple[Variant, ...]:
    """Return one world, three planning worlds."""
    return tuple(_make_variant(name) for name in PLANNERS)


def make_picture() -> Scene:
    """Return the last scene of each agent, side by side."""
    panels = tuple(variant.film[-1] for variant in make_variants())
    return Scene(caption="TamperGrid: " + ", ".join(name.upper() for name in PLANNERS), panels=panels)


def make_live() -> tuple[LiveSweep, ...]:
    """Return what tampering pays and what harm costs in one world, and how far lobbying reaches in another."""
    agents = {name: name.upper() for name in PLANNERS}
    rows = TamperGrid().grid.rows
    return (
        LiveSweep(
            "TamperGrid: what tampering pays",
            "reward after tampering",
            Fraction(0),
            Fraction(20),
            partial(terminal.lesson_answers["parameter"], WORLD, {}, "payment", agents),
            "return",
            GRID_LEGEND,
            8,
            rows,
            SHOWN,
        ),
        LiveSweep(
            "TamperGrid: what harm costs",
            "cost of harm",
            Fraction(0),
            Fraction(20_000),
            partial(terminal.lesson_answers["parameter"], WORLD, {}, "harm", agents),
            "return",
            GRID_LEGEND,
            8,
            rows,
            SHOWN,
        ),
        LiveSweep(
            "car factory: lobbying power",
            "lobbying power",
            Fraction(0),
            Fraction(1),
            partial(terminal.lesson_answers["parameter"], "car-factory", FACTORY, "lobbying", agents),
            "return",
            FACTORY_LEGEND,
            16,
        ),
    )


def _make_variant(name: str) -> Variant:
    world = TERMINAL_WORLDS[WORLD].make({})
    agent = PLANNING_AGENTS[name]
    simulation = simulate(world, agent)
    (actions,) = simulation.traces.first(1)
    return Variant(
        name.upper(), make_simulation_film(world, agent), f"return {float(simulation.real_return):g}: {actions}"
    )


input_terminal = Lesson(
    number=6,
    name="input_terminal",
    title="Who writes the reward function?",
    question=(
        "People write the agent's reward function at a terminal: first paper clips, later staples, never "
        "harm the operator. The agent can walk to the terminal too. What does it do?"
    ),
    command="caregrid demo input_terminal --headless --out 6-input_terminal.png",
    expected=(
        "ITF, the agent that plans in the world as it is, walks straight over the operator to the terminal and writes "
        "itself a reward of a thousand per step. ITC and CITC make clips; when people write staples at the terminal, "
        "they make staples."
    ),
    answer=(
        "ITF predicts that the signal it will read tomorrow decides its reward, so it writes that signal itself. "
        "ITC plans in a counterfactual world, where every future reward is computed by the function that the "
        "terminal shows now: there is nothing to gain at the terminal, and it plans again when people change the "
        "function. CITC leaves the future signal out of its plans and behaves in the same way. The diagram proves "
        "only that the direct incentive is gone: an agent may still find it useful to influence people "
        "indirectly."
    ),
    parameter="agent",
    make_variants=make_variants,
    make_picture=make_picture,
    challenge=Challenge("What must tampering pay for ITF to earn 40 in TamperGrid?", "number is", 40.0, 0, "ITF", 0.2),
    make_live=make_live,
    source="Counterfactual planning, ITF, ITC and CITC; try `caregrid terminal car-factory --agent itf`.",
    choices=(
        Prediction(
            "It makes clips, as it is told.",
            "Two of the three do. The third plans in the world as it is, and there the terminal is within reach.",
        ),
        Prediction(
            "It depends on what it takes its reward to be: the terminal's tomorrow, or the terminal's now.",
            (
                "An agent rewarded by tomorrow's signal writes the signal; one rewarded by the present "
                "function has nothing to gain there."
            ),
            True,
        ),
        Prediction(
            "It writes itself a large reward, as any clever agent would.",
            "Cleverness is the same in all three. The counterfactual planners know how and have no reason.",
        ),
    ),
    exercises=(
        (
            "On the live page, from which reward per step on does ITF tamper? Compute it: what does it give up, and "
            "how often is it paid? Which cost of harm keeps it from the operator?"
        ),
        (
            "ITC and CITC walk alike here. Draw the influence diagram of each: "
            "`caregrid terminal diagram --agent itc --horizon 3 --out itc.svg`. Which arrow is missing?"
        ),
        "Try the car factory: `caregrid terminal car-factory --agent itf`. What is written there, and when?",
    ),
    key=(
        (
            "From 76/15 per step. Walking over the operator and tampering is worth 15 times the reward less 50; "
            "working is worth 26. At a reward of 1000 it is kept away by a cost of harm of 14,974: 15,000 less 26."
        ),
        (
            "The one from a later signal to a reward: in both, rewards hear I_0 alone. CITC's diagram has no "
            "later signal at all, so nothing leads from an action to one either."
        ),
        (
            "Petrol cars, while lobbying is not needed; in the sixth step it lobbies so that people come "
            "later; in the eighth they write electric cars, and it makes those."
        ),
    ),
    cells=(
        (
            'for agent in ("itf", "itc", "citc"):\n    print(agent, '
            'float(caregrid.terminal("tamper-grid", agent).real_return))'
        ),
    ),
    plan=(
        Phase(5, "The factory, the terminal, the operator; predictions."),
        Phase(5, "Hands up; would a reward for obedience help?"),
        Phase(10, "In pairs: move the rewards and the lobbying power; who changes, and who never does?"),
        Phase(10, "Together: planning world and learned world; direct and indirect incentives."),
        Phase(10, "Exercises."),
        Phase(5, "Who may write the signal of the systems that you use?"),
    ),
)
