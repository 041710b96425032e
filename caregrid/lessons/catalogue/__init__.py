"""The lessons, one file each: `care.py` holds `care = Lesson(...)`."""
