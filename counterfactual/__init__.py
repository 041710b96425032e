"""Agents with an input terminal: the world an agent plans in decides whether it meddles.

An agent is one function, `planning_world: (learned world, signal) -> world`, re-planned at every real step.
Source: "Counterfactual planning with an input terminal: the ITF, ITC and CITC agents".

| in the source                         | here                                                          |
| ------------------------------------- | ------------------------------------------------------------- |
| X_t, everything but the signal        | `x`: a NamedTuple of a world, numbers or columns              |
| I_t, the signal; i_0, that of now     | `signal`: a number in `World.signals`                         |
| the reward function that I_t encodes  | `Signal.worth`, what one unit of each feature is worth        |
| A_t                                   | `action`: a number in `World.actions`, a glyph in traces      |
| kernels X(. of I_t, X_t, A_t), I(...) | `World.physics_given`, `World.terminal`                       |
| X(. of X_t, A_t), of ITC and CITC     | `World.physics`                                               |
| R_t                                   | `Outcome.reward`                                              |
| learning world, planning worlds       | `World`, `PlanningWorld`; as diagrams `diagrams`              |
| observational records of X and I      | `learning.records.Records`                                    |
| learning functions                    | `learning.learned_world.LearnedWorld`                         |
| ITF, ITC, CITC, f_c                   | `agents.itf`, `agents.itc`, `agents.citc`, `agents.fc`        |
| planning, acting                      | `plan.Plan`, `replanning.Replanner`, `life.live`              |
| control incentive, indifference       | `incentives.control_incentive`, its absence                   |
"""
