"""What a live page computes with: a world's exact segments, and its rules as a table that any map can be put under."""
