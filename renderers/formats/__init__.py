"""The file formats of films, one file each: `name(film, tile, milliseconds) -> bytes`, found by their file names.

film: a sequence of scenes. tile: pixels a cell. milliseconds: how long each scene is shown.
"""
