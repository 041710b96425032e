"""What the viewer shows and films record: solved scenarios, scenarios to play, the worlds of every programme."""
