"""Problems of caring agents in Python, and what their methods return."""
