"""What is kept in files of our own formats, and what names in files may stand for."""
