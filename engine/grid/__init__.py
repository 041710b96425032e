"""Grid maps drawn as text, and their cells."""

from engine.grid.cells import Cell, CellNumbers
from engine.grid.grid_map import DOWN, LEFT, MOVES, RIGHT, STEPS, UP, GridMap

__all__ = ["DOWN", "LEFT", "MOVES", "RIGHT", "STEPS", "UP", "Cell", "CellNumbers", "GridMap"]
