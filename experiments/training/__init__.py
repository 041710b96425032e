"""Training agents on scenarios, and the policies that they have learned, kept in files."""
