"""What an agent knows of others: distributions over their values, rewards and options."""
