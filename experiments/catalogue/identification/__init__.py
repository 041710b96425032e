"""How one knows that `identify` is right: calibration by simulation, and recovery of known agents."""
