"""The five programmes: everything that a command does, as one Python function with a typed result.

| function                                   | result                             | command                    |
| ------------------------------------------ | ---------------------------------- | -------------------------- |
| `caregrid.problem`                         | `CaringProblem`                    |                            |
| `.breakpoints`                             | `BreakPoints`                      | `breakpoints`              |
| `.solve`                                   | `CaringSolution`                   | `solve`                    |
| `.evaluate`                                | `EvaluatedPolicy`                  | `evaluate`                 |
| `.sweep`                                   | `CareSweep`                        | `sweep`                    |
| `.train`                                   | `TrainingResult`                   | `train`                    |
| `.precompute`                              | `OthersValues`                     | `precompute`               |
| `.compare`                                 | `PathComparison`                   | `compare`                  |
| `.film`, `caregrid.film`                   | `RecordedFilm`                     | `record`                   |
| `.view`, `.play`                           |                                    | `view`, `play`             |
| `caregrid.rollout`                         | `RolloutResult`                    | `rollout`                  |
| `caregrid.sample_returns`                  | `SampledReturns`                   | `rollout --episodes`       |
| `caregrid.battery`                         | `BatteryResult`                    | `battery`                  |
| `caregrid.slots`, `simulate_slots`         | `SlotValues`, `SlotSimulation`     | `multislot`                |
| `caregrid.locality`                        | `LocalityResult`                   | `multislot locality`       |
| `caregrid.terminal`, `terminal_parameters` | `TerminalSimulation`               | `terminal WORLD`           |
| `caregrid.diagram`                         | `DiagramResult`                    | `terminal diagram`         |
| `caregrid.run`                             | `ExperimentResult`                 | `run`                      |
| `caregrid.load`                            | `ExperimentResult`                 | `check`, `draw`, `collect` |
| `caregrid.report`                          | `ResultsReport`                    | `report`                   |
| `caregrid.entries`, `describe`             | `EntryList`, `Description`         | `list`, `show`             |
| `caregrid.validate`, `doctor`              | `Validation`, `Installation`       | `validate`, `doctor`       |
| `caregrid.lesson`, `course`                | `LessonShown`, `Course`            | `demo`                     |

Every result has `.rows()`, `.frame()`, `.figure()`, `.arrays()`, `.text()`, `.as_dict()`, `.save(path)`, and shows
itself in a notebook (`caregrid.results`). An argument is a text as the command takes it, or an object in its
place. Nothing is written unless `out=` or `save` says so.
"""
