"""Likelihoods of a history, one file each: what learning agents weigh environments by."""
