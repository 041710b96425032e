"""Worlds on the screen: shows that viewers play, films for recording, pictures for comparing, and the lessons."""
