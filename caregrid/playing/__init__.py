"""Worlds to play: a person takes the place of the agent, then sees what the exact agents get.

`game.py` is what a game is, `session.py` a game under way with undo; `typed.py` plays it in a terminal or from a pipe,
`viewable_game.py` in the viewer. A programme is one file in `programmes/`, its rules as a game are in `games/`.
"""
