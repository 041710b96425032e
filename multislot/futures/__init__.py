"""The futures of section 4, one file each: what an agent that may be copied counts as its own future observations."""
