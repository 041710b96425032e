"""The lessons: `care.py` holds `care = Lesson(...)`."""
