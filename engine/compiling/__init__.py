"""Plain Python objects and tables in compiled code."""
