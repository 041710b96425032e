"""What is known of families of environments, one file each, a class named like its file."""
