"""What viewer and pictures show of a caring problem: its solution, its map as a drawing, behaviours side by side."""
