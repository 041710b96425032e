"""Craftworld problems as experiments take them: by the names that a user gave, or by objects."""
