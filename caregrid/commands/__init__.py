"""The commands of `caregrid`, one file each, found by their file names.

A command is a module with a docstring (its first line is the help) and `run(arguments: SomeArguments) -> int` (the exit
code), where `SomeArguments` is a frozen dataclass that the module declares by `caregrid.arguments.declaration`. Heavy
imports belong inside `run`, so that `caregrid --help` stays quick.
"""
