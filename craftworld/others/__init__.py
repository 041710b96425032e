"""What the acting agent assumes of others: distributions over their values, rewards and options."""
