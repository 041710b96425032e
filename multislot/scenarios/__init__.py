"""Named scenarios, one file each, each with worked examples."""
