"""What is kept in files of our own formats."""
