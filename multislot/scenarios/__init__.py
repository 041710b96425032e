"""Named scenarios, one file each, every one with the numbers that it teaches."""
