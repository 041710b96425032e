"""Agents with an input terminal: which world the agent plans in decides whether it tampers with its reward function.

An agent is one function, `planning_world: (learned world, signal) -> world`, and it plans anew at every real step.
Source: "Counterfactual planning with an input terminal: the ITF, ITC and CITC agents".

| in the paper                          | here                                                               |
| ------------------------------------- | ------------------------------------------------------------------ |
| X_t, everything but the signal        | `x`: a NamedTuple of the world's own, of numbers or of columns     |
| I_t, the signal; i_0, that of now     | `signal`: an index of `TerminalWorld.signals`                      |
| the reward function that I_t encodes  | `Signal.feature_rewards`: the reward of one unit of each feature   |
| A_t                                   | `action`: an index of `TerminalWorld.actions`, a glyph in traces   |
| kernels X(. of I_t, X_t, A_t), I(...) | `TerminalWorld.physics_given`, `TerminalWorld.terminal`            |
| X(. of X_t, A_t), of ITC and CITC     | `TerminalWorld.physics`                                            |
| R_t                                   | `planning_world.PlannedOutcome.reward`                             |
| learning world, planning worlds       | `TerminalWorld`, `PlanningWorld`; as diagrams `influence.diagrams` |
| observational records of X and I      | `learning.Records`                                                 |
| learning functions                    | `learning.LearnedWorld`                                            |
| ITF, ITC, CITC                        | `agents.factual_and_counterfactual`                                |
| f_c, balancing                        | `agents.balancing`                                                 |
| planning, acting                      | `planning.plan.Plan`, `planning.replanning.Replanner`,             |
|                                       | `simulation.simulate.simulate`                                     |
| control incentive, indifference       | `influence.incentives.graphical_criteria.control_incentive`,       |
|                                       | its absence                                                        |
"""
