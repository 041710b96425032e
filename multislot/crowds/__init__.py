"""Crowds, one file each: which agents count, whether or not they are copies of mine."""
