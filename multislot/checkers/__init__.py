"""Public checkers, one a kind: each builds the thing as users would, calls it, and names the first thing that is wrong.

They raise `engine.errors.ContractBroken` with one line: file and class or function, what it gave, what was expected.
"""
