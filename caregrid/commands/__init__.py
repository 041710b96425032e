"""The commands of `caregrid`, one file each, found by their file names.

A command is a module with a docstring (its first line is the help), `configure(parser)` and `run(arguments) -> int`
(the exit code). Heavy imports belong inside `run`, so that `caregrid --help` stays quick.
"""
