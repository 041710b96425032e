"""Language agents in the worlds of caregrid, measured through Inspect (extra `language`).

A language agent reads rules and a board in words and answers in words. Nothing of a world changes: what is told and
read is a thin layer over scenarios, extended environments, slot worlds and terminal worlds.

| file                | holds                                                                                   |
| ------------------- | --------------------------------------------------------------------------------------- |
| `worlds`            | a world with what can be reached in it within a step limit, step by step                |
| `texts`             | what an agent is told of a state, and a state read back from it                         |
| `prompts`           | prompt sets: files of texts with gaps, or the user's own                                |
| `answers`           | an action read from an answer, line by line                                             |
| `episodes`          | an episode in words: what is said next, and what an answer does; its measures           |
| `exact_agents`      | exact agents that read and answer in words                                              |
| `self_reflection`   | extended environments, where a copy is the same model asked about the imagined history  |
| `memo`              | answers that have been given, so that nothing is asked twice                            |
| `inspect_tasks`     | Inspect's tasks, solvers and scorers                                                    |
| `inspect_provider`  | Inspect's provider `exact/...`, the exact agents                                        |

Inspect takes a second to import: only the two files of its name import it, and nothing else of caregrid imports these.
"""
