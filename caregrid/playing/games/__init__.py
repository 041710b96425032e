"""What each programme's worlds are as games."""
