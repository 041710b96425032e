"""What makes a world legal: its declarations, the interaction protocol in all that can happen, and locality."""
