"""Fixed policies, one file each: a name with an argument becomes a function from histories to actions."""
